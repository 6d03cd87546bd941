"""Which slots a sentence of an assistant asks for: "What day do you leave, and where from?".

A question asks where or when, and of which end of the journey. The two may stand in different clauses, so
each clause lends the others what they leave out.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...result import Agent
from ..language.text import Phrases, Text
from . import words

_SHORT = 4

_FLIGHT = {
    ("where", "start"): "flight.origin",
    ("where", "goal"): "flight.destination",
    ("where", ""): "flight.destination",
    ("when", "start"): "flight.departure_date",
    ("when", "goal"): "flight.departure_date",
    ("when", ""): "flight.departure_date",
    ("when", "back"): "flight.return_date",
}
_STAY = {
    ("where", "start"): "hotel.city",
    ("where", "goal"): "hotel.city",
    ("where", ""): "hotel.city",
    ("when", "goal"): "hotel.check_in",
    ("when", ""): "hotel.check_in",
    ("when", "start"): "hotel.check_out",
    ("when", "back"): "hotel.check_out",
}
_ENDS: tuple[tuple[str, Phrases], ...] = (
    ("start", words.LEAVING),
    ("goal", words.GOING),
    ("back", words.RETURNING),
)
_STAY_ENDS: tuple[tuple[str, Phrases], ...] = (("goal", words.CHECKING_IN), ("back", words.CHECKING_OUT))


def asked_in(text: Text, about: tuple[Agent, ...], *, known: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the names of the slots that a sentence about those agents asks for.

    "Which city?" asks for the start if the destination is among the slots `known`.
    """
    if not _is_question(text):
        return ()
    is_of_stay = "hotel" in about and "flight" not in about
    return tuple(
        dict.fromkeys((*_ends_asked(text, known, is_of_stay=is_of_stay), *_others_asked(text, is_of_stay)))
    )


def asks_details(text: Text) -> bool:
    """Return whether a sentence asks for something of the request that is no slot."""
    is_asking = text.norm(text.length - 1) == "?" or text.has(words.ASKING)
    return is_asking and text.has(words.DETAILS) and not text.has(words.ANYTHING_ELSE)


def _is_question(text: Text) -> bool:
    if "?" in text.vocabulary or text.length <= _SHORT or text.has(words.ASKING):
        return True
    return any(text.norm(at) in words.QUESTIONS for at in range(_SHORT))


def _others_asked(text: Text, is_of_stay: bool) -> Iterable[str]:
    if text.has(words.EVERYTHING):
        yield from (
            ("hotel.city", "hotel.check_in") if is_of_stay else ("flight.origin", "flight.departure_date")
        )
    if text.has(words.HOW_LONG):
        yield "hotel.nights"
    if text.has(words.HOW_MANY):
        if text.has(words.ROOMS):
            yield "hotel.rooms"
        elif text.has(words.PEOPLE):
            yield "hotel.guests" if is_of_stay else "flight.passengers"
    elif text.has(words.TICKETS) and text.norm(text.length - 1) == "?":
        yield "flight.passengers"
    if text.has(words.HOTEL_NAME):
        yield "hotel.name"
    if text.has(words.CABIN):
        yield "flight.cabin_class"
    if text.has(words.AIRLINE) and text.norm(text.length - 1) == "?":
        yield "flight.airline"


@dataclass(slots=True)
class _Clause:
    """What a clause asks ("where", "when"), and of which ends of the journey."""

    asks: list[str] = field(default_factory=list[str])
    ends: list[str] = field(default_factory=list[str])


def _ends_asked(text: Text, known: frozenset[str], *, is_of_stay: bool) -> Iterable[str]:
    clauses = [one for one in _clauses(text, is_of_stay=is_of_stay) if one.asks or one.ends]
    slots = _STAY if is_of_stay else _FLIGHT
    is_clipped = text.length <= _SHORT and not any(one.asks for one in clauses)
    for at, clause in enumerate(clauses):
        asks = ["where"] if is_clipped else clause.asks or _nearest([one.asks for one in clauses], at)
        ends = clause.ends or _nearest([one.ends for one in clauses], at) or [""]
        for ask in asks:
            for end in ends:
                slot = slots.get((ask, end))
                is_told = not end and slot == "flight.destination" and slot in known
                if slot:
                    yield "flight.origin" if is_told else slot


def _nearest(said: list[list[str]], index: int) -> list[str]:
    """What the nearest other clause says, those behind first: "where and when do you leave"."""
    others = [found for found in (*said[index + 1 :], *reversed(said[:index])) if found]
    return others[0] if others else []


def _clauses(text: Text, *, is_of_stay: bool) -> Iterable[_Clause]:
    is_how_long = text.has(words.HOW_LONG)
    clause = _Clause()
    for at in range(text.length):
        word = text.norm(at)
        if word in words.CLAUSE_ENDS:
            yield clause
            clause = _Clause()
        if word in words.WHERE:
            clause.asks.append("where")
        elif word in words.WHEN and not (is_how_long and word != "when"):
            clause.asks.append("when")
        for end, phrases_of_end in _STAY_ENDS if is_of_stay else _ENDS:
            length = text.match(phrases_of_end, at)
            is_start = end == "goal" and not is_of_stay and text.norm(at + length) == "from"
            if length and not is_start and end not in clause.ends:
                clause.ends.append(end)
        is_open = word == "to" and text.norm(at + 1) in ("", "?", ".", *words.CLAUSE_ENDS)
        if is_open and "goal" not in clause.ends:
            clause.ends.append("goal")
        if "back" in clause.ends and "start" in clause.ends:
            clause.ends.remove("start")
    yield clause
