"""One tool call of a task: what was asked for, how far it is, and what truly became of it. Pure values."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, Literal

from .encoding import encode_sorted

Effect = Literal["none", "read", "write"]
State = Literal["waiting", "running", "ended"]
Outcome = Literal[
    "completed",
    "not_started",
    "cancelled",
    "adopted",
    "denied",
    "completed_after_interrupt",
    "failed",
    "unknown",
]

DONE = frozenset[Outcome]({"completed", "completed_after_interrupt"})
"""Outcomes of a call that did what it was made for."""


def call_key(tool: str, arguments: Any) -> str:
    """Return what two calls of one user have in common that ask for the same.

    `arguments` are normalised and have a JSON form; the order of their fields makes no difference. Raises
    `TypeError` where they have none.
    """
    return f"{tool}:{blake2b(encode_sorted(arguments), digest_size=12).hexdigest()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One entry of the ledger, as it concerns one task: a call that is adopted has one for each task.

    `key` is `call_key` of its tool and arguments, `purpose` that of what the agent wanted: for a write that
    is less, as it has no price. `state` is "waiting" until it runs: for a permission, or for its turn.
    `asks` is the `prompt` and the `facts` with which a write is asked for; `instead_of` the call that was
    allowed, where this one stands in for it.
    Until `fresh_until`, what a read has found answers the same read.
    `outcome` is None until it has ended, and may still change where it is "unknown". `result` is what it
    gives to the agent that made it, JSON-ready; `summary` the same for people, in a few words.
    """

    call_id: str
    user_id: str
    task_id: str
    turn: int
    agent: str
    tool: str
    effect: Effect
    key: str
    purpose: str = ""
    asks: Mapping[str, Any] = field(default_factory=dict[str, Any])
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    state: State = "waiting"
    outcome: Outcome | None = None
    summary: str = ""
    result: Any = None
    instead_of: str = ""
    requested_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    fresh_until: datetime | None = None

    @property
    def begun(self) -> bool:
        """Whether it runs, or has an outcome other than that it never started."""
        return self.state == "running" or self.outcome not in (None, "not_started")

    @property
    def unsettled(self) -> bool:
        """Whether a change outside may have been made, and nobody knows yet."""
        runs = self.state == "running" and self.outcome is None
        return self.effect == "write" and (runs or self.outcome == "unknown")

    def is_fresh(self, now: datetime) -> bool:
        """Whether what it has found still answers the same read."""
        return self.fresh_until is not None and now < self.fresh_until

    @property
    def done(self) -> bool:
        """Whether it did what it was made for, before an interruption or after."""
        return self.outcome in DONE

    def started(self, at: datetime) -> "ToolCall":
        """Return it as it is once it runs; one that had never started may be started after all."""
        return replace(
            self, state="running", started_at=at, outcome=None, summary="", result=None, ended_at=None
        )

    def waiting(self) -> "ToolCall":
        """Return it as it was before it ran: it may still begin."""
        return replace(self, state="waiting", started_at=None, outcome=None, summary="", ended_at=None)

    def ended(self, outcome: Outcome, at: datetime, *, summary: str = "", result: Any = None) -> "ToolCall":
        """Return it as it is once it has ended so."""
        return replace(self, state="ended", outcome=outcome, summary=summary, result=result, ended_at=at)

    def as_update(self) -> dict[str, Any]:
        """Return the fields of a `tool_update` event."""
        return {
            "call_id": self.call_id,
            "tool": self.tool,
            "state": self.outcome or self.state,
            "effect": self.effect,
            "summary": self.summary,
        }

    def as_account(self) -> dict[str, Any]:
        """Return the call's line in a receipt."""
        return {
            "call_id": self.call_id,
            "tool": self.tool,
            "effect": self.effect,
            "outcome": self.outcome or "unknown",
            "summary": self.summary,
        }
