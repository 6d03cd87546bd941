"""`GET` of the requests that a user has made and of what was found for each, as it was found."""

from contextlib import aclosing

from fastapi import Response

from ...domain.encoding import to_wire
from ...domain.errors import NotFound
from ...http.routes.calls import CallRouter
from ...http.wire.bodies import TaskIdInPath, UserIdInPath, json_response
from ...store.base import StateStore
from ..stored_requests import KeptRequest, KeptRequests, without_repeats
from ..understanding.english.wording import requested_in_words, title_of
from ..values.offers import lowest_price
from .travel_schemas import KeptOffersAnswer, KeptRequestsAnswer, KeptRequestView


def requests_router(*, store: StateStore) -> CallRouter:
    """Return the routes."""
    router = CallRouter("Travel")
    kept = KeptRequests(store)

    @router.call(
        "GET /requests/{user_id}", "List the requests of a user", KeptRequestsAnswer, (404, 422, 503)
    )
    async def requests(user_id: UserIdInPath) -> Response:
        """Return the requests for which offers are kept, the latest first, none twice."""
        if await store.position(user_id) is None:
            raise NotFound(f"Nothing is known of a user {user_id!r}.", code="unknown_user")
        async with aclosing(kept.latest_first(user_id)) as latest_first:
            found = await without_repeats(latest_first)
        return json_response(KeptRequestsAnswer(user_id=user_id, requests=[_view(each) for each in found]))

    @router.call(
        "GET /requests/{user_id}/{task_id}", "Get the offers of a request", KeptOffersAnswer, (404, 422, 503)
    )
    async def offers(user_id: UserIdInPath, task_id: TaskIdInPath) -> Response:
        """Return the offers that are kept for a request, as they were found: prices may be others by now."""
        found = await kept.of_task(user_id, task_id)
        if found is None:
            raise NotFound(f"No offers are kept of a task {task_id!r}.", code="unknown_task")
        return json_response(KeptOffersAnswer(**_view(found), offers=found.offers))

    return router


def _view(kept: KeptRequest) -> KeptRequestView:
    task, understanding = kept.task, kept.understanding
    wanted = understanding.wanted if understanding else ()
    return {
        "task_id": task.task_id,
        "title": (title_of(understanding) if understanding else "") or task.message,
        "message": task.message,
        "status": task.status,
        "relation": task.relation,
        "from_task_id": task.resumed_task_id or task.previous_task_id,
        "found_at": to_wire(kept.found_at),
        "partial_results": {agent: len(items) for agent, items in kept.offers.items()},
        "cheapest": {
            agent: lowest for agent, items in kept.offers.items() if (lowest := lowest_price(items))
        },
        "requests": {agent: requested_in_words(agent, understanding) for agent in wanted}
        if understanding
        else {},
    }
