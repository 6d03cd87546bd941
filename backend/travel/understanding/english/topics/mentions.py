"""Whether a flight or a hotel is asked for, or only mentioned: for another service, as booked, as liked."""

from collections.abc import Collection

from ...result import Agent
from ..language.cars import Cars, car_at
from ..language.sentences import sentence_around
from ..language.tables import lists_of, phrases_of, words_of
from ..language.text import SENTENCE_ENDS, Phrases, Text, any_of
from ..talk.praise import find_praise
from . import words

_SAID = phrases_of("topics")
_WORDS = words_of("topics")

_WORDS_TO_WHAT_IS_BOOKED = 4
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
        is_told = not (_is_only_compared(text, at) or _is_why_one_goes(text, at))
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


def _is_why_one_goes(text: Text, at: int) -> bool:
    """Whether it is what one travels for: "to Leeds for a meeting", unlike "looking for a concert"."""
    if text.norm(at) not in _WORDS.occasions:
        return False
    first = at - 1
    while text.norm(first) in _WORDS.before_an_occasion:
        first -= 1
    return text.norm(first) == "for" and first < at - 1 and text.norm(first - 1) not in _WORDS.looked_for


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
    is_name = text.norm(at) not in words.AGENT_NAMES
    is_definite = text.norm(before) in _WORDS.definite
    return is_there or (is_definite and (not is_name or is_said_with(text, _SAID.elsewhere, at)))


def is_in_the_past(text: Text, at: int) -> bool:
    """Return whether what the word there names has been got already: "he booked us a flight"."""
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
    wanted = [hit for hit in hits if not _is_declined(text, hit[0])]
    return wanted or hits


def _is_declined(text: Text, at: int) -> bool:
    for before in range(at - 1, max(-1, at - _WORDS_TO_WHAT_IS_DECLINED) - 1, -1):
        if text.norm(before) in _WORDS.boundary or text.norm(before) == "but":
            return False
        if text.match(_SAID.not_wanted_to, before):
            return True
    return False


def _is_needed(text: Text, at: int) -> bool:
    return text.match_before(_SAID.needs, at, within=_WORDS_TO_WHAT_IS_NEEDED)
