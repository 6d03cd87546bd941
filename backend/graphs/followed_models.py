"""Streams what the models of a run say, as LangChain reports it to a callback handler.

The graph knows nothing of it: a model streams although its node only awaits the whole answer. The text of a
node that replies is the reply; that of any other is shown as the node's own. If two answers of replying nodes
come at once, the first is the reply, since a reply cannot be two texts in turn.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from ..domain.events import Speaker
from ..domain.model_step import Usage
from ..domain.usage import MeteredCall
from ..tasks.task_context import TaskContext
from .langgraph_internals import nodes_of
from .replying import ReplyingNodes
from .run_callbacks import RunCallbacks

NOSTREAM = "nostream"
"""The tag of a model whose text is not streamed, as on LangGraph's own server."""

BETWEEN = "\n\n"
"""What stands in the reply between the texts of two messages."""


@dataclass(slots=True)
class _Answer:
    """An answer in progress; `by` is known from its first piece on, `length` are its characters so far."""

    nodes: tuple[str, ...]
    is_hidden: bool
    meter: MeteredCall
    by: Speaker | None = None
    length: int = 0


class FollowedModels(RunCallbacks):
    """Follows the models of one run."""

    @property
    def ignore_agent(self) -> bool:
        """Whether tools are passed over: `FollowedTools` follows them."""
        return True

    def __init__(self, context: TaskContext, replying: ReplyingNodes) -> None:
        super().__init__(context)
        self._replying = replying
        self._answers: dict[UUID, _Answer] = {}
        self._replies: UUID | None = None
        self._unclaimed: dict[str, str] = {}

    def claims(self, text: str, node: str) -> bool:
        """Tell whether a node says what its model has just said, and so was streamed already."""
        unclaimed = self._unclaimed.get(node, "")
        if not unclaimed.startswith(text):
            return False
        self._unclaimed[node] = unclaimed[len(text) :]
        return True

    # A model streams although it is only awaited if a handler has these two methods
    # (`BaseChatModel._should_stream`). LangChain calls them for its own streams of events alone.

    def tap_output_aiter(self, run_id: UUID, output: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Return the stream unchanged."""
        return output

    def tap_output_iter(self, run_id: UUID, output: Iterator[Any]) -> Iterator[Any]:
        """Return the stream unchanged."""
        return output

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[Any]],
        *,
        run_id: UUID,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Follow an answer; that of a model tagged `nostream` is not shown."""
        sent = sum(len(each.text) for batch in messages for each in batch)
        self._begin(run_id, sent, tags, metadata)

    def on_llm_start(
        self,
        serialized: dict[str, Any],
        prompts: list[str],
        *,
        run_id: UUID,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Follow a completion as an answer."""
        self._begin(run_id, sum(map(len, prompts)), tags, metadata)

    def on_llm_new_token(self, token: Any, *, chunk: Any = None, run_id: UUID, **kwargs: Any) -> None:
        """Say a piece of an answer. Raises `TooMuchShownError`."""
        message = getattr(chunk, "message", None)
        text: Any = token if message is None else message.text
        if run_id in self._answers and isinstance(text, str) and text:
            self.on_loop(partial(self._say, run_id, str(text), getattr(message, "id", None)))

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Say an answer that did not come in pieces. Raises `TooMuchShownError`."""
        generations: Sequence[Sequence[Any]] = getattr(response, "generations", ())
        whole: Any = generations[0][0] if generations and generations[0] else None
        message: Any = getattr(whole, "message", None)
        if run_id in self._answers:
            self._answers[run_id].meter.reported = _reported(getattr(message, "usage_metadata", None))
            text = str(getattr(whole, "text", ""))
            self.on_loop(partial(self._end, run_id, text, getattr(message, "id", None)))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Let go of an answer that was cut short."""
        if run_id in self._answers:
            self.on_loop(partial(self._end, run_id, "", None))

    def _begin(
        self, run_id: UUID, sent: int, tags: list[str] | None, metadata: dict[str, Any] | None
    ) -> None:
        self._answers[run_id] = _Answer(
            nodes_of(metadata or {}), NOSTREAM in (tags or ()), self._context.trace.usage.begin(sent)
        )

    def _say(self, run_id: UUID, text: str, message_id: str | None) -> None:
        answer = self._answers.get(run_id)
        if answer is None:
            return
        answer.meter.received += len(text)
        if answer.is_hidden:
            return
        text = text.encode(errors="replace").decode()  # a model may say half a character
        context, by = self._context, answer.by
        if by is None:
            is_reply = self._replies is None and self._replying.include(answer.nodes)
            node = answer.nodes[-1] if answer.nodes else ""
            by = answer.by = Speaker(node, message_id or f"run-{run_id}", is_reply)
            if is_reply:
                self._replies = run_id
                if context.partial_results.text_length:
                    context.say(BETWEEN)
        context.say(text, by=by, offset=None if by.is_reply else answer.length)
        answer.length += len(text)
        outermost = answer.nodes[0] if answer.nodes else ""
        self._unclaimed[outermost] = self._unclaimed.get(outermost, "") + text

    def _end(self, run_id: UUID, whole: str, message_id: str | None) -> None:
        answer = self._answers.get(run_id)
        if answer is not None and not answer.length and whole:
            self._say(run_id, whole, message_id)
        self._answers.pop(run_id, None)
        if self._replies == run_id:
            self._replies = None


def _reported(usage: Mapping[str, int] | None) -> Usage | None:
    return Usage(usage["input_tokens"], usage["output_tokens"], 1) if usage else None
