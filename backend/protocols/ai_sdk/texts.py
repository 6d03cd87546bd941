"""The text parts of one assistant message: one for each message of a model, in the order of their beginnings.

The text of a model that replies is a `text` part; that of any other is `reasoning`, which pages show folded
or not at all. Parts of several models may be open at once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..thread.state import Frame, Text
from .chunks import Chunk


@dataclass(slots=True)
class _Part:
    part_id: str
    kind: str
    node: str | None = None
    text: str = ""
    open: bool = True

    def is_continued_by(self, text: str) -> bool:
        """Return whether a text begins with the whole words of this one."""
        rest = text[len(self.text) :]
        return text.startswith(self.text) and (self.text[-1:].isspace() or rest[:1].isspace())


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
            part = _Part(part_id, "text" if frame.get("reply", True) else "reasoning", frame.get("node"))
            yield from self._begin(part)
        yield from self._add(part, frame["text"])

    def whole(self, message_id: str, text: str, streamed: Mapping[str, Text]) -> Iterator[Chunk]:
        """Show the text of a message, or what is missing of it; `streamed` is all text that was streamed.

        That may be more than this assistant message shows: a task streams on after its user's answer.
        """
        shown = [each for each in self._parts.values() if each.kind == "text"]
        wholes = [each.text for each in shown]
        wholes += [streamed[each.part_id].text for each in shown if each.part_id in streamed]
        if not text.strip() or text.strip() in map(str.strip, wholes):
            return
        last = shown[-1] if shown and shown[-1].is_continued_by(text) else None
        part = last if last is not None and last.open else _Part(message_id, "text")
        if part is not last:
            yield from self._begin(part)
        yield from self._add(part, text if last is None else text[len(last.text) :])
        yield from self._close(part)

    def close_of(self, node: str) -> Iterator[Chunk]:
        """End the parts of a node that has ended."""
        for part in self._parts.values():
            if part.node == node:
                yield from self._close(part)

    def close(self) -> Iterator[Chunk]:
        """End all parts."""
        for part in self._parts.values():
            yield from self._close(part)

    def _begin(self, part: _Part) -> Iterator[Chunk]:
        self._parts[part.part_id] = part
        metadata = {} if part.node is None else {"providerMetadata": {"detour": {"node": part.node}}}
        yield {"type": f"{part.kind}-start", "id": part.part_id, **metadata}

    def _add(self, part: _Part, text: str) -> Iterator[Chunk]:
        part.text += text
        yield {"type": f"{part.kind}-delta", "id": part.part_id, "delta": text}

    def _close(self, part: _Part) -> Iterator[Chunk]:
        if part.open:
            part.open = False
            yield {"type": f"{part.kind}-end", "id": part.part_id}
