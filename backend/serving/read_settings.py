"""Reads a server's settings and reports everything that is wrong with them at once.

A flag counts before the environment, the environment before the file `.env` of the current folder, and that
before the default.
"""

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from dotenv import dotenv_values
from pydantic import ValidationError

from .settings import ENV_FILE, PREFIX, Settings

NOT_OF_THE_SERVER = ("DETOUR_API", "DETOUR_TESTS_COMPLETE")
"""Variables of the Streamlit client and of the project's tests: one environment may configure them all."""

_OF_KUBERNETES = re.compile(r"DETOUR_(SERVICE_(HOST|PORT)|PORT_[0-9]+_)")
"""Begins the variables that a pod gets for a service called `detour`."""


class WrongSettingsError(Exception):
    """Settings are wrong. The message has a line for each."""


def read_settings(kind: type[Settings], flags: Mapping[str, str] | None = None) -> Settings:
    """Return the settings; `flags` are those of the command line, by field. Raises `WrongSettingsError`."""
    flags = flags or {}
    wrong = list(_mistyped(kind))
    try:
        # A mapping of strings: the settings class parses them as it does the environment's.
        settings = kind(**flags)  # pyright: ignore[reportArgumentType]
    except ValidationError as error:
        for each in error.errors():
            field = str(each["loc"][0])
            wrong.append(f"{flag_of(field) if field in flags else variable_of(field)}: {each['msg']}")
    else:
        if not wrong:
            return settings
    raise WrongSettingsError("\n".join(wrong))


def variable_of(field: str) -> str:
    """Return the environment variable of a field."""
    return f"{PREFIX}{field}".upper()


def flag_of(field: str) -> str:
    """Return the flag of a field."""
    return f"--{field.replace('_', '-')}"


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the name that is most like this one, "" if none is much like it."""
    return next(iter(difflib.get_close_matches(name, names, n=1)), "")


def _mistyped(kind: type[Settings]) -> Iterator[str]:
    """Yield a sentence for each variable with the prefix that is no setting."""
    known = {*map(variable_of, kind.model_fields), *NOT_OF_THE_SERVER}
    # The travel assistant's own settings are gone with it, so none of them may be called a mistake in typing.
    what = "no setting" if kind is not Settings else "no setting of a server without the travel assistant"
    file = dotenv_values(ENV_FILE) if Path(ENV_FILE).is_file() else {}
    for place, variables in (("", os.environ), (f" in {ENV_FILE}", file)):
        for name, value in sorted(variables.items()):
            typed = name.upper()  # pydantic-settings reads names in any case
            is_set = typed.startswith(PREFIX) and bool(value)  # one that is set to nothing counts as not set
            if is_set and typed not in known and not _OF_KUBERNETES.match(typed):
                # Compared without the prefix, which alone makes any two names alike.
                short = typed.removeprefix(PREFIX)
                found = nearest(short, (each.removeprefix(PREFIX) for each in sorted(known)))
                yield f"{name}{place} is {what}" + (f"; did you mean {PREFIX}{found}?" if found else "")
