"""What a fake model does when it is asked: a list of steps, played in order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.fakes.waiting import Gate


@dataclass(frozen=True, slots=True)
class Text:
    """Says a piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """Thinks aloud, where the service has a form for it."""

    text: str
    signature: str = "c2lnbmVk"


@dataclass(frozen=True, slots=True)
class Call:
    """Asks for a tool call. Arguments that are text are sent as they are, valid JSON or not."""

    name: str
    arguments: Mapping[str, Any] | str
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Wait:
    """Says nothing more until the gate is open."""

    gate: Gate


@dataclass(frozen=True, slots=True)
class Raw:
    """Sends these bytes in the middle of a stream."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Drop:
    """Cuts the connection."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answers with an error; only the first step of an answer can be one."""

    status: int
    message: str = "the model is not well"
    retry_after: str | None = None


Step = Text | Thinking | Call | Wait | Raw | Drop | Refuse
Answer = Sequence[Step]


def words(text: str) -> Iterator[Text]:
    """Say a text word by word."""
    first, *others = text.split(" ")
    yield Text(first)
    yield from (Text(f" {word}") for word in others)
