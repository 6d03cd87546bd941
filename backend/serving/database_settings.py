"""The settings of a server that keeps everything in PostgreSQL."""

import os
from collections.abc import Iterator
from typing import Annotated, Literal
from urllib.parse import parse_qs, unquote, urlsplit

from pydantic import Field, SecretStr, StringConstraints, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from .identity_settings import is_local

_STATED_MODES = ("disable", "require", "verify-ca", "verify-full")
"""Those with which it is certain whether what is sent is encrypted; all others fall back, and say nothing."""


class DatabaseSettings(BaseSettings):
    """Adds to the settings of a server where its database is, and how it is one of several."""

    model_config = SettingsConfigDict(defer_build=True)  # nobody makes these alone

    postgres: SecretStr | None = Field(
        default=None,
        description="Address of a PostgreSQL database (`postgresql://user:password@host/database`), in the "
        "place of `DETOUR_STORE`; on another machine with `?sslmode=verify-full`, `require` or `disable`",
    )
    hints: Literal["listen", "poll"] = Field(
        default="listen",
        description="How servers that share `DETOUR_POSTGRES` hear of each other's work: by `LISTEN` in a "
        "session, or by a question every 100 ms (`poll`), which any pooler lets through; then a server that "
        "was killed is noticed only by its lease",
    )
    postgres_direct: SecretStr | None = Field(
        default=None,
        description="Address of the same database that leads past a pooler of transactions, for the two "
        "connections of hints; the others then prepare nothing",
    )
    migrate: bool = Field(
        default=True,
        description="Whether the server brings the tables of `DETOUR_POSTGRES` up to date as it starts; if "
        "not, `python -m backend.migrate` does",
    )
    replica: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{0,40}$")] = Field(
        default="", description="Name of this server among those that share `DETOUR_POSTGRES`, for logs"
    )
    lease_s: float = Field(
        default=10.0,
        gt=0.5,
        description="Seconds after which a server counts as dead that does not renew its lease in "
        "`DETOUR_POSTGRES`; others then take its users over",
    )

    @field_validator("postgres", "postgres_direct")
    @classmethod
    def _check_transport(cls, address: SecretStr | None) -> SecretStr | None:
        if address is not None and (host := _host_of_unclear_transport(address.get_secret_value())):
            raise PydanticCustomError(
                "no_sslmode",
                "{host} is not this machine, so the address needs `?sslmode=verify-full` or `require`, or "
                "`disable` where nobody else is on the way; otherwise it could go unencrypted unnoticed.",
                {"host": host},
            )
        return address

    @field_validator("hints")
    @classmethod
    def _check_shares(cls, hints: str, info: ValidationInfo) -> str:
        if hints == "poll":
            _refuse_without_postgres(info)
        return hints

    @field_validator("postgres_direct")
    @classmethod
    def _check_use(cls, address: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if address is not None:
            _refuse_without_postgres(info)
        if address is not None and info.data.get("hints") == "poll":
            raise PydanticCustomError(
                "no_use", "it is of no use with DETOUR_HINTS=poll, which has no session."
            )
        return address

    @property
    def prepares_nothing(self) -> bool:
        """Whether there may be a pooler of transactions between this server and its database."""
        return self.hints == "poll" or self.postgres_direct is not None


def _refuse_without_postgres(info: ValidationInfo) -> None:
    """Refuse a setting where no database is named; one whose address is refused itself is named."""
    if info.data.get("postgres", "") is None:
        raise PydanticCustomError("no_use", "it is of no use without DETOUR_POSTGRES.")


def _host_of_unclear_transport(address: str) -> str:
    """Return a host that is not this machine, if nobody has said whether to encrypt; else ""."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""  # it is no address, which connecting tells
    asked = parse_qs(parts.query)
    mode = asked.get("sslmode", [os.environ.get("PGSSLMODE", "")])[-1]
    if mode in _STATED_MODES:
        return ""
    named = parts.netloc.rpartition("@")[2] or asked.get("host", [os.environ.get("PGHOST", "")])[-1]
    return next((host for host in _hosts(named) if not is_local(host)), "")


def _hosts(named: str) -> Iterator[str]:
    """Yield the hosts of a list, without their ports; a Unix socket is none."""
    for each in unquote(named).split(","):
        host = each[1:].partition("]")[0] if each.startswith("[") else each.partition(":")[0]
        if host and not host.startswith("/"):
            yield host
