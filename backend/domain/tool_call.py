"""One tool call of a task: its request, its state, and its true outcome. Pure values."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, Literal, NotRequired, Protocol, runtime_checkable

from typing_extensions import TypedDict

from .encoding import encode, encode_sorted

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

MOST_TOLD_BYTES = 16 * 1024
"""The longest JSON of arguments, and of a result, that an event shows; the entry in the ledger has more."""


def told_text(text: str) -> dict[str, Any]:
    """Return a text as an event shows it: its beginning, marked as `cut`, if it is too long."""
    text = text.encode(errors="replace").decode()
    if len(text) <= MOST_TOLD_BYTES:
        return {"text": text}
    return {"text": text[:MOST_TOLD_BYTES], "cut": True}


DONE = frozenset[Outcome]({"completed", "completed_after_interrupt"})
"""Outcomes of a call that succeeded, before an interruption or after it."""


@runtime_checkable
class WithKeyParts(Protocol):
    """Arguments that say themselves what their calls' key is made of."""

    def key_parts(self) -> Mapping[str, Any]:
        """Return it by name, always in the same order."""
        ...


def call_key(tool: str, arguments: Any) -> str:
    """Return the key that calls of one tool with equal arguments share.

    `arguments` are normalised; the order of their fields makes no difference. Raises `TypeError` if they
    have no JSON form.
    """
    if isinstance(arguments, WithKeyParts):
        encoded = encode(arguments.key_parts())  # in their order, as a dataclass would be
    else:
        encoded = encode_sorted(arguments)
    return f"{tool}:{blake2b(encoded, digest_size=12).hexdigest()}"


class ToolCallView(TypedDict):
    """What became of one tool call, or of a step of the graph that outlived its task (`kind` "step")."""

    call_id: str
    tool: str
    effect: Effect
    outcome: Outcome
    summary: str
    kind: NotRequired[Literal["step"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One task's entry in the ledger for a call; an adopted call has one entry for each of its tasks.

    - `key`: `call_key` of its tool and arguments; `purpose`: that of what the agent wanted, without a price.
    - `state`: "waiting" for a permission or for its turn, until it runs.
    - `asks`: the `prompt` and the `facts` of a write's permission request, or the ids of the `questions` that
      an observed call has asked; `instead_of`: the call that was allowed, if this one repeats it.
    - `observed`: the graph runs it by itself, with a tool that nobody declared: it counts as a write, and
      its outcome cannot be asked for.
    - `is_step`: no tool, but a step of the graph that a thread still runs after its task has ended; `tool` is
      its name, and it counts as a write.
    - `fresh_until`: until then, a read's result answers the same read; `found`: how many items it found, of
      which its task may have shown fewer.
    - `outcome`: None until it has ended; "unknown" may still change.
    - `result`: what its agent gets, JSON-ready; `summary`: the same for people, in a few words.
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
    found: int | None = None
    observed: bool = False
    is_step: bool = False

    @property
    def begun(self) -> bool:
        """Whether it runs, or has run."""
        return self.state == "running" or self.outcome not in (None, "not_started")

    @property
    def unsettled(self) -> bool:
        """Whether it is a write that may or may not have taken effect, and somebody can be asked."""
        runs = self.state == "running" and self.outcome is None
        may_be_done = self.effect == "write" and (runs or self.outcome == "unknown")
        return may_be_done and not (self.observed or self.is_step)

    @property
    def left_open(self) -> bool:
        """Whether the next process has to find out its outcome, or to say that nobody can."""
        runs = self.state == "running" and self.outcome is None
        return self.unsettled or (runs and (self.observed or self.is_step))

    @property
    def asked_as(self) -> str:
        """The id that a language model gave the call; "" if none asked for it."""
        return self.purpose if self.observed and not self.is_step else ""

    def is_fresh(self, now: datetime) -> bool:
        """Whether its result still answers the same read."""
        return self.fresh_until is not None and now < self.fresh_until

    @property
    def done(self) -> bool:
        """Whether it succeeded, before an interruption or after it."""
        return self.outcome in DONE

    def started(self, at: datetime) -> "ToolCall":
        """Return it as running; a call that was never started may still be."""
        return replace(
            self, state="running", started_at=at, outcome=None, summary="", result=None, ended_at=None
        )

    def waiting(self) -> "ToolCall":
        """Return it as it was before it ran."""
        return replace(self, state="waiting", started_at=None, outcome=None, summary="", ended_at=None)

    def ended(self, outcome: Outcome, at: datetime, *, summary: str = "", result: Any = None) -> "ToolCall":
        """Return it as ended with an outcome."""
        return replace(self, state="ended", outcome=outcome, summary=summary, result=result, ended_at=at)

    def as_update(self) -> dict[str, Any]:
        """Return the fields of a `tool_update` event."""
        update: dict[str, Any] = {
            "call_id": self.call_id,
            "tool": self.tool,
            "state": self.outcome or self.state,
            "effect": self.effect,
            "summary": self.summary,
        }
        if self.is_step:
            return update | {"kind": "step"}
        if self.asked_as:
            update["tool_call_id"] = self.asked_as
        if self.state != "ended" and _is_told(self.arguments):
            update["arguments"] = self.arguments
        elif self.result is not None and _is_told(self.result):
            update["result"] = self.result
        return update

    def as_account(self) -> ToolCallView:
        """Return the call's line in a receipt."""
        account: ToolCallView = {
            "call_id": self.call_id,
            "tool": self.tool,
            "effect": self.effect,
            "outcome": self.outcome or "unknown",
            "summary": self.summary,
        }
        return {**account, "kind": "step"} if self.is_step else account


def _is_told(value: Any) -> bool:
    return len(encode(value)) <= MOST_TOLD_BYTES
