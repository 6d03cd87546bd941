"""Wishes that no search can take: at what time to fly, with what luggage, how far from what to sleep.

They go on with the request, and are told to the user as wishes to look for in the list.
"""

from dataclasses import dataclass

from ...result import Agent
from ..language.negations import NEGATIONS, UNDER, negation_before
from ..language.numbers import amount, whole_number
from ..language.text import Text, any_of, phrases, word_set
from .fact_words import PEOPLE, SYMBOLS
from .house_wishes import asks_of_the_shown, house_wish_at
from .prices import counts_something
from .times_words import FLIGHTS

_TIMES = phrases(
    "in the morning", "in the afternoon", "in the evening", "in the early morning", "in the late afternoon",
    "in the early afternoon", "in the late evening", "early in the morning", "late in the evening",
    "late at night", "at night", "late in the day", "red-eye", "red eye", "redeye", "before noon",
    "after noon", "before midnight", "mornings only", "afternoons only", "evenings only", "only mornings",
    "only afternoons", "only evenings", "before lunch", "after lunch", "after work", "not too early",
    "not so early", "not too late", "not so late", "at noon", "around noon",
)  # fmt: skip
_LUGGAGE = phrases(
    "hand luggage only", "only hand luggage", "hand luggage", "hand baggage", "cabin baggage",
    "carry-on only", "carry on only", "just a carry-on", "only a carry-on", "checked bag", "checked bags",
    "checked luggage", "checked baggage", "hold luggage", "with luggage", "without luggage", "no luggage",
    "bags included", "luggage included", "baggage included", "window seat", "window seats", "aisle seat",
    "aisle seats",
    "extra legroom", "more legroom", "seats together", "flexible ticket", "flexible tickets",
    "refundable ticket", "refundable",
)  # fmt: skip
_ON_BOARD = phrases(
    "priority boarding", "lounge access", "airport lounge", "meal included", "meals included",
    "meal on board",
    "in-flight meal", "inflight meal", "vegan meal", "vegan meals", "veggie meal",
    "vegetarian meal", "vegetarian meals",
    "halal meal", "halal meals", "kosher meal", "kosher meals", "special meal", "special meals",
    "gluten free meal", "stroller", "pushchair", "pram", "bassinet", "infant on lap",
    "infant on my lap", "lap infant", "lie flat", "lie-flat", "flat bed", "lie flat seat", "lie flat seats",
    "wifi on board", "power socket", "wheelchair assistance", "fast track", "golf clubs", "surfboard", "skis",
    "a bike", "my bike", "my bicycle", "sports equipment", "air miles", "my miles", "frequent flyer",
)  # fmt: skip
_OF_A_CAR = phrases(
    "child seat", "child seats", "baby seat", "baby seats", "infant seat", "infant seats", "booster seat",
    "booster seats", "car seat", "car seats", "kid seat", "kids seat", "kids seats", "seat for the baby",
    "seats for the babies", "seats for the kids", "unlimited mileage", "unlimited km", "unlimited kilometres",
    "unlimited kilometers", "gps", "sat nav", "satnav", "snow tires", "snow tyres", "winter tires",
    "winter tyres", "snow chains", "roof rack", "ski rack", "roof box", "full insurance",
    "insurance included", "no excess", "zero excess", "without excess", "no deposit", "without a deposit",
    "additional driver",
    "second driver", "extra driver", "two drivers", "2 drivers", "diesel", "electric", "hybrid", "four doors",
    "4 doors", "tow bar", "debit card", "full tank", "fuel included",
)  # fmt: skip
_WE_ARE = phrases("we are", "we're", "we r", "were", "there are", "i'm", "i am", "im")
_BY_CAR = phrases("golf clubs", "golf bags", "surfboards", "suitcases", "big suitcases", "big luggage",
    "big luggages", "luggage", "luggages", "lots of luggage", "skis", "ski bags", "bikes")  # fmt: skip
