"""Threads: made, read, searched, changed, deleted."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from fastapi import APIRouter, Request, Response

from ...domain.encoding import embedded, encode
from ...errors import BadInput, Conflict, NotFound
from ...log.state_store.base import HISTORY_BYTES
from ...log.state_store.saved_threads import SavedThread, SortBy
from ...serving.edge.identity.access import Act
from ...serving.services import Services
from ...serving.wire.output import json_response
from ..agents import Agents
from ..threads import Threads
from .branches import asked_in, head_of
from .checkpoints import Checkpoints, rest_of
from .index import Index, with_metadata
from .replies import add_route, not_implemented
from .views import selected, thread_view
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
"""Of one search, as many as it returns threads at most; SQLite binds 32,766 values to a statement."""


class ThreadRoutes:
    """Answers what clients ask about threads."""

    def __init__(
        self, services: Services, threads: Threads, agents: Agents, index: Index, checkpoints: Checkpoints
    ) -> None:
        self._services = services
        self._threads = threads
        self._agents = agents
        self._index = index
        self._checkpoints = checkpoints

    async def create(self, request: Request) -> Response:
        """Add a thread to the index, by the id that the client gives or a new one."""
        body = await body_of(request)
        given = body.get("thread_id")
        thread_id = str(uuid.uuid4()) if given is None else checked_thread_id(given)
        if_exists = text(body, "if_exists") or "raise"
        if if_exists not in {"raise", "do_nothing"}:
            raise BadInput("if_exists: it should be one of: raise, do_nothing.")
        if body.get("supersteps"):
            raise BadInput("supersteps: this server does not support it.")
        metadata = self._with_own_name(metadata_of(body))
        await self._services.access.check(thread_id, Act.SPEAK)
        known = await self._services.store.position(thread_id) is not None
        if known and if_exists == "raise":
            raise _exists(thread_id)
        if not known:
            await self._services.admit_conversation(thread_id)
        saved, made = await self._index.make(thread_id, _without_nulls(metadata))
        if not made and if_exists == "raise":
            raise _exists(thread_id)
        return json_response(await self._view(thread_id, saved))

    async def get(self, request: Request) -> Response:
        """Return a thread."""
        thread_id = thread_id_of(request)
        async with self._services.long_read(thread_id):
            saved = await self._index.get(thread_id)
            state = await self._threads.state(thread_id)
            head = head_of(state, asked_in(saved)) if state is not None else None
            rest = rest_of(await self._checkpoints.last_step(thread_id, head)) if head is not None else None
            view = thread_view(thread_id, saved, state, head, rest=rest)
            if thread_id in self._index.hidden or (saved is None and view["created_at"] is None):
                raise unknown_thread(thread_id)
            return json_response(view)

    async def update(self, request: Request) -> Response:
        """Put metadata beside that of a thread."""
        thread_id = thread_id_of(request)
        metadata = self._with_own_name(metadata_of(await body_of(request)))
        if (
            await self._index.get(thread_id) is None
            and await self._services.store.position(thread_id) is None
        ):
            raise unknown_thread(thread_id)
        saved = await self._index.change(thread_id, lambda thread: with_metadata(thread, metadata))
        return json_response(await self._view(thread_id, saved))

    async def delete(self, request: Request) -> Response:
        """Forget a thread: its user with all that was said."""
        thread_id = thread_id_of(request)
        if (
            await self._index.get(thread_id) is None
            and await self._services.store.position(thread_id) is None
        ):
            raise unknown_thread(thread_id)
        await self._services.runner.delete_user(thread_id)
        return Response(status_code=204)

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
                if saved.user_id in self._index.hidden:
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
            return {**metadata, "graph_id": self._agents.named(name)}
        except NotFound:
            return metadata

    async def _view(self, thread_id: str, saved: SavedThread | None) -> dict[str, Any]:
        state = await self._threads.state(thread_id)
        head = head_of(state, asked_in(saved)) if state is not None else None
        return thread_view(thread_id, saved, state, head)


def _fits(view: Mapping[str, Any], status: str | None, values: Mapping[str, Any]) -> bool:
    own: Mapping[str, Any] = view["values"] or {}
    return status in {None, view["status"]} and all(own.get(name) == each for name, each in values.items())


def _without_nulls(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in metadata.items() if value is not None}


def _exists(thread_id: str) -> Conflict:
    return Conflict(f"There is a thread {thread_id!r} already.", code="thread_exists")


def thread_routes(threads: ThreadRoutes) -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    one = "/threads/{thread_id}"
    add_route(router, "/threads", threads.create, "POST")
    add_route(router, "/threads/search", threads.search, "POST")
    add_route(router, "/threads/count", threads.count, "POST")
    add_route(router, one, threads.get, "GET")
    add_route(router, one, threads.update, "PATCH")
    add_route(router, one, threads.delete, "DELETE")
    add_route(router, f"{one}/copy", not_implemented("copies of threads"), "POST")
    add_route(router, f"{one}/stream", not_implemented("streams of whole threads in this form"), "GET")
    add_route(router, "/threads/prune", not_implemented("pruning"), "POST")
    store = not_implemented("store that clients can reach: what graphs keep is theirs")
    add_route(router, "/store/{rest:path}", store, "GET", "PUT", "POST", "DELETE")
    return router
