"""Read-only HTTP calls: each answer is one read of the store, consistent at one position."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from fastapi import Header, Query, Response

from ...domain.encoding import to_wire
from ...domain.errors import NotFound
from ...graphs.several_graphs import GraphsAnswer, unknown_graph
from ...store.persons import OwnConversation
from ...store.records import UserPosition
from ..identity.access import Act, unknown_user
from ..services import Services
from ..wire import answers
from ..wire.answers import ConversationsAnswer, ConversationView
from ..wire.bodies import NOT_CHANGED, TaskIdInPath, UserIdInPath, json_response, named_etags
from ..wire.requests import USER_ID_PATTERN, CheckpointId, MessageId
from .calls import CallRouter

T = TypeVar("T")

_HISTORY = 50
_MOST_HISTORY = 1000
_LISTED = 50
_MOST_LISTED = 200
_STATES = 10
_MOST_STATES = 1000

LONGEST_TITLE = 80

GraphOfThread = Annotated[
    str | None, Query(description="The thread with this graph; by default the one last spoken to")
]


def lookup_router(services: Services) -> CallRouter:
    """Return the routes, but those of `thread_router`."""
    router = CallRouter("Reading")

    @router.call(
        "GET /status/{user_id}", "Get the status of the latest task", answers.StatusAnswer, (404, 422, 503)
    )
    async def status(user_id: UserIdInPath) -> Response:
        """Return the status of the user's latest task."""
        standing = known(await services.store.standing(user_id), user_id)
        return json_response(answers.status_answer(standing, services.conversations.still_running(user_id)))

    @router.call(
        "GET /pending/{user_id}",
        "Get the messages that wait for the running task to take them in",
        answers.PendingListAnswer,
        (404, 422, 503),
    )
    async def pending(user_id: UserIdInPath) -> Response:
        """Return what waits, in order; empty if nothing does."""
        return json_response(answers.pending_answer(known(await services.store.standing(user_id), user_id)))

    @router.call(
        "GET /partial-results/{user_id}",
        "Get what was found, also by interrupted tasks",
        answers.PartialResultsAnswer,
        (404, 422, 429, 503),
        responses=NOT_CHANGED,
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
            still_running = services.conversations.still_running(user_id)
            return json_response(answers.partial_results_answer(snapshot, still_running), headers=headers)

    @router.call(
        "GET /history/{user_id}", "Get the conversation", answers.HistoryAnswer, (404, 422, 429, 503)
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

    @router.call(
        "GET /receipts/{user_id}/{task_id}",
        "Get the receipt of a task",
        answers.ReceiptAnswer,
        (404, 422, 429, 503),
    )
    async def receipts(user_id: UserIdInPath, task_id: TaskIdInPath) -> Response:
        """Return what was kept, cancelled and completed when a task ended."""
        async with services.long_read(user_id):
            receipt = await services.store.get_receipt(user_id, task_id)
        if receipt is None:
            raise NotFound(f"There is no receipt of a task {task_id!r}.", code="unknown_task")
        return Response(receipt, media_type="application/json")

    @router.call(
        "GET /calls/{user_id}/{task_id}",
        "Get the tool calls of a task",
        answers.CallsAnswer,
        (404, 422, 429, 503),
    )
    async def calls(user_id: UserIdInPath, task_id: TaskIdInPath) -> Response:
        """Return each tool call of a task with its arguments and its result."""
        async with services.long_read(user_id):
            task = await services.store.get_task_metadata(user_id, task_id)
            if task is None:
                raise NotFound(f"There is no task {task_id!r}.", code="unknown_task")
            made = await services.store.get_tool_calls(user_id, task.turn)
            return json_response(answers.calls_answer(task, made))

    _add_lists(router, services)
    return router


def _add_lists(router: CallRouter, services: Services) -> None:
    @router.call("GET /conversations", "List one's own conversations", ConversationsAnswer, (404, 422, 503))
    async def conversations(
        limit: Annotated[int, Query(ge=1, le=_MOST_LISTED)] = _LISTED,
        before: Annotated[
            str | None, Query(pattern=USER_ID_PATTERN, description="A `user_id`: return those before it")
        ] = None,
    ) -> Response:
        """Return the conversations of the person who asks, the newest first.

        A 404 `no_persons` says that this server has no persons: all callers share all conversations.
        """
        person = services.access.person
        if person is None:
            raise NotFound("This server does not tell people apart (DETOUR_AUTH).", code="no_persons")
        found = await services.store.conversations_of(person, limit=limit, before=before)
        return json_response(ConversationsAnswer(conversations=[_view(each) for each in found]))

    if (served := services.graphs) is None:
        return

    @router.call("GET /graphs", "List the graphs that are served", GraphsAnswer, (404, 422, 429, 503))
    async def graphs(
        user_id: Annotated[
            str | None,
            Query(pattern=USER_ID_PATTERN, description="Whose `graph` to name; by default nobody's"),
        ] = None,
    ) -> Response:
        """Return the graphs, and which one a message of the user goes to if it names none."""
        if user_id is not None:
            await services.access.check(user_id, Act.FOLLOW)
        request = await services.conversations.last_request(user_id) if user_id is not None else None
        answer = GraphsAnswer(graphs=served.views(), default=served.default, graph=served.of(request))
        return json_response(answer)


def thread_router(services: Services) -> CallRouter:
    """Return the routes to the states of a graph's thread."""
    router = CallRouter("Reading")

    async def states(
        user_id: str, graph: str | None, *, limit: int, before: str | None = None
    ) -> Sequence[Any]:
        known(await services.store.position(user_id), user_id)
        served = services.graphs
        if served is None:  # the travel assistant keeps no thread
            return ()
        if graph is not None and graph not in served.names:
            raise unknown_graph(graph, served.names)
        name = graph or served.of(await services.conversations.last_request(user_id))
        return await served.states[name].states(user_id, limit=limit, before=before)

    @router.call(
        "GET /threads/{user_id}/history",
        "Get the states of a thread, step by step",
        answers.StateHistoryAnswer,
        (404, 422, 503),
    )
    async def history(
        user_id: UserIdInPath,
        graph: GraphOfThread = None,
        limit: Annotated[int, Query(ge=1, le=_MOST_STATES)] = _STATES,
        before: Annotated[
            CheckpointId | None, Query(description="A `checkpoint_id`: return those before it")
        ] = None,
    ) -> Response:
        """Return the states after the last steps of the thread, or the last before one, newest first.

        A message with a `checkpoint_id` of these begins from that step.
        """
        found = await states(user_id, graph, limit=limit, before=before)
        return json_response({"user_id": user_id, "states": found})

    @router.call(
        "GET /threads/{user_id}/state", "Get the newest state of a thread", answers.StateView, (404, 422, 503)
    )
    async def state(user_id: UserIdInPath, graph: GraphOfThread = None) -> Response:
        """Return the state after the newest step of the thread."""
        found = await states(user_id, graph, limit=1)
        if not found:
            raise NotFound(f"Nothing is kept of a thread of {user_id!r}.", code="unknown_thread")
        return json_response(found[0])

    return router


def known(found: T | None, user_id: str) -> T:
    """Return a value of a user. Raises `NotFound` for None."""
    if found is None:
        raise unknown_user(user_id)
    return found


def _etag(position: UserPosition) -> str:
    return f'"{position.epoch}-{position.seq}"'


def _view(of: OwnConversation) -> ConversationView:
    title = "" if of.first is None else " ".join(of.first.text.split())
    return ConversationView(
        user_id=of.user_id,
        begun_at=to_wire(of.begun_at),
        last_at=to_wire(of.begun_at if of.last is None else of.last.at),
        title=title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1].rstrip() + "…",
    )
