"""What is known of one tool call."""

from dataclasses import dataclass
from typing import Any, Literal

Effect = Literal["none", "read", "write"]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One entry of the ledger; `outcome` is None while the call runs."""

    call_id: str
    tool: str
    effect: Effect
    summary: str = ""
    outcome: Outcome | None = None

    def as_update(self) -> dict[str, Any]:
        """Return the fields of a `tool_update` event."""
        state = self.outcome or "running"
        return {
            "call_id": self.call_id,
            "tool": self.tool,
            "state": state,
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
