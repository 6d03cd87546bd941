"""Proxies that this server trusts: what they say of a request, and of whom they have signed in.

A proxy tells in headers where a request came from, by which scheme and for which host. Anybody may send such
headers, so they count from the listed addresses alone. Where this server has no token, and so answers this
machine only, they are refused from elsewhere: behind a proxy every stranger seems to come from this machine.
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
"""Headers by which proxies tell where a request came from."""

_MOST_HOPS = 20


class Proxies:
    """The proxies at these addresses, which are trusted."""

    def __init__(self, networks: Iterable[Network] = ()) -> None:
        self._networks = tuple(networks)

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self._networks)

    def trusts(self, address: str) -> bool:
        """Return whether an address is a trusted proxy's."""
        parsed = parsed_address(address)
        return parsed is not None and any(
            parsed.version == network.version and parsed in network for network in self._networks
        )

    def seen_through(self, scope: AsgiScope) -> AsgiScope:
        """Return a request as its client sent it, if it came through a trusted proxy; else as it is.

        The client is the last address that `X-Forwarded-For` names and that is no trusted proxy's: what a
        client itself has put there comes before. Raises `BadInput` for what is no address there.
        """
        if not self._networks or not self.trusts(_peer(scope)):
            return scope
        told = _told(scope)
        headers: list[tuple[bytes, bytes]] = list(scope["headers"])
        seen = dict(scope)
        if (hops := told.get(b"x-forwarded-for")) is not None:
            seen["client"] = (self._client(hops), 0)
        if (scheme := told.get(b"x-forwarded-proto")) is not None:
            seen["scheme"] = _scheme(scheme, websocket=scope["type"] == "websocket")
        if (host := told.get(b"x-forwarded-host")) is not None:
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
        """The headers that say who somebody is."""
        return frozenset({self.header, self.scopes_header} - {b""})

    def principal(self, peer: str, headers: Mapping[bytes, bytes]) -> Principal:
        """Return whom the proxy at `peer` names. Raises `Unauthorized`, also where anybody else names one."""
        named = headers.get(self.header)
        if not self.proxies.trusts(peer):
            said = f"{self.header.decode()} counts from a trusted proxy only" if named else "This is no proxy"
            raise Unauthorized(f"{said}: sign in through the proxy of this server.", code="not_the_proxy")
        person = "" if named is None else _text(named)
        if not is_person(person):
            raise Unauthorized(f"The proxy named nobody in {self.header.decode()}: sign in there first.")
        return Principal(person=person, scopes=self._scopes(headers))

    def _scopes(self, headers: Mapping[bytes, bytes]) -> frozenset[Scope]:
        told = headers.get(self.scopes_header) if self.scopes_header else None
        if told is None:
            return self.default_scopes
        named = told.decode("latin-1").replace(",", " ").split()
        return frozenset(each for each in SCOPES if each in named)


def check_not_forwarded(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Raise `Forbidden` if a proxy says that a request came from another machine, or does not say from where.

    For a server without a token.
    """
    told = {name: value for name, value in headers if name in FORWARDED}
    if not told:
        return
    named = [value for name, value in headers if name in (b"x-forwarded-for", b"x-real-ip")]
    hops = [hop.strip() for value in named for hop in value.decode("latin-1").split(",")]
    if not hops or b"forwarded" in told or not all(is_loopback(hop) for hop in hops):
        raise Forbidden(
            "This came through a proxy, perhaps from another machine: that needs DETOUR_TOKEN.",
            code="forwarded",
        )


@functools.lru_cache(maxsize=4096)
def parsed_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address, an IPv4 one for its form in IPv6; None for what is none. A port is left out."""
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


def _peer(scope: AsgiScope) -> str:
    client = scope.get("client")
    return client[0] if client else ""


def _told(scope: AsgiScope) -> dict[bytes, bytes]:
    told: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in FORWARDED:
            told[name] = told[name] + b"," + value if name in told else value
    return told


def _scheme(told: bytes, *, websocket: bool) -> str:
    secure = told.rpartition(b",")[2].strip().lower() in (b"https", b"wss")
    return ("wss" if secure else "ws") if websocket else ("https" if secure else "http")


def _text(value: bytes) -> str:
    """Return a header's text; proxies send UTF-8."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return ""
