"""What is said about the graph to serve, beside the graph itself: its type, its settings, its refusal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from langgraph.pregel import Pregel

from ..errors import DetourError

Graph = Pregel[Any, Any, Any, Any]
"""A compiled `StateGraph`, a functional `@entrypoint`, or any other graph that runs in this process."""


class GraphNotFoundError(DetourError):
    """`DETOUR_GRAPH` names no graph that can be served; the message is one sentence that says why."""

    code = "graph_not_found"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOptions:
    """The settings `DETOUR_GRAPH_CONTEXT`, `DETOUR_GRAPH_INPUT` and `DETOUR_GRAPH_REPLY`."""

    context: Mapping[str, Any] = field(default_factory=dict[str, Any])
    input_field: str = ""
    reply_key: str = ""


def described(error: Exception) -> str:
    """Return an error's type and message in one line, for a sentence at the start."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
