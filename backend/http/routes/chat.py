"""The HTTP calls that change something: parse, call the conversation, render the answer.

Bodies are parsed and answers encoded here, not by the framework, which takes a tenth of a millisecond longer;
`openapi_extra` and `response_model` document both.
"""

from typing import Any

from fastapi import Request, Response

from ...conversation.steering import Change, PendingAnswer
from ...domain.encoding import encode
from ...domain.task import Policy
from ..identity import access as audit
from ..identity.access import BY_ROUTE, Act
from ..services import Services
from ..wire import answers
from ..wire import requests as schemas
from ..wire.bodies import (
    MessageIdInPath,
    UserIdInPath,
    checked_client_id,
    json_response,
    parse,
    read_body,
)
from ..wire.requests import HEADER, POLICIES, policy_in, policy_of
from .calls import CallRouter, DirectRoute

_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Another way to give `client_id`",
    "schema": {"type": "string", "maxLength": schemas.LONGEST_CLIENT_ID},
}
_POLICY = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "Another way to give `policy`",
    "schema": {"type": "string", "enum": list(POLICIES)},
}


def _body(model: type[schemas.BaseModel], *, required: bool = True) -> dict[str, Any]:
    content = {"application/json": {"schema": model.model_json_schema()}}
    return {"requestBody": {"required": required, "content": content}}


async def take_message(services: Services, request: Request) -> Response:
    """Accept the message that a request holds. Raises `DetourError` if it is refused."""
    body = await read_body(schemas.ChatRequest, request)
    by_header = policy_in(request.headers)
    key = request.headers.get("idempotency-key")
    client_id = body.client_id or (checked_client_id(key) if key else None)
    named = body.named_policy or by_header
    accepted = await accept(services, body.user_id, body, client_id=client_id, policy=named)
    return json_response(accepted, status=202)


async def accept(
    services: Services,
    user_id: str,
    message: schemas.MessageInput,
    *,
    client_id: str | None,
    policy: Policy | None,
) -> answers.ChatAnswer:
    """Accept a message and return the contract's reply. Raises `DetourError` if it is refused."""
    await services.access.check(user_id, Act.SPEAK)
    await services.admit_message(user_id, client_id)
    given = message.given
    accepted = await services.conversations.handle_user_message(
        user_id,
        message.message,
        policy=policy_of(policy, services.policy, given),
        priority=message.priority,
        client_id=client_id,
        task_id=message.task_id,
        given=given,
    )
    return accepted.to_wire()


async def take_answer(
    services: Services, user_id: str, body: schemas.AnswerRequest
) -> answers.AnsweredAnswer:
    """Take an answer and return the contract's reply. Raises `DetourError` if it is refused."""
    await services.admit_answer(user_id)
    return await services.conversations.answer(
        user_id, body.request_id, answer=body.answer, decision=body.decision, note=body.note
    )


async def take_stop(services: Services, user_id: str, wanted: schemas.StopRequest) -> bytes | None:
    """Stop a task or an agent. Returns the reply's JSON, None while a side effect still finishes."""
    if wanted.agent is None:
        withdraws = wanted.pending == "withdraw"
        return await services.conversations.stop(user_id, wanted.task_id, withdraws=withdraws)
    stopped = await services.conversations.stop_agent(user_id, wanted.agent, wanted.task_id)
    return None if stopped is None else encode(stopped)


