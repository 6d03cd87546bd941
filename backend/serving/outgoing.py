"""Which addresses the server calls: by https, those of this machine, and those that the operator names."""

from collections.abc import Collection
from urllib.parse import urlsplit

from ..errors import DetourError
from .identity_settings import is_local


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
