"""The text parts of one assistant message: one for each message of a model, in the order of their beginnings.

The text of a model that replies is a `text` part; that of any other is `reasoning`, which pages show folded
or not at all.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..thread.state import Frame, Text
from .chunks import Chunk


@dataclass(slots=True)
class _Part:
    part_id: str
    kind: str
    text: str = ""
    open: bool = True


class Texts:
    """What was shown as text in one assistant message."""

    def __init__(self) -> None:
        self._parts: dict[str, _Part] = {}

    def piece(self, frame: Frame) -> Iterator[Chunk]:
        """Show a piece of a model's text, or of a reply that has no message of its own."""
        named = frame.get("message_id")
        part_id = named or f"{frame['task_id']}.reply"
        part = self._parts.get(part_id)
        if part is None or not part.open:
            if named is None and not frame["text"].strip():
                return  # what is between two messages of a reply; they are parts of their own
            part = _Part(part_id, "text" if frame.get("reply", True) else "reasoning")
            yield from self._begin(part, frame.get("node"))
        yield from self._add(part, frame["text"])

    def whole(self, message_id: str, text: str, streamed: Mapping[str, Text]) -> Iterator[Chunk]:
        """Show the text of a message, or what is missing of it; `streamed` is all text that was streamed.

        That may be more than this assistant message shows: a task streams on after its user's answer.
        """
        shown = [each for each in self._parts.values() if each.kind == "text"]
        wholes = [each.text for each in shown]
        wholes += [streamed[each.part_id].text for each in shown if each.part_id in streamed]
        last = shown[-1] if shown else None
        if text.strip() and text.strip() not in map(str.strip, wholes):
            if last is None or not last.open or not text.startswith(last.text):
                last = _Part(message_id, "text")
                yield from self._begin(last, None)
            yield from self._add(last, text[len(last.text) :])
        yield from self.close()

    def close(self) -> Iterator[Chunk]:
        """End all parts that are open."""
        yield from self._close("text", "reasoning")

    def _begin(self, part: _Part, node: str | None) -> Iterator[Chunk]:
        if part.kind == "text":
            yield from self._close("text")  # there is one reply at a time
        self._parts[part.part_id] = part
        metadata = {} if node is None else {"providerMetadata": {"detour": {"node": node}}}
        yield {"type": f"{part.kind}-start", "id": part.part_id, **metadata}

    def _add(self, part: _Part, text: str) -> Iterator[Chunk]:
        part.text += text
        yield {"type": f"{part.kind}-delta", "id": part.part_id, "delta": text}

    def _close(self, *kinds: str) -> Iterator[Chunk]:
        for part in self._parts.values():
            if part.open and part.kind in kinds:
                part.open = False
                yield {"type": f"{part.kind}-end", "id": part.part_id}
