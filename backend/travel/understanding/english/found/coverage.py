"""A message of which each word is to be accounted for."""

from collections.abc import Collection

from ..language.text import Phrases, Text
from . import words


class Coverage:
    """A message, and the tokens `used` of it that a reader has made something of."""

    __slots__ = ("places", "text", "used")

    def __init__(self, text: Text, places: Collection[str]) -> None:
        """`places` are folded words of the request's places, which say nothing new."""
        self.text = text
        self.places = places
        self.used: set[int] = set()

    def use(self, first: int, after: int) -> None:
        """Account for the tokens from `first` up to `after`."""
        self.used.update(range(first, after))

    def take(self, names: Phrases) -> bool:
        """Account for the first of the phrases that stands there unused; return whether one does."""
        at = self.find(names)
        if at < 0:
            return False
        self.use(at, at + self.text.match(names, at))
        return True

    def take_all(self, names: Phrases) -> None:
        """Account for all of the phrases that stand there unused."""
        while self.take(names):
            pass

    def find(self, names: Phrases) -> int:
        """Return where the first of the phrases begins that is unused, -1 if none is."""
        at = -1
        while (at := self.text.find(names, at + 1)) >= 0:
            if self.used.isdisjoint(range(at, at + self.text.match(names, at))):
                return at
        return -1

    def unread(self) -> list[int]:
        """Return the tokens that nothing accounts for: neither a reader nor that they tell nothing."""
        text = self.text
        return [
            at
            for at in range(text.length)
            if at not in self.used and text.norm(at) not in words.FILLERS and text.norm(at) not in self.places
        ]