def _add_pending_routes(router: CallRouter, services: Services) -> None:
    async def changed(user_id: str, message_id: str, how: Change, **more: Any) -> Response:
        return json_response(await services.conversations.change_pending(user_id, message_id, how, **more))

    told = PendingAnswer, (400, 404, 409, 413, 415, 422, 429, 503)

    @router.call(
        "PUT /pending/{user_id}/{message_id}",
        "Edit a message that waits to be taken in",
        *told,
        openapi_extra=_body(schemas.EditRequest),
    )
    async def edit(user_id: UserIdInPath, message_id: MessageIdInPath, request: Request) -> Response:
        """Replace its text. Idempotent; a 409 `stale_revision` has its present text."""
        body = await read_body(schemas.EditRequest, request)
        await services.admit_answer(user_id)
        return await changed(user_id, message_id, "edit", text=body.message, revision=body.revision)

    @router.call(
        "DELETE /pending/{user_id}/{message_id}",
        "Withdraw a message that waits to be taken in",
        *told,
        act=Act.CHANGE,
    )
    async def withdraw(user_id: UserIdInPath, message_id: MessageIdInPath) -> Response:
        """Withdraw it. Idempotent; a 409 says how it ended before."""
        return await changed(user_id, message_id, "withdraw")

    @router.call(
        "POST /pending/{user_id}/{message_id}/now",
        "Have a message that waits interrupt the running task",
        *told,
    )
    async def now(user_id: UserIdInPath, message_id: MessageIdInPath) -> Response:
        """Interrupt the running task with it; the others that wait stand before it. Idempotent."""
        return await changed(user_id, message_id, "now")

    @router.call(
        "POST /pending/{user_id}/{message_id}/later",
        "Leave a message that waits for the end of the running task",
        *told,
    )
    async def later(user_id: UserIdInPath, message_id: MessageIdInPath) -> Response:
        """Make it a task of its own, which waits for its turn. Idempotent."""
        return await changed(user_id, message_id, "later")


def chat_router(services: Services) -> CallRouter:
    """Return the routes."""
    router = CallRouter("Conversation")

    @router.call(
        "POST /chat",
        "Send a message",
        answers.ChatAnswer,
        (400, 404, 409, 413, 415, 422, 429, 503),
        act=BY_ROUTE,
        status_code=202,
        route_class_override=DirectRoute,
        openapi_extra=_body(schemas.ChatRequest) | {"parameters": [_IDEMPOTENCY_KEY, _POLICY]},
    )
    async def chat(request: Request) -> Response:
        """Accept a message; by default it interrupts the user's active task.

        A 202 means that the message is durable, and that the task before it has been cancelled.
        """
        return await take_message(services, request)

    @router.call(
        "POST /stop/{user_id}",
        "Stop a task, or one agent of it",
        answers.ReceiptAnswer | answers.StoppedAgentAnswer,
        (400, 404, 409, 413, 415, 422, 503),
        responses={
            200: {"description": "The receipt of the task; with an `agent`, that agent's state"},
            202: {"model": answers.StoppingAnswer, "description": "A side effect still finishes"},
        },
        act=Act.END,
        openapi_extra=_body(schemas.StopRequest, required=False),
    )
    async def stop(user_id: UserIdInPath, request: Request) -> Response:
        """Stop the active task, or the one named; what it had found is kept. Idempotent.

        With an `agent`, only that agent is stopped, and the task continues with the others. The answer is
        then the agent's state; a 409 says that it cannot be stopped by itself.
        """
        body = await request.body()
        wanted = (
            parse(schemas.StopRequest.model_validate_json, body) if body.strip() else schemas.StopRequest()
        )
        stopped = await take_stop(services, user_id, wanted)
        if stopped is None:
            return json_response(answers.StoppingAnswer(user_id=user_id, status="cancelling"), status=202)
        return Response(stopped, media_type="application/json")

    @router.call(
        "POST /answer/{user_id}",
        "Answer a question, or decide on a permission",
        answers.AnsweredAnswer,
        (400, 404, 409, 413, 415, 422, 429, 503),
        status_code=202,
        openapi_extra=_body(schemas.AnswerRequest),
    )
    async def answer(user_id: UserIdInPath, request: Request) -> Response:
        """Answer a question of the active task, which resumes with the answer.

        A 202 means that the answer is durable. A 409 says that the question was `answered` already,
        `withdrawn` or `expired`; a 422 names the field that does not fit the question's schema.
        """
        body = await read_body(schemas.AnswerRequest, request)
        return json_response(await take_answer(services, user_id, body), status=202)

    _add_pending_routes(router, services)

    @router.call("DELETE /users/{user_id}", "Forget a user", None, (422, 503), status_code=204)
    async def delete_user(user_id: UserIdInPath) -> Response:
        """Interrupt whatever the user has running, then forget everything about the user."""
        await services.conversations.delete_user(user_id)
        audit.note("a conversation was deleted", user_id=user_id)
        return Response(status_code=204)

    return router
