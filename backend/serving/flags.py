"""The flags of the command line: one for each setting, derived from the class of the settings.

A flag takes the same text as its environment variable, so that a line of `.env` can be typed as a flag.
"""

from argparse import SUPPRESS, ArgumentParser
from collections.abc import Callable, Sequence
from typing import Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from .read_settings import flag_of, nearest, variable_of
from .settings import Settings

GRAPH = "graph"


def read_flags(
    given: Sequence[str],
    kind: type[Settings],
    *,
    program: str,
    about: str,
    takes: Callable[[str], bool] = lambda _name: True,
) -> dict[str, str]:
    """Return the settings that a command line gives, by field; a graph may be given without its flag.

    `takes` picks the fields that have a flag. Raises SystemExit after `--help`, and for an unknown flag.
    """
    usage = f"{program} [GRAPH] [--setting VALUE ...]"  # argparse would list all flags with each error
    parser = ArgumentParser(prog=program, usage=usage, description=about, allow_abbrev=False)
    parser.add_argument(
        "place", nargs="?", metavar="GRAPH", help=f"short for {flag_of(GRAPH)} GRAPH", default=SUPPRESS
    )
    own = parser.add_argument_group("settings", "The environment and .env can give each of them, too.")
    names = [name for name in kind.model_fields if takes(name)]
    for name in names:
        told = _help(name, kind.model_fields[name])
        own.add_argument(flag_of(name), metavar="VALUE", dest=name, help=told, default=SUPPRESS)
    known, unknown = parser.parse_known_args(given)
    for each in unknown:
        flag = nearest(each, map(flag_of, names)) if each.startswith("-") else ""
        parser.error(f"{each} is no flag" + (f"; did you mean {flag}?" if flag else ""))
    flags: dict[str, str] = vars(known)
    if "place" in flags and GRAPH in flags:
        parser.error(f"give the graph once, with {flag_of(GRAPH)} or without")
    return {GRAPH if name == "place" else name: value for name, value in flags.items()}


def as_typed(value: object) -> str:
    """Return a setting's value as one types it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType]
    return f"{value:g}" if isinstance(value, float) else str(value)


def _help(name: str, field: FieldInfo) -> str:
    more = "" if field.default in (None, "", (), {}) else f"; default {as_typed(field.default)}"
    if get_origin(field.annotation) is Literal:
        more = f"; {' or '.join(get_args(field.annotation))}{more}"
    if SecretStr in get_args(field.annotation):
        more = ", which is safer: this machine's users can see the flags of its processes"
    # argparse fills in what follows a percent sign.
    return f"{field.description} ({variable_of(name)}{more})".replace("%", "%%").replace("`", "")
