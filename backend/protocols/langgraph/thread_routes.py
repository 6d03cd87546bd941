"""Threads: made, read, searched, changed, deleted one by one or together."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from fastapi import Request, Response

from ...domain.encoding import embedded, encode
from ...domain.errors import BadInput, Conflict, DetourError, NotFound
from ...graphs.several_graphs import unknown_graph
from ...http.identity.access import Act
from ...http.wire.bodies import json_response
from ...store.reads import HISTORY_BYTES
from ...store.threads import SavedThread, SortBy
from ..thread.state import Run, ThreadState
from .api import Api
from .checkpoints import Step, parent_id_of, rest_of, with_metadata
from .state_writes import StateWrites, Updates, supersteps_in
from .views import (
    ROOT,
    Options,
    beginning_id_of,
    beginning_view,
    branch_of,
    checkpoint_id_of,
    head_of,
    options_in,
    root_view,
    selected,
    state_view,
    thread_view,
)
from .wire import (
    FURTHEST,
    body_of,
    checked_thread_id,
    mapping,
    metadata_of,
    names,
    number,
    text,
    thread_id_of,
    ttl_of,
    unknown_thread,
)

_SORTED_BY: Mapping[str, SortBy] = {
    "created_at": "created_at",
    "updated_at": "updated_at",
    "thread_id": "thread_id",
    "status": "created_at",
}
_STATUSES = frozenset({"idle", "busy", "interrupted", "error"})
_PAGE = 100
_MOST_IDS = 1000
"""Of one call, as many as a search returns threads at most; SQLite binds 32,766 values to a statement."""


class ThreadRoutes:
    """Answers the calls of threads."""

    def __init__(self, api: Api, writes: StateWrites) -> None:
        self._api = api
        self._services = api.services
        self._writes = writes

    async def create(self, request: Request) -> Response:
        """Add a thread to the index, by the id that the client gives or a new one."""
        body = await body_of(request)
        given = body.get("thread_id")
        thread_id = str(uuid.uuid4()) if given is None else checked_thread_id(given)
        if_exists = text(body, "if_exists") or "raise"
        if if_exists not in {"raise", "do_nothing"}:
            raise BadInput("if_exists: it should be one of: raise, do_nothing.")
        supersteps, ttl = supersteps_in(body), ttl_of(body)
        metadata = self._with_own_name(metadata_of(body))
        await self._services.access.check(thread_id, Act.SPEAK)
        known = await self._services.store.position(thread_id) is not None
        exists = Conflict(f"There is a thread {thread_id!r} already.", code="thread_exists")
        if known and if_exists == "raise":
            raise exists
        if not known:
            await self._services.admit_conversation(thread_id)
        saved, made = await self._api.index.make(thread_id, _without_nulls(metadata), ttl_minutes=ttl)
        if not made and if_exists == "raise":
            raise exists
        if made and not known and supersteps:
            await self._begin_with(thread_id, supersteps)
            saved = await self._api.index.get(thread_id)
        return json_response(await self._view(thread_id, saved))

    async def _begin_with(self, thread_id: str, supersteps: Sequence[Updates]) -> None:
        """Write to a new thread, which is forgotten if its graph refuses that."""
        try:
            await self._writes.write(thread_id, supersteps)
        except DetourError:
            await self._services.conversations.delete_user(thread_id)
            raise

    async def get(self, request: Request) -> Response:
        """Return a thread."""
        thread_id = thread_id_of(request)
        async with self._services.long_read(thread_id):
            saved = await self._api.index.get(thread_id)
            state = await self._api.threads.state(thread_id)
            head = head_of(state, options_in(saved)) if state is not None else None
            rest = (
                rest_of(await self._api.checkpoints.last_step(thread_id, head)) if head is not None else None
            )
            view = thread_view(thread_id, saved, state, head, rest=rest)
            if thread_id in self._api.index.hidden or (saved is None and view["created_at"] is None):
                raise unknown_thread(thread_id)
            return json_response(view)

    async def update(self, request: Request) -> Response:
        """Put metadata beside that of a thread, or have it live so long from now."""
        thread_id = thread_id_of(request)
        body = await body_of(request)
        metadata, ttl = self._with_own_name(metadata_of(body)), ttl_of(body)
        if not await self._api.knows(thread_id):
            raise unknown_thread(thread_id)
        index = self._api.index
        saved = await index.change(thread_id, lambda each: index.living(with_metadata(each, metadata), ttl))
        return json_response(await self._view(thread_id, saved))

    async def delete(self, request: Request) -> Response:
        """Forget a thread: its user with all that was said."""
        thread_id = thread_id_of(request)
        if not await self._api.knows(thread_id):
            raise unknown_thread(thread_id)
        await self._services.conversations.delete_user(thread_id)
        return Response(status_code=204)

    async def prune(self, request: Request) -> Response:
        """Delete threads by their ids; return how many there were, without unknown ones and others'."""
        body = await body_of(request)
        wanted = names(body, "thread_ids", most=_MOST_IDS)
        if wanted is None:
            raise BadInput("thread_ids: name the threads.")
        if (text(body, "strategy") or "delete") != "delete":
            raise BadInput(
                "strategy: it should be delete; of a thread only the last 200 steps are kept anyhow."
            )
        pruned = 0
        for thread_id in dict.fromkeys(map(checked_thread_id, wanted)):
            pruned += await self._is_pruned(thread_id)
        return json_response({"pruned_count": pruned})

    async def _is_pruned(self, thread_id: str) -> bool:
        try:
            await self._services.access.check(thread_id, Act.END)
        except NotFound:
            return False
        if not await self._api.knows(thread_id):
            return False
        await self._services.conversations.delete_user(thread_id)
        return True

    async def search(self, request: Request) -> Response:
        """Return the threads of the index that fit, newest first.

        An answer has `HISTORY_BYTES`, but at least one thread: further on are the next ones.
        """
        body = await body_of(request)
        wanted = names(body, "select")
        limit, offset = number(body, "limit", 10), number(body, "offset", 0, most=FURTHEST)
        found: list[Any] = []
        size = 0
        # One after the other: all states of a person's threads together may be gigabytes.
        async with (
            self._services.long_read(),
            contextlib.aclosing(self._fitting(body, offset=offset, at_once=limit)) as views,
        ):
            async for view in views:
                rendered = encode(selected(view, wanted))
                size += len(rendered)
                if found and size > HISTORY_BYTES:
                    break
                found.append(embedded(rendered))
                if len(found) >= limit:
                    break
            return json_response(found[:limit])

    async def count(self, request: Request) -> Response:
        """Return how many threads of the index fit."""
        body = await body_of(request)
        count = 0
        async with (
            self._services.long_read(),
            contextlib.aclosing(self._fitting(body, offset=0, at_once=_PAGE)) as views,
        ):
            async for _ in views:
                count += 1
        return json_response(count)

    async def _fitting(
        self, body: Mapping[str, Any], *, offset: int, at_once: int
    ) -> AsyncGenerator[dict[str, Any]]:
        """Yield the threads that fit, in order, from one on; `at_once` are read at once, at most a page."""
        sort_by, order = text(body, "sort_by") or "created_at", text(body, "sort_order") or "desc"
        if sort_by not in _SORTED_BY:
            raise BadInput(f"sort_by: it should be one of: {', '.join(_SORTED_BY)}.")
        if order not in {"asc", "desc"}:
            raise BadInput("sort_order: it should be one of: asc, desc.")
        status = text(body, "status")
        if status is not None and status not in _STATUSES:
            raise BadInput(f"status: it should be one of: {', '.join(sorted(_STATUSES))}.")
        values, ids = mapping(body, "values"), names(body, "ids", most=_MOST_IDS)
        # A status is not in the index: it is read of each thread in turn.
        sieve = status is not None or bool(values)
        first, left_out = (0, offset) if sieve else (offset, 0)
        page_size = max(1, min(_PAGE, at_once))
        more = True
        while more:
            page = await self._services.store.find_threads(
                metadata=self._with_own_name(_without_nulls(mapping(body, "metadata"))),
                ids=ids,
                person=self._services.access.person,
                sort_by=_SORTED_BY[sort_by],
                descending=order == "desc",
                limit=page_size,
                offset=first,
            )
            for saved in page:
                if saved.user_id in self._api.index.hidden:
                    continue
                view = await self._view(saved.user_id, saved)
                if _fits(view, status, values):
                    left_out -= 1
                    if left_out < 0:
                        yield view
                await asyncio.sleep(0)  # others run in between
            first += len(page)
            more = len(page) == page_size

    def _with_own_name(self, metadata: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return metadata with a graph under the name that runs put there, whichever it was called by.

        agent-chat-ui lists the threads of the name that its user typed in, such as `agent`.
        """
        name = metadata.get("graph_id")
        if not isinstance(name, str):
            return metadata
        try:
            return {**metadata, "graph_id": self._api.agents.named(name)}
        except NotFound:
            return metadata

    async def _view(self, thread_id: str, saved: SavedThread | None) -> dict[str, Any]:
        state = await self._api.threads.state(thread_id)
        head = head_of(state, options_in(saved)) if state is not None else None
        return thread_view(thread_id, saved, state, head)


def _fits(view: Mapping[str, Any], status: str | None, values: Mapping[str, Any]) -> bool:
    own: Mapping[str, Any] = view["values"] or {}
    return status in {None, view["status"]} and all(own.get(name) == each for name, each in values.items())


def _without_nulls(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in metadata.items() if value is not None}


# --- state routes --------------------------------------------------------------------------------------
# The state of a thread: now, at a checkpoint, and after each message.


_HISTORY = 10


class _Thread(NamedTuple):
    """A thread that was read; `steps` are the newest of each message's task, by the task."""

    thread_id: str
    state: ThreadState
    options: Options
    steps: Mapping[str, Step]
    is_leaving: bool

    def present(self) -> dict[str, Any]:
        """Return the newest state."""
        return self._view(head_of(self.state, self.options), is_head=True)

    def at(self, checkpoint_id: str) -> dict[str, Any]:
        """Return the state at a checkpoint. Raises `NotFound`."""
        view = next((rendered() for known, rendered in self._shown() if known == checkpoint_id), None)
        if view is None:
            raise NotFound(
                f"There is no checkpoint {checkpoint_id!r} in this thread.", code="unknown_checkpoint"
            )
        return view

    def before(self, checkpoint_id: str | None) -> Iterator[dict[str, Any]]:
        """Yield the states before a checkpoint, or all of them, newest first."""
        shown = self._shown()
        if checkpoint_id is not None:
            ids = [known for known, _ in shown]
            shown = shown[ids.index(checkpoint_id) + 1 :] if checkpoint_id in ids else []
        yield from filter(None, (rendered() for _, rendered in shown))

    def _shown(self) -> list[tuple[str, Callable[[], dict[str, Any] | None]]]:
        """Return the checkpoints that are shown, each with what renders its state: the head, then the newest.

        Of each message two: the state after it, and that with nothing but it, once for all its answers; of
        what a client wrote one. Last the one before everything: pages look for a state without a parent, and
        show nothing if there is none.
        """
        head = head_of(self.state, self.options)
        if head is None:
            return []
        others = [each.task_id for each in reversed(_firsts(self.state)) if each.task_id != head.task_id]
        runs = [head, *filter(None, map(self.state.last_run_of, others))]
        first_answers = {beginning_id_of(run, self.options): run for run in runs}
        shown: list[tuple[str, Callable[[], dict[str, Any] | None]]] = []
        for run in runs:
            after_id = checkpoint_id_of(run, self.steps.get(run.task_id))
            shown.append((after_id, partial(self._view, run, is_head=run is head)))
            beginning_id = beginning_id_of(run, self.options)
            if first_answers[beginning_id] is run and not run.writes_state:
                shown.append((beginning_id, partial(self._beginning, run)))
        return [*shown, (ROOT, partial(root_view, self.thread_id, runs[-1]))]

    def _view(self, run: Run | None, *, is_head: bool) -> dict[str, Any]:
        if run is None:
            return state_view(self.thread_id, self.state, None, self.options)
        step = self.steps.get(run.task_id)
        before_id = parent_id_of(run, self.state, self.options, self.steps)
        return state_view(
            self.thread_id,
            self.state,
            run,
            self.options,
            step=step,
            rest=rest_of(step),
            parent_id=before_id if run.writes_state else beginning_id_of(run, self.options),
            number=2 * len(branch_of(run, self.state, self.options)),
            is_head=is_head,
            is_leaving=self.is_leaving,
        )

    def _beginning(self, run: Run) -> dict[str, Any] | None:
        branch = branch_of(run, self.state, self.options)
        return beginning_view(
            self.thread_id,
            self.state,
            run,
            self.options,
            rest=rest_of(self.steps.get(branch[-2]) if len(branch) > 1 else None),
            parent_id=parent_id_of(run, self.state, self.options, self.steps),
            number=2 * len(branch),
        )


class StateRoutes:
    """Answers the calls of the states of threads."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._services = api.services

    async def state(self, request: Request) -> Response:
        """Return the present state, with what runs have found; with `graph`, as that graph keeps it."""
        graph = request.query_params.get("graph")
        async with self._read(thread_id_of(request), graph) as thread:
            return json_response(selected(thread.present(), request.query_params.getlist("select")))

    async def at(self, request: Request) -> Response:
        """Return the state at the checkpoint that the path names."""
        async with self._read(thread_id_of(request)) as thread:
            view = thread.at(request.path_params["checkpoint_id"])
            return json_response(selected(view, request.query_params.getlist("select")))

    async def at_checkpoint(self, request: Request) -> Response:
        """Return the state at the checkpoint that the body names, by default the present one."""
        body = await body_of(request)
        checkpoint_id = text(mapping(body, "checkpoint"), "checkpoint_id", within="checkpoint.")
        wanted = names(body, "select")
        async with self._read(thread_id_of(request)) as thread:
            view = thread.present() if checkpoint_id is None else thread.at(checkpoint_id)
            return json_response(selected(view, wanted))

    async def history(self, request: Request) -> Response:
        """Return the states after each message and with it alone, newest first; the first is the present one.

        A page has `HISTORY_BYTES`, but at least one state; `before` its last one is the next.
        """
        body = await body_of(request)
        limit = number(body, "limit", _HISTORY)
        before = body.get("before")
        if isinstance(before, Mapping):
            given = mapping(body, "before")
            own = mapping(given, "configurable", within="before.") or given
            before = text(own, "checkpoint_id", within="before.")
        if before is not None and not isinstance(before, str):
            raise BadInput("before: it should name a checkpoint.")
        if mapping(body, "checkpoint").get("checkpoint_ns"):
            return json_response([])  # of a subgraph, whose states are not shown
        wanted = names(body, "select")
        metadata = mapping(body, "metadata")
        async with self._read(thread_id_of(request)) as thread:
            return json_response(await _page(thread, metadata, wanted, limit=limit, before=before))

    @contextlib.asynccontextmanager
    async def _read(self, thread_id: str, graph: str | None = None) -> AsyncGenerator[_Thread]:
        """Wait for the turn of a long read, and read a thread; render the answer within it."""
        await self._api.stopping.settled(thread_id)  # it may take seconds, in which others have their turns
        async with self._services.long_read(thread_id):
            yield await self._thread(thread_id, graph)

    async def _thread(self, thread_id: str, graph: str | None) -> _Thread:
        state = await self._api.threads.state(thread_id)
        saved = await self._api.index.get(thread_id)
        if thread_id in self._api.index.hidden or (state is None and saved is None):
            raise unknown_thread(thread_id)
        state = state or ThreadState("")
        served = self._services.graphs
        if graph is not None and served is not None and graph not in served.names:
            raise unknown_graph(graph, served.names)
        steps = await self._api.checkpoints.last_steps(thread_id, _firsts(state, graph))
        active = state.active_run()
        leaving = active is not None and self._api.leaving.is_leaving(thread_id, active)
        options = await self._api.checkpoints.options(thread_id, saved)
        return _Thread(thread_id, state, options, steps, leaving)


def _firsts(state: ThreadState, graph: str | None = None) -> list[Run]:
    """Return the first run of each message."""
    return [each for each in state.runs.values() if each.number == 1 and graph in (None, each.graph)]


async def _page(
    thread: _Thread,
    metadata: Mapping[str, Any],
    wanted: Sequence[str] | None,
    *,
    limit: int,
    before: str | None,
) -> list[Any]:
    """Return a page of states with that metadata, each ready to be encoded.

    One after the other: each holds the whole conversation up to its message, so all of a long one together
    would be hundreds of MiB.
    """
    page: list[Any] = []
    size = 0
    for view in thread.before(before):
        if len(page) >= limit:
            break
        if metadata.items() <= view["metadata"].items():
            rendered = encode(selected(view, wanted))
            size += len(rendered)
            if page and size > HISTORY_BYTES:
                break
            page.append(embedded(rendered))
        await asyncio.sleep(0)  # others run in between
    return page
