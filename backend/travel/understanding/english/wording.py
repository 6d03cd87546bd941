"""What was understood, in words for a person, with dates in full and defaults included.

Users cannot know which day "next Friday" was taken for unless the reply says so; hence every reply does.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from ...values.places import nearest_airport
from ...values.travel import ASSUMED_AGE, MOST_STOPS, UNKNOWN_AGE, GoalFare
from ..queries import searched_value
from ..requested import requested
from ..result import Agent, Alternative, FlightSlots, Period, Place, Reason, TourWish, Understanding
from ..slot_table import ROWS, SLOTS, AgentSlots, Slot, answered_with, searching
from ..slot_table import rows_of as slots_of
from .language.tables import rows_of
from .slot_words import FOUND, MONTHS, WORDS, counted, in_words, listed, place_in_words, price_in_words


@dataclass(frozen=True, slots=True, kw_only=True)
class _Refusal:
    reason: Reason
    sentence: str


_REFUSALS: dict[Reason, str] = {row.reason: row.sentence for row in rows_of("refusals", "refusals", _Refusal)}
_CITY_AND_DAY = "in which city you need a hotel, and from which day"
# The slots that the answer about another fills as well.
_ANSWERED_BY = {slot.name: first.name for slot in ROWS.values() for first in answered_with(slot)[:1]}
# The slots that the words for another tell as well: of a stay with its first day, how long it is.
_TOLD_WITH = {"hotel.check_in": ("hotel.check_out", "hotel.nights"), "car.pick_up": ("car.drop_off",)}
_PICKED_BY = frozenset({"flight.airline", "hotel.name"})
"""Nobody searches by these either, but an offer is picked by them."""


def describe(understanding: Understanding) -> str:
    """Return what the agents of a message are about to look for, with what was assumed; "" without agents."""
    parts = [
        _looked_for(agent, understanding.of(agent), understanding.period)
        for agent in SLOTS
        if agent in understanding.agents
    ]
    if understanding.tour is not None and "planner" in understanding.agents:
        parts.append(_tour_in_words(understanding.tour))
    return "; and ".join(parts)


def news(agent: Agent, understanding: Understanding, *, whole: bool) -> tuple[str, str]:
    """Return what a message newly asks of an agent's search: next to what is found, and as details behind it.

    Of a change that is what has changed; of a new request, or as a `whole`, all of it with what is assumed.
    """
    is_change = understanding.relation in ("refine", "add") and understanding.resumes is None and not whole
    slots = understanding.of(agent)
    leading, details = list[str](), list[str]()
    for slot in slots_of(agent):
        words, value = WORDS[slot.name], getattr(slots, slot.field)
        told_here = (slot.name, *_TOLD_WITH.get(slot.name, ()))
        is_known = all(_is_carried(ROWS[one], understanding) for one in told_here)
        is_known = is_known and not (slot.name == "hotel.city" and _stays_elsewhere(understanding))
        if words.told is None or (is_change and is_known) or _goes_without_saying(slot, understanding):
            continue
        value = slot.default if value is None else value
        told = "" if value in (None, "", ()) else words.told(slots, value)
        (leading if words.leads else details).append(told)
    return " ".join(filter(None, leading)), ", ".join(filter(None, details))


def _stays_elsewhere(understanding: Understanding) -> bool:
    """Whether flights and hotels are looked for together, and the hotels not where the flights go."""
    goal, stay = understanding.flight.destination, understanding.hotel.city
    are_together = {"flight", "hotel"} <= {*understanding.agents}
    return are_together and goal is not None and stay is not None and goal.city != stay.city


def _is_carried(slot: Slot, understanding: Understanding) -> bool:
    value = getattr(understanding.of(slot.agent), slot.field)
    return slot.name in understanding.carried or value in (None, slot.empty)


def noted(understanding: Understanding) -> str:
    """Return what a message has told, for a question, which otherwise would not tell what was taken.

    "Noted: to Rome, 2 passengers."; "" if it has told nothing.
    """
    told = [
        _only(understanding),
        *newly_told(understanding),
        _not_there(understanding),
        _length(understanding),
    ]
    told = [one for one in told if one]
    return f"Noted: {', '.join(told)}." if told else ""


def _not_there(understanding: Understanding) -> str:
    """Where not to fly, as long as it is open where to: "not to Prague or Vienna"."""
    left_out = understanding.open_goal.left_out if understanding.open_goal else ()
    return f"not to {listed([place.city.name for place in left_out], 'or')}" if left_out else ""


def _length(understanding: Understanding) -> str:
    """How long a journey takes of which no day is known yet: "for 5 nights"."""
    is_open = understanding.flight.departure_date is None and understanding.hotel.nights is None
    is_told = understanding.length is not None and is_open
    return f"for {counted(understanding.length or 0, 'night')}" if is_told else ""


def _only(understanding: Understanding) -> str:
    """What is still wanted where a message has called off the rest: "hotels only", "" where it has not."""
    held = {slot.partition(".")[0] for slot in understanding.dropped}
    is_less = understanding.relation != "new" and not held <= {*understanding.wanted, "planner"}
    return f"{listed([FOUND[agent] for agent in understanding.wanted])} only" if is_less else ""


def newly_told(understanding: Understanding) -> list[str]:
    """Return what a message has told its agents, value by value. What they share is told once."""
    told, links = list[str](), set[str]()
    for agent in understanding.agents:
        slots = understanding.of(agent)
        for slot in slots_of(agent):
            words, value = WORDS[slot.name], getattr(slots, slot.field)
            is_known = slot.name in understanding.carried or slot.name in understanding.assumed
            is_told = slot.link in links and not (slot.name == "hotel.guests" and _needs_rooms(understanding))
            if words.told is None or is_known or value in (None, slot.empty) or is_told:
                continue
            links.update([slot.link] if slot.link else [])
            told.append(words.told(slots, value))
    return list(dict.fromkeys(filter(None, told)))


def limits_kept(agent: Agent, understanding: Understanding) -> str:
    """Return the limits of earlier messages on an agent's offers: "nonstop, up to €100"; "" if none."""
    slots = understanding.of(agent)
    values = [
        (WORDS[slot.name].told, getattr(slots, slot.field))
        for slot in slots_of(agent)
        if slot.filter is not None and slot.name in understanding.carried
    ]
    told = (words(slots, value) for words, value in values if words is not None and value not in (None, ()))
    return ", ".join(filter(None, told))


