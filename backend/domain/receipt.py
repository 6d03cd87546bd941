"""The account of how a task ended: stored with its ending, published, and amended when more becomes known."""

from collections.abc import Mapping, Sequence
from typing import NotRequired

from pydantic import with_config
from typing_extensions import TypedDict

from .fates import SortedCounts
from .model_step import UsageView
from .task import InterruptReason, StoppedBy
from .tool_call import ToolCallView


@with_config(defer_build=True)
class ReceiptAnswer(TypedDict):
    """The true account of how a task ended.

    An outcome that becomes known later amends it: `amendments` counts how often, `amended_at` is the last
    time. `set_aside` says what of a graph's stored state did not fit the graph any more, if anything.
    `stopped_by` says who stopped the task, if not its user.
    `sorted_results` counts what the message that interrupted the task makes of its results, where it does.
    """

    task_id: str
    reason: InterruptReason | None
    at: str
    requested_at: str | None
    settled_at: str
    text_kept: int
    partial_results: Mapping[str, int]
    input_request: str | None
    tool_calls: Sequence[ToolCallView]
    adopted_by: str | None
    usage: UsageView
    stopped_by: NotRequired[StoppedBy]
    set_aside: NotRequired[Sequence[str]]
    sorted_results: NotRequired[Mapping[str, SortedCounts]]
    amended_at: NotRequired[str]
    amendments: NotRequired[int]
