"""Enters the tools that a run calls by itself in the ledger, as LangChain reports them to a callback handler.

LangChain reports neither that a call was cancelled nor what becomes of a thread that outlives its call. The
first shows when the run's code has ended (`FollowedTools.close`); for the second the thread is observed.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

import orjson
from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler
from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp

from ..domain.encoding import encode
from ..domain.tool_call import Outcome
from ..tasks.ledger.observed import CallThreads, ObservedCall, ObservedCalls
from ..tasks.task_context import TaskContext
from ..tasks.user_threads import OBSERVED_BY
from .hosted_calls import LONGEST_SUMMARY, in_words
from .langgraph_internals import nodes_of
from .run_callbacks import RunCallbacks


class FollowedTools(RunCallbacks):
    """Follows the tools of one run."""

    @property
    def ignore_llm(self) -> bool:
        """Whether models are passed over: `FollowedModels` follows them."""
        return True

    @property
    def ignore_chat_model(self) -> bool:
        """Whether chat models are passed over."""
        return True

    def __init__(self, context: TaskContext, calls: ObservedCalls) -> None:
        super().__init__(context)
        self._calls = calls
        self._tools: dict[UUID, FollowedTool] = {}

    def close(self) -> None:
        """Note that the run's code has ended, whether by itself or cancelled."""
        self._calls.release(self._context)

    @property
    def handlers(self) -> list[BaseCallbackHandler]:
        """The handlers to give to LangChain."""
        return [self, _ToolsOnTheLoop(self)]

    def on_tool_start(
        self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Enter a call; its thread waits until the entry is durable. Raises as `ObservedCalls.begin`."""
        if not self.is_on_loop:
            begin = self.begin(serialized, input_str, run_id, kwargs)
            asyncio.run_coroutine_threadsafe(begin, self.loop).result()
            self._tools[run_id].thread_begins()

    async def begin(
        self, serialized: dict[str, Any], input_str: str, run_id: UUID, more: Mapping[str, Any]
    ) -> "FollowedTool":
        """Enter a call, on the event loop. Raises as `ObservedCalls.begin`."""
        inputs, nodes = more.get("inputs"), nodes_of(more.get("metadata") or {})
        tool = FollowedTool(self._calls, self.on_loop)
        tool.observed = await self._calls.begin(
            self._context,
            nodes[0] if nodes else "graph",
            str((serialized or {}).get("name") or more.get("name") or "tool"),
            _as_json({"input": input_str} if inputs is None else inputs),
            purpose=str(more.get("tool_call_id") or ""),
            threads=tool.threads,
        )
        self._tools[run_id] = tool
        return tool

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Note what a call came to."""
        failed = isinstance(output, ToolMessage) and output.status == "error"
        value = _as_json(output.content if isinstance(output, ToolMessage) else output)
        self._end(run_id, lambda tool: tool.end("failed" if failed else "completed", value))

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Note that a call failed; or that it asked its user, and begins again after the answer."""
        if isinstance(error, GraphBubbleUp):
            self._end(run_id, lambda tool: tool.pause())
        else:
            self._end(run_id, lambda tool: tool.end("failed", _reason(error)))

    def _end(self, run_id: UUID, end: "Callable[[FollowedTool], None]") -> None:
        tool = self._tools.pop(run_id, None)
        if tool is None:
            return
        if self.is_on_loop:
            OBSERVED_BY.set(None)
        self.on_loop(lambda: end(tool))


class _ToolsOnTheLoop(AsyncCallbackHandler):
    """Enters the calls of tools that run on the event loop, where only a coroutine can be waited for.

    The calls of threads are entered by `FollowedTools`: what a coroutine raises there, LangChain drops.
    """

    # In the asyncio task of the tool, so that `OBSERVED_BY` is set where the tool runs.
    run_inline = True
    raise_error = True

    def __init__(self, tools: FollowedTools) -> None:
        self._tools = tools

    @property
    def ignore_chain(self) -> bool:
        return True

    @property
    def ignore_llm(self) -> bool:
        return True

    @property
    def ignore_chat_model(self) -> bool:
        return True

    @property
    def ignore_retriever(self) -> bool:
        return True

    async def on_tool_start(
        self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, **kwargs: Any
    ) -> None:
        if self._tools.is_on_loop:
            tool = await self._tools.begin(serialized, input_str, run_id, kwargs)
            # LangChain runs the tool in a copy of this context, and so every thread that the tool starts.
            OBSERVED_BY.set(tool)


class FollowedTool:
    """One call, from its start to its end; the `ThreadObserver` of the threads that work for it."""

    def __init__(self, calls: ObservedCalls, on_loop: Callable[[Callable[[], None]], None]) -> None:
        self.threads = CallThreads()
        self.observed: ObservedCall | None = None
        self._calls = calls
        self._on_loop = on_loop

    def thread_begins(self) -> bool:
        """Count a thread that is about to begin; False if it must not."""
        return self.threads.begin()

    def thread_ended(self, value: Any, error: Exception | None) -> None:
        """Note what a thread came to that has outlived its call."""
        if not self.threads.end():
            return  # LangChain reports the end
        outcome: Outcome = "completed" if error is None else "failed"
        came_to = _as_json(value) if error is None else _reason(error)
        self._on_loop(lambda: self.end(outcome, came_to))

    def end(self, outcome: Outcome, value: Any) -> None:
        """Note what the call came to."""
        if self.observed is not None:
            self._calls.end(self.observed, outcome, summary=in_words(value), result=value)

    def pause(self) -> None:
        """Note that the call has asked its user."""
        if self.observed is not None:
            self._calls.pause(self.observed)


def _as_json(value: Any) -> Any:
    """Return a value as JSON has it, or in words if it has no JSON form: the tool is none of ours."""
    try:
        return orjson.loads(encode(value))
    except (TypeError, ValueError):
        return str(value).encode(errors="replace").decode()


def _reason(error: BaseException) -> str:
    return (str(error) or type(error).__name__).encode(errors="replace").decode()[:LONGEST_SUMMARY]
