"""Read-only HTTP calls: each answer is one read of the store, consistent at one position."""

from typing import Annotated, TypeVar

from fastapi import APIRouter, Header, Query, Response

from ...errors import NotFound
from ...log.state_store.told import UserPosition
from ..edge.identity.access import unknown_user
from ..services import Services
from ..wire import answers
from ..wire.caching import NOT_CHANGED, named_etags
from ..wire.input import TaskIdInPath, UserIdInPath
from ..wire.output import errors_for, json_response
from ..wire.schemas import MessageId

T = TypeVar("T")

_HISTORY = 50
_MOST_HISTORY = 1000


def lookup_router(services: Services) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["Reading"])

    @router.get(
        "/status/{user_id}",
        summary="Get the status of the latest task",
        response_model=answers.StatusAnswer,
        responses=errors_for(404, 422, 503),
    )
    async def status(user_id: UserIdInPath) -> Response:
        """Return the status of the user's latest task."""
        standing = known(await services.store.standing(user_id), user_id)
        return json_response(answers.status_answer(standing, services.runner.still_running(user_id)))

    @router.get(
        "/pending/{user_id}",
        summary="Get the messages that wait for the running task to take them in",
        response_model=answers.PendingListAnswer,
        responses=errors_for(404, 422, 503),
    )
    async def pending(user_id: UserIdInPath) -> Response:
        """Return what waits, in order; empty if nothing does."""
        return json_response(answers.pending_answer(known(await services.store.standing(user_id), user_id)))

    @router.get(
        "/partial-results/{user_id}",
        summary="Get what was found, also by interrupted tasks",
        response_model=answers.PartialResultsAnswer,
        responses=errors_for(404, 422, 429, 503) | NOT_CHANGED,
    )
    async def partial_results(
        user_id: UserIdInPath, if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        """Return what the latest task and the last five interrupted ones have found."""
        position = await services.store.position(user_id)
        if position is not None and _etag(position) in named_etags(if_none_match):
            return Response(status_code=304, headers={"ETag": _etag(position)})
        async with services.long_read(user_id):
            snapshot = known(await services.store.snapshot(user_id, history=0), user_id)
            headers = {"ETag": _etag(snapshot.position)}
            still_running = services.runner.still_running(user_id)
            return json_response(answers.partial_results_answer(snapshot, still_running), headers=headers)

    @router.get(
        "/history/{user_id}",
        summary="Get the conversation",
        response_model=answers.HistoryAnswer,
        responses=errors_for(404, 422, 429, 503),
    )
    async def history(
        user_id: UserIdInPath,
        limit: Annotated[int, Query(ge=1, le=_MOST_HISTORY)] = _HISTORY,
        before: Annotated[
            MessageId | None, Query(description="A `message_id`: return those before it")
        ] = None,
    ) -> Response:
        """Return the last messages of the conversation, or the last before one of them, oldest first."""
        async with services.long_read(user_id):
            messages = await services.store.history(user_id, limit=limit, before=before)
            return json_response(answers.history_answer(user_id, known(messages, user_id)))

    @router.get(
        "/receipts/{user_id}/{task_id}",
        summary="Get the receipt of a task",
        response_model=answers.ReceiptAnswer,
        responses=errors_for(404, 422, 429, 503),
    )
    async def receipts(user_id: UserIdInPath, task_id: TaskIdInPath) -> Response:
        """Return exactly what was kept, cancelled and completed when a task ended."""
        async with services.long_read(user_id):
            receipt = await services.store.get_receipt(user_id, task_id)
        if receipt is None:
            raise NotFound(f"There is no receipt of a task {task_id!r}.", code="unknown_task")
        return Response(receipt, media_type="application/json")

    @router.get(
        "/calls/{user_id}/{task_id}",
        summary="Get the tool calls of a task",
        response_model=answers.CallsAnswer,
        responses=errors_for(404, 422, 429, 503),
    )
    async def calls(user_id: UserIdInPath, task_id: TaskIdInPath) -> Response:
        """Return each tool call of a task with what it was given and what it came to."""
        async with services.long_read(user_id):
            task = await services.store.get_task_metadata(user_id, task_id)
            if task is None:
                raise NotFound(f"There is no task {task_id!r}.", code="unknown_task")
            made = await services.store.get_tool_calls(user_id, task.turn)
            return json_response(answers.calls_answer(task, made))

    return router


def known(found: T | None, user_id: str) -> T:
    """Return what was found. Raises `NotFound` for None: nothing is known of the user."""
    if found is None:
        raise unknown_user(user_id)
    return found


def _etag(position: UserPosition) -> str:
    return f'"{position.epoch}-{position.seq}"'
