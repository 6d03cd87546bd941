"""What a request has found, as its user is shown it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .task import AgentProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownResults:
    """The results of the task of a `request`, by agent, and how far its `agents` are.

    With `is_active` the task has not ended: more may come.
    """

    task_id: str
    request: Mapping[str, Any] | None
    results: Mapping[str, Sequence[Any]]
    agents: Mapping[str, AgentProgress]
    is_active: bool = False
