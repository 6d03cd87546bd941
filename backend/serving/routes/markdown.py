"""What the page of a hosted graph asks for beside what every client does: Markdown as sanitised HTML."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ..markdown import blocks_of
from ..wire.output import json_response

MOST_TEXTS = 100


class MarkdownRequest(BaseModel):
    """The texts to render. A body has `BODY_LIMIT_BYTES` at most, and so have they together."""

    model_config = ConfigDict(extra="forbid", strict=True)

    texts: Annotated[list[Annotated[str, StringConstraints(min_length=1)]], Field(max_length=MOST_TEXTS)]


def markdown_router() -> APIRouter:
    """Return the route. It is for the page alone, and so no part of the contract."""
    router = APIRouter(include_in_schema=False)

    # A plain function, so in a thread: 128 KiB of the worst that was found take 1.3 s (measured).
    @router.post("/page/markdown")
    def markdown(body: MarkdownRequest) -> Response:  # pyright: ignore[reportUnusedFunction]
        """Return the blocks of each text."""
        return json_response({"texts": [blocks_of(text) for text in body.texts]})

    return router
