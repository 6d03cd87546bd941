"""Wishes that no search can take: at what time to fly, with what luggage, how far from what to sleep.

They go on with the request, and are told to the user as wishes to look for in the list. So are other days:
"flexible by 2 days", "10 December give or take a day". A search is for one day.
"""

from collections.abc import Callable, Set
from dataclasses import dataclass
from functools import partial

from ....values.travel import MOST_SEATS
from ...result import Agent, Reason, Refused
from ..dates.grammar import read_span
from ..language.numbers import NUMBERS, amount, whole_number
from ..language.sentences import clauses, negation_before, negation_of
from ..language.tables import phrases_of, words_of
from ..language.text import FIGURES, Phrases, Text, any_of
from .hotels import CUES_OF_A_HOUSE, asks_of_the_shown, house_wish_at
from .prices import SYMBOLS, counts_something, money_at

_FACTS_SAID = phrases_of("facts")
_LANGUAGE_SAID = phrases_of("language")
_LANGUAGE_WORDS = words_of("language")
_PEOPLE_WORDS = words_of("people")
_SAID = phrases_of("unsearched")
_TIMES_WORDS = words_of("times")
_WORDS = words_of("unsearched")

_WORDS_OF_A_WISH = 7
_LEAST_PRICE = 20
_BEGIN = (
    any_of(
        *(_SAID.times, _SAID.luggage, _SAID.paying, _SAID.nearness, _SAID.most_stars),
        *(
            _SAID.of_a_car,
            _SAID.of_a_driver,
            _SAID.on_board,
            _SAID.aboard,
            _SAID.of_a_child,
            _SAID.of_an_airline,
        ),
    ).begin
    | _WORDS.parts_of_a_day
    | _WORDS.before_an_hour
    | _LANGUAGE_WORDS.negations
    | _WORDS.things
    | {FIGURES}
)
"""What a wish may begin with, but for one of a house or of a car alone."""
_BEGIN_OTHER_DAYS = any_of(_SAID.any_days, _SAID.other_days, _SAID.before_days).begin | NUMBERS
_OF_FLIGHT = any_of(_SAID.times, _SAID.luggage).cues | _WORDS.parts_of_a_day | _WORDS.before_an_hour


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsearched:
    """A wish in the tokens from `first` up to `after`, for one agent, and why it narrows no search."""

    first: int
    after: int
    agent: Agent
    reason: Reason = "not_searched_by"


def find_unsearched(
    text: Text, running: tuple[Agent, ...], named: tuple[Agent, ...]
) -> tuple[Unsearched, ...]:
    """Return the wishes of a message that no search takes, for agents of the request that is `running`.

    In an opening message those `named` count. What is wished of a house joins a request: an opening message
    is searched word by word, and tells all that is left.
    """
    if not (running or named or text.has(_SAID.of_an_airline)):
        return ()
    named = named if running or named else ("flight",)
    searched, spoken_of = running or named, {*running, *named}
    joined = spoken_of if running else set[Agent]()
    of_car = "car" in spoken_of and "flight" not in spoken_of
    of_house = "hotel" in joined and text.has_any(CUES_OF_A_HOUSE) and not asks_of_the_shown(text)
    kinds: tuple[tuple[bool, Set[str] | Phrases, Agent, Callable[[Text, int], int]], ...] = (
        (of_car, text.vocabulary, "car", _of_flight),
        (of_car, text.vocabulary, "car", _hour),
        (spoken_of == {"car"}, text.vocabulary, "car", _of_a_party),
        ("flight" in searched, _OF_FLIGHT, "flight", _of_flight),
        (True, _LANGUAGE_SAID.under, searched[0], _least_price),
        (True, _WORDS.things, searched[0], _price_of_a_thing),
        (True, _SAID.paying, searched[0], _paying),
        ("hotel" in searched, _SAID.nearness, "hotel", _nearness),
        ("hotel" in searched, _SAID.most_stars, "hotel", partial(_behind, _SAID.most_stars)),
        ("car" in joined, _SAID.of_a_car, "car", partial(_behind, _SAID.of_a_car)),
        ("car" in joined, _SAID.of_a_driver, "car", _of_a_driver),
        ("car" in spoken_of, _SAID.of_a_child, "car", partial(_behind, _SAID.of_a_child)),
        (bool(joined), _SAID.of_a_child, searched[0], partial(_behind, _SAID.of_a_child)),
        ("flight" in spoken_of, _SAID.of_an_airline, "flight", partial(_behind, _SAID.of_an_airline)),
        (spoken_of == {"flight"}, _SAID.aboard, "flight", _aboard),
        ("flight" in joined, _SAID.on_board, "flight", partial(_behind, _SAID.on_board)),
        (of_house, text.vocabulary, "hotel", house_wish_at),
    )
    readers: list[tuple[Agent, Callable[[Text, int], int]]] = [
        (agent, reader)
        for may_be, told, agent, reader in kinds
        if may_be and (text.has(told) if isinstance(told, Phrases) else text.has_any(told))
    ]
    found: list[Unsearched] = []
    at = 0 if readers else text.length
    while (at := at if of_house or of_car else text.next_of(_BEGIN, at)) < text.length:
        told = (
            Unsearched(first=at, after=after, agent=agent, reason=_reason(text, at, agent))
            for agent, reader in readers
            if (after := reader(text, at))
        )
        if wish := next(told, None):
            found.append(wish)
        at = wish.after if wish else at + 1
    return tuple(found)


