"""Holds JSON to the shapes that the OpenAPI document is made of."""

import functools
from typing import Any

from pydantic import TypeAdapter

_reader = functools.cache(TypeAdapter[Any])


def check_shape(shape: type, text: str | bytes) -> None:
    """Raise `ValidationError` for JSON without a field of a shape, with a further one, or of another type."""
    _reader(shape).validate_json(text, strict=True, extra="forbid")
