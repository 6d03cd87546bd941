"""What was found for a user's requests, finished or interrupted; read from the store."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..domain.partials import PartialResults
from ..domain.task import Task
from ..domain.tool_call import ToolCall
from ..store.base import StateStore
from .stored_requests import understanding_in
from .understanding.result import Understanding
from .understanding.slot_table import SLOTS

_LOOKED_THROUGH = 50
"""How many of a user's tasks are looked through. The store keeps the results of all tasks since the oldest of
the eleven requests that can be resumed, so many of them may have offers."""


Wanted = Callable[[Understanding | None], bool]


def _any_request(_understanding: Understanding | None) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRequest:
    """A request with the offers that are kept for it, by agent; `found_at` is when the oldest were found.

    `understanding` is None where this version cannot read the request.
    """

    task: Task
    understanding: Understanding | None
    offers: Mapping[str, Sequence[Any]]
    found_at: datetime

    def asks_as(self, other: "KeptRequest") -> bool:
        """Return whether both requests ask for the same, whatever their messages say."""
        one, two = self.understanding, other.understanding
        if one is None or two is None:
            return False
        asked, also_asked = [
            (each.wanted, each.tour, *(each.of(agent) for agent in SLOTS)) for each in (one, two)
        ]
        return asked == also_asked


class KeptRequests:
    """Reads the kept requests of any user. Its methods raise `StoreUnavailable` and may be cancelled."""

    def __init__(self, store: StateStore) -> None:
        self._store = store

    async def latest_first(self, user_id: str, *, only: Wanted = _any_request) -> AsyncGenerator[KeptRequest]:
        """Yield the requests for which offers are kept; each is read only once it is asked for.

        `only` tells by what a request asks for whether it is wanted. It is asked first, since that comes with
        the list of tasks, which is one read; the offers of each task are two more.
        """
        for task in await self._store.recent_tasks(user_id, limit=_LOOKED_THROUGH):
            if not only(understanding_in(task.request)):
                continue
            kept = await self._read(task)
            if kept is not None:
                yield kept

    async def of_task(self, user_id: str, task_id: str) -> KeptRequest | None:
        """Return what is kept for a task; None if nothing is, or the task is another user's."""
        task = await self._store.get_task_metadata(user_id, task_id)
        return await self._read(task) if task is not None else None

    async def writes_before(self, user_id: str, task_id: str) -> Sequence[ToolCall]:
        """Return the writes that were asked for by the request before a task, in the order they were made."""
        task = await self._store.get_task_metadata(user_id, task_id)
        # The task before a later attempt at a message is the attempt before it, whose writes it inherits.
        while task is not None and task.asked_in is not None and task.previous_task_id is not None:
            task = await self._store.get_task_metadata(user_id, task.previous_task_id)
        before_id = task.previous_task_id if task is not None else None
        before = await self._store.get_task_metadata(user_id, before_id) if before_id is not None else None
        calls = await self._store.get_tool_calls(user_id, before.turn) if before is not None else ()
        return [call for call in calls if call.effect == "write"]

    async def _read(self, task: Task) -> KeptRequest | None:
        saved = await self._store.get_partials(task.user_id, task.turn)
        found = PartialResults(each.found for each in saved if each.found is not None)
        if not any(found.counts().values()):
            return None
        return KeptRequest(
            task=task,
            understanding=understanding_in(task.request),
            offers=found.to_json(),
            found_at=await self._found_at(task),
        )

    async def _found_at(self, task: Task) -> datetime:
        # Not when the task ended: a search that it took over may have found its prices long before.
        calls = await self._store.get_tool_calls(task.user_id, task.turn)
        ended = (call.ended_at for call in calls if call.effect == "read" and call.done)
        return min((at for at in ended if at is not None), default=task.updated_at)


async def without_repeats(requests: AsyncGenerator[KeptRequest]) -> Sequence[KeptRequest]:
    """Return the requests without those that a later one repeats and has found as much for."""
    kept: list[KeptRequest] = []
    async for each in requests:
        if not any(later.asks_as(each) and _has_as_much(later, each) for later in kept):
            kept.append(each)
    return kept


def _has_as_much(later: KeptRequest, earlier: KeptRequest) -> bool:
    # A search that was made again and cut short has fresher prices, and fewer of them.
    return all(len(later.offers.get(agent, ())) >= len(items) for agent, items in earlier.offers.items())
