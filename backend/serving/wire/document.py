"""The framework's OpenAPI document, with two corrections.

The framework drops every null, and with it fields that the examples show. And the models of answers forbid
further fields, so that tests find undocumented ones; clients must not read that as a promise.
"""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel

from .schemas import Input, Output


class DocumentedApp(FastAPI):
    """The framework's application with the corrected document."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document; made once."""
        if self.openapi_schema is None:
            document = super().openapi()
            for name, schema in document["components"]["schemas"].items():
                model = model_named(name)
                if issubclass(model, Output):
                    schema.pop("additionalProperties", None)
                extra: Any = model.model_config.get("json_schema_extra") or {}
                schema.update(extra)
        return self.openapi_schema or {}


def model_named(name: str) -> type[BaseModel]:
    """Return the model of a request or an answer by its name. Raises `KeyError`."""
    for model in (*_models_below(Input), *_models_below(Output)):
        if model.__name__ == name:
            return model
    raise KeyError(name)


def _models_below(base: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for model in base.__subclasses__():
        yield model
        yield from _models_below(model)
