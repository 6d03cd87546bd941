"""Markdown as sanitised HTML, for the page of a hosted graph."""

import asyncio
import importlib
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ..services import Services
from ..wire.bodies import json_response

MOST_TEXTS = 100


class MarkdownRequest(BaseModel):
    """The texts to render. A body has `BODY_LIMIT_BYTES` at most, and so have they together."""

    model_config = ConfigDict(extra="forbid", strict=True)

    texts: Annotated[list[Annotated[str, StringConstraints(min_length=1)]], Field(max_length=MOST_TEXTS)]


def markdown_router(services: Services) -> APIRouter:
    """Return the route, for the page alone: it is no part of the contract."""
    router = APIRouter(include_in_schema=False)

    @router.post("/page/markdown")
    async def markdown(body: MarkdownRequest) -> Response:  # pyright: ignore[reportUnusedFunction]
        """Return the blocks of each text. Raises `TooManyRequests` if too many calls of the address wait."""

        async def render() -> Response:
            # In a thread: what a call may cost keeps one busy for a second.
            async with services.rendering():
                return json_response({"texts": await asyncio.to_thread(rendered, body.texts)})

        # To its end, or a turn would be over whose thread still works.
        return await services.owner.run_to_end(render(), name="render Markdown")

    return router


def rendered(texts: Sequence[str]) -> Sequence[Any]:
    """Return the blocks of each text, as `markdown.rendered` does."""
    # Imported with the first text, in its thread: only the page of a graph needs it, and it takes 3 MiB.
    return importlib.import_module("..markdown", __package__).rendered(texts)
