"""The operator's view: what runs here, how a task went, stop it, drain this process. All below `/operate/`.

No answer has words of users or agents. Each call reads anew.
"""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import structlog
from fastapi import Query, Response

from ...domain.encoding import to_wire
from ...domain.errors import Conflict, NotFound, StoreUnavailable
from ...domain.task import TaskStatus
from ..identity.access import Act
from ..operating import (
    OperateAnswer,
    ServingAnswer,
    StoppedTaskAnswer,
    TaskTimelineAnswer,
    running_tasks,
    task_timeline,
)
from ..services import Services
from ..wire.bodies import TaskIdInPath, json_response
from ..wire.examples import RECORDED
from ..wire.requests import USER_ID_PATTERN
from .calls import CallRouter

REPLICAS_WITHIN_S = 2.0
"""Seconds that the database may take to name the replicas; the answer does not need them."""

UserOfTask = Annotated[
    str,
    Query(pattern=USER_ID_PATTERN, description="Whose task it is", examples=[RECORDED["USER_ID"]]),
]

_log = structlog.get_logger(__name__)


def operate_router(services: Services) -> CallRouter:
    """Return the routes."""
    router = CallRouter("Operating")

    @router.call("GET /operate/tasks", "See what runs here now", OperateAnswer, act=Act.OPERATE)
    async def tasks() -> Response:
        """Return the phase of this process, and its tasks that have not ended: user, time, progress.

        At most 200 tasks are listed, those that use something first; `phases` counts all.
        """
        return json_response(
            OperateAnswer(
                at=to_wire(services.clock()),
                replica=services.conversations.replica,
                replicas=await _replicas(services),
                serving=services.phase,
                **running_tasks(services.conversations.conversations),
            )
        )

    @router.call(
        "GET /operate/tasks/{task_id}",
        "See how a task went",
        TaskTimelineAnswer,
        (404, 422, 503),
        act=Act.OPERATE,
    )
    async def timeline(task_id: TaskIdInPath, user_id: UserOfTask) -> Response:
        """Return the timeline of a task: its parts with their times, its events, its receipt.

        Any replica returns it; only the one that runs a task knows its usage so far.
        """
        conversation = services.conversations.conversations.get(user_id)
        unfinished = conversation.unfinished if conversation is not None else []
        running = next((each for each in unfinished if each.task_id == task_id), None)
        return json_response(await task_timeline(services.store, user_id, task_id, running))

    @router.call(
        "POST /operate/tasks/{task_id}/stop",
        "Stop a task of anybody",
        StoppedTaskAnswer,
        (404, 422, 503),
        responses={202: {"model": StoppedTaskAnswer, "description": "A side effect still finishes"}},
        act=Act.OPERATE,
    )
    async def stop(task_id: TaskIdInPath, user_id: UserOfTask) -> Response:
        """Stop a task as its user could, wherever it runs; what it had found is kept. Idempotent.

        Its receipt has `stopped_by`, and its user reads that an operator has stopped it.
        """
        receipt = await services.conversations.stop(user_id, task_id, by="operator")
        task = await services.store.get_task_metadata(user_id, task_id)
        if task is None:
            raise NotFound(f"There is no task {task_id!r}.", code="unknown_task")
        _log.info("an operator stopped a task", user_id=user_id, task_id=task_id, status=task.status)
        still_ends = receipt is None and not task.status.terminal
        answer: StoppedTaskAnswer = {
            "user_id": user_id,
            "task_id": task_id,
            "status": TaskStatus.CANCELLING if still_ends else task.status,
            "reason": task.reason,
        }
        return json_response(answer, status=202 if still_ends else 200)

    @router.call("POST /operate/drain", "Drain this process", ServingAnswer, (409, 503), act=Act.OPERATE)
    async def drain() -> Response:
        """Accept no work of users without a task here; running tasks go on to their end. Idempotent.

        `/ready` answers `draining` from now on, so that a balancer sends nothing more. Users whose task runs
        here may still change their mind; others are refused with `shutting_down`.
        """
        if services.phase == "recovering":
            raise Conflict("The server still recovers the tasks of an earlier process.", code="recovering")
        services.phase = "draining"
        _log.info("an operator drains this server")
        await services.conversations.drain()
        return json_response(ServingAnswer(serving=services.phase))

    @router.call(
        "POST /operate/serve", "Serve again after a drain", ServingAnswer, (409, 503), act=Act.OPERATE
    )
    async def serve() -> Response:
        """Take a drain back. Idempotent; a server that is going down cannot serve again."""
        if services.phase == "recovering":
            raise Conflict("The server still recovers the tasks of an earlier process.", code="recovering")
        await services.conversations.serve_again()
        services.phase = "serving"
        _log.info("an operator has this server serve again")
        return json_response(ServingAnswer(serving=services.phase))

    return router


async def _replicas(services: Services) -> Sequence[str] | None:
    try:
        async with asyncio.timeout(REPLICAS_WITHIN_S):
            return await services.conversations.replicas()
    except (StoreUnavailable, TimeoutError):
        return None