def _goes_without_saying(slot: Slot, understanding: Understanding) -> bool:
    """Whether it is a single room, or those who stay are those who fly."""
    flight, hotel = understanding.flight, understanding.hotel
    if slot.name == "hotel.rooms":
        return hotel.rooms in (None, slot.default)
    are_told = "flight" in understanding.agents and hotel.guests == flight.passengers
    if slot.name == "hotel.children":
        return are_told and hotel.children == flight.children
    return slot.name == "hotel.guests" and are_told and not _needs_rooms(understanding)


def _needs_rooms(understanding: Understanding) -> bool:
    """Whether the guests are so many that there have to be rooms of which nobody said how many."""
    return understanding.hotel.rooms is None and understanding.hotel.rooms_needed is not None


def doubts(understanding: Understanding, *, whole: bool = True) -> str:
    """Return what was taken for what the agents look for, and what it could have been instead, in sentences.

    Each is told once: flight and stay share most of them. "" where nothing is in doubt. Unless told as a
    `whole`, what the messages before this one left in doubt is no longer told.
    """
    told: dict[str, None] = {}
    for one in understanding.alternatives:
        if not one.taken or one.is_choice or one.slot.partition(".")[0] not in understanding.agents:
            continue
        if one.slot in understanding.carried and not whole:
            continue
        taken = f'"{one.said}" for {_readable(one.taken)}' if one.said else _readable(one.taken)
        taken += _of_what(one.slot)
        others = listed([_readable(other) for other in one.others], "or")
        told[f"I took {taken}; did you mean {others}?" if others else f"I took {taken}."] = None
    return " ".join(told)


def _of_what(slot: str) -> str:
    """What a value is of, where it does not show: "2 (passengers)"."""
    title = WORDS[slot].title
    return "" if ROWS[slot].type in (Place, date) or not title else f" ({title.lower()})"


