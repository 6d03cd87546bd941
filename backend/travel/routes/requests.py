"""`GET` of the requests that a user has made and of what was found for each, as it was found."""

from collections import Counter
from datetime import datetime

from fastapi import APIRouter, Response

from ...domain.clock import to_wire
from ...domain.partials import PartialResults
from ...domain.task import Task
from ...errors import NotFound
from ...log.state_store.base import StateStore
from ...serving.wire.input import TaskIdInPath, UserIdInPath
from ...serving.wire.output import errors_for, json_response
from ..stored_requests import understanding_in
from ..understanding.english.titles import title_of
from .travel_schemas import KeptOffersAnswer, KeptRequestsAnswer, KeptRequestView

_LOOKED_THROUGH = 50
"""How many of a user's tasks are looked through."""


def requests_router(*, store: StateStore) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["Travel"])

    async def found_at(task: Task) -> datetime:
        # Not when the task ended: a search that it took over may have found its prices long before.
        calls = await store.get_tool_calls(task.user_id, task.turn)
        ended = (call.ended_at for call in calls if call.effect == "read" and call.done)
        return min((at for at in ended if at is not None), default=task.updated_at)

    @router.get(
        "/requests/{user_id}",
        response_model=KeptRequestsAnswer,
        responses=errors_for(404, 422, 503),
        summary="List the requests of a user",
    )
    async def requests(user_id: UserIdInPath) -> Response:
        """Return the requests for which offers are kept, the latest first."""
        if await store.position(user_id) is None:
            raise NotFound(f"Nothing is known of a user {user_id!r}.", code="unknown_user")
        kept: list[KeptRequestView] = []
        for task in await store.recent_tasks(user_id, limit=_LOOKED_THROUGH):
            saved = await store.get_partials(user_id, task.turn)
            counts: Counter[str] = Counter()
            for each in saved:
                if each.found is not None:
                    counts[each.found.agent] += each.found.count
            if counts.total():
                kept.append(_view(task, counts, at=await found_at(task)))
        return json_response(KeptRequestsAnswer(user_id=user_id, requests=kept))

    @router.get(
        "/requests/{user_id}/{task_id}",
        response_model=KeptOffersAnswer,
        responses=errors_for(404, 422, 503),
        summary="Get the offers of a request",
    )
    async def offers(user_id: UserIdInPath, task_id: TaskIdInPath) -> Response:
        """Return the offers that are kept for a request, as they were found: prices may be others by now."""
        task = await store.get_task_metadata(task_id)
        saved = await store.get_partials(user_id, task.turn) if task and task.user_id == user_id else ()
        found = PartialResults(each.found for each in saved if each.found is not None)
        if task is None or not any(found.counts().values()):
            raise NotFound(f"No offers are kept of a task {task_id!r}.", code="unknown_task")
        view = _view(task, found.counts(), at=await found_at(task))
        return json_response(KeptOffersAnswer(**view, offers=found.fragment()))

    return router


def _view(task: Task, counts: "Counter[str] | dict[str, int]", *, at: datetime) -> KeptRequestView:
    understanding = understanding_in(task.request)
    return {
        "task_id": task.task_id,
        "title": (title_of(understanding) if understanding else "") or task.message,
        "message": task.message,
        "status": task.status,
        "found_at": to_wire(at),
        "partial_results": dict(counts),
    }
