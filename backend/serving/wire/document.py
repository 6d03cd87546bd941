"""The framework's OpenAPI document, with the examples of answers.

They are put in afterwards, since the framework drops every null, and with it fields that the examples show.
"""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI


class DocumentedApp(FastAPI):
    """The framework's application with the completed document; `examples` has one of each answer, by type."""

    examples: Mapping[type, Mapping[str, Any]]

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document; made once."""
        if self.openapi_schema is None:
            schemas = super().openapi()["components"]["schemas"]
            for answer, example in self.examples.items():
                schemas[answer.__name__]["examples"] = [dict(example)]
        return self.openapi_schema or {}
