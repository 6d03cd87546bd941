"""Whether an act on an offer or a booking is wanted now, and under which conditions."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ...result import BookingWish
from ..language.sentences import clauses, sentence_around
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .offers import KIND_OF

_SAID = phrases_of("bookings")
_WORDS = words_of("bookings")
_DATES = words_of("dates")

_QUOTES = frozenset('"“”«»„')
_WORDS_AROUND = 40
"""How far around a verb is looked for words that deny it, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedAct:
    """What a message wants done, told in the tokens `told`; the other fields are those of `BookingAct`.

    With `is_pronoun` it is done to something that only the conversation tells; with `is_alone` not even a
    pronoun stands for that, and it is no act unless an offer is named just before.
    """

    wish: BookingWish
    told: frozenset[int]
    is_pronoun: bool = False
    is_alone: bool = False
    is_bare: bool = False
    is_loose: bool = False
    unread: str = ""
    also: str = ""
    also_wish: BookingWish | None = None
    is_of_all: bool = False
    is_of_request: bool = False
    is_dropped: bool = False
    has_reason: bool = False
    cancelled: BookingWish | None = None


def is_wanted(text: Text, verb: int, first: int, after: int) -> bool:
    """Whether the act in the clause from `first` up to `after` is to be done now, and by us."""
    first, after = max(first, verb - _WORDS_AROUND), min(after, verb + _WORDS_AROUND)
    before = text.said(first, verb)
    is_denied = not before.isdisjoint(_WORDS.not_done) or _is_denied_before(text, first)
    is_of_others = text.norm(verb - 1) in _WORDS.will and text.norm(verb - 2) not in _WORDS.us
    is_unsure = is_of_others or not before.isdisjoint(_WORDS.not_yet) or _is_only_thought_of(text, verb)
    opened = text.past(_WORDS.openers, first, verb)
    is_question = text.norm(opened) in _WORDS.questions and not text.match(_SAID.requests, opened)
    moved = text.find(_SAID.moved, verb, after)
    is_same = moved >= 0 and ("same" in text.said(verb, moved) or text.find(_SAID.again, verb, moved) >= 0)
    put_off = _without_trails(text, verb, after) & (_WORDS.put_off - ({"later"} if is_same else set()))
    return not (is_denied or is_unsure or is_question or put_off or _is_quoted(text, verb))


def _without_trails(text: Text, first: int, after: int) -> set[str]:
    said: set[str] = set()
    at = first
    while at < after:
        length = text.match(_SAID.trails, at)
        said.update(() if length else (text.norm(at),))
        at += length or 1
    return said


def _is_denied_before(text: Text, first: int) -> bool:
    """Whether an earlier clause of the sentence ends in a negation: "don't, whatever happens, book it"."""
    begun, _ = sentence_around(text, first)
    commas = (at for at in range(begun, first) if text.norm(at) == ",")
    return any(text.norm(at - 1) in _WORDS.not_done - {"no"} for at in commas)


def _is_only_thought_of(text: Text, verb: int) -> bool:
    """ "I would book it", "I'd book it", "I'm going to book it", "a book", "to book" behind "able"."""
    before, earlier = text.norm(verb - 1), text.norm(verb - 2)
    if before in ("would", "id", "wed", "might", "a", "good", "able"):
        return earlier not in ("could", "can")
    return before == "to" and earlier not in _WORDS.wanting


def _is_quoted(text: Text, at: int) -> bool:
    """Whether a word stands within quotation marks."""
    if text.vocabulary.isdisjoint(_QUOTES):
        return False
    return sum(text.norm(before) in _QUOTES for before in range(at)) % 2 == 1


def condition_from(text: Text, first: int, after: int) -> int:
    """Return where a condition begins in these tokens, `after` where none does: "if it is refundable"."""
    for at in range(first, after):
        is_trail = any(text.match(_SAID.trails, at - back) > back for back in range(2) if at - back >= first)
        if text.match(_SAID.conditions, at) and not is_trail:
            return at
    return after


def conditions(text: Text, told: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans outside the tokens `told` on which an act depends, and what is to be done otherwise."""
    for first, after in text.sentences:
        opened = text.past(_WORDS.openers, first, after)
        is_begun = text.norm(opened) in _WORDS.begin_a_condition
        begun = opened if is_begun else condition_from(text, first, after)
        if begun < after and begun not in told:
            yield begun, after


def left_open(text: Text, told: Collection[int]) -> frozenset[int]:
    """Return the tokens of clauses that leave another kind for later: "flight I think more", "no car yet"."""
    tokens: set[int] = set()
    for first, after in clauses(text):
        said = text.said(first, after)
        kinds = {word for word in said if word.removesuffix("s") in KIND_OF}
        is_apart = bool(told) and set(told).isdisjoint(range(first, after))
        is_open = (
            not _WORDS.leaves_open.isdisjoint(said) and said <= _WORDS.around | _WORDS.leaves_open | kinds
        )
        if kinds and is_open and is_apart:
            tokens.update(range(first, after))
    return frozenset(tokens)