def ask_for(
    missing: tuple[str, ...], *, alternatives: Iterable[Alternative] = (), period: Period | None = None
) -> str:
    """Return one sentence that asks for the missing slots, "" if nothing is missing.

    The city and the first day of a stay are not asked for along with those of the flight. Where a region was
    named the question offers its cities, which are among the `alternatives`; where a `period`, its days.
    """
    asked = [slot for slot in missing if not _is_answered_with(slot, missing)]
    choices = {one.slot: one for one in alternatives if not one.taken}
    # What is open for the stay is open for the flight of the same trip.
    choices = {_ANSWERED_BY.get(slot, slot): one for slot, one in choices.items()} | choices
    questions = [_question(slot, choices.get(slot), period) for slot in asked]
    if asked[-2:] == ["hotel.city", "hotel.check_in"] and not period and "hotel.city" not in choices:
        questions[-2:] = [_CITY_AND_DAY]
    return f"Please tell me {listed(questions)}." if questions else ""


def _is_answered_with(slot: str, missing: tuple[str, ...]) -> bool:
    return any(other.name in missing for other in answered_with(ROWS[slot]))


def _question(slot: str, choice: Alternative | None, period: Period | None) -> str:
    words = WORDS[slot]
    if choice and (not choice.said or (choice.is_proposed and ROWS[slot].type is Place)):
        others = [_readable(one) for one in _named_apart(choice.others)]
        return f"{words.question} ({listed(others, 'or')})"
    if choice and words.of_region:
        return f"{words.of_region.format(choice.said)} ({listed(_named_apart(choice.others), 'or')})"
    return words.of_period.format(_between(period)) if period and words.of_period else words.question


def _named_apart(cities: tuple[str, ...]) -> list[str]:
    """The cities without their countries, unless two of them bear one name."""
    names = [city.partition(",")[0] for city in cities]
    return names if len(set(names)) == len(names) else list(cities)


def refusals(understanding: Understanding, unsearched: Iterable[str] = ()) -> str:
    """Return what was said but could not be taken, and why; "" if there is nothing.

    One sentence tells all that nobody searches by, along with what else is `unsearched`, one all that was not
    understood, one all cities that are left out, and one each of the rest.
    """
    alike: dict[Reason, list[str]] = {"not_searched_by": [*unsearched], "not_understood": []}
    left_out = [one.said for one in understanding.refused if one.reason == "one_city_at_a_time"]
    sentences: dict[str, None] = {}
    for one in understanding.refused:
        if one.reason in alike:
            alike[one.reason].append(f'"{one.said}"')
        else:
            said = listed(list(dict.fromkeys(left_out))) if one.said in left_out else one.said
            sentences[_REFUSALS[one.reason].format(said, most=MOST_STOPS)] = None
    several = (
        _REFUSALS[reason].format(listed(list(dict.fromkeys(said)))) for reason, said in alike.items() if said
    )
    return " ".join([*sentences, *several])


def ages_assumed(understanding: Understanding, agents: Collection[Agent]) -> str:
    """Return at which age children are searched for whose age was not told, "" without any.

    `agents` are those whose sellers price by it.
    """
    of_each = {"flight": understanding.flight.children, "hotel": understanding.hotel.children}
    ages = max((ages for agent, ages in of_each.items() if agent in agents), key=len, default=())
    untold = ages.count(UNKNOWN_AGE)
    if not untold:
        return ""
    which = "the child is" if len(ages) == 1 else "one child is" if untold == 1 else f"{untold} children are"
    years = f"{ASSUMED_AGE} years" if untold == 1 else f"{ASSUMED_AGE} years for each"
    such_as = "the child is 4" if untold == 1 else "the kids are 4 and 9"
    return (
        f"You have not told how old {which}, and prices depend on it: I took {years}."
        f' Tell me, as in "{such_as}", and I search again.'
    )


def why_no_flight(flight: FlightSlots) -> str:
    """Return one sentence that tells why there is no flying between the two places, "" where there may be.

    The counterpart of `flight_query`, which yields no query there.
    """
    for place in (flight.origin, flight.destination):
        if place and not place.airports:
            return f"There is no airport in {place.city.name} that I know of."
    if not flight.origin or not flight.destination:
        return ""
    start, end = flight.origin.city, flight.destination.city
    if set(flight.origin.airports).isdisjoint(flight.destination.airports):
        return ""
    if start == end:
        return f"Start and destination are both {start.name}. Where would you like to go?"
    return f"{start.name} and {end.name} share an airport. Where would you like to go?"


