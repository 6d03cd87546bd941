"""Messages that tell why beside what: "a wedding on the 17th came up, change it to the 8th-12th".

Behind words of change stands what is wanted; the days and places told before them are the story. So are the
days of what is no journey: "the meeting is on the 10th, so fly on the 9th".
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Protocol, TypeVar

from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Text

_SAID = phrases_of("topics")
_WORDS = words_of("topics")

_WORDS_BETWEEN = 4


class Mention(Protocol):
    """Something that a message names, the tokens from `first` on."""

    @property
    def first(self) -> int:
        """Index of its first token."""
        ...


_M = TypeVar("_M", bound=Mention)


def story(text: Text) -> frozenset[int]:
    """Return the tokens of clauses that are about an event and not about the journey to it."""
    has_reason = not text.vocabulary.isdisjoint(_WORDS.therefore)
    if not (has_reason or text.has(_SAID.events)):
        return frozenset()
    told: set[int] = set()
    told_clauses = [(first, after) for first, after in _clauses(text) if after > first]
    if has_reason:
        for (first, after), (behind, end) in pairwise(told_clauses):
            if text.norm(behind) in _WORDS.therefore and _is_reason(text, first, after, end):
                told.update(range(first, after))
    for first, after in told_clauses:
        is_event = text.find(_SAID.events, first, after) >= 0
        is_wish = text.find(_SAID.wishes, first, after) >= 0
        if (
            is_event
            and not is_wish
            and not any(text.norm(at) in _WORDS.of_a_journey for at in range(first, after))
        ):
            told.update(range(first, after))
    is_all = all(at in told for at, token in enumerate(text.tokens) if token.is_word)
    return frozenset[int]() if is_all else frozenset(told)


def _is_reason(text: Text, first: int, after: int, end: int) -> bool:
    """Whether a clause tells how things are, and the one behind it, up to `end`, what is wanted."""
    said = {text.norm(at) for at in range(first, after)}
    wanted = {text.norm(at) for at in range(after, end)}
    is_wish = text.find(_SAID.wishes, first, after) >= 0
    return (
        not is_wish
        and bool(said & _WORDS.are)
        and not said & _WORDS.of_a_journey
        and bool(wanted & _WORDS.of_a_journey)
    )


def _clauses(text: Text) -> Iterator[tuple[int, int]]:
    for first, after in clauses(text):
        begun = first
        for at in range(first, after):
            if text.norm(at) in _WORDS.joins_clauses:
                yield begun, at
                begun = at
        yield begun, after


def change_at(text: Text) -> int:
    """Return where the last words of change stand that have an object ("change the dates"), -1 if none do."""
    at, found = text.find(_SAID.change), -1
    while at >= 0:
        if any(text.norm(at + ahead) in _WORDS.changed for ahead in range(1, _WORDS_BETWEEN + 1)):
            found = at
        at = text.find(_SAID.change, at + 1)
    return found


def wanted_beside(mentions: tuple[_M, ...], told: frozenset[int], *, is_else_told: bool) -> tuple[_M, ...]:
    """Return the mentions outside of the story that is `told`; all if nothing else tells what is wanted."""
    wanted = tuple(mention for mention in mentions if mention.first not in told)
    return wanted if wanted or is_else_told else mentions


def wanted_after(mentions: tuple[_M, ...], at: int) -> tuple[_M, ...]:
    """Return the mentions behind the words of change at `at`; all of them if none stands there."""
    return tuple(mention for mention in mentions if mention.first > at) or mentions