def _reason(text: Text, at: int, agent: Agent) -> Reason:
    if agent == "flight" and (text.match(_SAID.of_an_airline, at) or text.match(_SAID.of_a_child, at)):
        return "asked_of_airline"
    return "asked_of_rental" if agent == "car" and text.match(_SAID.of_a_child, at) else "not_searched_by"


def preferences(text: Text) -> tuple[tuple[int, int], ...]:
    """Return the clauses that tell what is preferred, and without which it will do: "ideally with a pool".

    "If possible" between commas is of the clause before it.
    """
    found: list[tuple[int, int]] = []
    before = (0, 0)
    for first, after in clauses(text) if text.has(_SAID.softens) else ():
        at = text.find(_SAID.softens, first, after)
        is_alone = at == first and at + text.match(_SAID.softens, at) == after
        found += [(before[0] if is_alone else first, after)] if at >= 0 else []
        before = (first, after)
    return tuple(found)


def _of_a_driver(text: Text, at: int) -> int:
    """The index after "the driver is 24", which asks for nothing else; 0 if that does not stand there."""
    length = text.match(_SAID.of_a_driver, at)
    age = whole_number(text, at + length) if length else None
    return text.skip({"years", "year", "old"}, age[1], 2) if age else 0


def _behind(phrases: Phrases, text: Text, at: int) -> int:
    """The index after one of the phrases, and for whom of us it is: "for my mother"; 0 if none is there."""
    after = at + text.match(phrases, at)
    if after == at:
        return 0
    whom = text.past(_WORDS.for_one_of_us, after)
    return whom + 1 if whom > after and text.norm(whom) in _PEOPLE_WORDS.people_relatives else after


def _aboard(text: Text, at: int) -> int:
    """The index after "with wifi", "and two dogs"; "does it have wifi?" is a question."""
    return 0 if text.norm(0) in _WORDS.questions else _behind(_SAID.aboard, text, at)


def _paying(text: Text, at: int) -> int:
    """The index after "put it on my company card"; "can I pay by invoice?" is a question."""
    is_question = text.norm(0) in _WORDS.questions or text.match(_SAID.may_we, 0) > 0
    return 0 if is_question else _behind(_SAID.paying, text, at)


def _of_flight(text: Text, at: int) -> int:
    """The index after a wish about the hour or the luggage, 0 if none begins there.

    A question about luggage ("what counts as hand luggage?") is no wish.
    """
    is_question = text.norm(0) in _WORDS.questions
    length = text.match(_SAID.times, at) or (0 if is_question else text.match(_SAID.luggage, at))
    if length:
        return at + length
    if text.norm(at) in _WORDS.parts_of_a_day:
        preferred = text.match(_SAID.preferred, at + 1) if text.norm(at - 1) != "good" else 0
        return at + 1 + preferred if preferred or text.norm(at + 1) in _TIMES_WORDS.flights else 0
    return _hour(text, at + 1) if text.norm(at) in _WORDS.before_an_hour else 0


def _least_price(text: Text, first: int) -> int:
    """The index after the least price that somebody wants, "not under 500"; 0 if none stands there."""
    at = text.find(_LANGUAGE_SAID.under, first + 1, first + _WORDS_OF_A_WISH)
    if negation_before(text, at) != first:
        return 0
    start = text.skip(SYMBOLS.keys(), at + text.match(_LANGUAGE_SAID.under, at), 1)
    read = amount(text, start) if text[start].is_number else None
    return read[1] if read and read[0] >= _LEAST_PRICE and not counts_something(text, read[1]) else 0


