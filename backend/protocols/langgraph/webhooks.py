"""Webhooks: addresses that the server calls as runs end.

Each is stored until it was called, so that a process that takes over a run also calls its webhook: at least
once. What is sent is not signed, as LangGraph's server sends it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

import httpx2
import structlog

from ...domain.encoding import encode
from ...domain.errors import DetourError, StoreUnavailable, TooManyRequests
from ...graphs.state.user_stores import items_in
from ...http.outgoing import AddressRefused, foreign_address, resolved
from ...http.services import Services
from ...store.event_bus import SubscriptionEnded
from ...store.persons import id_for
from ...store.records import WEBHOOKS

AGAIN_AFTER_S = (1.0, 10.0, 60.0, 600.0)
"""Seconds after each failure, until the webhook is tried again; after the last one it is given up."""

WITHIN_S = 10.0
"""Seconds for a call."""

MOST_PENDING = 400
"""Webhooks that wait for their runs: they are stored in 1 MiB."""

AT_ONCE = 10

_NAMESPACE = ("webhooks",)
_FOR_LATER = frozenset({408, 425, 429})

_log = structlog.get_logger(__name__)

Told = Callable[[str, str], Awaitable[Mapping[str, Any] | None]]
"""Returns what is sent of a thread's run once that has ended; None if there is no such run any more."""


class Webhook(NamedTuple):
    """The address to call as a run ends."""

    thread_id: str
    run_id: str
    address: str


class Webhooks:
    """The webhooks of the runs of this process."""

    def __init__(self, services: Services, told: Told) -> None:
        self._services = services
        self._told = told
        self._pending: dict[str, Webhook] = {}
        self._turns = asyncio.Semaphore(AT_ONCE)

    def check(self, address: str | None) -> None:
        """Raise `BadInput` for an address that is not called, and `TooManyRequests` if too many wait."""
        if address is None:
            return
        foreign_address("webhook", address, self._services.webhook_hosts)
        if len(self._pending) >= MOST_PENDING:
            raise TooManyRequests("Too many webhooks wait for their runs.")

    async def add(self, webhook: Webhook) -> None:
        """Call a webhook as its run ends; it is stored when this returns."""
        if webhook.run_id in self._pending:
            return
        self._pending[webhook.run_id] = webhook
        try:
            await self._put(webhook)
        except DetourError as error:
            _log.warning("a webhook is lost if the server ends", run_id=webhook.run_id, reason=error.message)
        finally:
            self._follow(webhook)

    async def begin(self) -> None:
        """Take up the webhooks that other processes have left."""
        conversations = self._services.conversations
        stored = await self._services.store.get_checkpoint(id_for(None), WEBHOOKS)
        alive = {*await conversations.replicas()} - {conversations.replica}
        for item in items_in(stored.body if stored is not None else b""):
            webhook = Webhook(item.value["thread_id"], item.key, item.value["address"])
            if item.value["by"] in alive or item.key in self._pending:
                continue
            # Of several replicas that start, one takes it.
            if await self._put(webhook, unless=item.updated_at.isoformat()):
                self._follow(webhook)

    def _follow(self, webhook: Webhook, tried: int = 0) -> None:
        self._pending[webhook.run_id] = webhook
        self._services.owner.spawn_detached(self._call(webhook, tried), name=f"webhook {webhook.run_id}")

    async def _call(self, webhook: Webhook, tried: int) -> None:
        try:
            told = await self._told(webhook.thread_id, webhook.run_id)
            is_over = told is None or await self._sent(webhook, told)
            if is_over or tried == len(AGAIN_AFTER_S):
                if not is_over:
                    _log.warning("a webhook is given up", run_id=webhook.run_id)
                await self._drop(webhook)
                return
        except (SubscriptionEnded, StoreUnavailable):
            return  # the server ends, or the store is down: it is stored
        # No task that sleeps: the end of the server would wait for it.
        asyncio.get_running_loop().call_later(AGAIN_AFTER_S[tried], self._follow, webhook, tried + 1)

    async def _sent(self, webhook: Webhook, told: Mapping[str, Any]) -> bool:
        """Call a webhook once; return whether it need not be called again."""
        hosts = self._services.webhook_hosts
        sent_at = self._services.clock().isoformat()
        try:
            async with self._turns, asyncio.timeout(WITHIN_S):
                address = foreign_address("webhook", webhook.address, hosts)
                status = await _posted(
                    address, await resolved(address, hosts), encode({**told, "webhook_sent_at": sent_at})
                )
        except (AddressRefused, DetourError) as error:
            _log.warning("a webhook is not called", run_id=webhook.run_id, reason=error.message)
            return True
        except (httpx2.HTTPError, TimeoutError, OSError) as error:
            _log.warning("a webhook failed", run_id=webhook.run_id, reason=type(error).__name__)
            return False
        if not 200 <= status < 300:
            _log.warning("a webhook was refused", run_id=webhook.run_id, status=status)
        return status < 500 and status not in _FOR_LATER

    async def _put(self, webhook: Webhook, **conditions: Any) -> bool:
        value = {
            "thread_id": webhook.thread_id,
            "address": webhook.address,
            "by": self._services.conversations.replica,
        }
        operation = {"do": "put", "namespace": _NAMESPACE, "key": webhook.run_id, "value": value}
        return await self._done({**operation, **conditions})

    async def _drop(self, webhook: Webhook) -> None:
        await self._done({"do": "delete", "namespace": _NAMESPACE, "key": webhook.run_id})
        self._pending.pop(webhook.run_id, None)

    async def _done(self, operation: Mapping[str, Any]) -> bool:
        conversations = self._services.conversations
        [done] = await conversations.use_items(id_for(None), [operation], turn=WEBHOOKS)
        return done


async def _posted(address: httpx2.URL, ip: str, body: bytes) -> int:
    """Send a body to an address at one of its IP addresses; return the status of the answer."""
    headers = {"host": address.netloc.decode("ascii"), "content-type": "application/json"}
    # Redirects are not followed: they may lead anywhere. The certificate is that of the address's host.
    async with (
        httpx2.AsyncClient(follow_redirects=False, timeout=WITHIN_S, trust_env=False) as http,
        http.stream(
            "POST",
            address.copy_with(host=ip),
            content=body,
            headers=headers,
            extensions={"sni_hostname": address.host},
        ) as answer,
    ):
        return answer.status_code
