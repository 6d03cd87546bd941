"""What a message only mentions: a flight for another service, as booked, as liked; and why one travels.

Behind words of change stands what is wanted; the days and places told before them are the story. So are the
days of what is no journey: "the meeting is on the 10th, so fly on the 9th".
"""

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Protocol, TypeVar

from ...result import Agent
from ..language.cars import Cars, car_at
from ..language.sentences import clauses, sentence_around
from ..language.tables import lists_of, phrases_of, words_of
from ..language.text import SENTENCE_ENDS, Phrases, Text, any_of
from ..talk.decisions import find_praise
from ..talk.remarks import is_why_one_goes

AGENT_NAMES: dict[str, Agent] = {
    "flight": "flight",
    "flights": "flight",
    "hotel": "hotel",
    "hotels": "hotel",
    "accommodation": "hotel",
}


_SAID = phrases_of("topics")
_WORDS = words_of("topics")

_WORDS_TO_WHAT_IS_BOOKED = 4
_WORDS_BETWEEN = 4
_WORDS_TO_WHAT_IS_DECLINED = 6
_WORDS_TO_WHAT_IS_NEEDED = 5
_AMENITIES = any_of(*lists_of("amenities").values())
_LEAD_TO_AN_AMENITY = frozenset({"with", "has", "have", "having", "w", "without"})


def has_another_service(text: Text, cars: Cars) -> bool:
    """Return whether another service is spoken of, unlike "in the same area as the restaurant"."""
    at = text.find(_SAID.elsewhere)
    rented = _rented(text, cars) if at >= 0 else set[int]()
    while at >= 0:
        said = range(at, at + text.match(_SAID.elsewhere, at))
        is_told = not (_is_only_compared(text, at) or is_why_one_goes(text, at))
        if rented.isdisjoint(said) and is_told and not _is_of_a_house(text, at):
            return True
        at = text.find(_SAID.elsewhere, at + 1)
    return False


def _is_of_a_house(text: Text, at: int) -> bool:
    """Whether what stands there is something that a house has: "anything with a spa", "with a restaurant"."""
    led = at - 1
    while text.norm(led) in _WORDS.between_amenities or text.match(_AMENITIES, led):
        led -= 1
    if text.norm(led) not in _LEAD_TO_AN_AMENITY:
        return False
    return any(text.match(_AMENITIES, start) > at - start for start in range(led, at + 1))


def _rented(text: Text, cars: Cars) -> set[int]:
    """The tokens that ask for a rental car."""
    return {token for at in range(text.length) for token in range(at, at + car_at(text, at, cars))}


def _is_only_compared(text: Text, at: int) -> bool:
    """Whether the word there only tells where or what like: "near the museum", "as the restaurant"."""
    at -= text.norm(at - 1) in ("a", "an") and text.norm(at - 2) in ("near", "to")
    if text.norm(at - 1) not in _WORDS.definite:
        is_close = text.norm(at - 1) == "to" and text.norm(at - 2) in ("close", "next")
        return text.norm(at - 1) == "near" or is_close
    is_near = text.norm(at - 2) == "to" and text.norm(at - 3) in ("close", "next")
    return is_near or text.norm(at - 2) in _WORDS.comparing


def is_said_with(text: Text, phrases_of_it: Phrases, index: int) -> bool:
    """Return whether one of the phrases stands in the same sentence as the token at that index."""
    first, after = sentence_around(text, index)
    return text.find(phrases_of_it, first, after) >= 0


def is_known(text: Text, at: int) -> bool:
    """Return whether the word there is about one that was spoken of before: "from the hotel", "my flight"."""
    before = at - 1
    while text.norm(before) in _WORDS.known_by:
        before -= 1
    is_there = text.norm(before) in ("to", "from")
    is_name = text.norm(at) not in AGENT_NAMES
    is_definite = text.norm(before) in _WORDS.definite
    return is_there or (is_definite and (not is_name or is_said_with(text, _SAID.elsewhere, at)))


def is_in_the_past(text: Text, at: int) -> bool:
    """Return whether what the word there names has been got already: "he booked us a flight"."""
    if not text.has(_SAID.in_the_past):
        return False
    for before in range(at - 1, max(-1, at - _WORDS_TO_WHAT_IS_BOOKED) - 1, -1):
        if text.norm(before) in SENTENCE_ENDS:
            return False
        if text.match(_SAID.in_the_past, before):
            return text.norm(before - 1) not in _WORDS.words_not_yet
    return False


def is_wanted_beside(text: Text, at: int) -> bool:
    """Return whether a hotel or flight is asked for, whatever else is: "a cheap hotel near a museum"."""
    if not is_said_with(text, _SAID.elsewhere, at):
        return True
    return any(text.norm(before) in _WORDS.indefinite for before in range(at - 1, at - 6, -1))


def sentences_aside(text: Text, hits: Collection[int]) -> frozenset[int]:
    """Return the tokens of sentences that ask for another service, and speak of neither flight nor hotel."""
    taken = {sentence_around(text, at) for at in hits}
    others = (one for one in text.sentences if one not in taken and _asks_for_a_service(text, one))
    return frozenset(at for first, after in others for at in range(first, after))


def _asks_for_a_service(text: Text, sentence: tuple[int, int]) -> bool:
    return text.find(_SAID.services, *sentence) >= 0 and text.find(_SAID.needs, *sentence) >= 0


def without_praised(text: Text, hits: list[tuple[int, Agent]]) -> list[tuple[int, Agent]]:
    """Return only what is wanted where something else is liked: "that flight is good, now find a hotel"."""
    sentences = {sentence_around(text, at) for at, _ in hits}
    liked = {sentence: find_praise(text, *sentence) >= 0 for sentence in sentences}
    wanted = [hit for hit in hits if not liked[sentence_around(text, hit[0])] or _is_needed(text, hit[0])]
    return wanted or hits


def without_declined(text: Text, hits: list[tuple[int, Agent]]) -> list[tuple[int, Agent]]:
    """Return only what is wanted where something else is declined: "not a room, but a flight"."""
    if not text.has(_SAID.not_wanted_to):  # as nearly always
        return hits
    return [hit for hit in hits if not _is_declined(text, hit[0])] or hits


def _is_declined(text: Text, at: int) -> bool:
    for before in range(at - 1, max(-1, at - _WORDS_TO_WHAT_IS_DECLINED) - 1, -1):
        if text.norm(before) in _WORDS.boundary or text.norm(before) == "but":
            return False
        if text.match(_SAID.not_wanted_to, before):
            return True
    return False


def _is_needed(text: Text, at: int) -> bool:
    return text.match_before(_SAID.needs, at, within=_WORDS_TO_WHAT_IS_NEEDED)


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
        if is_event and not is_wish and text.said(first, after).isdisjoint(_WORDS.of_a_journey):
            told.update(range(first, after))
    is_all = all(at in told for at, token in enumerate(text.tokens) if token.is_word)
    return frozenset[int]() if is_all else frozenset(told)


def _is_reason(text: Text, first: int, after: int, end: int) -> bool:
    """Whether a clause tells how things are, and the one behind it, up to `end`, what is wanted."""
    said = text.said(first, after)
    is_told = bool(said & _WORDS.are) and not said & _WORDS.of_a_journey
    is_wish = text.find(_SAID.wishes, first, after) >= 0
    return is_told and not is_wish and bool(text.said(after, end) & _WORDS.of_a_journey)


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