def _price_of_a_thing(text: Text, at: int) -> int:
    """The index after "parking under 50 euros" or "300 euros for food"; 0 if neither begins there."""
    is_thing = text.norm(at) in _WORDS.things and text.norm(at - 1) not in ("with", "including", "has")
    start = text.skip(_WORDS.of_a_price, at + 1) if is_thing else at
    read = money_at(text, text.skip(SYMBOLS.keys(), start, 1))
    if read is None or not text[read.at].is_number or (is_thing and start == at + 1):
        return 0
    if not read.is_marked and read.money.amount < _LEAST_PRICE:
        return 0  # "dinner at 7", "insurance for 2"
    if is_thing:
        return 0 if text.match(_FACTS_SAID.per_night, read.after) else read.after
    thing = text.skip(_WORDS.before_a_thing, read.after)
    return thing + 1 if thing > read.after and text.norm(thing) in _WORDS.things else 0


def _hour(text: Text, at: int) -> int:
    """The index after an hour such as "6 pm", "6pm", "18:30" or "six o'clock"; 0 if none stands there."""
    if text.norm(at) in ("noon", "midday"):
        return at + 1
    is_clock = text[at].is_number and text.norm(at + 1) == ":"
    last = at + 2 * is_clock
    if text.norm(last + 1) in _WORDS.halves_of_a_day and whole_number(text, at):
        return last + 2
    part = text.match(_SAID.part_behind_an_hour, last + 1) if text[at].is_number else 0
    return last + 1 + part if is_clock or part else 0


def _of_a_party(text: Text, at: int) -> int:
    """The index after what a party of a car is, which no car is searched by; 0 if none is told there.

    "12 people", "I'm 23", "golf clubs".
    """
    if length := text.match(_SAID.by_car, at):
        return at + length
    told = text.match(_SAID.we_are, at)
    read = whole_number(text, at + told)
    if read is None or read[0] <= MOST_SEATS:
        return 0
    is_counted = text.norm(read[1]) in _PEOPLE_WORDS.people
    is_over = read[1] == text.length or text.norm(read[1]) in _WORDS.behind_a_party
    return read[1] + is_counted if is_counted or (told and is_over) else 0


def _nearness(text: Text, at: int) -> int:
    """The index after "closer to the old town", 0 if nothing of the kind begins there."""
    is_near = text.norm(at) == "far" and negation_of(text, at, _WORDS.how_far)
    if is_near or not text.match(_SAID.nearness, at):
        return 0  # "not too far from the university" is near it
    last = min(at + _WORDS_OF_A_WISH, text.length)
    ends = (end for end in range(at + 1, last) if text.norm(end) in _WORDS.ends or read_span(text, end))
    return next(ends, last)


def flexibility_told(text: Text) -> tuple[Refused, ...]:
    """Return the first words that tell of other days than those that are named, with how many they may be."""
    for at in text.each_of(_BEGIN_OTHER_DAYS) if text.has_any(_WORDS.dates) else ():
        after = _other_days(text, at)
        if after:
            days = next((days for within in range(at, after) if (days := _days_at(text, within)[0])), None)
            return (Refused(said=text.spelled(at, after), reason="other_days", days=days),)
    return ()


def _other_days(text: Text, at: int) -> int:
    """The index behind words that begin there and tell of other days, 0 if none do."""
    is_cheaper = text.has_any(_WORDS.cheaper) and text.norm(at - 1) in _WORDS.asks_of_days
    any_days = text.match(_SAID.any_days, at) or (text.match(_SAID.other_days, at) if is_cheaper else 0)
    if any_days:
        return at + any_days
    if length := text.match(_SAID.before_days, at):
        return _days_at(text, at + length)[1]
    after = _days_at(text, at)[1]
    behind = text.match(_SAID.behind_days, after) if after else 0
    return after + behind if behind else 0


def _days_at(text: Text, at: int) -> tuple[int, int]:
    """How many days are told there, and the index behind them; 0 and 0 if none are."""
    read = (1, at + 1) if text.norm(at) in ("a", "one") else whole_number(text, at)
    return (read[0], read[1] + 1) if read and text.norm(read[1]) in _WORDS.days else (0, 0)
