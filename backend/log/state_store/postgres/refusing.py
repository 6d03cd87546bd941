"""Says why a database refuses a start, in sentences that name where it is, and never a password."""

import getpass
import os
import socket
import ssl
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

import asyncpg

from ....errors import StoreUnavailable
from .lanes import sqlstate

_PORT = "5432"
_NO_ADDRESS = (
    "it is no address of a database, such as postgresql://user:password@host/database. In a password "
    "/, ?, #, @ and % are written as %2F, %3F, %23, %40 and %25."
)


@dataclass(frozen=True, slots=True)
class _Place:
    """What an address names, as the driver reads it: a variable counts where the address is silent."""

    server: str
    role: str
    database: str


def unusable(error: Exception, address: str) -> StoreUnavailable:
    """Return what refuses a start because of an error, without its words: they may hold a password."""
    return StoreUnavailable(f"DETOUR_POSTGRES: {_reason(error, address)}")


def _reason(error: Exception, address: str) -> str:
    # A certificate that is not trusted is a `ValueError`, too.
    is_no_address = isinstance(error, ValueError) and not isinstance(error, OSError)
    place = None if is_no_address else _place(address)
    if place is None:
        return _NO_ADDRESS
    match error:
        case asyncpg.InsufficientPrivilegeError():
            needed = "`python -m backend.migrate --grant ROLE`, run as the role that owns the tables"
            return f"its role may not do what is needed, before {needed}."
        case socket.gaierror():
            return f"the host of {place.server} is not known."
        case ConnectionRefusedError() | FileNotFoundError():
            return f"nothing listens at {place.server}."
        case ssl.SSLCertVerificationError():
            return f"the certificate of {place.server} is not one that this machine trusts."
        case TimeoutError():
            return f"{place.server} does not answer."
        case asyncpg.InvalidAuthorizationSpecificationError():
            # Some servers tell a missing role from a wrong password, and others on purpose do not.
            wrong = "the password is wrong, there is no such role, or it may not come from here"
            return f"{place.server} does not let the role {place.role!r} in: {wrong}."
        case asyncpg.InvalidCatalogNameError():
            made = f"`createdb {place.database}` makes it"
            return f"{place.server} has no database {place.database!r}; {made}."
        case _:
            told = f"{type(error).__name__} {sqlstate(error)}".strip()
            return f"the database {place.database!r} at {place.server} cannot be used: {told}."


def _place(address: str) -> _Place | None:
    """Return what an address names; None where a part of a password could be taken for something else."""
    parts = urlsplit(address)
    if "@" in f"{parts.path}{parts.query}{parts.fragment}":
        return None
    asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    named, _, hosts = parts.netloc.rpartition("@")
    host = unquote(hosts) or asked.get("host") or os.environ.get("PGHOST") or "localhost"
    port = asked.get("port") or os.environ.get("PGPORT") or _PORT
    has_port = host.rpartition("]")[2].count(":") > 0
    server = host if has_port or host.startswith("/") else f"{host}:{port}"
    role = (
        unquote(named.partition(":")[0]) or asked.get("user") or os.environ.get("PGUSER") or getpass.getuser()
    )
    database = unquote(parts.path[1:]) or asked.get("database") or asked.get("dbname")
    return _Place(server, role, database or os.environ.get("PGDATABASE") or role)
