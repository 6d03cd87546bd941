"""Messages that tell why beside what: "a wedding on the 17th came up, change it to the 8th-12th".

Behind words of change stands what is wanted; the days and places told before them are the story. So are the
days of what is no journey: "the meeting is on the 10th, so fly on the 9th".
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Protocol, TypeVar

from ..language.sentences import clauses
from ..language.text import Text, phrases, word_set

_CHANGE = phrases(
    "change", "move", "switch", "reschedule", "postpone", "push", "schedule", "modify", "shift", "update",
)  # fmt: skip
_CHANGED = word_set(
    "date dates day days reservation reservations booking bookings stay it them that trip flight check"
)
_WORDS_BETWEEN = 4
_EVENTS = phrases(
    "meeting", "wedding", "conference", "party", "birthday", "exam", "exams", "term", "school", "concert",
    "match", "game", "festival", "funeral", "appointment", "interview", "half term", "semester", "deadline",
    "have to be", "has to be", "must be", "need to be", "needs to be", "course", "workshop", "fair",
    "graduation", "ceremony", "surgery", "got moved", "was moved", "starts", "opens", "begins",
)  # fmt: skip
_OF_A_JOURNEY = word_set(
    """
    fly flight flights flying get leave leaving depart departing return returning back hotel hotels room stay
    staying check travel travelling traveling go going arrive arriving trip book
    """
)
_WISHES = phrases(
    "want", "i'd like", "would like", "we'd like", "schedule", "arrange", "book", "find", "help", "organise",
    "organize", "plan a", "set up", "set a", "need a", "need an", "need to schedule", "can you", "could you",
)  # fmt: skip
_THEREFORE = word_set("so therefore hence")
_ARE = word_set("is are has have had got was were will starts ends")
_JOINS_CLAUSES = word_set("so because since but therefore hence")


class Mention(Protocol):
    """Something that a message names, the tokens from `first` on."""

    @property
    def first(self) -> int:
        """Index of its first token."""
        ...


_M = TypeVar("_M", bound=Mention)


def story(text: Text) -> frozenset[int]:
    """Return the tokens of clauses that are about an event and not about the journey to it."""
    has_reason = not text.vocabulary.isdisjoint(_THEREFORE)
    if not (has_reason or text.has(_EVENTS)):
        return frozenset()
    told: set[int] = set()
    told_clauses = [(first, after) for first, after in _clauses(text) if after > first]
    if has_reason:
        for (first, after), (behind, end) in pairwise(told_clauses):
            if text.norm(behind) in _THEREFORE and _is_reason(text, first, after, end):
                told.update(range(first, after))
    for first, after in told_clauses:
        is_event = text.find(_EVENTS, first, after) >= 0
        is_wish = text.find(_WISHES, first, after) >= 0
        if is_event and not is_wish and not any(text.norm(at) in _OF_A_JOURNEY for at in range(first, after)):
            told.update(range(first, after))
    is_all = all(at in told for at, token in enumerate(text.tokens) if token.is_word)
    return frozenset[int]() if is_all else frozenset(told)


def _is_reason(text: Text, first: int, after: int, end: int) -> bool:
    """Whether a clause tells how things are, and the one behind it, up to `end`, what is wanted."""
    said = {text.norm(at) for at in range(first, after)}
    wanted = {text.norm(at) for at in range(after, end)}
    is_wish = text.find(_WISHES, first, after) >= 0
    return not is_wish and bool(said & _ARE) and not said & _OF_A_JOURNEY and bool(wanted & _OF_A_JOURNEY)


def _clauses(text: Text) -> Iterator[tuple[int, int]]:
    for first, after in clauses(text):
        begun = first
        for at in range(first, after):
            if text.norm(at) in _JOINS_CLAUSES:
                yield begun, at
                begun = at
        yield begun, after


def change_at(text: Text) -> int:
    """Return where the last words of change stand that have an object ("change the dates"), -1 if none do."""
    at, found = text.find(_CHANGE), -1
    while at >= 0:
        if any(text.norm(at + ahead) in _CHANGED for ahead in range(1, _WORDS_BETWEEN + 1)):
            found = at
        at = text.find(_CHANGE, at + 1)
    return found


def wanted_beside(mentions: tuple[_M, ...], told: frozenset[int], *, is_else_told: bool) -> tuple[_M, ...]:
    """Return the mentions outside of the story that is `told`; all if nothing else tells what is wanted."""
    wanted = tuple(mention for mention in mentions if mention.first not in told)
    return wanted if wanted or is_else_told else mentions


def wanted_after(mentions: tuple[_M, ...], at: int) -> tuple[_M, ...]:
    """Return the mentions behind the words of change at `at`; all of them if none stands there."""
    return tuple(mention for mention in mentions if mention.first > at) or mentions