"""With a car alone these tell how large it has to be."""
_BEHIND_A_PARTY = frozenset({"", ".", ",", ";", "!", "?", "with", "and", "so", "if", "of", "in"})
_FIT_IN_ANY_CAR = 4
_SMALL = word_set("child baby infant booster kid kids")
"""Before "seat" these count nobody, whatever is looked for."""
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
_BEFORE_AN_HOUR = word_set("after before around by at until from about past")
_PARTS_OF_A_DAY = word_set("morning afternoon evening night early late midday lunchtime overnight")
_PREFERRED = phrases(
    "if possible",
    "if you can",
    "preferred",
    "preferably",
    "would be nice",
    "would be best",
    "would be better",
    "would be good",
    "would be great",
    "is better",
    "is best",
)
_QUESTIONS = word_set("what whats how which is are do does why where who")
_HALVES_OF_A_DAY = word_set("am pm o'clock oclock")
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
    any_of(_TIMES, _LUGGAGE, _NEARNESS, _OF_A_CAR, _ON_BOARD).begin
    | _PARTS_OF_A_DAY
    | _BEFORE_AN_HOUR
    | NEGATIONS
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
        if not after and running and text.norm(at) in NEGATIONS:
            after, agent = _least_price(text, at), running[0]
        if not after and "hotel" in running and text.match(_NEARNESS, at):
            after, agent = _end_of_wish(text, at), "hotel"
        is_of_a_car = has_car or (bool(spoken_of) and text.norm(at) in _SMALL)
        if not after and is_of_a_car and text.match(_OF_A_CAR, at):
            after, agent = at + text.match(_OF_A_CAR, at), "car" if has_car else running[0]
        if not after and "flight" in spoken_of and text.match(_ON_BOARD, at):
            after, agent = at + text.match(_ON_BOARD, at), "flight"
        if not after and has_house:
            after, agent = house_wish_at(text, at), "hotel"
        if after:
            found.append(Unsearched(first=at, after=after, agent=agent))
        at = after or at + 1
    return tuple(found)


def _of_flight(text: Text, at: int) -> int:
    """The index after a wish about the hour or the luggage, 0 if none begins there."""
    is_question = text.norm(0) in _QUESTIONS
    length = text.match(_TIMES, at) or (0 if is_question else text.match(_LUGGAGE, at))
    if length:
        return at + length
    if text.norm(at) in _PARTS_OF_A_DAY and text.norm(at + 1) in FLIGHTS:
        return at + 1
    is_greeting = text.norm(at - 1) == "good"
    is_part = text.norm(at) in _PARTS_OF_A_DAY and not is_greeting
    preferred = text.match(_PREFERRED, at + 1) if is_part else 0
    if preferred:
        return at + 1 + preferred
    return _hour(text, at + 1) if text.norm(at) in _BEFORE_AN_HOUR else 0


def _least_price(text: Text, first: int) -> int:
    """The index after the least price that somebody wants, "not under 500"; 0 if none stands there."""
    for at in range(first + 1, first + _WORDS_OF_A_WISH):
        length = text.match(UNDER, at)
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
        return at + 2 if text.norm(at + 1) in _HALVES_OF_A_DAY else at + 1
    return at + 2 if text.norm(at + 1) in _HALVES_OF_A_DAY else 0


def _of_a_party(text: Text, at: int) -> int:
    """The index after what a party of a car is, which no car is searched by; 0 if none is told there.

    "5 people", "I'm 23", "golf clubs"; up to four fit in any car.
    """
    told = next((text.match(names, at) for names in (_WE_ARE, _BY_CAR) if text.match(names, at)), 0)
    if told and text.match(_BY_CAR, at):
        return at + told
    read = whole_number(text, at + told)
    if read is None or read[0] <= _FIT_IN_ANY_CAR:
        return 0
    is_counted = text.norm(read[1]) in PEOPLE
    is_told = told > 0 and text.norm(read[1]) in _BEHIND_A_PARTY
    return read[1] + is_counted if is_counted or is_told else 0


def _end_of_wish(text: Text, at: int) -> int:
    ends = (end for end in range(at + 1, at + _WORDS_OF_A_WISH) if text.norm(end) in _ENDS)
    return next(ends, min(at + _WORDS_OF_A_WISH, text.length))
