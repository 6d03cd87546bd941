"""Nothing is understood that nobody said: whole conversations, of messages that say what is known here.

A message is made from a template. What stands for a `{word}` tells which slots it may fill and with what, so
the oracle knows what was said without reading it, and nothing of the rules that do. After each message every
filled slot is accounted for: the message says its value, moves it by so much, or chooses it among those
offered; or what the slot or its other end held before, or when its agent was taken out of the request, is
named in `carried`; or it is the day on which a stay of known length ends, or, of a new request, the place
that was spoken of before ("there").

Planted by hand, one after the other, and caught: a price limit that stays although it was taken away; one
passenger where nobody said how many; a new request that begins with the slots of the one before; a stay that
takes the price of its flight; `dropped` without the slots of the stay; `carried` without its first slot;
small talk that forgets the stay; one night invented by an answer; `amenities` left out of the codec.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from hypothesis import example, given, settings
from hypothesis import strategies as st

from backend.domain.errors import BadInput
from backend.travel.agents.questions import question_about, with_answer
from backend.travel.understanding.codec import from_json, to_json
from backend.travel.understanding.dialogue.prompt import asking
from backend.travel.understanding.result import Place, Understanding
from backend.travel.understanding.understand import understand
from backend.travel.values.travel import Money
from tests.understanding.said_in_words import (
    ASKED_FOR,
    AWAY,
    BACK,
    COUNT,
    END,
    FLIGHT,
    GOAL,
    GOALS,
    HOTEL,
    MEANT,
    MOVED,
    OPENING,
    ORIGINS,
    OTHER_END,
    SAYING,
    START,
    STARTS,
    STOPS_ALL,
    TALK,
)

TODAY = date(2026, 11, 20)
NOTHING = Understanding(relation="other")
RECENT_AT_MOST = 5


@dataclass(frozen=True)
class Message:
    """What is said, and what that may fill, take away, or move; `asked` is what the assistant asked for."""

    text: str
    says: frozenset = frozenset()
    takes_away: tuple = ()
    moves: dict = field(default_factory=dict)
    asked: str = ""
    is_talk: bool = False


@dataclass(frozen=True)
class Filled:
    """The form of a question, filled in: what is given for the fields, as text, and the values that is."""

    origin: str
    goal: str
    start: str
    nights: int


@dataclass(frozen=True)
class Turn:
    """One message in a conversation: what was understood `before`, and the one it continues from (`base`)."""

    before: Understanding
    base: Understanding
    message: Message
    after: Understanding
    places: frozenset = field(default=frozenset())
    is_answer: bool = False


@st.composite
def _messages(draw: st.DrawFn, templates: tuple, *, asked: tuple = ("",)) -> Message:
    template, says = draw(st.sampled_from(templates)), set()

    def said(found: re.Match) -> str:
        slots, values = MEANT[found[1]]
        text = draw(st.sampled_from(sorted(values)))
        says.update((slot, values[text]) for slot in slots)
        return text

    text = re.sub(r"\{(\w+)\}", said, template)
    return Message(text, says=frozenset(says), asked=draw(st.sampled_from(asked)))


MESSAGES = st.one_of(
    _messages(SAYING),
    _messages(SAYING),
    _messages(BACK),
    _messages(ASKED_FOR, asked=(*START, *END, *GOAL, *COUNT, "flight.origin")),
    st.sampled_from((*TALK, *STOPS_ALL)).map(lambda text: Message(text, is_talk=True)),
    st.sampled_from(sorted(AWAY)).map(lambda text: Message(text, takes_away=AWAY[text])),
    st.sampled_from(sorted(MOVED)).map(lambda text: Message(text, moves=MOVED[text])),
)
FORMS = st.builds(
    Filled,
    origin=st.sampled_from(sorted(ORIGINS)),
    goal=st.sampled_from(sorted(GOALS)),
    start=st.sampled_from([day.isoformat() for day in STARTS.values()]),
    nights=st.integers(min_value=12, max_value=15),
)
CONVERSATIONS = st.builds(
    lambda opening, rest: [opening, *rest],
    st.one_of(_messages(OPENING), _messages(OPENING), MESSAGES),
    st.lists(st.one_of(MESSAGES, MESSAGES, MESSAGES, FORMS), min_size=2, max_size=8),
)


def _held(understood: Understanding) -> dict:
    """The slots that are filled, with their values as a user tells them."""
    slots = {name: getattr(understood.flight, name.partition(".")[2]) for name in FLIGHT}
    slots |= {name: getattr(understood.hotel, name.partition(".")[2]) for name in HOTEL}
    return {name: _plain(value) for name, value in slots.items() if value not in (None, ())}


def _known(understood: Understanding) -> dict:
    """The slots that are filled, or were when an agent was taken out of the request, which may come back."""
    waived = replace(understood, flight=understood.whole_flight, hotel=understood.whole_hotel)
    return _held(waived) | _held(understood)


def _plain(value):
    if isinstance(value, Place):
        return value.city.name
    return int(value.amount) if isinstance(value, Money) else value


def _turns(conversation: list) -> Iterator[Turn]:
    understood, recent, places = NOTHING, [], frozenset()
    is_begun = False
    for said in conversation:
        before = understood
        if isinstance(said, Filled):
            message, understood = _filled_in(said, before)
        else:
            message = said
            understood = understand(
                said.text,
                previous=before if is_begun else None,
                today=TODAY,
                prompt=asking(said.asked) if said.asked else None,
                recent=tuple(recent),
            )
        is_answer = isinstance(said, Filled)
        base = before if is_answer or understood.resumes is None else recent[understood.resumes]
        places |= {value for slot, value in message.says if slot in GOAL}
        yield Turn(before, base, message, understood, places, is_answer=is_answer)
        if before.agents and understood.agents and not is_answer:
            recent = [before, *recent][:RECENT_AT_MOST]
        is_begun = True


def _filled_in(form: Filled, before: Understanding) -> tuple[Message, Understanding]:
    """What is understood once the question of the agent that asks first is answered, if there is one."""
    for agent in before.agents:
        question = question_about(agent, before, today=TODAY)
        if question is not None and question.get("schema"):
            break
    else:
        return Message("", is_talk=True), before
    if agent == "flight":
        given = {"origin": form.origin, "destination": form.goal, "departure_date": form.start}
        says = {("flight.origin", form.origin)}
    else:
        given = {"city": form.goal, "check_in": form.start, "nights": form.nights}
        says = {("hotel.nights", form.nights)}
    says |= {(slot, date.fromisoformat(form.start)) for slot in START} | {(slot, form.goal) for slot in GOAL}
    try:
        return Message("", says=frozenset(says)), with_answer(before, agent, given, today=TODAY)
    except BadInput:
        return Message("", is_talk=True), before


def _unaccounted(turn: Turn) -> dict:
    """The filled slots whose value nobody said, was not held before, and follows from nothing."""
    before = {} if turn.after.relation == "new" and not turn.is_answer else _known(turn.base)
    after = _held(turn.after)
    return {slot: value for slot, value in after.items() if not _is_accounted(slot, value, turn, before)}


def _is_accounted(slot: str, value, turn: Turn, before: dict) -> bool:
    says, moves, known = turn.message.says, turn.message.moves, _known(turn.before)
    if slot in ("hotel.amenities", "flight.airlines"):
        told = {value for name, value in says if name == slot}
        return set(value) <= told | {*before.get(slot, ()), *known.get(slot, ())}
    kept = (before.get(slot), before.get(OTHER_END.get(slot, slot)))
    is_named = turn.is_answer or slot in turn.after.carried or value in {told for _, told in says}
    return (
        (slot, value) in says
        or (value in kept and is_named)
        or (slot in moves and value - moves[slot] in _moved_from(slot, kept))
        or (slot in moves and slot in COUNT and slot not in _held(turn.before) and value - moves[slot] == 1)
        or (slot in END and value in _ends(turn, before))
        or (slot == "hotel.nights" and value in _stays(before))
        or value == known.get(slot)
        or (slot in GOAL and turn.after.relation == "new" and value in turn.places)
        or value in _offered(slot, turn.base)
    )


def _offered(slot: str, before: Understanding) -> set:
    """The cities that a slot could have meant, of which one may have been chosen: "the first one"."""
    of_slot = [one for one in before.alternatives if one.slot in (slot, OTHER_END.get(slot, slot))]
    return {city.partition(",")[0] for one in of_slot for city in (one.taken, *one.others) if city}


def _moved_from(slot: str, kept: tuple) -> tuple:
    """What a change by so much counts from; one person is meant, and one night, where none are told."""
    return (1,) if slot in COUNT and kept == (None, None) else kept


def _ends(turn: Turn, before: dict) -> set:
    """The days that end a journey that begins as said, and is as long as was said or as it was."""
    says, after = turn.message.says, _held(turn.after)
    nights = {value for slot, value in (*says, *before.items()) if slot == "hotel.nights"}
    lengths = {timedelta(days=count) for count in nights} | {timedelta(after.get("hotel.nights", 0))}
    if "hotel.nights" not in before:
        lengths |= {timedelta(days=turn.base.length or 0)}  # told before any day was
    lengths |= {
        before[end] - before[start]
        for start in START
        for end in END
        if start in before and end in before and before[end] > before[start]
    }
    starts = {value for slot, value in (*says, *after.items(), *before.items()) if slot in START}
    is_day_trip = any(before[end] == before.get(start) for start in START for end in END if end in before)
    ends = {start + length for start in starts for length in lengths if length}
    return ends | starts if is_day_trip else ends


def _told_end(slot: str, before: dict) -> tuple:
    """The end of a stay that is told by its nights: a flight that comes back to it goes home then."""
    is_told = slot in END and {"hotel.check_in", "hotel.nights"} <= {*before}
    return (before["hotel.check_in"] + timedelta(days=before["hotel.nights"]),) if is_told else ()


def _stays(before: dict) -> set:
    """How many nights the journey before has: it keeps them where only its month is told anew."""
    return {(before[end] - before[start]).days for start in START for end in END if {start, end} <= {*before}}


def _told(turn: Turn) -> str:
    return f"{turn.message!r}: {_held(turn.before)} became {_held(turn.after)}"


LOVES_BERLIN = Message("my wife loves Berlin", says=frozenset({("hotel.city", "Berlin")}))
STAY_FOR_A_WEEK = Message("stay for a week", says=frozenset({("hotel.nights", 7)}))
BOTH_ON_A_DAY = Message(
    "the flights on 1 December and the hotel from 1 December",
    says=frozenset({(slot, date(2026, 12, 1)) for slot in START}),
)


@given(CONVERSATIONS)
@example(
    [
        Message("thanks", is_talk=True),
        STAY_FOR_A_WEEK,
        Filled("Berlin", "Lisbon", "2026-12-01", 12),
        BOTH_ON_A_DAY,
    ]
)
@example(
    [
        Message("hotels in Lisbon", says=frozenset({("hotel.city", "Lisbon")})),
        LOVES_BERLIN,
        Message("the first one"),
    ]
)
@settings(max_examples=2000, deadline=None)
def test_conversation_is_understood_as_what_was_said_and_no_more(conversation: list) -> None:
    for turn in _turns(conversation):
        for check in CHECKS:
            check(turn)


def _every_value_was_said_or_answered_or_is_named_as_carried(turn: Turn) -> None:
    assert not _unaccounted(turn), _told(turn)
    assert set(turn.after.assumed) <= set(_held(turn.after)), _told(turn)


def _carried_values_were_known_and_dropped_ones_are_lost(turn: Turn) -> None:
    if turn.is_answer:
        return
    before, base, after = _held(turn.before), _known(turn.base), _held(turn.after)
    assert sorted(turn.after.dropped) == sorted(before.keys() - after.keys()), _told(turn)
    for slot in turn.after.carried:
        assert slot in after, (slot, _told(turn))
        kept = (base.get(slot), base.get(OTHER_END.get(slot, slot)), *_told_end(slot, before))
        is_taken_up = turn.base is not turn.before  # all is carried then, and may be changed in one breath
        assert is_taken_up or after[slot] in kept, (slot, _told(turn))


def _small_talk_and_stops_change_nothing_that_is_known(turn: Turn) -> None:
    is_over = not turn.after.wanted and bool(turn.before.wanted)
    if turn.message.is_talk or (turn.after.relation in ("other", "stop") and not is_over):
        assert _held(turn.after) == _held(turn.before), _told(turn)
        assert turn.after.wanted == turn.before.wanted, _told(turn)
        assert turn.is_answer or turn.after.dropped == (), _told(turn)


def _removed_value_is_gone(turn: Turn) -> None:
    if turn.before.wanted and turn.base is turn.before:
        left = _held(turn.after).keys() & set(turn.message.takes_away)
        assert not left, _told(turn)


def _all_that_is_understood_survives_being_stored(turn: Turn) -> None:
    assert from_json(to_json(turn.after)) == turn.after


def _nothing_is_booked_and_no_tour_planned_where_nobody_speaks_of_it(turn: Turn) -> None:
    assert (turn.after.booking, turn.after.tour) == (None, None), _told(turn)


CHECKS = (
    _every_value_was_said_or_answered_or_is_named_as_carried,
    _carried_values_were_known_and_dropped_ones_are_lost,
    _small_talk_and_stops_change_nothing_that_is_known,
    _removed_value_is_gone,
    _all_that_is_understood_survives_being_stored,
    _nothing_is_booked_and_no_tour_planned_where_nobody_speaks_of_it,
)
