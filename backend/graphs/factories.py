"""Calls the function that makes a graph, as LangGraph's own server does, but once for the whole process.

A factory may take a `RunnableConfig` and a `ServerRuntime`. LangGraph's server calls it anew for each run and
each look at a thread, with the run's `configurable`. Here nothing in these differs from run to run but the
user's id, so that the factory gets what `DETOUR_GRAPH_CONTEXT` says, no user, and is called once: one that
insists on a user (`runtime.ensure_user()`) is refused at the start. What differs from user to user belongs
into the nodes, which get the user's id with each run.
"""

import contextlib
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_origin

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config
from langgraph_sdk.runtime import ServerRuntime

from .langgraph_internals import factory_runtime
from .schema_fields import bare, type_hints

_BY_TYPE = {RunnableConfig: "config", ServerRuntime: "runtime"}


class Factory:
    """A function that makes a graph: plain, async, a generator or a context manager of either kind."""

    def __init__(self, function: Callable[..., Any], context: Mapping[str, Any]) -> None:
        self.name = function.__name__
        if inspect.isasyncgenfunction(function):
            function = contextlib.asynccontextmanager(function)
        elif inspect.isgeneratorfunction(function):
            function = contextlib.contextmanager(function)
        self.is_async = inspect.iscoroutinefunction(function)
        self._call = functools.partial(function, **_arguments(function, context))

    def make(self) -> Any:
        """Call the function; return what it returns, which may be an awaitable or a context manager."""
        return self._call()


async def enter(made: Any, stack: contextlib.AsyncExitStack) -> Any:
    """Return the graph of an awaitable or a context manager, which `stack` exits; else what was given.

    Raises whatever the factory raises. Cancelling this cancels the factory.
    """
    if inspect.isawaitable(made):
        made = await made
    if isinstance(made, contextlib.AbstractAsyncContextManager):
        return await stack.enter_async_context(made)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(made, contextlib.AbstractContextManager):
        return stack.enter_context(made)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return made


def _arguments(function: Callable[..., Any], context: Mapping[str, Any]) -> dict[str, Any]:
    """Return the config and the runtime under the names of the parameters that ask for them.

    A parameter asks by its type or by its name. The only one left that must be given gets the config,
    whatever its name, as on LangGraph's server. Raises `TypeError` if more are left.
    """
    hints = type_hints(function)
    asked: dict[str, str] = {}
    left: list[str] = []
    for name, each in inspect.signature(function).parameters.items():
        kind = _BY_TYPE.get(_bare_type(hints.get(name)), name.lstrip("_"))
        if kind in _BY_TYPE.values():
            asked[name] = kind
        elif each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            left.append(name)
    if len(left) == 1 and "config" not in asked.values():
        asked[left.pop()] = "config"
    if left:
        raise TypeError(f"{function.__name__}() takes {', '.join(left)}; only config and runtime are given")
    values = {
        "config": lambda: ensure_config({"configurable": {**context}}),
        "runtime": lambda: factory_runtime({**context} or None),
    }
    return {name: values[kind]() for name, kind in asked.items()}


def _bare_type(annotation: Any) -> Any:
    """Return a parameter's type without its own parameters: `ServerRuntime` of `ServerRuntime[Context]`."""
    annotation = bare(annotation)
    return get_origin(annotation) or annotation
