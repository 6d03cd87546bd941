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

from hypothesis import given, settings
from hypothesis import strategies as st

from backend.errors import BadInput
from backend.travel.agents.answers import with_answer
from backend.travel.agents.questions import question_about
from backend.travel.understanding.codec import from_json, to_json
from backend.travel.understanding.dialogue.prompt import asking
from backend.travel.understanding.result import FlightSlots, HotelSlots, Place, Understanding
from backend.travel.understanding.understand import understand
from backend.travel.values.travel import Money

TODAY = date(2026, 11, 20)
NOTHING = Understanding(relation="other")
RECENT_AT_MOST = 5

ORIGINS = {"Berlin": "Berlin", "Oslo": "Oslo", "Madrid": "Madrid"}
GOALS = {"Tokyo": "Tokyo", "Lisbon": "Lisbon", "Rome": "Rome", "Vienna": "Vienna"}
STARTS = {
    "1 December": date(2026, 12, 1),
    "2026-12-03": date(2026, 12, 3),
    "the 5th of December": date(2026, 12, 5),
    "Dec 9": date(2026, 12, 9),
    "tomorrow": date(2026, 11, 21),
}
ENDS = {
    "20 December": date(2026, 12, 20),
    "2026-12-23": date(2026, 12, 23),
    "the 28th of December": date(2026, 12, 28),
}
PEOPLE = {"2 people": 2, "three adults": 3, "6 people": 6}
NIGHTS = {"4 nights": 4, "a week": 7, "ten nights": 10}
ROOMS = {"5 rooms": 5, "8 rooms": 8}
COUNTS = {"9": 9, "eleven": 11}
CABINS = {"business class": "business", "first class": "first", "economy": "economy"}
AIRLINES = {"Lufthansa": "Lufthansa", "KLM": "KLM", "Air France": "Air France"}
STOPS = {"nonstop": 0, "at most one stop": 1}
STARS = {"4 stars": 4, "5 stars": 5}
AMENITIES = {"a pool": "pool", "a gym": "gym", "parking": "parking"}
PRICES = {"under 410 euros": 410, "max 730 euros": 730}
NIGHT_PRICES = {"under 95 euros a night": 95, "max 140 euros per night": 140}

START, END = ("flight.departure_date", "hotel.check_in"), ("flight.return_date", "hotel.check_out")
GOAL, PRICE = ("flight.destination", "hotel.city"), ("flight.max_price", "hotel.max_price")
COUNT = ("flight.passengers", "hotel.guests", "hotel.nights", "hotel.rooms")
MEANT = {
    "origin": (("flight.origin",), ORIGINS),
    "goal": (GOAL, GOALS),
    "place": (("flight.origin", *GOAL), ORIGINS | GOALS),
    "start": (START, STARTS),
    "end": (END, ENDS),
    "day": ((*START, *END), STARTS | ENDS),
    "people": (COUNT[:2], PEOPLE),
    "nights": (("hotel.nights",), NIGHTS),
    "rooms": (("hotel.rooms",), ROOMS),
    "count": (COUNT, COUNTS),
    "cabin": (("flight.cabin_class",), CABINS),
    "airline": (("flight.airline",), AIRLINES),
    "stops": (("flight.max_stops",), STOPS),
    "stars": (("hotel.stars",), STARS),
    "amenity": (("hotel.amenities",), AMENITIES),
    "price": (PRICE, PRICES),
    "fare": (PRICE[:1], PRICES),
    "night_price": (PRICE[1:], NIGHT_PRICES),
}
OTHER_END = {
    "flight.destination": "hotel.city",
    "flight.departure_date": "hotel.check_in",
    "flight.return_date": "hotel.check_out",
    "flight.passengers": "hotel.guests",
}
OTHER_END |= {hotel: flight for flight, hotel in OTHER_END.items()}

