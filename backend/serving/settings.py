"""Everything that can be set, all of it optional: environment variables `DETOUR_*`, or a `.env` file.

A variable that is set to nothing counts as not set: an empty token would let anyone in.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


class Settings(BaseSettings):
    """The settings of one server. Only `main` reads them."""

    model_config = SettingsConfigDict(
        env_prefix="DETOUR_", env_file=".env", env_ignore_empty=True, extra="ignore"
    )

    host: str = Field(default="127.0.0.1", description="Address to listen on")
    port: int = Field(default=8000, ge=0, le=65535, description="Port to listen on; 0 = any free one")
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="Further `Host` values to answer, comma-separated (`name` or `name:port`)"
    )
    token: SecretStr | None = Field(
        default=None, description="Asked of everyone once set; required to listen on anything but localhost"
    )
    store: Literal["sqlite", "memory"] = Field(
        default="sqlite", description="Where everything is kept; `memory` forgets with the process"
    )
    data_dir: Path = Field(default=Path("data"), description="Folder of the SQLite file and demo inventory")
    graph: str = Field(default="", description="`module:attribute` of another LangGraph graph to serve")
    task_timeout_s: float = Field(default=600.0, gt=0, description="Seconds a task may run")
    task_results_mib: float = Field(
        default=4.0, gt=0, description="MiB of results and text that a task may show before it fails"
    )
    input_timeout_s: float = Field(
        default=86400.0, gt=0, description="Seconds that a question stays open before its task ends"
    )
    permission_timeout_s: float = Field(
        default=900.0, gt=0, description="Seconds in which a booking may be allowed, and then made"
    )
    calls_per_user: int = Field(default=8, ge=1, description="Searches of one user that run at once")
    calls_at_once: int = Field(default=256, ge=1, description="Searches that run at once in all")
    shutdown_grace_s: float = Field(
        default=5.0, gt=0, description="Seconds that running tasks get to settle when the server ends"
    )
    events_kept: int = Field(default=2000, ge=100, description="Events kept for each user, for replay")
    messages_per_minute: int = Field(default=60, ge=1, description="Messages a user may send in a minute")
    sockets_per_user: int = Field(default=10, ge=1, description="WebSockets and event streams of one user")
    heartbeat_s: float = Field(default=20.0, gt=0, description="Seconds between pings on a WebSocket")
    log_format: Literal["console", "json"] = Field(default="console", description="How log lines look")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least severe log lines to show"
    )

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value
