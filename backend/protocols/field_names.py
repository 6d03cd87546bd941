"""Names the fields of an error as another protocol's client has sent them."""

from collections.abc import Callable
from typing import cast

from ..errors import BadInput


def renamed(error: BadInput, theirs: Callable[[str], str]) -> BadInput:
    """Return an error that names its fields as the client has them."""
    body = error.to_json()["error"]
    details = cast("list[dict[str, str]]", body.get("details") or [])
    if details:
        return BadInput.of_fields(*((theirs(each["field"]), each["message"]) for each in details))
    field, colon, message = body["message"].partition(": ")
    named = f"{theirs(field)}: {message}" if colon and field.isidentifier() else body["message"]
    return BadInput(named, code=body["code"])


def naming_message_id(error: BadInput, theirs: str) -> BadInput:
    """Return an error of a message that names its `client_id` as the client has it."""
    return renamed(error, lambda field: theirs if field == "client_id" else field)