FLIGHT = tuple(f"flight.{name}" for name in FlightSlots.__slots__)
HOTEL = tuple(f"hotel.{name}" for name in HotelSlots.__slots__)
TALK = (
    "thanks", "hello", "thank you so much!", "what's the weather like?", "tell me a joke", "who are you?",
    "how are you today?", "that's all, bye",
    "play some music", "lol", "???", "🎉🎉", "qwrtz plmk", "", "hmm ...",
)  # fmt: skip
STOPS_ALL = ("stop", "never mind", "cancel that", "forget it", "stop searching")
OPENING = (
    "fly from {origin} to {goal} {start}, returning {end}, {people}, {cabin}, {stops}, on {airline}, {fare}",
    "a hotel in {goal} from {start} to {end}, with {amenity}, {people}, {rooms}, {stars}, {night_price}",
    "a hotel in {goal} on {start} for {nights} with {amenity}, {people}, {stars}, {night_price}",
    "flights and hotels in {goal} from {origin}, {start} to {end}, {people}",
)
SAYING = (
    *OPENING, "flights from {origin} to {goal}", "find flights from {origin} to {goal} on {start}",
    "a flight to {goal} with {airline}", "hotels in {goal}", "I need a hotel in {goal} from {start} to {end}",
    "plan a trip to {goal} for {people}",
    "hotel with {amenity} in {goal}, {rooms}", "flights from {origin} to Japan",
    "hotels in Tuscany on {start}",
    "flights from {origin} to {goal} in early December", "fly from {origin} to Atlantis on {start}",
    "and hotels there", "and a hotel there for {nights}", "also a hotel with {amenity}, {stars}",
    "flights there from {origin} too", "a hotel for the same dates", "and flights from {origin}",
    "actually, make it {goal}", "make that {start}", "no, from {origin}", "not {place}, {place}", "{place}",
    "change the return to {end}", "return on {end}", "leave on {day}", "departing {day}", "{day}",
    "check out on {end}", "for {people}", "we are {people}", "{nights} instead", "stay for {nights}",
    "with {airline} please", "{cabin} please", "{stops} only", "{stars} at least", "with {amenity}",
    "{price}", "{night_price}", "{rooms} please", "anything cheaper?", "for {people} and {price}",
    "to {goal} instead, on {start}", "I'd rather stay in {goal}", "just {place}", "yes", "no", "show me more",
    "sorry, I meant {day}", "what about {goal}?", "the flights on {start} and the hotel from {start}",
    "my wife loves {place}", "is it warm in {goal}?", "a restaurant in {goal} for {people}",
    "you decide", "the first one", "flights after all", "a hotel after all",
)  # fmt: skip
BACK = (
    "go back to the {goal} flights", "back to {goal}", "the first one again",
    "go back to the previous search", "go back to the first request, {cabin}", "the hotel in {goal} again",
    "try again", "go on",
)  # fmt: skip
ASKED_FOR = ("{place}", "{day}", "{count}", "{people}", "it's {count}", "{place} on {day}")
AWAY = {
    "forget the price limit": PRICE,
    "one way": ("flight.return_date",),
    "any airline": ("flight.airline",),
    "forget the airline": ("flight.airline",),
    "without the nonstop": ("flight.max_stops",),
    "forget the star rating": ("hotel.stars",),
    "the class doesn't matter": ("flight.cabin_class",),
    "forget the flights": FLIGHT,
    "no hotel please": HOTEL,
}
MOVED = {
    "a day later": dict.fromkeys(START + END, timedelta(days=1)),
    "two days earlier": dict.fromkeys(START + END, timedelta(days=-2)),
    "one more night": dict.fromkeys(END, timedelta(days=1)) | {"hotel.nights": 1},
    "one more person": dict.fromkeys(COUNT[:2], 1),
}


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
    says, moves = turn.message.says, turn.message.moves
    if slot == "hotel.amenities":
        told = {value for name, value in says if name == slot}
        return set(value) <= told | set(before.get(slot, ()))
    kept = (before.get(slot), before.get(OTHER_END.get(slot, slot)))
    is_named = turn.is_answer or slot in turn.after.carried or value in {told for _, told in says}
    return (
        (slot, value) in says
        or (value in kept and is_named)
        or (slot in moves and value - moves[slot] in _moved_from(slot, kept))
        or (slot in END and value in _ends(turn, before))
        or (slot in GOAL and turn.after.relation == "new" and value in turn.places)
        or value in _offered(slot, turn.base)
    )


