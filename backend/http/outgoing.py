"""Addresses that the server may call, its own address, and the drain before its end."""

import asyncio
import contextlib
from collections.abc import Awaitable, Collection
from urllib.parse import urlsplit

from ..domain.errors import DetourError
from .identity.proxies import is_local
from .settings import Settings


class PlainAddressError(DetourError):
    """A setting names an address that is not https, on another machine; the server does not start."""


def check_outgoing(setting: str, address: str, plain_hosts: Collection[str]) -> None:
    """Raise `PlainAddressError` for an address to which what is sent could be read on the way.

    `plain_hosts` are those of `DETOUR_PLAIN_HOSTS`: a host's name or address, perhaps with a port.
    """
    # The scheme may be missing where a library adds `http`.
    parts = urlsplit(address if "://" in address else f"http://{address}")
    host = (parts.hostname or "").lower()
    if parts.scheme == "https" or is_local(host):
        return
    if {host, parts.netloc.rpartition("@")[2].lower()} & {each.lower() for each in plain_hosts}:
        return
    raise PlainAddressError(
        f"{setting}: {host} is not this machine, so the address must begin with https://; what is sent could "
        f"be read on the way. Where the way is safe, name {host} in DETOUR_PLAIN_HOSTS."
    )


# --- the server's own address --------------------------------------------------------------------------


ANY_ADDRESS = ("0.0.0.0", "::", "")


def link(settings: Settings) -> str:
    """Return the address of a server's page, with the token in its fragment if the server has one.

    It is the public address, or else the one for programs on this machine.
    """
    token = settings.token.get_secret_value() if settings.token else ""
    fragment = f"#token={token}" if token else ""
    return f"{settings.public_url or f'http://{_on_this_machine(settings)}'}/{fragment}"


def _on_this_machine(settings: Settings) -> str:
    host = "127.0.0.1" if settings.host in ANY_ADDRESS else settings.host
    return f"[{host}]:{settings.port}" if ":" in host else f"{host}:{settings.port}"


# --- drain ---------------------------------------------------------------------------------------------


REPLICA_S = 3.0
"""Seconds for one of several replicas: six checks of the balancer in `ops/haproxy`."""


class Drain:
    """The time for which a server that will end still serves everything, so that its balancer notices."""

    def __init__(self, told_s: float | None, *, replicated: bool) -> None:
        """Take `told_s` seconds; by default `REPLICA_S` if other replicas may serve meanwhile, else 0."""
        self.seconds = told_s if told_s is not None else REPLICA_S if replicated else 0.0
        self._over = asyncio.Event()

    async def wait(self, at_first: Awaitable[None]) -> None:
        """Await `at_first`, then return once the time is over, or `end` was called."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.seconds):
                await at_first
                await self._over.wait()

    def end(self) -> None:
        """Have `wait` return now."""
        self._over.set()
