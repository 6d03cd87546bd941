"""The HTTP calls of a conversation: parse, call the runner or the store, shape the answer.

Bodies are read and answers written here rather than by the framework's own machinery, which takes a tenth of
a millisecond for it; the OpenAPI document is told about both.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import TypeAdapter

from backend.api import schemas, views
from backend.api.input import checked_user_id, parse, read_body
from backend.api.services import Services
from backend.domain.encoding import encode
from backend.errors import NotFound
from backend.state_store.base import Snapshot

_ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": schemas.ErrorAnswer, "description": description}
    for code, description in {
        400: "Not JSON",
        404: "Unknown user or task",
        409: "Refused while another message is worked on",
        413: "Too large",
        422: "A field is wrong; the message names it",
        429: "Too many messages",
        503: "Not accepted: the store is down, or the server is going down",
    }.items()
}
_HISTORY = 50
_MOST_HISTORY = 1000


def _errors(*codes: int) -> dict[int | str, dict[str, Any]]:
    return {code: _ERRORS[code] for code in codes}


def _body(model: type[schemas.BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def json_response(content: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return an answer in the contract's JSON."""
    return Response(encode(content), status_code=status, headers=headers, media_type="application/json")


def chat_router(services: Services) -> APIRouter:
    """Return the routes."""
    router = APIRouter()

    async def snapshot_of(user_id: str, *, history: int = 0) -> Snapshot:
        snapshot = await services.store.snapshot(checked_user_id(user_id), history=history)
        if snapshot is None:
            raise NotFound(f"Nothing is known of a user {user_id!r}.", code="unknown_user")
        return snapshot

    @router.post(
        "/chat",
        status_code=202,
        response_model=schemas.ChatAnswer,
        responses=_errors(400, 409, 413, 422, 429, 503),
        openapi_extra=_body(schemas.ChatRequest),
    )
    async def chat(
        request: Request, idempotency_key: Annotated[str | None, Header(max_length=128)] = None
    ) -> Response:
        """Accept a message; by default it interrupts the user's task at work.

        A 202 means that the message is durable, and that the task before it has been told to stop.
        """
        body = await read_body(schemas.ChatRequest, request)
        services.limiter.check(body.user_id)
        accepted = await services.runner.handle_user_message(
            body.user_id,
            body.message,
            policy=body.policy,
            priority=body.priority,
            client_id=body.client_id or idempotency_key or None,
        )
        return json_response(accepted.to_wire(), status=202)

    @router.post(
        "/stop/{user_id}",
        response_model=schemas.ReceiptAnswer,
        responses=_errors(400, 404, 413, 422, 503) | {202: {"description": "A side effect still finishes"}},
        openapi_extra=_body(schemas.StopRequest),
    )
    async def stop(user_id: str, request: Request) -> Response:
        """Stop the task at work, or the one named; what it had found is kept. Idempotent."""
        checked_user_id(user_id)
        body = await request.body()
        wanted = parse(TypeAdapter(schemas.StopRequest), body) if body.strip() else schemas.StopRequest()
        receipt = await services.runner.stop(user_id, wanted.task_id)
        if receipt is None:
            return json_response({"user_id": user_id, "status": "cancelling"}, status=202)
        return Response(receipt, media_type="application/json")

    @router.get("/status/{user_id}", response_model=schemas.StatusAnswer, responses=_errors(404, 422, 503))
    async def status(user_id: str) -> Response:
        """Tell where the user's latest task stands."""
        return json_response(views.status_view(await snapshot_of(user_id)))

    @router.get(
        "/partial-results/{user_id}",
        response_model=schemas.PartialResultsAnswer,
        responses=_errors(404, 422, 503) | {304: {"description": "Nothing new since that `ETag`"}},
    )
    async def partial_results(
        user_id: str, if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        """Tell what the latest task and the last five interrupted ones have found."""
        position = await services.store.position(checked_user_id(user_id))
        etag = f'"{position.epoch}-{position.seq}"' if position else ""
        if position is not None and if_none_match == etag:
            return Response(status_code=304, headers={"ETag": etag})
        snapshot = await snapshot_of(user_id)
        etag = f'"{snapshot.position.epoch}-{snapshot.position.seq}"'
        return json_response(views.partial_results_view(snapshot), headers={"ETag": etag})

    @router.get("/history/{user_id}", response_model=schemas.HistoryAnswer, responses=_errors(404, 422, 503))
    async def history(
        user_id: str, limit: Annotated[int, Query(ge=1, le=_MOST_HISTORY)] = _HISTORY
    ) -> Response:
        """Return the last messages of the conversation, oldest first."""
        return json_response(views.history_view(await snapshot_of(user_id, history=limit)))

    @router.get(
        "/receipts/{user_id}/{task_id}",
        response_model=schemas.ReceiptAnswer,
        responses=_errors(404, 422, 503),
    )
    async def receipts(user_id: str, task_id: str) -> Response:
        """Tell what exactly was kept, cancelled and completed when a task ended."""
        receipt = await services.store.get_receipt(checked_user_id(user_id), task_id)
        if receipt is None:
            raise NotFound(f"There is no receipt of a task {task_id!r}.", code="unknown_task")
        return Response(receipt, media_type="application/json")

    @router.delete("/users/{user_id}", status_code=204, responses=_errors(422, 503))
    async def delete_user(user_id: str) -> Response:
        """Interrupt whatever the user has running, then forget everything about the user."""
        await services.runner.delete_user(checked_user_id(user_id))
        return Response(status_code=204)

    return router
