"""The states of a user's thread as clients are shown them: shaped as LangGraph's `StateSnapshot`, in JSON."""

import asyncio
import dataclasses
from collections import deque
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, cast

import orjson
import structlog
from pydantic import BaseModel

from ...domain.encoding import embedded, to_wire
from ...store.base import StateStore
from ...store.reads import HISTORY_BYTES
from ...store.threads import ThreadStep
from ..graph_options import Graph, describe_error
from ..hosted_graph import HostedGraph
from ..langgraph_internals import checkpointed
from .checkpoints import holding
from .pieces import Pieces
from .thread import UNREADABLE, StoredThreads, Thread

LARGE_BYTES = 256 * 1024
"""Steps that hold more are rendered in a thread.

So a state of 67,000 messages of 500 characters holds the event loop up for 0.3 s in place of 2.5 s. One of
this size takes 11 ms (measured).
"""

_log = structlog.get_logger(__name__)

_SEVERAL = (set, frozenset, tuple, deque)
_PLAIN_KEYS = (str, int, float, type(None))


class StateHistory:
    """Reads the states of the threads of one graph."""

    def __init__(self, store: StateStore, hosted: HostedGraph) -> None:
        self._store = store
        self._hosted = hosted

    async def states(self, user_id: str, *, limit: int, before: str | None = None) -> Sequence[Any]:
        """Return the newest states, or the newest before one, newest first, each ready to be encoded.

        At most `limit`, and of `HISTORY_BYTES`, but at least one unless there is none. Raises `NotFound` if
        the thread has no step `before`, and `StoreUnavailable`.
        """
        stored = StoredThreads.of(self._hosted.threads, self._store, user_id)
        taken_over, _ = await stored.taken_over()
        if taken_over is not None:
            steps = () if before == taken_over.step_id else (taken_over,)
        else:
            steps = await self._store.get_thread_steps(
                user_id, self._hosted.threads[0], limit=limit, before=before, most_bytes=HISTORY_BYTES
            )
        held = {piece_id: piece for step in steps for piece_id, piece in step.held.items()}
        view = _View(self._hosted.graph, user_id, Pieces(held, shared=True))
        is_large = sum(map(len, held.values())) > LARGE_BYTES
        found: list[Any] = []
        size = 0
        for step in steps:
            rendered = await asyncio.to_thread(view.rendered, step) if is_large else view.rendered(step)
            size += len(rendered)
            if found and size > HISTORY_BYTES:
                break
            found.append(embedded(rendered))
            await asyncio.sleep(0)  # a page of 4 MiB takes 190 ms of CPU (measured): others run in between
        return found


class _View:
    """Renders steps of one thread. What these share is decoded and encoded once."""

    def __init__(self, graph: Graph, user_id: str, pieces: Pieces) -> None:
        self._graph = graph
        self._user_id = user_id
        self._pieces = pieces
        # By identity, with the object itself, whose identity would else become that of another one.
        self._encoded: dict[int, tuple[Any, orjson.Fragment]] = {}

    def rendered(self, step: ThreadStep) -> bytes:
        """Return the JSON of one state, as far as it can be read."""
        view: dict[str, Any] = {
            "values": {},
            "next": (),
            "checkpoint": {"checkpoint_id": step.step_id},
            "parent_checkpoint": None if step.parent is None else {"checkpoint_id": step.parent},
            "metadata": {"source": None, "step": None, "turn": step.turn},
            "created_at": None,
        }
        try:
            thread = Thread(step, as_it_went_on=False, pieces=self._pieces)
            state = thread.loaded[""]
            view["metadata"] |= {name: state.metadata.get(name) for name in ("source", "step")}
            view["created_at"] = to_wire(datetime.fromisoformat(state.checkpoint["ts"]))
        except UNREADABLE as error:
            return self._json(view | {"lost": [describe_error(error)]})
        view["values"], view["next"] = self._values(thread)
        if thread.faults:
            view["lost"] = [
                f"{' '.join(place).strip()}: {each}"
                for place, faults in thread.faults.items()
                for each in faults
            ]
        return self._json(view)

    def _values(self, thread: Thread) -> tuple[Any, Sequence[str]]:
        stored = thread.loaded[""].values
        saver = holding(thread, self._user_id)
        configuration: Any = {"configurable": {"thread_id": self._user_id, **checkpointed(saver)}}
        own = {name: value for name, value in stored.items() if ":" not in name and not name.startswith("__")}
        try:
            snapshot = self._graph.get_state(configuration)
        except Exception as error:  # noqa: BLE001 - the graph may refuse what an earlier version of it has kept
            _log.warning("a stored state is shown as it is stored", reason=describe_error(error))
            return own, ()
        values: Any = snapshot.values
        if isinstance(values, dict):
            # Values of channels that the graph has no more are shown as well.
            gone = own.keys() - self._graph.channels.keys()
            values = cast("dict[str, Any]", values) | {name: own[name] for name in own if name in gone}
        return values, snapshot.next

    def _json(self, value: Any) -> bytes:
        try:
            return orjson.dumps(value, default=self._default, option=orjson.OPT_NON_STR_KEYS)
        except TypeError:  # a key that is a tuple or bytes
            return orjson.dumps(
                _with_plain_keys(value), default=self._default, option=orjson.OPT_NON_STR_KEYS
            )

    def _default(self, value: Any) -> Any:
        known = self._encoded.get(id(value))
        if known is not None:
            return known[1]
        if isinstance(value, BaseModel):
            encoded = orjson.Fragment(self._json(value.model_dump(warnings=False)))
            self._encoded[id(value)] = value, encoded
            return encoded
        return [*cast("Iterable[Any]", value)] if isinstance(value, _SEVERAL) else str(value)


def _with_plain_keys(value: Any) -> Any:
    """Return a value whose mappings have keys that JSON takes: any other as text."""
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {
            key if isinstance(key, _PLAIN_KEYS) else str(key): _with_plain_keys(each) for key, each in items
        }
    if isinstance(value, (list, *_SEVERAL)):
        return [_with_plain_keys(each) for each in cast("Iterable[Any]", value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: _with_plain_keys(getattr(value, each.name)) for each in dataclasses.fields(value)}
    return value
