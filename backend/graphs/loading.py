"""Loads the graph that `DETOUR_GRAPH` names, or refuses it at the start in one sentence."""

import importlib
import inspect
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from pydantic import ValidationError

from ..errors import DetourError

Graph = CompiledStateGraph[Any, Any, Any, Any]


class GraphNotFoundError(DetourError):
    """`DETOUR_GRAPH` names no compiled graph that can be served."""

    code = "graph_not_found"


def load_graph(path: str) -> Graph:
    """Return the compiled graph at `module:attribute`, calling the attribute if it is a function.

    Raises `GraphNotFoundError` with a sentence that says what is wrong, whatever the module raised.
    """
    module_name, _, attribute = path.partition(":")
    if not attribute.isidentifier() or not all(part.isidentifier() for part in module_name.split(".")):
        raise GraphNotFoundError(f"DETOUR_GRAPH must be module:attribute (trip.graph:build), not {path!r}.")
    try:
        found: Any = getattr(importlib.import_module(module_name), attribute)
    except Exception as error:
        raise GraphNotFoundError(f"DETOUR_GRAPH={path} cannot be imported: {_described(error)}") from error
    if inspect.iscoroutinefunction(found):
        raise GraphNotFoundError(f"DETOUR_GRAPH={path} is an async function; a plain one can be called here.")
    if inspect.isroutine(found):
        try:
            found = found()
        except Exception as error:
            raise GraphNotFoundError(f"DETOUR_GRAPH={path} made no graph: {_described(error)}") from error
    if not isinstance(found, CompiledStateGraph):
        kind = type(found).__name__
        raise GraphNotFoundError(f"DETOUR_GRAPH={path} is a {kind}, not a compiled LangGraph graph.")
    graph: Graph = found  # pyright: ignore[reportUnknownVariableType]
    _check_context(path, graph)
    return graph


def _check_context(path: str, graph: Graph) -> None:
    """Refuse a graph whose context has required parts: LangGraph's caller gives them, and here nobody can."""
    schema: Any = graph.context_schema
    missing = ", ".join(sorted(getattr(schema, "__required_keys__", ())))
    if schema is not None and not missing:
        try:
            schema()
        except ValidationError as error:
            missing = ", ".join(str(each["loc"][0]) for each in error.errors() if each["loc"]) or str(error)
        except (TypeError, ValueError) as error:
            missing = str(error)
    if missing:
        raise GraphNotFoundError(f"DETOUR_GRAPH={path} needs a context that nothing here can give: {missing}")


def _described(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
