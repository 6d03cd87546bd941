"""Has errors name the fields that clients of the LangGraph API have sent, in place of Detour's own."""

import contextlib
from collections.abc import Callable, Generator
from typing import Any

from ...errors import BadInput


@contextlib.contextmanager
def naming(name_of: Callable[[str], str]) -> Generator[None]:
    """Rename the fields in a `BadInput` of the block; `name_of` returns what the client calls one."""
    try:
        yield
    except BadInput as error:
        raise _renamed(error, name_of) from error


def _renamed(error: BadInput, name_of: Callable[[str], str]) -> BadInput:
    found: Any = error.details
    details: list[dict[str, str]] = found or []
    field = details[0]["field"] if details else error.message.partition(": ")[0]
    if not error.message.startswith(f"{field}: "):
        return error  # it names no field
    message = f"{name_of(field)}{error.message.removeprefix(field)}"
    renamed = [{**each, "field": name_of(each["field"])} for each in details]
    return BadInput(message, code=error.to_json()["error"]["code"], details=renamed or None)
