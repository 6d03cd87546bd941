"""Wishes that no search can take: at what time to fly, with what luggage, how far from what to sleep.

They go on with the request, and are told to the user as wishes to look for in the list.
"""

from dataclasses import dataclass

from ...result import Agent
from ..language.numbers import amount, whole_number
from ..language.sentences import negation_before
from ..language.tables import phrases_of, words_of
from ..language.text import Text, any_of, phrases
from .fact_words import SYMBOLS
from .hotels import asks_of_the_shown, house_wish_at
from .prices import counts_something

_LANGUAGE_SAID = phrases_of("language")
_LANGUAGE_WORDS = words_of("language")
_PEOPLE_WORDS = words_of("people")
_SAID = phrases_of("unsearched")
_TIMES_WORDS = words_of("times")
_WORDS = words_of("unsearched")


_BEHIND_A_PARTY = frozenset({"", ".", ",", ";", "!", "?", "with", "and", "so", "if", "of", "in"})
_FIT_IN_ANY_CAR = 4
_NEARNESS = phrases(
    "further from", "farther from", "further away from", "farther away from", "away from", "closer to",
    "nearer to", "nearer", "not so far from", "not too far from", "walking distance", "within walking",
    "not next to", "not close to", "not near", "not by the", "not around the", "far from", "not far from",
    *(
        f"{none} {near}"
        for none in ("no hotel", "no hotels", "nothing", "not the one", "not the ones", "none")
        for near in ("near", "close to", "next to", "by the", "around the")
    ),
    "walkable to", "walkable from", "can walk to", "easy walk to", "short walk to", "short walk from",
    "not on the ground floor", "on a quiet street", "in a quiet street",
)  # fmt: skip
_ENDS = frozenset({"", ".", ",", ";", "!", "?", "and", "but", "or", "please", "thanks", "if"})
_WORDS_OF_A_WISH = 7
_LEAST_PRICE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsearched:
    """A wish in the tokens from `first` up to `after`, for one agent."""

    first: int
    after: int
    agent: Agent


_BEGIN = (
    any_of(_SAID.times, _SAID.luggage, _NEARNESS, _SAID.of_a_car, _SAID.on_board).begin
    | _WORDS.parts_of_a_day
    | _WORDS.before_an_hour
    | _LANGUAGE_WORDS.negations
)
"""What a wish may begin with, but for one of a house."""


def find_unsearched(
    text: Text, running: tuple[Agent, ...], named: tuple[Agent, ...]
) -> tuple[Unsearched, ...]:
    """Return the wishes of a message that no search takes, for agents of the request that is `running`.

    In an opening message those `named` count. What is wished of a house joins a request: an opening message
    is searched word by word, and tells all that is left.

    A question about luggage ("what counts as hand luggage?") is no wish.
    """
    found: list[Unsearched] = []
    spoken_of = (*running, *named) if running else ()
    has_house = "hotel" in spoken_of and not asks_of_the_shown(text)
    has_car = "car" in spoken_of
    of_car = "car" in {*running, *named} and "flight" not in {*running, *named}
    is_of_car_alone = {*running, *named} == {"car"}
    running = running or named
    at = 0 if running else text.length
    while at < text.length:
        if not (has_house or of_car) and (at := text.next_of(_BEGIN, at)) == text.length:
            break
        is_timed = "flight" in running or of_car
        after = _of_flight(text, at) if is_timed else 0
        after = after or (_hour(text, at) if of_car and text[at].is_number else 0)
        after = after or (_of_a_party(text, at) if is_of_car_alone else 0)
        agent: Agent = "car" if of_car else "flight"
        if not after and running and text.norm(at) in _LANGUAGE_WORDS.negations:
            after, agent = _least_price(text, at), running[0]
        if not after and "hotel" in running and text.match(_NEARNESS, at):
            after, agent = _end_of_wish(text, at), "hotel"
        is_of_a_car = has_car or (bool(spoken_of) and text.norm(at) in _WORDS.small)
        if not after and is_of_a_car and text.match(_SAID.of_a_car, at):
            after, agent = at + text.match(_SAID.of_a_car, at), "car" if has_car else running[0]
        if not after and "flight" in spoken_of and text.match(_SAID.on_board, at):
            after, agent = at + text.match(_SAID.on_board, at), "flight"
        if not after and has_house:
            after, agent = house_wish_at(text, at), "hotel"
        if after:
            found.append(Unsearched(first=at, after=after, agent=agent))
        at = after or at + 1
    return tuple(found)


def _of_flight(text: Text, at: int) -> int:
    """The index after a wish about the hour or the luggage, 0 if none begins there."""
    is_question = text.norm(0) in _WORDS.questions
    length = text.match(_SAID.times, at) or (0 if is_question else text.match(_SAID.luggage, at))
    if length:
        return at + length
    if text.norm(at) in _WORDS.parts_of_a_day and text.norm(at + 1) in _TIMES_WORDS.flights:
        return at + 1
    is_greeting = text.norm(at - 1) == "good"
    is_part = text.norm(at) in _WORDS.parts_of_a_day and not is_greeting
    preferred = text.match(_SAID.preferred, at + 1) if is_part else 0
    if preferred:
        return at + 1 + preferred
    return _hour(text, at + 1) if text.norm(at) in _WORDS.before_an_hour else 0


def _least_price(text: Text, first: int) -> int:
    """The index after the least price that somebody wants, "not under 500"; 0 if none stands there."""
    for at in range(first + 1, first + _WORDS_OF_A_WISH):
        length = text.match(_LANGUAGE_SAID.under, at)
        if length:
            start = at + length + (text.norm(at + length) in SYMBOLS)
            read = amount(text, start) if text[start].is_number else None
            is_price = read and read[0] >= _LEAST_PRICE and not counts_something(text, read[1])
            return read[1] if read and is_price and negation_before(text, at) == first else 0
    return 0


def _hour(text: Text, at: int) -> int:
    """The index after an hour such as "6 pm", "6pm", "18:30" or "six o'clock"; 0 if none stands there."""
    if text.norm(at) in ("noon", "midday"):
        return at + 1
    if text[at].is_number and text.norm(at + 1) == ":" and text[at + 2].is_number:
        at += 2
        return at + 2 if text.norm(at + 1) in _WORDS.halves_of_a_day else at + 1
    return at + 2 if text.norm(at + 1) in _WORDS.halves_of_a_day else 0


def _of_a_party(text: Text, at: int) -> int:
    """The index after what a party of a car is, which no car is searched by; 0 if none is told there.

    "5 people", "I'm 23", "golf clubs"; up to four fit in any car.
    """
    told = next((text.match(names, at) for names in (_SAID.we_are, _SAID.by_car) if text.match(names, at)), 0)
    if told and text.match(_SAID.by_car, at):
        return at + told
    read = whole_number(text, at + told)
    if read is None or read[0] <= _FIT_IN_ANY_CAR:
        return 0
    is_counted = text.norm(read[1]) in _PEOPLE_WORDS.people
    is_told = told > 0 and text.norm(read[1]) in _BEHIND_A_PARTY
    return read[1] + is_counted if is_counted or is_told else 0


def _end_of_wish(text: Text, at: int) -> int:
    ends = (end for end in range(at + 1, at + _WORDS_OF_A_WISH) if text.norm(end) in _ENDS)
    return next(ends, min(at + _WORDS_OF_A_WISH, text.length))