def reached_by(understanding: Understanding) -> str:
    """Return which airports are flown to or from in place of those of the places named, "" if none are."""
    flight, tour = understanding.flight, understanding.tour
    ends: list[tuple[str, Place | None]] = []
    if "flight" in understanding.agents:
        ends = [("from", flight.origin), ("to", flight.destination)]
    elif tour is not None and "planner" in understanding.agents:
        ends = [("from", tour.start), *(("to", city) for city in tour.cities)]
    told = (_nearest_in_words(to, place) for to, place in ends if place and not place.airport)
    return " ".join(filter(None, told))


def airports_in_words(flight: FlightSlots) -> str:
    """Return the airports of a flight's places in a sentence, "" while no place is known."""
    ends = [("From", flight.origin), ("to" if flight.origin else "To", flight.destination)]
    told = [f"{to} {_airports_in_words(place)}" for to, place in ends if place]
    return f"{', '.join(told)}." if told else ""


def _airports_in_words(place: Place) -> str:
    nearest = None if place.airport else nearest_airport(place.city)
    if nearest is not None:
        return f"{nearest.city.name} ({nearest.code}), {nearest.km:.0f} km from {place.city.name}"
    return f"{place.city.name} ({', '.join(place.airports) or 'which has no airport that I know of'})"


def _nearest_in_words(to: str, place: Place) -> str:
    nearest = nearest_airport(place.city)
    if nearest is None:
        return ""
    also = "also " if place.city.airports else ""
    return (
        f"I {also}fly {to} {nearest.city.name} ({nearest.code}), {nearest.km:.0f} km from {place.city.name}."
    )


def not_searched_by(understanding: Understanding, *, whole: bool = True) -> list[str]:
    """Return what was understood but no search takes into account: "nearness to Pear Museum".

    By the name of what is to be booked nobody searches either, but it is picked by it. Unless told as a
    `whole`, what messages before this one wished is no longer told.
    """
    is_picked = understanding.booking is not None and understanding.booking.name is not None
    return [
        wish
        for agent in SLOTS
        if agent in understanding.agents
        for slot in slots_of(agent)
        if not (is_picked and slot.name in _PICKED_BY) and (whole or slot.name not in understanding.carried)
        for wish in _unsearched(slot, understanding.of(agent))
    ]


def _unsearched(slot: Slot, slots: AgentSlots) -> list[str]:
    """What was said for a slot and no search takes into account, one by one."""
    wished, value = WORDS[slot.name].wished, getattr(slots, slot.field)
    is_searched = slot.is_searched and searched_value(slot, slots) != slot.default
    if wished is None or value == slot.empty or is_searched:
        return []
    several: list[Any] = list(value) if slot.type == tuple[str, ...] else [value]
    return [words for one in several if (words := wished(slots, one))]


def _looked_for(agent: Agent, slots: AgentSlots, period: Period | None) -> str:
    """What an agent looks for: "flights to Rome on Mon 3 May 2027, 1 passenger, economy"."""
    leading, details = [FOUND[agent]], list[str]()
    for name, words in WORDS.items():
        slot = ROWS[name]
        if slot.agent != agent or words.told is None:
            continue
        value = getattr(slots, slot.field)
        value = slot.default if value is None else value
        said = "" if value in (None, "", ()) else words.told(slots, value)
        if value is None and slot.link == "first_day":
            said = _between(period)
        (leading if words.leads else details).append(said)
    return ", ".join(filter(None, [" ".join(filter(None, leading)), *details]))


def _tour_in_words(tour: TourWish) -> str:
    is_begun = tour.first_day is not None and tour.latest is None
    details = [
        _ordered_in_words(tour) if tour.ordered else _any_order_in_words(tour),
        f"{counted(tour.nights, 'night')} in each" if tour.nights else "",
        *(f"in {place_in_words(stay.city)} on {in_words(stay.on)}" for stay in tour.stays if stay.on),
        f"starting on {in_words(tour.first_day)}"
        if is_begun and tour.first_day
        else _within(tour.earliest, tour.latest),
        counted(tour.passengers or 1, "passenger"),
    ]
    return ", ".join(filter(None, details))


