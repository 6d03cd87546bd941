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
    """The settings `DETOUR_GRAPH_*`, and whether they are those of `several` graphs.

    Of several graphs each takes what it has a field for. `start_s` bounds each import and each factory.
    """

    context: Mapping[str, Any] = field(default_factory=dict[str, Any])
    input_field: str = ""
    reply_key: str = ""
    shares_store: bool = False
    start_s: float = 60.0
    several: bool = False


def described(error: Exception | SystemExit) -> str:
    """Return an error's type and message in one line, for a sentence at the start."""
    if isinstance(error, KeyError) and _comes_from_environment(error):
        return f"the environment variable {error.args[0]} is not set"
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _comes_from_environment(error: KeyError) -> bool:
    """Tell whether `os.environ[...]` raised an error: its name alone would not say what is missing."""
    frames = error.__traceback__
    while frames is not None and frames.tb_next is not None:
        frames = frames.tb_next
    return frames is not None and frames.tb_frame.f_globals.get("__name__") == "os"
