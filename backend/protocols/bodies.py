"""Reads the bodies that other clients send; errors name the fields as the client has them."""

import contextlib
from collections.abc import Callable, Generator, Mapping
from typing import Any, cast

import orjson
from starlette.requests import ClientDisconnect, Request

from ..domain.errors import BadInput
from ..http.wire.bodies import MalformedJson, check_keys, checked_depth, checked_values


async def read_bytes(request: Request) -> bytes:
    """Return a request's body. Raises `BadInput` if it is not whole, or holds too many values."""
    try:
        return checked_values(await request.body())
    except ClientDisconnect:
        raise BadInput("The body did not arrive whole.") from None


async def read_json(request: Request) -> Any:
    """Return a request's JSON, None for an empty body. Raises `BadInput`."""
    body = await read_bytes(request)
    if not body.strip():
        return None
    try:
        value = checked_depth(orjson.loads(body))
    except orjson.JSONDecodeError:
        raise MalformedJson("The body is not valid JSON.") from None
    check_keys(body)
    return value


def object_in(value: Any) -> Mapping[str, Any]:
    """Return a JSON object, an empty one for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


@contextlib.contextmanager
def naming(name_of: Callable[[str], str]) -> Generator[None]:
    """Rename the fields in a `BadInput` of the block; `name_of` returns what the client calls one."""
    try:
        yield
    except BadInput as error:
        raise _renamed(error, name_of) from None


@contextlib.contextmanager
def naming_message(message_id: str, content: str) -> Generator[None]:
    """Rename the `client_id` and the `content` in a `BadInput` of the block."""
    names = {"client_id": message_id, "content": content}
    with naming(lambda field: names.get(field, field)):
        yield


def _renamed(error: BadInput, name_of: Callable[[str], str]) -> BadInput:
    details: list[dict[str, str]] = error.details or []
    field = details[0]["field"] if details else error.message.partition(": ")[0]
    if not error.message.startswith(f"{field}: ") or not (details or field.isidentifier()):
        return error  # it names no field
    message = f"{name_of(field)}{error.message.removeprefix(field)}"
    renamed = [{**each, "field": name_of(each["field"])} for each in details]
    return BadInput(message, code=error.to_json()["error"]["code"], details=renamed or None)
