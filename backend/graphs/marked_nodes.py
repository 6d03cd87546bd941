"""Marks the nodes that may run tools which no callback follows (`reach`), for the time that each runs.

The mark is an entry of the ledger, durable before the node begins. It costs other nodes nothing: LangChain
asks this handler only in graphs that have such a node.
"""

from collections.abc import Set
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler

from ..tasks.ledger.observed import ObservedCall
from .followed_tools import FollowedTools
from .langgraph_internals import namespace_of, outermost_node_of


class MarkedNodes(AsyncCallbackHandler):
    """Marks the nodes of these names; what a graph within runs belongs to its node."""

    run_inline = True  # before the node, and not beside it
    raise_error = True

    @property
    def ignore_llm(self) -> bool:
        """Whether completions are not followed."""
        return True

    @property
    def ignore_chat_model(self) -> bool:
        """Whether chat models are not followed."""
        return True

    @property
    def ignore_retriever(self) -> bool:
        """Whether retrievers are not followed."""
        return True

    @property
    def ignore_agent(self) -> bool:
        """Whether tools are not followed."""
        return True

    def __init__(self, names: Set[str], tools: FollowedTools) -> None:
        self._names = names
        self._tools = tools
        self._entered: dict[UUID, tuple[str, ObservedCall]] = {}
        self._running: set[str] = set()

    async def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: dict[str, Any],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Mark a node that begins; what runs within it is part of it. Raises as `ObservedCalls.begin`."""
        namespace = namespace_of(metadata or {})
        node = outermost_node_of(namespace)
        if node in self._names and "|" not in namespace and namespace not in self._running:
            self._running.add(namespace)
            self._entered[run_id] = namespace, await self._tools.begin_node(node)

    async def on_chain_end(self, outputs: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        """Note that a node has ended."""
        self._end(run_id, None)

    async def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Note that a node has failed, was cancelled, or asks its user."""
        self._end(run_id, error)

    def _end(self, run_id: UUID, error: BaseException | None) -> None:
        if run_id in self._entered:
            namespace, entered = self._entered.pop(run_id)
            self._running.discard(namespace)  # it may be tried again
            self._tools.end_node(entered, error)
