"""A message as words: folded for comparison, each with the place in the message it came from.

Everything that reads meaning works on these tokens by index, so every reader is one pass over a bounded
list and no message, however odd, can make one slow.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from copy import copy
from itertools import pairwise
from typing import NamedTuple

from .spelling import SPELLINGS

TOKENS_AT_MOST = 800
"""English has about 220 tokens in 1,000 characters; what lies beyond 3,600 characters of it is not read."""

Phrases = Mapping[str, tuple[tuple[str, ...], ...]]
"""Phrases to look for: first folded word to the phrases that begin with it, longest first."""

_TOKEN = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f]+[^\W\d_]*)*|\d+|[^\w\s]|_")
# Letters that Unicode does not decompose into a base letter and a mark.
_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"}
_SIGNS = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-") | dict.fromkeys(
    "\u2018\u2019\u02bc\u00b4", "'"
)
_SPELT_OUT = str.maketrans(_LETTERS | _SIGNS)


def fold(word: str) -> str:
    """Return the word without case and diacritics: "São" and "SAO" both become "sao".

    Of signs, every dash becomes "-" and every apostrophe "'".
    """
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold().translate(_SPELT_OUT))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


class Token(NamedTuple):
    """One word, number or sign, at the characters from `start` up to `end`.

    `raw` is as typed, `norm` folded and without common typing errors.
    """

    raw: str
    norm: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether it consists of letters."""
        return self.raw[0].isalpha()

    @property
    def is_number(self) -> bool:
        """Whether it consists of plain digits."""
        return "0" <= self.raw < ":"

    @property
    def is_capitalised(self) -> bool:
        """Whether it starts with a capital."""
        return self.raw[0].isupper()


SENTENCE_ENDS = frozenset({".", "!", "?", ";"})
_NOTHING = Token("\0", "", 0, 0)


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
            token._replace(raw=_NOTHING.raw, norm=_NOTHING.norm) if at in hidden else token
            for at, token in enumerate(self.tokens)
        )
        left._norms = tuple(token.norm for token in left.tokens)
        left.vocabulary = frozenset(left._norms)
        return left

    def __getitem__(self, index: int) -> Token:
        return self.tokens[index] if 0 <= index < self.length else _NOTHING

    def norm(self, index: int) -> str:
        """Return the folded word at that index, "" outside the message."""
        return self._norms[index] if 0 <= index < self.length else ""

    def is_glued(self, index: int) -> bool:
        """Return whether nothing stands between this token and the one before it: "10th", "4-star"."""
        return 0 < index < self.length and self.tokens[index].start == self.tokens[index - 1].end

    def match(self, phrases: Phrases, index: int) -> int:
        """Return how many tokens the longest of the phrases takes up at that index, 0 if none is there."""
        if not 0 <= index < self.length:
            return 0
        for phrase in phrases.get(self._norms[index], ()):
            length = len(phrase)
            if length == 1 or self._norms[index : index + length] == phrase:
                return length
        return 0

    def match_before(self, phrases: Phrases, index: int, *, within: int) -> bool:
        """Return whether one of the phrases begins in the `within` tokens before that index."""
        return any(self.match(phrases, earlier) for earlier in range(max(0, index - within), index))

    def find(self, phrases: Phrases, start: int = 0, end: int | None = None) -> int:
        """Return the first index from `start` up to `end` at which a phrase begins, -1 if none does."""
        if self.vocabulary.isdisjoint(phrases):
            return -1
        starts = (
            at for at in range(start, self.length if end is None else end) if self._norms[at] in phrases
        )
        return next((at for at in starts if self.match(phrases, at)), -1)

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
    """Return the tokens of a message, at most `TOKENS_AT_MOST`. "I'm" is one word, folded to "im"."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(source):
        raw, start, end = match[0], match.start(), match.end()
        last = tokens[-1] if tokens else _NOTHING
        if last.end == start and len(tokens) > 1 and raw[0].isalpha() and last.norm == "'":
            stem = tokens[-2]
            if stem.end == last.start and stem.is_word:
                tokens[-2:] = [Token(source[stem.start : end], stem.norm + fold(raw), stem.start, end)]
                continue
        if len(tokens) == TOKENS_AT_MOST:
            break
        folded = fold(raw)
        tokens.append(Token(raw, SPELLINGS.get(folded, folded), start, end))
    return tuple(tokens)
