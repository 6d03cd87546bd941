"""What an assistant other than ours asked and offered, read from its words.

Labelled corpora are conversations with such assistants; ours are known as names of slots (`dialogue.prompt`).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date

from backend.travel.understanding.dialogue.prompt import Prompt
from backend.travel.understanding.dialogue.slots import Slots, held_in, overlay, slots_of
from backend.travel.understanding.english.dates.points import MONTHS, WEEKDAYS
from backend.travel.understanding.english.details.hotels import HotelMention
from backend.travel.understanding.english.language.tables import phrases_of
from backend.travel.understanding.english.language.text import Phrases, Text, phrases
from backend.travel.understanding.english.reading import take_apart
from backend.travel.understanding.message import Background, Part
from backend.travel.understanding.result import Agent, FlightSlots, HotelSlots, Understanding


def _words(spelled: str) -> frozenset[str]:
    return frozenset(spelled.split())


_QUESTIONS = _words("what where when which how who")
_CLAUSE_ENDS = _words("and or , ; also plus")
_WHERE = _words(
    "where city cities town place location airport airports destination destinations area metropolis region"
)
_WHEN = _words("when date dates day days")
_LEAVING = phrases(
    "from", "leave", "leaving", "depart", "departing", "departure", "departs", "out of", "origin",
    "originate", "take off", "taking off", "fly out", "flying out", "start", "starting", "head out",
    "outbound", "set out",
)  # fmt: skip
_GOING = phrases(
    "go", "going", "destination", "head", "heading", "headed", "visit", "visiting", "arrive",
    "arriving", "arrival", "travel to", "fly to", "flying to", "travelling to", "traveling to", "land",
    "bound",
)  # fmt: skip
_RETURNING = phrases(
    "return", "returning", "returns", "come back", "coming back", "back", "retunr", "inbound",
    "fly back", "get back", "flying back", "go back", "come home",
)  # fmt: skip
_CHECKING_IN = phrases(
    "check in", "check-in", "checkin", "checking in", "arrive", "arriving", "arrival", "stay from",
    "start", "starting", "begin", "book", "reservation", "reserve", "stay",
)  # fmt: skip
_CHECKING_OUT = phrases(
    "check out", "check-out", "checkout", "checking out", "leave", "leaving", "depart", "departure",
    "end",
)  # fmt: skip
_EVERYTHING = phrases(
    "flight details", "travel details", "trip details", "give me the details", "your details"
)
_HOW_LONG = phrases(
    "how long", "how many nights", "how many days", "number of days", "number of nights", "duration"
)
_HOW_MANY = phrases("how many", "number of", "for how many", "how much")
_PEOPLE = phrases(
    "people", "persons", "person", "passengers", "passenger", "adults", "travelers", "travellers", "guests",
    "tickets", "ticket", "seats", "seat", "of you", "will be traveling", "will be travelling", "beds",
)  # fmt: skip
_TICKETS = phrases(
    "get tickets", "buy tickets", "purchase tickets", "book tickets", "the tickets", "want tickets"
)
"""Whoever is asked whether to buy these may answer how many."""

_ROOMS = phrases("rooms", "room")
_CABIN = phrases(
    "seating class", "which class", "what class", "class of", "ticket class", "cabin", "economy or",
    "class do you", "class would you", "travel class", "kind of seat", "kind of ticket",
)  # fmt: skip
_AIRLINE = phrases("airline", "airlines", "carrier")
_HOTEL_NAME = phrases("which hotel", "what hotel", "hotel name", "name of the hotel")
_ASKING = phrases(
    "may i have", "need to know", "please tell me", "tell me", "let me know", "narrow", "could you",
    "can you", "please provide", "you can specify", "please specify", "if you provide",
    "if you tell me",
)  # fmt: skip
_DETAILS = phrases(
    "which part", "what part", "which side", "your name", "name please", "full name", "first name",
    "last name", "price range", "price", "budget", "area", "part of town", "part of the city",
    "side of town", "location", "star rating", "stars", "star", "parking", "internet", "wifi",
    "type of", "guesthouse or", "hotel or", "or a guesthouse", "preference", "preferences", "prefer",
    "criteria", "narrow", "requirements", "requests", "request", "in mind", "in particular", "specific",
    "details", "flight id", "id", "information", "amenities", "features", "looking for",
    "narrow it down",
)  # fmt: skip
_ANYTHING_ELSE = phrases(
    "anything else", "something else", "further assistance", "any more", "else can i", "else i can",
    "else may i", "help you with", "any other questions",
)  # fmt: skip

_CONFIRMING = phrases(
    "confirm", "confirming", "confirmation", "correct", "right", "verify", "check that", "double check",
    "to be clear", "to recap", "recap", "let me repeat", "you want", "you'd like", "you would like",
    "you need", "you wish", "you're booking", "you are booking", "i'll book", "i will book",
    "i'll reserve", "i will reserve", "i am booking", "i'm booking", "i am reserving", "shall i book",
    "should i book", "you will be", "you are flying", "you are leaving", "you're leaving", "booking",
    "okay with you", "is that ok", "is that okay", "is that good", "does that sound", "following",
    "to summarize", "details",
)  # fmt: skip
_BUYING = phrases(
    "purchase", "buy", "reservation today", "reserve today", "book today", "get tickets",
    "tickets today", "reservation now", "room today",
)  # fmt: skip
_CLOSING = phrases(
    "anything else", "something else", "anything more", "anything further", "everything for today",
    "all for today", "be all", "that all", "further assistance", "assist you", "help you with",
    "else for you", "else today",
)  # fmt: skip
"""What an assistant asks when it is done."""

_FOUND = phrases(
    "star", "stars", "found", "i have", "i see", "there is", "there are", "there's", "layover",
    "layovers", "stop", "stops", "rated", "rating", "how about", "what about", "costs", "cost", "price",
    "priced", "located", "available", "nice", "results", "options", "$",
)  # fmt: skip
"""What stands in a sentence that offers a result."""


_SEVERAL = 2
"""So many values have to be in a sentence that asks nothing for it to sum up what is wanted."""

_BEST_OF_MANY = phrases("the cheapest is", "the cheapest one is", "the best is", "the nearest is")
"""What tells of one result among many that are shown does not ask to take it."""

_SENTENCE_END = re.compile(r"(?<=[^\W\d_]{3}[.?!])\s+|(?<=[\d\W][.?!])\s+|(?<=\?)\s*")


def read_prompt(
    said: str, *, previous: Understanding | None, today: date, earlier: Prompt | None = None
) -> Prompt:
    """Return what the assistant's words ask for and put forward, after what was understood before them.

    What an `earlier` prompt offered still stands where nothing else is. Never raises, whatever the words.
    """
    sentences = [_sentence(one, today) for one in _SENTENCE_END.split(said) if one.strip()]
    named = {agent for one in sentences for agent in one.agents}
    about: tuple[Agent, ...] = tuple(agent for agent in ("flight", "hotel") if agent in named)
    if not about and _is_elsewhere(sentences, previous):
        return Prompt(is_elsewhere=True)
    before = previous.about if previous else ()
    goes_on = about if len(about) == 1 else before or about
    known = held_in(previous).filled
    is_confirming = any(one.text.has(_CONFIRMING) for one in sentences)
    prompt = Prompt(about=about)
    for one in sentences:
        prompt = _with_sentence(prompt, one, goes_on, known=known, is_confirming=is_confirming)
    if earlier and not prompt.offered.filled and not (previous and previous.agents):
        return replace(prompt, offered=earlier.offered)
    return prompt


def _is_elsewhere(sentences: list["_Sentence"], previous: Understanding | None) -> bool:
    """Whether an assistant that names neither flights nor hotels speaks of something else.

    It goes on where the conversation was. From flights and hotels it leads away only by a question: an
    answer to one may speak of the park beside the hotel.
    """
    if previous is not None and previous.is_elsewhere:
        return True
    was_ours = previous is not None and bool(previous.about)
    is_remark = was_ours and not any("?" in one.text.vocabulary for one in sentences)
    return not is_remark and any(one.is_elsewhere for one in sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """One sentence of an assistant, read."""

    text: Text
    agents: tuple[Agent, ...]
    is_elsewhere: bool
    parts: tuple[Part, ...]
    hotel_names: tuple[HotelMention, ...]

    @property
    def hotel(self) -> str | None:
        """The hotel that it names last, without one that is rejected."""
        return next((one.name for one in reversed(self.hotel_names) if not one.is_rejected), None)


def _sentence(said: str, today: date) -> _Sentence:
    """One sentence; a trip or a visit in it is the journey that is spoken of, whoever it is for."""
    read = take_apart(said, Background(today=today))
    is_trip = read.topic.is_trip
    return _Sentence(
        text=read.whole,
        agents=() if is_trip else read.topic.agents,
        is_elsewhere=read.topic.is_elsewhere,
        parts=tuple(replace(part, agents=()) for part in read.parts) if is_trip else read.parts,
        hotel_names=read.hotel_names,
    )


def _with_sentence(
    prompt: Prompt, read: _Sentence, about: tuple[Agent, ...], *, known: frozenset[str], is_confirming: bool
) -> Prompt:
    if read.text.has(_CLOSING):
        return prompt
    name = None if about == ("flight",) else offered_hotel(read.text) or read.hotel
    if _names_several(read) or read.text.has(_BEST_OF_MANY):
        name = None
    values = slots_of(read.parts, about, hotel_name=name)
    if "today" in read.text.vocabulary and read.text.has(_BUYING):
        values = _dateless(values)
    asked = asked_in(read.text, about, known=known)
    is_offer = values.hotel.name is not None or values.flight.airline is not None
    asks = prompt.asks_details or (asks_details(read.text) and not is_offer)
    is_remark = not (is_confirming or asked or "?" in read.text.vocabulary) and len(values.filled) < _SEVERAL
    if is_remark or (not is_confirming and read.text.has(_FOUND)):
        return replace(prompt, offered=overlay(prompt.offered, _named_only(values)), asks_details=asks)
    return replace(
        prompt,
        proposed=overlay(prompt.proposed, _settled_only(values)),
        asked=tuple(dict.fromkeys((*prompt.asked, *asked))),
        asks_details=asks,
    )


def _dateless(values: Slots) -> Slots:
    """Without days: whether to buy something today is no day of a journey."""
    return Slots(
        flight=replace(values.flight, departure_date=None, return_date=None),
        hotel=replace(values.hotel, check_in=None, check_out=None),
    )


def _names_several(read: _Sentence) -> bool:
    """Whether hotels are put side by side, of which one cannot be taken: "Ashley House and Lovell Lodge"."""
    pairs = zip(read.hotel_names, read.hotel_names[1:], strict=False)
    return any(
        read.text.norm(at) in ("and", "or")
        for one, next_one in pairs
        for at in range(one.after, next_one.first)
    )


def _named_only(values: Slots) -> Slots:
    return Slots(flight=FlightSlots(airline=values.flight.airline), hotel=HotelSlots(name=values.hotel.name))


def _settled_only(values: Slots) -> Slots:
    """What can be agreed upon; the stars, stops and price of a result are told, not put to the user."""
    return Slots(
        alternatives=values.alternatives,
        flight=replace(values.flight, max_stops=None, max_price=None),
        hotel=replace(values.hotel, stars=None, max_price=None, amenities=(), district=None),
    )


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
    ("start", _LEAVING),
    ("goal", _GOING),
    ("back", _RETURNING),
)
_STAY_ENDS: tuple[tuple[str, Phrases], ...] = (("goal", _CHECKING_IN), ("back", _CHECKING_OUT))


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
    is_asking = text.norm(text.length - 1) == "?" or text.has(_ASKING)
    return is_asking and text.has(_DETAILS) and not text.has(_ANYTHING_ELSE)


def _is_question(text: Text) -> bool:
    if "?" in text.vocabulary or text.length <= _SHORT or text.has(_ASKING):
        return True
    return any(text.norm(at) in _QUESTIONS for at in range(_SHORT))


def _others_asked(text: Text, is_of_stay: bool) -> Iterable[str]:
    if text.has(_EVERYTHING):
        yield from (
            ("hotel.city", "hotel.check_in") if is_of_stay else ("flight.origin", "flight.departure_date")
        )
    if text.has(_HOW_LONG):
        yield "hotel.nights"
    if text.has(_HOW_MANY):
        if text.has(_ROOMS):
            yield "hotel.rooms"
        elif text.has(_PEOPLE):
            yield "hotel.guests" if is_of_stay else "flight.passengers"
    elif text.has(_TICKETS) and text.norm(text.length - 1) == "?":
        yield "flight.passengers"
    if text.has(_HOTEL_NAME):
        yield "hotel.name"
    if text.has(_CABIN):
        yield "flight.cabin_class"
    if text.has(_AIRLINE) and text.norm(text.length - 1) == "?":
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
    is_how_long = text.has(_HOW_LONG)
    clause = _Clause()
    for at in range(text.length):
        word = text.norm(at)
        if word in _CLAUSE_ENDS:
            yield clause
            clause = _Clause()
        if word in _WHERE:
            clause.asks.append("where")
        elif word in _WHEN and not (is_how_long and word != "when"):
            clause.asks.append("when")
        for end, phrases_of_end in _STAY_ENDS if is_of_stay else _ENDS:
            length = text.match(phrases_of_end, at)
            is_start = end == "goal" and not is_of_stay and text.norm(at + length) == "from"
            if length and not is_start and end not in clause.ends:
                clause.ends.append(end)
        is_open = word == "to" and text.norm(at + 1) in ("", "?", ".", *_CLAUSE_ENDS)
        if is_open and "goal" not in clause.ends:
            clause.ends.append("goal")
        if "back" in clause.ends and "start" in clause.ends:
            clause.ends.remove("start")
    yield clause


_BOOKINGS_SAID = phrases_of("bookings")

_OFFERING = phrases(
    "hotel", "hotels", "hostel", "inn", "suites", "resort", "star", "stars", "rating", "rated", "how about",
    "what about", "suggest", "recommend", "called", "named", "reservation", "reserve", "book", "booking",
    "confirm", "stay", "staying", "room", "rooms", "think of", "opinion", "would you like", "check in",
    "checking in", "option",
)  # fmt: skip
_ADDRESS = _words(
    "house houses address street avenue boulevard road phone number located location call contact"
)
_JOINS = _words("by of & - ' . / , and the de")
_NEVER_FIRST = _words(
    """
    a an the there how what which would you your yes no sure ok okay please confirm confirming i it its this
    that one may is are do does did and or also so to in on at for with from we my here great found another
    maybe can could will shall should they he she got let just well alright perfect thanks thank need want
    theres there's check checking search reservation book booking any other kindly
    """
)
_FLIGHTS = _words("airlines airways airline flight economy")
_NAMED_BY = _words("hotel hostel inn resort lodge suites motel")
_BEHIND_A_NAME = _words("with which that is has in for on at , . ! ? rated where and")
_WORDS_AT_MOST = 12


def offered_hotel(text: Text) -> str | None:
    """Return the name of the hotel that a sentence of an assistant is about, None if there is none."""
    if not text.has(_OFFERING) or not text.vocabulary.isdisjoint(_ADDRESS | _FLIGHTS):
        return None
    runs = [run for run in _runs(text) if _is_name(text, *run)]
    if runs:
        first, after = max(runs, key=lambda run: run[1] - run[0])
        return text.spelled(first, after)
    return _called(text) or _before_the_stars(text)


def _called(text: Text) -> str | None:
    """What follows "called", where nothing is written in capitals."""
    called = text.find(_BOOKINGS_SAID.named)
    if called < 0:
        return None
    first = called + text.match(_BOOKINGS_SAID.named, called)
    after = next((at for at in range(first, text.length) if text.norm(at) in _BEHIND_A_NAME), text.length)
    return text.spelled(first, after) if after - first in range(1, _WORDS_AT_MOST) else None


def _is_part(text: Text, index: int) -> bool:
    """Whether a word is written as part of a name."""
    token = text[index]
    if token.norm in MONTHS or token.norm in WEEKDAYS:
        return False
    if token.is_number:
        if text.norm(index - 1) == "." and text.is_glued(index):
            return False
        return text[index + 1].is_capitalised and text[index + 1].is_word
    return token.is_word and token.is_capitalised


def _runs(text: Text) -> list[tuple[int, int]]:
    """Runs of words that are written as names, with the small words that join them."""
    runs: list[tuple[int, int]] = []
    at = 0
    while at < text.length:
        if not _is_part(text, at) or (text[at].is_word and text.norm(at) in _NEVER_FIRST):
            at += 1
            continue
        after = at + 1
        while after < text.length and after - at < _WORDS_AT_MOST:
            ahead = next((step for step in (0, 1, 2) if _is_part(text, after + step)), None)
            if ahead is None or any(text.norm(joint) not in _JOINS for joint in range(after, after + ahead)):
                break
            if ahead == 1 and text.norm(after) == "." and not text.is_glued(after + 1):
                break
            after += ahead + 1
        runs.append((at, after))
        at = after
    return runs


def _is_name(text: Text, first: int, after: int) -> bool:
    """Whether a run is more than a city or a word at the beginning of a sentence."""
    words = [text.norm(at) for at in range(first, after) if text[at].is_word]
    is_introduced = text.norm(first - 1) in ("called", "named") or text.norm(first - 2) in ("how", "what")
    return len(words) + text[first].is_number > 1 and (
        not _NAMED_BY.isdisjoint(words)
        or is_introduced
        or len(words) > 2
        or text[first].is_number
        or _tells_of_it(text, after)
    )


def _tells_of_it(text: Text, after: int) -> bool:
    """Whether a name is followed by what it is: "Motif Seattle is a 4 star hotel"."""
    return text.norm(after) in ("is", "has", "with", "which", "that", "for", "in") or not text.norm(after)


def _before_the_stars(text: Text) -> str | None:
    """ "ace hotel chicago 4 stars", where nothing is written in capitals."""
    stars = next((at for at in range(1, text.length) if text.norm(at) in ("star", "stars")), 0)
    first = 2 if text[0].is_number and text.norm(1) in ("hotel", "hotels") else 0
    count = stars - 1
    is_said = any(text.norm(at) in _NEVER_FIRST for at in range(first, count))
    if is_said or not text[count].is_number or count - first < 2:
        return None
    if any(one.is_capitalised for one in text.tokens):
        return None
    return text.spelled(first, count)
