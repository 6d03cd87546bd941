"""Whose requests count together: the address that a client has come from.

An IPv6 customer gets a network of 2^64 addresses or more, so that network counts as one address. Without a
trusted proxy (`identity.proxies`) the address is the connection's; no header of the request has a say in it.
"""

import functools
import ipaddress
from contextvars import ContextVar

from starlette.types import Scope

UNKNOWN = "unknown"
"""The address of who has none, such as of a socket in the file system."""

_NETWORK_BITS = 64

of_request: ContextVar[str] = ContextVar("client_address", default=UNKNOWN)
"""The address of the client whose request is served: set by the guard, read where a limit is by address."""


def client_address(scope: Scope) -> str:
    """Return the address under which a request's client is counted."""
    client = scope.get("client")
    return counted_address(client[0]) if client else UNKNOWN


@functools.lru_cache(maxsize=4096)
def counted_address(address: str) -> str:
    """Return under what an address counts: itself, or its IPv6 network."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return UNKNOWN
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _NETWORK_BITS), strict=False))
