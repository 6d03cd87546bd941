"""Reads the requests of `DefaultChatTransport`; fields that are not read may hold anything.

Each request holds the whole conversation; the last message of the user is the new one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import BaseModel, StringConstraints, TypeAdapter, ValidationError
from starlette.requests import Request

from ...domain.encoding import encode
from ...domain.errors import BadInput
from ...http.wire.bodies import describe, parse
from ...http.wire.requests import AnswerRequest, GraphName, MessageText, Policed
from ..bodies import object_in, read_bytes
from ..content import Content, content_of, media_block
from ..page_tools import ToolResult

ChatId = Annotated[str, StringConstraints(min_length=1)]

V = TypeVar("V")

_text = TypeAdapter[str](MessageText)


class NewMessage(NamedTuple):
    """A message of the user, sent in `field`, with the id that the page gave it."""

    text: str
    message_id: str | None
    field: str
    content: Mapping[str, Any]


class ChatBody(Policed, BaseModel):
    """A request to send a message, or to send the last one once more."""

    id: ChatId
    messages: list[Any] = []
    message: Any = None
    trigger: str | None = None
    messageId: str | None = None  # noqa: N815
    graph: GraphName | None = None
    answer: AnswerRequest | None = None
    tools: Any = None

    @property
    def continued(self) -> str | None:
        """The id of the assistant's message at the end, which a run with the page's results continues."""
        last = object_in(self._all_messages[-1] if self._all_messages else None)
        message_id = last.get("id") if last.get("role") == "assistant" else None
        return message_id if isinstance(message_id, str) else None

    @property
    def results(self) -> Sequence[ToolResult]:
        """The results of the page's tools; new are those at the end, in the assistant's last message."""
        results: list[ToolResult] = []
        for number, each in enumerate(self._all_messages):
            message, is_last = object_in(each), number == len(self._all_messages) - 1
            parts: Any = message.get("parts") if message.get("role") == "assistant" else None
            field = "message" if number >= len(self.messages) else f"messages.{number}"
            for at, part in enumerate(parts if isinstance(parts, list) else ()):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
                result = _result(object_in(part), f"{field}.parts.{at}", is_new=is_last)
                results += [] if result is None else [result]
        return results

    @property
    def _all_messages(self) -> list[Any]:
        return self.messages if self.message is None else [*self.messages, self.message]

    @property
    def new_message(self) -> NewMessage:
        """The last message of the user. Raises `BadInput`, which names it."""
        all_messages = self._all_messages
        for number in range(len(all_messages) - 1, -1, -1):
            if isinstance(all_messages[number], Mapping) and all_messages[number].get("role") == "user":
                place = ("message",) if number >= len(self.messages) else ("messages", number)
                return _read(all_messages[number], place)
        raise BadInput.of_fields(("messages", "There is none of the user's."))

    def runs_again(self, message: NewMessage) -> bool:
        """Return whether a message is to be answered once more: regenerated, or edited."""
        edited = self.messageId is not None and self.messageId == message.message_id
        return self.trigger == "regenerate-message" or edited


def _result(part: Mapping[str, Any], field: str, *, is_new: bool) -> ToolResult | None:
    """Return the result in a tool part; None in any other, and in one that the server has executed."""
    call_id, state = part.get("toolCallId"), part.get("state")
    if not isinstance(call_id, str) or part.get("providerExecuted"):
        return None
    if state not in ("output-available", "output-error"):
        return None
    output = part.get("output") if state == "output-available" else part.get("errorText")
    text = output if isinstance(output, str) else encode(output).decode()
    return ToolResult(call_id, f"{call_id}.result", text, field, is_new)


class _UserMessage(BaseModel):
    id: str | None = None
    parts: list[Mapping[str, Any]] = []
    content: str | None = None

    def said(self, field: str) -> Content:
        """Return the text and the files; parts of any other kind are no content."""
        blocks: list[Any] = []
        for part in self.parts:
            if part.get("type") == "text" and isinstance(part.get("text"), str):
                blocks.append({"type": "text", "text": part["text"]})
            elif part.get("type") == "file":
                file = (str(part.get("mediaType") or ""), str(part.get("url") or ""))
                blocks.append(media_block(file[0], url=file[1], name=str(part.get("filename") or "")))
        return content_of(blocks, field) if blocks else Content(self.content or "")


class StopBody(BaseModel):
    """The optional body of a stop: the message whose run it means, in either of two fields."""

    activeStreamId: str | None = None  # noqa: N815
    assistantMessage: Mapping[str, Any] | None = None  # noqa: N815

    @property
    def shown(self) -> str | None:
        """The id of the assistant message that the page shows last."""
        shown = (self.assistantMessage or {}).get("id")
        return shown if isinstance(shown, str) else None


async def read_chat(request: Request) -> ChatBody:
    """Return a request to send a message. Raises `BadInput`."""
    return parse(ChatBody.model_validate_json, await read_bytes(request))


async def read_stop(request: Request) -> StopBody:
    """Return a request to stop, which may have no body. Raises `BadInput`."""
    body = await read_bytes(request)
    return parse(StopBody.model_validate_json, body) if body.strip() else StopBody()


def _read(raw: Any, place: tuple[str | int, ...]) -> NewMessage:
    read = _checked(lambda: _UserMessage.model_validate(raw), place)
    field = ".".join(map(str, place))
    said = read.said(f"{field}.parts")
    text = _checked(lambda: _text.validate_python(said.text), (*place, "parts"))
    return NewMessage(text, read.id or None, field, said.given)


def _checked(check: Callable[[], V], place: tuple[str | int, ...]) -> V:
    try:
        return check()
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        raise describe([{**each, "loc": (*place, *each["loc"])} for each in faults]) from None
