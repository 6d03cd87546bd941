"""The JSON Schemas of the frames, for the OpenAPI and the AsyncAPI document.

They allow further fields: a later version may add some, and a client that refused them would break. The
tests, which hold what this version sends to them, forbid what is not listed.
"""

from functools import cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from .frames import Frame, Reply
from .schemas import Command

COMPONENTS = "#/components/schemas/"

_UNIONS: tuple[tuple[str, Any, JsonSchemaMode], ...] = (
    ("Frame", Annotated[Frame, Field(discriminator="type")], "serialization"),
    ("Reply", Reply, "serialization"),
    ("Command", Command, "validation"),
)


@cache
def frame_schemas() -> dict[str, Any]:
    """Return the schemas of `Frame`, `Reply` and `Command`, and of all that they are made of, by name."""
    schemas: dict[str, Any] = {}
    for name, union, mode in _UNIONS:
        schema = TypeAdapter[Any](union).json_schema(mode=mode, ref_template=COMPONENTS + "{model}")
        schemas |= schema.pop("$defs")
        # OpenAPI and AsyncAPI write a discriminator differently; each member's `type` is a constant anyway.
        schema.pop("discriminator", None)
        schemas[name] = {**schema, "title": name}
    return schemas
