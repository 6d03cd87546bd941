"""What a task has published so far, and the bound on it."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..domain.events import Speaker
from ..domain.partials import MOST_TOGETHER_BYTES, PartialBatch, PartialResults
from ..errors import DetourError
from ..log.state_store.records import SavedPartial

MOST_SHOWN = 4 * 1024 * 1024
"""Bytes of partial results and text that a task may publish, unless set otherwise: about 10,000 offers."""

OVERHEAD_BYTES = 100
"""Added to the size of each batch: what the event around it takes."""

TEXT_OVERHEAD_BYTES = 16
"""Added to the size of each piece of text. A token has some 4 characters, so a reply may have 200,000 of
them; models say up to 128,000.
"""


class TooMuchShownError(DetourError):
    """A task published more than it may: it fails, and keeps what it had published until then."""

    code = "too_much_shown"


class Published:
    """The results and the text of one task, numbered in the order in which they are stored."""

    def __init__(self, stored: Sequence[SavedPartial], *, limit_bytes: int) -> None:
        self.results = PartialResults()
        self._limit_bytes = limit_bytes
        self.bytes = 0
        self._next_position = 0
        for each in stored:
            self._next_position = each.position + 1
            if each.found is not None:
                self.results.add(each.found)
                self.bytes += OVERHEAD_BYTES + len(each.found.items)
            if each.text:
                self.results.say(each.text)
                self.bytes += TEXT_OVERHEAD_BYTES + len(each.text.encode())

    def count(self, size: int) -> str | None:
        """Count bytes; return the sentence that the task fails with if they are too many, else None."""
        self.bytes += size
        if self.bytes <= self._limit_bytes:
            return None
        most = f"{self._limit_bytes / 2**20:.3g} MiB"
        return (
            f"This came to more than {most}, the most that is kept for one message. "
            "What was found until then is kept."
        )

    def saved(self, turn: int, *, found: PartialBatch | None = None, text: str = "") -> SavedPartial:
        """Return the next record of what the task of a turn has published."""
        position, self._next_position = self._next_position, self._next_position + 1
        return SavedPartial(turn, position, found, text)


@dataclass(slots=True)
class Said:
    """Text that is not recorded yet: `offset` characters were said before it, of the reply or its message.

    `is_kept` if it is part of the reply. `size` is in characters.
    """

    pieces: list[str]
    by: Speaker | None
    offset: int
    is_kept: bool
    size: int

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces)

    def may_be_followed_by(self, more: object) -> bool:
        """Whether more text can be joined to this one: by the same speaker, not too long."""
        if not isinstance(more, Said):
            return False
        is_alike = (self.by, self.is_kept) == (more.by, more.is_kept)
        return is_alike and self.size + more.size <= MOST_TOGETHER_BYTES

    def followed_by(self, more: "Said") -> "Said":
        """Join more text to this one."""
        self.pieces += more.pieces
        self.size += more.size
        return self
