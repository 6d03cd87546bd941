"""The OpenAPI document: the framework's, with what it leaves out of it put right.

It drops every null, and with them fields that the examples are to show. And it takes the models of answers,
which forbid further fields so that tests find them, for a promise that there will never be any.
"""

from types import ModuleType
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel

from backend.api import schemas, travel_schemas

_MODULES: tuple[ModuleType, ...] = (schemas, travel_schemas)


class DocumentedApp(FastAPI):
    """The framework's application with the document put right."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document; made once."""
        if self.openapi_schema is None:
            document = super().openapi()
            for name, schema in document["components"]["schemas"].items():
                model = model_named(name)
                if issubclass(model, schemas.Output):
                    schema.pop("additionalProperties", None)
                extra: Any = model.model_config.get("json_schema_extra") or {}
                schema.update(extra)
        return self.openapi_schema or {}


def model_named(name: str) -> type[BaseModel]:
    """Return the model of what is sent or answered under a name. Raises `KeyError`."""
    for module in _MODULES:
        if hasattr(module, name):
            return getattr(module, name)
    raise KeyError(name)
