"""A message as words: folded for comparison, each with the place in the message it came from.

Everything that reads meaning works on these tokens by index, so every reader is one pass over a bounded
list and no message, however odd, can make one slow.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Protocol

from ...message import Shift
from ...result import Reason, Refused
from ...tokens import NOTHING, Token
from ...tokens import tokenise as tokenise_as_typed

_LETTERS_FOR_ONE_LESS = 6


def _spellings() -> dict[str, str]:
    table = tomllib.loads(Path(__file__).with_name("spelling.toml").read_text(encoding="utf-8"))
    often, others = table["words"]["often"].split(), table["words"]["others"].split()
    words = {*often, *others}
    slips = {wrong: word for word in sorted(often) for wrong in _mistyped(word) if wrong not in words}
    return slips | {wrong: word for word, several in table["meant"].items() for wrong in several.split()}


def _mistyped(word: str) -> Iterator[str]:
    for at in range(len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    for at in range(1, len(word) - 1) if len(word) >= _LETTERS_FOR_ONE_LESS else ():
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at] + word[at:]


SPELLINGS = _spellings()
"""A mistyped word, folded, to the word that is meant."""


_MONTH = r"(?:jan|feb|mar|apr|may(?!\s+(?:i|we|you|be|also)\b)|jun|jul|aug|sep|oct|nov|dec)"
_ORDINAL_POINT = re.compile(
    rf"""
    (?<![\d.,:/])(?:[12]?\d|3[01]|0[1-9])(?P<point>\.)(?=
        \s*(?:of\s+)?{_MONTH} |
        \s*(?:-|\u2013|to|till|til|until|and|bis)\s*(?:the\s+)?(?:[12]?\d|3[01]|0[1-9])\.?\s*(?:of\s+)?{_MONTH}
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""The point of "the 3. of May", "3. to 10. May": an ordinal as Germans write it, and no end of a sentence."""

_CURRENCY = re.compile(r"\b[a-z]+ +(?:dollars?|francs?|pounds?|kron(?:er|or|a|e))\b", re.IGNORECASE)
_NATIONAL = {
    ("canadian", "d"): "cad", ("australian", "d"): "aud", ("aussie", "d"): "aud", ("american", "d"): "usd",
    ("us", "d"): "usd", ("swiss", "f"): "chf", ("british", "p"): "gbp", ("english", "p"): "gbp",
    ("sterling", "p"): "gbp", ("norwegian", "k"): "nok", ("danish", "k"): "dkk", ("swedish", "k"): "sek",
}  # fmt: skip
"""The codes of currencies that are told by a nation: "Canadian dollars"."""

FIGURES = "0-9"
"""Stands for all numbers in figures among the words of `Text.next_of`. No token is spelled so."""

SENTENCE_ENDS = frozenset({".", "!", "?", ";"})


class Phrases(dict[str, list[tuple[str, ...]]]):
    """Phrases to look for: first folded word to the phrases that begin with it, longest first.

    `begin` are the first words, `cues` the longest one of each phrase: a message without any of these has
    none of the phrases. It is asked some hundred times, and a set answers in a third of the time that the
    keys of a dictionary take. `alike` are the phrases of each first word by their lengths, longest first.
    """

    __slots__ = ("alike", "begin", "cues")

    def __init__(self, several: Iterable[tuple[str, ...]]) -> None:
        longest_first = sorted(several, key=len, reverse=True)
        for phrase in longest_first:
            self.setdefault(phrase[0], []).append(phrase)
        self.begin = frozenset(self)
        self.cues = frozenset(max(phrase, key=len) for phrase in longest_first)
        self.alike = {
            first: [(length, frozenset(same)) for length, same in groupby(some, key=len)]
            for first, some in self.items()
        }


class Text:
    """A message, tokenised. Indexes outside the message give an empty token, so readers may look around."""

    __slots__ = ("_marks", "_norms", "has_figures", "length", "sentences", "source", "tokens", "vocabulary")

    def __init__(self, source: str) -> None:
        self.source = source
        tokens = tokenise(source)
        points = {found.start("point") for found in _ORDINAL_POINT.finditer(source)} if "." in source else ()
        if points:
            tokens = tuple(token._replace(norm="th") if token.start in points else token for token in tokens)
        if _CURRENCY.search(source):
            tokens = _with_codes(tokens)
        self.length = len(tokens)
        self.tokens = tokens
        self._norms = tuple([token.norm for token in tokens])
        self._marks = tuple([FIGURES if "0" <= token.raw < ":" else token.norm for token in tokens])
        self.vocabulary = frozenset(self._norms)
        self.has_figures = FIGURES in self._marks
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
        tokens, norms, marks = list(self.tokens), list(self._norms), list(self._marks)
        for at in hidden:
            if 0 <= at < self.length:
                tokens[at] = Token(NOTHING.raw, NOTHING.norm, tokens[at].start, tokens[at].end)
                norms[at] = marks[at] = NOTHING.norm
        left = type(self).__new__(type(self))
        left.source, left.length, left.has_figures = self.source, self.length, self.has_figures
        left.sentences = self.sentences
        left.tokens, left._norms, left._marks = tuple(tokens), tuple(norms), tuple(marks)
        left.vocabulary = frozenset(norms)
        return left

    def within(self, first: int, after: int, taken: Collection[int] = ()) -> "Text":
        """Return the same message with only the tokens from `first` up to `after` that are not `taken`."""
        return self.without({*range(first), *range(after, self.length), *taken})

    def with_again(self, whole: "Text", shown: Collection[int]) -> "Text":
        """Return the same message, in which the tokens at these indexes stand as they do in the `whole`."""
        if not shown:
            return self
        return whole.without([at for at in range(self.length) if not (self._norms[at] or at in shown)])

    def __getitem__(self, index: int) -> Token:
        return self.tokens[index] if 0 <= index < self.length else NOTHING

    def norm(self, index: int) -> str:
        """Return the folded word at that index, "" outside the message."""
        return self._norms[index] if 0 <= index < self.length else ""

    def said(self, first: int, after: int) -> frozenset[str]:
        """Return the folded words from `first` up to `after`."""
        return frozenset(self._norms[max(0, first) : max(0, after)])

    def past(self, words: Set[str], at: int, end: int | None = None) -> int:
        """Return the first index from `at` on at which none of the words stands, at most `end`."""
        end = self.length if end is None else end
        while at < end and self.norm(at) in words:
            at += 1
        return at

    def says(self, index: int, *words: str) -> bool:
        """Return whether these folded words stand there, one after the other."""
        return all(self.norm(index + ahead) == word for ahead, word in enumerate(words))

    def is_glued(self, index: int) -> bool:
        """Return whether nothing stands between this token and the one before it: "10th", "4-star"."""
        return 0 < index < self.length and self.tokens[index].start == self.tokens[index - 1].end

    def match(self, phrases: Phrases, index: int) -> int:
        """Return how many tokens the longest of the phrases takes up at that index, 0 if none is there."""
        some = phrases.alike.get(self._norms[index]) if 0 <= index < self.length else None
        if some is None:  # as nearly always
            return 0
        for length, alike in some:
            if length == 1 or self._norms[index : index + length] in alike:
                return length
        return 0

    def behind(self, index: int, *several: Phrases) -> int:
        """Return the index behind a phrase of each list, one after the other; 0 where they are not."""
        for each in several:
            if not (length := self.match(each, index)):
                return 0
            index += length
        return index

    def match_before(self, phrases: Phrases, index: int, *, within: int) -> bool:
        """Return whether one of the phrases begins in the `within` tokens before that index."""
        for earlier in range(max(0, index - within), min(index, self.length)):
            if self._norms[earlier] in phrases and self.match(phrases, earlier):
                return True
        return False

    def where(self, words: Set[str]) -> list[int]:
        """Return the indexes at which one of the words stands; `FIGURES` among them stands for any number.

        All numbers are alike where any of them will do: not for "7 seater".
        """
        if words.isdisjoint(self.vocabulary) and not (self.has_figures and FIGURES in words):
            return []  # as nearly always
        marks = self._marks if FIGURES in words else self._norms
        return [at for at, mark in enumerate(marks) if mark in words]

    def each_of(self, begin: Set[str]) -> list[int]:
        """Return the indexes at which what a reader looks for may begin: with one of these words.

        Most of a message is of other words, and it has some forty readers. The words a reader tells here, or
        in `next_of`, must be all with which anything begins that it reads: a test has it look everywhere.
        """
        return self.where(begin)

    def next_of(self, begin: Set[str], at: int) -> int:
        """Return the first such index from `at` on, the length where there is none."""
        marks = self._marks if FIGURES in begin else self._norms
        for index in range(at, self.length):  # a slice would be copied for each number of a thousand
            if marks[index] in begin:
                return index
        return self.length

    def skip(self, words: Set[str], at: int, most: int = 4) -> int:
        """Return the index after the words of a set that stand there in a row, `most` of them at most."""
        last = min(at + most, self.length)
        while at < last and self._norms[at] in words:
            at += 1
        return at

    def has_any(self, words: Set[str], start: int = 0, end: int | None = None) -> bool:
        """Return whether one of the words stands from `start` up to `end`."""
        if start == 0 and end is None:
            return not self.vocabulary.isdisjoint(words)
        marks = self._marks if FIGURES in words else self._norms
        return not words.isdisjoint(marks[max(0, start) : end])

    def find(self, phrases: Phrases, start: int = 0, end: int | None = None) -> int:
        """Return the first index from `start` up to `end` at which a phrase begins, -1 if none does."""
        if self.vocabulary.isdisjoint(phrases.cues):
            return -1
        for at in range(start, self.length if end is None else min(end, self.length)):
            if self._norms[at] in phrases and self.match(phrases, at):
                return at
        return -1

    def has(self, phrases: Phrases) -> bool:
        """Return whether one of the phrases stands anywhere in the message."""
        return not self.vocabulary.isdisjoint(phrases.cues) and self.find(phrases) >= 0

    def spelled(self, start: int, end: int) -> str:
        """Return the tokens from `start` up to `end` as the user typed them."""
        return self.source[self[start].start : self[end - 1].end] if start < end else ""


@lru_cache(maxsize=16)
def text_of(message: str) -> Text:
    """Return a message as words: the same `Text` to all who ask for it while it is read."""
    return Text(message)


def _with_codes(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens, with one for each currency that two words tell: "Canadian dollars" is "cad"."""
    kept: list[Token] = []
    for token in tokens:
        code = _NATIONAL.get((kept[-1].norm, token.norm[:1])) if kept and len(token.norm) > 1 else None
        if code and _CURRENCY.fullmatch(f"{kept[-1].norm} {token.norm}"):
            kept[-1] = kept[-1]._replace(norm=code, end=token.end)
        else:
            kept.append(token)
    return tuple(kept)


def phrases(*spelled: str) -> Phrases:
    """Return phrases in the form in which `Text` looks for them, tokenised as a message would be."""
    return Phrases(map(_words_of, spelled))


def any_of(*several: Phrases) -> Phrases:
    """Return all of several phrases as one, by which a message can be asked for any of them at once."""
    return Phrases(phrase for one in several for some in one.values() for phrase in some)


def _words_of(phrase: str) -> tuple[str, ...]:
    words = tuple(token.norm for word in phrase.split() for token in _tokens_of(word))
    # What letters stand for depends on what is around them.
    return words if _IN_SHORT.isdisjoint(words) else tuple(token.norm for token in tokenise(phrase))


def tokenise(source: str) -> tuple[Token, ...]:
    """Return the tokens of a message, with common typing errors put right, and "3n 2p" written out."""
    tokens = tokenise_as_typed(source)
    words = {token.norm for token in tokens}
    if not SPELLINGS.keys().isdisjoint(words):
        tokens = tuple(token._replace(norm=SPELLINGS.get(token.norm, token.norm)) for token in tokens)
    if "/" in source and _WITH.search(source):
        tokens = _with_and_without(tokens)
    if _IN_SHORT.isdisjoint(words):
        return tokens
    return tuple(
        token._replace(norm=_UNITS_IN_SHORT[token.norm])
        if _is_unit(tokens, at)
        else token._replace(norm=_LETTERS_IN_SHORT[token.norm])
        if _is_word_in_short(tokens, at)
        else token
        for at, token in enumerate(tokens)
    )


_tokens_of = lru_cache(maxsize=10_000)(tokenise)


def _with_and_without(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens, with one for each "w/" and "w/o": "with" and "without"."""
    kept: list[Token] = []
    for token in tokens:
        before = kept[-1] if kept else NOTHING
        if token.norm == "/" and before.raw == "w":
            kept[-1] = Token("w/", "with", before.start, token.end)
        elif token.norm == "o" and before.raw == "w/":
            kept[-1] = Token("w/o", "without", before.start, token.end)
        else:
            kept.append(token)
    return tuple(kept)


_WITH = re.compile(r"\bw/")
_UNITS_IN_SHORT = {"n": "nights", "p": "people", "pers": "people", "ad": "adults"}
_LETTERS_IN_SHORT = {"n": "and", "r": "are", "u": "you", "w": "with", "nr": "near", "ur": "your"}
_IN_SHORT = frozenset({*_UNITS_IN_SHORT, *_LETTERS_IN_SHORT})


def _is_unit(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether a letter counts something, glued to its number: "3n", but not in "TUX6P1KD"."""
    around = (None, None, *tokens, None)
    before_that, before, unit, behind = around[at : at + 4]
    if before is None or unit is None or unit.norm not in _UNITS_IN_SHORT:
        return False
    is_count = before.is_number and len(before.raw) <= _DIGITS_OF_A_COUNT and before.end == unit.start
    is_apart = before_that is None or before_that.end < before.start
    return is_count and is_apart and (behind is None or behind.start > unit.end or not behind.raw.isalnum())


def _is_word_in_short(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether a letter is a word by itself: "me n my bf", but neither "W Hotel" nor "gate 4n" nor "n°4"."""
    if tokens[at].norm not in _LETTERS_IN_SHORT or tokens[at].is_capitalised:
        return False
    token, before = tokens[at], tokens[at - 1] if at else None
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    is_apart = before is None or before.end < token.start or (before.raw in "'," and token.norm == "n")
    return is_apart and behind is not None and (behind.start > token.end or behind.raw in "/'")


_DIGITS_OF_A_COUNT = 2


class Span(Protocol):
    """The tokens from `first` up to `after`."""

    @property
    def first(self) -> int:
        """The index of the first token."""
        ...

    @property
    def after(self) -> int:
        """The index after the last token."""
        ...


def tokens_of(found: Iterable[Span]) -> set[int]:
    """Return the indexes of all tokens that were found."""
    return {index for each in found for index in range(each.first, each.after)}


def refused_at(text: Text, found: Span, reason: Reason) -> Refused:
    """Return what was found as something that could not be taken, in the user's words."""
    return Refused(said=text.spelled(found.first, found.after), reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotMention:
    """The tokens from `first` up to `after`, and the values by the names of their slots.

    All slots are of one agent, the same that the words are for; None empties a slot: who wants to fly "after
    6 pm" no longer wants to leave "in the morning".
    """

    first: int
    after: int
    slots: Mapping[str, Any]
    is_counted: bool = True
    """Whether those who count people read the words of children, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftMention(Shift):
    """A change told by how much it changes, in the tokens from `first` up to `after`."""

    first: int
    after: int

    @property
    def is_of_days(self) -> bool:
        """Whether it moves a day, which the message itself may tell."""
        return self.count == 0 and bool(self.days or self.months or self.month or self.is_to_a_day)

    def is_next_of(self, text: Text) -> bool:
        """Whether it is told by "following", which may be the week after this one as well."""
        return any(text.norm(at) == "following" for at in range(self.first, self.after))

    def told(self, text: Text) -> Shift:
        """Return the change in the words of the message."""
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(Shift)}
        values["said"] = text.spelled(self.first, self.after)
        return Shift(**values)
