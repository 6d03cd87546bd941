"""What stands behind the interruption core: something that reads a message and runs a task for it.

The travel graph is one workflow, any other LangGraph graph another; the core knows neither.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ..domain.inputs import InputRequest
from .task_context import TaskContext

Manner = Literal["interrupt", "beside", "stop", "answer"]
"""How a message meets a running task: it takes its place, is answered beside it, only ends it, or answers
what it asked.
"""

Answers = Mapping[str, Mapping[str, Any]]
"""Answers that fit their questions, by `request_id`."""


Valid = Callable[[str], bool]
"""Tells of an agent whether what it found is of use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Where a conversation stands when a message comes.

    `previous` is the request before the message; `unfinished` tells that its task was, or now will be, cut
    short, `stopped` that it was the user who stopped it. `asked` are the questions of that task that are
    open, `recent` the requests before `previous` that others took the place of, latest first, one about each
    subject but the present one; `alike` are the others, which a later request about the same has changed.
    """

    previous: Mapping[str, Any] | None = None
    unfinished: bool = False
    stopped: bool = False
    asked: Sequence[InputRequest] = ()
    recent: Sequence[Mapping[str, Any]] = ()
    alike: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A message, read against what was asked for before it.

    `request` is what is asked for now, JSON-ready: it is stored with the task, and handed back as `previous`
    when the next message is read. `carried` and `dropped` name the parts that were and were not taken over.
    `answers` are given by a message that answers: `request` is then what the task that asked goes on with.
    `resumes` tells which of the `recent` requests, and behind them of those `alike`, is taken up again;
    `subject` is what the request is about, in a word: none without a subject is remembered.
    """

    relation: str | None = None
    manner: Manner = "interrupt"
    request: Mapping[str, Any] | None = None
    carried: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    answers: Answers = field(default_factory=dict[str, Mapping[str, Any]])
    resumes: int | None = None
    subject: str | None = None


Advise = Callable[[str, Situation], Coroutine[Any, Any, Reading | None]]
"""Reads a message as `Workflow.read` does, where that would make nothing of it, in some time that is bounded.

None where it has nothing to say. It is asked before the message is accepted, and never raises.
"""


class Workflow(Protocol):
    """Answers messages."""

    def read(self, message: str, situation: Situation) -> Reading:
        """Read a message; pure and quick (milliseconds), since it is done before the message is accepted."""
        ...

    def still_valid(self, found_for: Mapping[str, Any] | None, request: Mapping[str, Any] | None) -> Valid:
        """Tell which agents' findings for one request answer another one as well. Pure and quick."""
        ...

    def reads(self, request: Mapping[str, Any] | None) -> Sequence[str] | None:
        """Return the keys (`call_key`) of the reads that a task will make for a request, as far as it can go.

        None where that shows only as it runs. Pure and quick.
        """
        ...

    def take(
        self,
        answer: Mapping[str, Any],
        question: InputRequest,
        previous: Mapping[str, Any] | None,
        *,
        asked: Sequence[InputRequest],
    ) -> Reading:
        """Read an answer that fits its question's schema. Raises `BadInput` where it still makes no sense.

        Other open questions of the task (`asked`) may be answered with it.
        """
        ...

    async def run(self, context: TaskContext) -> str | None:
        """Work on the task and return the reply; None where it can only go on once its user has answered.

        It is run again then, with the answers in the context, and also where its process was lost meanwhile.
        It is run in an asyncio task of its own, which is cancelled once where the task is interrupted;
        whatever it raises fails the task, and what it had published is kept.
        """
        ...

    async def forget(self, user_id: str) -> None:
        """Forget what is kept of a user outside the store, none of whose tasks runs any more.

        Raises `StoreUnavailable`; it is then called again.
        """
        ...
