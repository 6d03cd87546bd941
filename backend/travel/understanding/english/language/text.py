"""A message as words: folded for comparison, each with the place in the message it came from.

Everything that reads meaning works on these tokens by index, so every reader is one pass over a bounded
list and no message, however odd, can make one slow.
"""

from collections.abc import Collection, Mapping
from copy import copy
from itertools import pairwise

from ...tokens import NOTHING, Token
from ...tokens import tokenise as tokenise_with
from .spelling import SPELLINGS

Phrases = Mapping[str, tuple[tuple[str, ...], ...]]
"""Phrases to look for: first folded word to the phrases that begin with it, longest first."""

SENTENCE_ENDS = frozenset({".", "!", "?", ";"})


class Text:
    """A message, tokenised. Indexes outside the message give an empty token, so readers may look around."""

    __slots__ = ("_norms", "length", "sentences", "source", "tokens", "vocabulary")

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = tokenise(source)
        self.length = len(self.tokens)
        self._norms = tuple(token.norm for token in self.tokens)
        self.vocabulary = frozenset(self._norms)
        self.sentences = self._sentences()

    def _sentences(self) -> tuple[tuple[int, int], ...]:
        """The runs of tokens that no sign ends: the first of each, and the sign behind it."""
        ends = (at for at, norm in enumerate(self._norms) if norm in SENTENCE_ENDS and not self._is_point(at))
        signs = [-1, *ends, self.length]
        return tuple((before + 1, at) for before, at in pairwise(signs) if at > before + 1)

    def _is_point(self, at: int) -> bool:
        """Whether a sign parts a whole number from what follows it: "96.00"."""
        is_between = self[at - 1].is_number and self[at + 1].is_number
        return is_between and self.is_glued(at) and self.is_glued(at + 1)

    def without(self, hidden: Collection[int]) -> "Text":
        """Return the same message, in which nothing stands at these indexes any more."""
        if not hidden:
            return self
        left = copy(self)
        left.tokens = tuple(
            token._replace(raw=NOTHING.raw, norm=NOTHING.norm) if at in hidden else token
            for at, token in enumerate(self.tokens)
        )
        left._norms = tuple(token.norm for token in left.tokens)
        left.vocabulary = frozenset(left._norms)
        return left

    def __getitem__(self, index: int) -> Token:
        return self.tokens[index] if 0 <= index < self.length else NOTHING

    def norm(self, index: int) -> str:
        """Return the folded word at that index, "" outside the message."""
        return self._norms[index] if 0 <= index < self.length else ""

    def is_glued(self, index: int) -> bool:
        """Return whether nothing stands between this token and the one before it: "10th", "4-star"."""
        return 0 < index < self.length and self.tokens[index].start == self.tokens[index - 1].end

    def match(self, phrases: Phrases, index: int) -> int:
        """Return how many tokens the longest of the phrases takes up at that index, 0 if none is there."""
        some = phrases.get(self._norms[index]) if 0 <= index < self.length else None
        if some is None:  # as nearly always
            return 0
        for phrase in some:
            length = len(phrase)
            if length == 1 or self._norms[index : index + length] == phrase:
                return length
        return 0

    def match_before(self, phrases: Phrases, index: int, *, within: int) -> bool:
        """Return whether one of the phrases begins in the `within` tokens before that index."""
        for earlier in range(max(0, index - within), min(index, self.length)):
            if self._norms[earlier] in phrases and self.match(phrases, earlier):
                return True
        return False

    def find(self, phrases: Phrases, start: int = 0, end: int | None = None) -> int:
        """Return the first index from `start` up to `end` at which a phrase begins, -1 if none does."""
        # Asked of the keys, which look up the fewer in the more; a dict would be gone through, key by key.
        if phrases.keys().isdisjoint(self.vocabulary):
            return -1
        for at in range(start, self.length if end is None else end):
            if self._norms[at] in phrases and self.match(phrases, at):
                return at
        return -1

    def has(self, phrases: Phrases) -> bool:
        """Return whether one of the phrases stands anywhere in the message."""
        return self.find(phrases) >= 0

    def spelled(self, start: int, end: int) -> str:
        """Return the tokens from `start` up to `end` as the user typed them."""
        return self.source[self[start].start : self[end - 1].end] if start < end else ""


def phrases(*spelled: str) -> Phrases:
    """Return phrases in the form in which `Text` looks for them, tokenised as a message would be."""
    by_first: dict[str, list[tuple[str, ...]]] = {}
    for one in spelled:
        words = tuple(token.norm for token in tokenise(one))
        by_first.setdefault(words[0], []).append(words)
    return {first: tuple(sorted(some, key=len, reverse=True)) for first, some in by_first.items()}


def word_set(spelled: str) -> frozenset[str]:
    """Return the words of a list that is written as one string."""
    return frozenset(spelled.split())


def tokenise(source: str) -> tuple[Token, ...]:
    """Return the tokens of a message, with common typing errors put right."""
    return tokenise_with(source, SPELLINGS)
