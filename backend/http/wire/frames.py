"""The shape of each frame of the WebSocket and of the event stream.

`feed` makes the hello, the snapshot and the reset, `domain.events` the events, and the socket's route the
replies to commands. An event stream has no replies.
"""

from collections.abc import Sequence
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from ...conversation.accepted import ChatAnswer
from ...conversation.answering import AnsweredAnswer
from ...conversation.stopping import StoppedAgentAnswer
from ...domain.context import ReceiptAnswer
from ...domain.errors import ErrorBody
from ...domain.events import AnyEvent
from ...domain.task import MessageView, Policy
from .answers import PartialResultsAnswer, StatusAnswer, StoppingAnswer


class Hello(TypedDict):
    """The first frame. `seq` is the last number of the log, not the position of this client.

    `graphs` are the names of the graphs, of a server of several. `policy` is what messages do that do not say
    it, unless they interrupt.
    """

    type: Literal["hello"]
    user_id: str
    epoch: str
    seq: int
    at: str
    heartbeat_s: float
    graphs: NotRequired[Sequence[str]]
    policy: NotRequired[Policy]


class SnapshotFrame(TypedDict):
    """All that a client needs to begin with; of a user who never wrote, `status` is null."""

    type: Literal["snapshot"]
    seq: int
    epoch: str
    status: StatusAnswer | None
    partial_results: PartialResultsAnswer | None
    history: Sequence[MessageView]


class Reset(TypedDict):
    """The position of this client is no longer valid: a snapshot follows, and replaces its state."""

    type: Literal["reset"]
    reason: str


class _Reply(TypedDict):
    ref: str | int | None


class Pong(_Reply):
    """The reply to a `ping`."""

    type: Literal["pong"]
    at: str


class _Ack(_Reply):
    type: Literal["ack"]


class ChatAck(_Ack, ChatAnswer):
    """The reply to a `chat`."""


class AnswerAck(_Ack, AnsweredAnswer):
    """The reply to an `answer`."""


class StopAck(_Ack, ReceiptAnswer):
    """The reply to a `stop`: the receipt."""


class AgentStopAck(_Ack, StoppedAgentAnswer):
    """The reply to a `stop` of one agent."""


class StoppingAck(_Ack, StoppingAnswer):
    """The reply to a `stop` while a write that has begun still finishes."""


class ErrorFrame(_Reply):
    """The reply to a command that was refused."""

    type: Literal["error"]
    error: ErrorBody


Frame = Hello | SnapshotFrame | Reset | AnyEvent
"""What a subscriber of a user gets, over the WebSocket or the event stream."""

Reply = Pong | ChatAck | AnswerAck | StopAck | AgentStopAck | StoppingAck | ErrorFrame
"""What a command over the WebSocket is answered with."""