def _any_order_in_words(tour: TourWish) -> str:
    words = [
        f"a tour of {listed([_stop_in_words(tour, city) for city in tour.cities])} in any order",
        f"from {place_in_words(tour.start)}" if tour.start else "",
        "and back" if tour.returns else "",
    ]
    return " ".join(filter(None, words))


def _ordered_in_words(tour: TourWish) -> str:
    """The cities in their order: "a trip from Berlin to Rome (3 nights), then Athens and back to Berlin"."""
    start = f" from {place_in_words(tour.start)}" if tour.start else ""
    cities = ", then ".join(_stop_in_words(tour, city) for city in tour.cities)
    home = place_in_words(tour.start or tour.cities[0])
    return f"a trip{start} to {cities}{f' and back to {home}' if tour.returns else ''}"


def _stop_in_words(tour: TourWish, city: Place) -> str:
    nights = tour.stay_in(city).nights
    return f"{place_in_words(city)} ({counted(nights, 'night')})" if nights else place_in_words(city)


def _within(earliest: date | None, latest: date | None) -> str:
    """ "In March 2027", "between Mon 23 and Sun 29 November 2026", "not before Mon 1 March 2027"."""
    if earliest and latest:
        month = f" {MONTHS[latest.month - 1]} {latest.year}"
        first = in_words(earliest).removesuffix(month)
        if earliest.day == 1 and (latest + timedelta(days=1)).day == 1 and first != in_words(earliest):
            return f"in{month}"
        return f"between {first.removesuffix(f' {latest.year}')} and {in_words(latest)}"
    if earliest:
        return f"not before {in_words(earliest)}"
    return f"not after {in_words(latest)}" if latest else ""


def _between(period: Period | None) -> str:
    return _within(period.start, period.end) if period else ""


def _readable(value: str) -> str:
    try:
        return in_words(date.fromisoformat(value))
    except ValueError:
        return value


def others_named(understanding: Understanding, *, whole: bool = False) -> str:
    """Return what was searched of several places that a message names, and how to get to the others.

    "" where there are none, and for those that an earlier reply has told unless all is told as a `whole`.
    """
    told: dict[str, None] = {}
    for one in _choices(understanding):
        if whole or one.slot not in understanding.carried:
            others = listed([f'"{step}"' for step in _steps(one)], "or")
            told[f"I search for one city at a time, here {_name(one.taken)}; {others} searches there."] = None
    return " ".join(told)


def proposed_first(understanding: Understanding) -> str:
    """Return which of the places or days that a question proposes is the cheapest; "" if it proposes none."""
    first = next((one.others[0] for one in understanding.alternatives if one.is_proposed), "")
    named = _name(_readable(first))
    return (
        f'I would take {named}, the cheapest: that is all I know of them. "The cheapest" takes it.'
        if first
        else ""
    )


def steps_to_others(understanding: Understanding) -> list[str]:
    """Return the messages that search the places that were named beside those that are searched."""
    return list(dict.fromkeys(step for one in _choices(understanding) for step in _steps(one)))


def compared_in_words(fares: Sequence[GoalFare], *, is_return: bool) -> str:
    """Return what places cost to fly to, cheapest first, in a sentence; "" for fewer than two."""
    told = [f"{fare.city.name} from {price_in_words(fare.price)}" for fare in fares]
    if len(fares) < 2:
        return ""
    ways = "there and back" if is_return else f"on {in_words(fares[0].date)}"
    return f"By one-way fares {ways} for one, cheapest first: {listed(told)}."


def _choices(understanding: Understanding) -> Iterator[Alternative]:
    for one in understanding.alternatives:
        if one.is_choice and one.taken and one.slot.partition(".")[0] in understanding.agents:
            yield one


def _steps(one: Alternative) -> list[str]:
    from_there = "From " if one.slot == "flight.origin" else ""
    return [f"{from_there}{_name(other)} instead" for other in one.others]


def _name(place: str) -> str:
    return place.partition(",")[0]