def _offered(slot: str, before: Understanding) -> set:
    """The cities that a slot could have meant, of which one may have been chosen: "the first one"."""
    of_slot = [one for one in before.alternatives if one.slot in (slot, OTHER_END.get(slot, slot))]
    return {city.partition(",")[0] for one in of_slot for city in one.others}


def _moved_from(slot: str, kept: tuple) -> tuple:
    """What a change by so much counts from; one person is meant, and one night, where none are told."""
    return (1,) if slot in COUNT and kept == (None, None) else kept


def _ends(turn: Turn, before: dict) -> set:
    """The days that end a journey that begins as said, and is as long as was said or as it was."""
    says, after = turn.message.says, _held(turn.after)
    nights = {value for slot, value in (*says, *before.items()) if slot == "hotel.nights"}
    lengths = {timedelta(days=count) for count in nights} | {timedelta(after.get("hotel.nights", 0))}
    lengths |= {
        before[end] - before[start]
        for start in START
        for end in END
        if start in before and end in before and before[end] > before[start]
    }
    starts = {value for slot, value in (*says, *after.items(), *before.items()) if slot in START}
    return {start + length for start in starts for length in lengths if length}


def _told(turn: Turn) -> str:
    return f"{turn.message!r}: {_held(turn.before)} became {_held(turn.after)}"


@given(CONVERSATIONS)
@settings(max_examples=2000, deadline=None)
def test_every_value_was_said_or_answered_or_is_named_as_carried(conversation: list) -> None:
    for turn in _turns(conversation):
        assert not _unaccounted(turn), _told(turn)
        assert set(turn.after.assumed) <= set(_held(turn.after)), _told(turn)


@given(CONVERSATIONS)
@settings(max_examples=200, deadline=None)
def test_what_is_carried_was_held_before_and_what_is_dropped_is_what_was_lost(conversation: list) -> None:
    for turn in _turns(conversation):
        if turn.is_answer:
            continue
        before, base, after = _held(turn.before), _known(turn.base), _held(turn.after)
        assert sorted(turn.after.dropped) == sorted(before.keys() - after.keys()), _told(turn)
        for slot in turn.after.carried:
            assert slot in after, (slot, _told(turn))
            kept = (base.get(slot), base.get(OTHER_END.get(slot, slot)))
            is_taken_up = (
                turn.base is not turn.before
            )  # all is carried then, and may be changed in one breath
            assert is_taken_up or after[slot] in kept, (slot, _told(turn))


@given(CONVERSATIONS)
@settings(max_examples=200, deadline=None)
def test_small_talk_and_stops_change_nothing_that_is_known(conversation: list) -> None:
    for turn in _turns(conversation):
        is_over = not turn.after.wanted and bool(turn.before.wanted)
        if turn.message.is_talk or (turn.after.relation in ("other", "stop") and not is_over):
            assert _held(turn.after) == _held(turn.before), _told(turn)
            assert turn.after.wanted == turn.before.wanted, _told(turn)
            assert turn.is_answer or turn.after.dropped == (), _told(turn)


@given(CONVERSATIONS)
@settings(max_examples=200, deadline=None)
def test_what_is_taken_away_is_gone(conversation: list) -> None:
    for turn in _turns(conversation):
        if turn.before.wanted and turn.base is turn.before:
            left = _held(turn.after).keys() & set(turn.message.takes_away)
            assert not left, _told(turn)


@given(CONVERSATIONS)
@settings(max_examples=100, deadline=None)
def test_all_that_is_understood_survives_being_stored(conversation: list) -> None:
    for turn in _turns(conversation):
        assert from_json(to_json(turn.after)) == turn.after


@given(CONVERSATIONS)
@settings(max_examples=200, deadline=None)
def test_nothing_is_booked_and_no_tour_planned_where_nobody_speaks_of_it(conversation: list) -> None:
    for turn in _turns(conversation):
        assert (turn.after.booking, turn.after.tour) == (None, None), _told(turn)
