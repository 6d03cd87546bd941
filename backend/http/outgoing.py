"""Addresses that the server may call, also for its clients, its own address, and the drain before its end."""

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import Awaitable, Collection
from urllib.parse import urlsplit

import httpx2

from ..domain.errors import BadInput, DetourError
from .identity.proxies import is_local, parsed_address
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


# --- addresses that clients name -----------------------------------------------------------------------
# A client that could have the server call what only the server can reach would have got behind its walls.


LONGEST_ADDRESS = 2000

_TRANSLATED = tuple(map(ipaddress.ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16")))
"""IPv6 addresses in which there are IPv4 ones, private ones too."""


class AddressRefused(DetourError):
    """The server does not call this address for a client."""


def is_named(address: httpx2.URL, hosts: Collection[str]) -> bool:
    """Return whether an address's host, or host and port, is among those of a setting."""
    named = {each.lower() for each in hosts}
    port = address.port or (443 if address.scheme == "https" else 80)
    return bool({address.host, f"{address.host}:{port}"} & named)


def foreign_address(field: str, text: str, hosts: Collection[str]) -> httpx2.URL:
    """Return an address that a client names. Raises `BadInput`, also for one that is never called.

    It is https, and of the whole internet, unless `hosts` names its host.
    """
    if len(text) > LONGEST_ADDRESS:
        raise BadInput(f"{field}: it may have at most {LONGEST_ADDRESS} characters.")
    try:
        address = httpx2.URL(text)
    except (httpx2.InvalidURL, ValueError):
        raise BadInput(f"{field}: it is no address.") from None
    if address.scheme not in ("http", "https") or not address.host or address.userinfo:
        raise BadInput(
            f"{field}: it should be an address such as https://example.com/ended, without a password."
        )
    if is_named(address, hosts):
        return address
    if address.scheme != "https":
        raise BadInput(f"{field}: it should begin with https://.")
    literal = parsed_address(address.host)
    if is_local(address.host) or (literal is not None and not _is_public(literal)):
        raise BadInput(f"{field}: {address.host} is not an address of the whole internet.")
    return address


async def resolved(address: httpx2.URL, hosts: Collection[str]) -> str:
    """Return the IP address to call for an address, so that what was checked is what is called.

    Raises `AddressRefused` if its host has private addresses alone and is not among `hosts`, and `OSError` if
    it has none.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(address.host, None, type=socket.SOCK_STREAM)
    ips = [str(each[4][0]).partition("%")[0] for each in found]
    if is_named(address, hosts):
        return ips[0]
    for each in ips:
        if _is_public(ipaddress.ip_address(each)):
            return each
    raise AddressRefused(f"{address.host} is not an address of the whole internet.")


def _is_public(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    ip = getattr(ip, "ipv4_mapped", None) or ip
    translated = ip.version == 6 and any(ip in each for each in _TRANSLATED)
    return ip.is_global and not ip.is_multicast and not translated


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
