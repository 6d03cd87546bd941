"""What the model of the database holds: its rows, as plain values, and what its functions raise."""

from copy import copy
from dataclasses import dataclass, field

import asyncpg

from tests.model_store import ModelUser


class Raised(asyncpg.PostgresError):
    """What a function of the database raises."""

    def __init__(self, state: str, detail: str = "") -> None:
        super().__init__(state)
        self.sqlstate = state
        self.detail = detail


@dataclass
class UserRow:
    """A row of `users`."""

    epoch: str = ""
    timeline: str = ""
    begun: bool = False
    seq: int = 0
    turn: int = 0
    writes: int = 0
    owner: str | None = None
    fence: int = 0
    occupied: bool = False
    followers: tuple[str, ...] = ()


@dataclass
class ReplicaRow:
    """A row of `replicas`."""

    lease_until: float
    lease: float
    lock_id: int
    session_at: float | None = None
    lost_at: float | None = None
    draining: bool = False


@dataclass
class CommandRow:
    """A row of `commands`."""

    number: int
    kind: str
    body: bytes
    sender: str
    at: float
    wanted_until: float
    reply: bytes | None = None
    begun_by: str | None = None


@dataclass
class State:
    """All rows at one instant."""

    users: dict[str, UserRow] = field(default_factory=dict[str, UserRow])
    replicas: dict[str, ReplicaRow] = field(default_factory=dict[str, ReplicaRow])
    commands: dict[tuple[str, str], CommandRow] = field(default_factory=dict[tuple[str, str], CommandRow])
    kept: dict[str, ModelUser] = field(default_factory=dict[str, ModelUser])

    def copied(self) -> "State":
        """Return a copy that later changes leave alone; what is in the rows is never changed in place."""
        return State(*({name: copy(row) for name, row in each.items()} for each in (
            self.users, self.replicas, self.commands)), {
            name: user.copied() for name, user in self.kept.items()})  # fmt: skip
