"""Threads that are deleted together."""

from fastapi import Request, Response

from ...domain.errors import BadInput, NotFound
from ...http.identity.access import Act
from ...http.wire.bodies import json_response
from .api import Api
from .wire import body_of, checked_thread_id, names, text

MOST_PRUNED = 1000
"""Threads of one call: each is deleted with all that was said, one after another."""


class Pruning:
    """Answers the call that prunes threads."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._services = api.services

    async def prune(self, request: Request) -> Response:
        """Delete threads by their ids; return how many there were, without unknown ones and others'."""
        body = await body_of(request)
        wanted = names(body, "thread_ids", most=MOST_PRUNED)
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
