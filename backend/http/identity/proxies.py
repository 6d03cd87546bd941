"""Trusted proxies: their headers about a request's origin, and about the person whom they have signed in.

Anybody may send such headers, so they count from the listed addresses alone. A server without a token, which
answers this machine only, refuses them: behind a proxy every stranger seems to come from this machine.
"""

import functools
import ipaddress
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from starlette.types import Scope as AsgiScope

from ...domain.errors import BadInput, Forbidden, Unauthorized
from .principal import SCOPES, Principal, Scope, is_person

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

FORWARDED = frozenset(
    {b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip"}
)
"""Headers in which proxies name the origin of a request."""

_MOST_HOPS = 20


class Proxies:
    """The proxies at these addresses, which are trusted."""

    def __init__(self, networks: Iterable[Network] = ()) -> None:
        self._networks = tuple(networks)

    def trusts(self, address: str) -> bool:
        """Return whether an address is a trusted proxy's."""
        parsed = parsed_address(address)
        return parsed is not None and any(
            parsed.version == network.version and parsed in network for network in self._networks
        )

    def seen_through(self, scope: AsgiScope) -> AsgiScope:
        """Return a request as its client sent it, if it came through a trusted proxy; else as it is.

        The client is the last address that `X-Forwarded-For` names and that is no trusted proxy's: what a
        client itself has put there comes before. Raises `BadInput` for an invalid address there.
        """
        client = scope.get("client")
        if not self._networks or not self.trusts(client[0] if client else ""):
            return scope
        forwarded: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in FORWARDED:
                forwarded[name] = forwarded[name] + b"," + value if name in forwarded else value
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        seen = dict(scope)
        if (hops := forwarded.get(b"x-forwarded-for")) is not None:
            seen["client"] = (self._client(hops), 0)
        if (scheme := forwarded.get(b"x-forwarded-proto")) is not None:
            secure = scheme.rpartition(b",")[2].strip().lower() in (b"https", b"wss")
            schemes = ("wss", "ws") if scope["type"] == "websocket" else ("https", "http")
            seen["scheme"] = schemes[0] if secure else schemes[1]
        if (host := forwarded.get(b"x-forwarded-host")) is not None:
            host = host.rpartition(b",")[2].strip()
            headers = [(name, host if name == b"host" else value) for name, value in headers]
        seen["headers"] = [(name, value) for name, value in headers if name not in FORWARDED]
        return seen

    def _client(self, hops: bytes) -> str:
        named = [each.strip() for each in hops.decode("latin-1").split(",")][-_MOST_HOPS:]
        address = None
        for hop in reversed(named):
            address = parsed_address(hop)
            if address is None:
                raise BadInput("The header x-forwarded-for names something that is no address.")
            if not self.trusts(hop):
                break
        # Not the hop, which may have a port: all clients of such a proxy would count as one, an unknown one.
        return str(address)


NO_PROXIES = Proxies()


class ProxySignIn(NamedTuple):
    """A trusted proxy that has signed a person in, and says so in the header `header`, in lower case."""

    proxies: Proxies
    header: bytes
    scopes_header: bytes = b""
    default_scopes: frozenset[Scope] = frozenset()

    @property
    def header_names(self) -> frozenset[bytes]:
        """The headers that name the person and the scopes."""
        return frozenset({self.header, self.scopes_header} - {b""})

    def principal(self, peer: str, headers: Mapping[bytes, bytes]) -> Principal:
        """Return whom the proxy at `peer` names. Raises `Unauthorized`, also where anybody else names one."""
        named = headers.get(self.header)
        if not self.proxies.trusts(peer):
            said = f"{self.header.decode()} counts from a trusted proxy only" if named else "This is no proxy"
            raise Unauthorized(f"{said}: sign in through the proxy of this server.", code="not_the_proxy")
        person = (named or b"").decode(errors="replace")  # proxies send UTF-8
        if not is_person(person) or "\ufffd" in person:
            raise Unauthorized(f"The proxy named nobody in {self.header.decode()}: sign in there first.")
        listed = headers.get(self.scopes_header) if self.scopes_header else None
        scopes: frozenset[Scope] = self.default_scopes
        if listed is not None:
            wanted = listed.decode("latin-1").replace(",", " ").split()
            scopes = frozenset(each for each in SCOPES if each in wanted)
        return Principal(person=person, scopes=scopes)


def check_not_forwarded(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Raise `Forbidden` if a proxy says that a request came from another machine, or does not say from where.

    For a server without a token.
    """
    forwarded = {name: value for name, value in headers if name in FORWARDED}
    if not forwarded:
        return
    named = [value for name, value in headers if name in (b"x-forwarded-for", b"x-real-ip")]
    hops = [hop.strip() for value in named for hop in value.decode("latin-1").split(",")]
    if not hops or b"forwarded" in forwarded or not all(is_loopback(hop) for hop in hops):
        raise Forbidden(
            "This came through a proxy, perhaps from another machine: that needs DETOUR_TOKEN.",
            code="forwarded",
        )


@functools.lru_cache(maxsize=4096)
def parsed_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address without its port, an IPv4 one for its form in IPv6; None if it is invalid."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


def is_loopback(address: str) -> bool:
    """Return whether only this machine's own programs can have reached an address, or come from it."""
    parsed = parsed_address(address)
    return parsed is not None and parsed.is_loopback


def is_local(host: str) -> bool:
    """Return whether a host's name or address is this machine's own, which no other machine reaches."""
    return host.lower() == "localhost" or is_loopback(host)