def goals_in_words(fares: Sequence[GoalFare], flight: FlightSlots, *, is_warm: bool, is_return: bool) -> str:
    """Return places to fly to with what they cost, in a sentence; that there are none, if so.

    With `is_return` each fare is that of one way there and one way back, which a return may be cheaper than.
    """
    start = flight.origin.city.name if flight.origin else ""
    by = ", by latitude and season, which is all that I know of the weather" if is_warm else ""
    if not fares:
        return f"I found no {'warm ' if is_warm else ''}place for that from {start}{by}."
    told = [
        f"{fare.city.name} from {price_in_words(fare.price)} on {_day_in_words(fare.date)}" for fare in fares
    ]
    which = "Warm places" if is_warm else "Places"
    ways = _for_one(flight, "there and back by one-way fares" if is_return else "one way")
    return f"{which} to fly to from {start}{by}, {ways}: {listed(told)}."


def _day_in_words(day: date) -> str:
    """A day of the coming twelve months: "Thu 10 December"."""
    return in_words(day).removesuffix(f" {day.year}")


def days_in_words(fares: Sequence[GoalFare], flight: FlightSlots) -> str:
    """Return the cheapest days for a flight in a sentence, "" without any."""
    told = [f"{_day_in_words(fare.date)} from {price_in_words(fare.price)}" for fare in fares]
    most = flight.max_price
    is_beyond = (
        told and most and most.currency == fares[0].price.currency and fares[0].price.amount > most.amount
    )
    none_within = f"On no day is there one up to {price_in_words(most)}. " if most and is_beyond else ""
    return f"{none_within}The cheapest days, {_for_one(flight, 'one way')}: {listed(told)}." if told else ""


def _for_one(flight: FlightSlots, ways: str) -> str:
    """For which ways, and for how many of those who fly, a fare is told: "one way for one of the 2"."""
    several = f" of the {flight.passengers}" if (flight.passengers or 1) > 1 else ""
    return f"{ways} for one{several}"


def title_of(understanding: Understanding) -> str:
    """Return where the request goes, when, within which limits; "" if it is about no flight, stay or tour."""
    flight, hotel, tour = understanding.flight, understanding.hotel, understanding.tour
    if tour is not None:
        return _named(" and ".join(place.city.name for place in tour.cities), tour.earliest)
    if "flight" in understanding.wanted and flight.destination:
        route = f"{flight.origin.city.name} to {flight.destination.city.name}" if flight.origin else ""
        return _limited(_named(route or flight.destination.city.name, flight.departure_date), understanding)
    car = understanding.car
    if "hotel" not in understanding.wanted and car.city:
        return _limited(_named(f"Car in {car.city.city.name}", car.pick_up), understanding)
    return _limited(_named(hotel.city.city.name, hotel.check_in), understanding) if hotel.city else ""


def requested_in_words(agent: Agent, understanding: Understanding) -> dict[str, Any]:
    """Return what an agent is asked to find, for clients to show, with `words` for each of its limits.

    So a client can show a limit that it does not know: "with Linden Demo only".
    """
    asked = requested(agent, understanding)
    words = {slot.field: said for slot in slots_of(agent) if (said := _told(slot, understanding))}
    return {**asked, "words": words} if asked else {}


def _limited(name: str, understanding: Understanding) -> str:
    # Two requests for one place and day differ in these alone.
    limits = [_limit(ROWS[slot], understanding) for slot in WORDS]
    if understanding.flight.passengers == understanding.hotel.guests and "flight" in understanding.wanted:
        limits = [limit for limit in limits if limit != _limit(ROWS["hotel.guests"], understanding)]
    return ", ".join([name, *dict.fromkeys(filter(None, limits))])


def _limit(slot: Slot, understanding: Understanding) -> str:
    """Return the words for what a slot narrows; "" for places, days, and what nobody said or searches by."""
    agents: tuple[Agent, ...] = searching(understanding.wanted)
    return _told(slot, understanding) if slot.agent in agents else ""


def _told(slot: Slot, understanding: Understanding) -> str:
    if slot.is_asked or slot.link in ("goal", "first_day", "last_day"):
        return ""
    slots, told = understanding.of(slot.agent), WORDS[slot.name].told
    value = getattr(slots, slot.field)
    if told is None or not slot.is_searched or value in (None, slot.empty, slot.default):
        return ""
    return told(slots, value)


def _named(where: str, day: date | None) -> str:
    return f"{where}, {day.day} {MONTHS[day.month - 1]}" if day else where
