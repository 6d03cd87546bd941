"""What the page says in its user's place changes just what was clicked, whatever was said before.

The sentences are worded by the page's own code. What each may change is written down here from its meaning.
"""

import json
import random
from dataclasses import replace
from datetime import time, timedelta
from decimal import Decimal

import pytest

from backend.domain.encoding import encode
from backend.travel.understanding.english.wording import requested_in_words
from backend.travel.understanding.places.gazetteer import in_full
from backend.travel.understanding.queries import flight_query, hotel_query
from backend.travel.understanding.result import Place
from backend.travel.understanding.slot_table import ROWS
from backend.travel.understanding.understand import understand
from backend.travel.values.places import CITIES, NAMED_DISTRICTS
from backend.travel.values.travel import Money
from tests.frontend.saying import said
from tests.understanding.conversation import TODAY, told
from tests.understanding.test_slot_table import EXAMPLES, FLIGHT, RENTAL, STAY

SEED = 20
ROUNDS = 4
FIRST_DAY = TODAY + timedelta(days=30)

SITUATIONS = {
    "flights": ["Find flights from {a} to {b} on {go}"],
    "flights there and back": ["flights from {a} to {b} on {go}, back on {back}, for 2 people"],
    "a hotel": ["Find a hotel in {b} from {go} to {back}"],
    "a hotel for some nights": ["hotels in {b} from {go} for 3 nights for 2 people"],
    "both in one": ["Find flights from {a} to {b} on {go} and a hotel there for 5 nights"],
    "both there and back": ["flights and hotels in {b} from {a}, from {go} to {back}"],
    "flights, then a hotel": ["Find flights from {a} to {b} on {go}", "and a hotel there for 3 nights"],
    "a hotel, then flights": ["Find a hotel in {b} from {go} to {back}", "and flights from {a}"],
    "both, wished in detail": [
        "business class flights from {a} to {b} on {go}, back on {back}, for 2 people",
        "at most 1 stop, under 900 euros",
        "and a hotel there with 4 stars under 150 euros a night, 2 rooms",
    ],
    "flights at certain times": [
        "flights from {a} to {b} on {go}, leaving after 9 am",
        "and a hotel there for 4 nights rated 8 or better",
    ],
    "both, after small talk": ["flights and hotels in {b} from {a}, from {go} to {back}", "thanks!"],
    "both, after a change": [
        "flights and hotels in {b} from {a}, from {go} to {back}",
        "make the hotel 3 stars",
        "actually nonstop flights",
    ],
    "both, after a booking": [
        "flights and hotels in {b} from {a}, from {go} to {back}",
        "book the cheapest flight",
    ],
    "both, each for others": [
        "flights from {a} to {b} on {go}, back on {back}, for 3 people",
        "and a hotel there for 2 guests",
    ],
    "both, each on days of its own": [
        "flights from {a} to {b} on {go} and a hotel there from {back} for 3 nights",
    ],
    "both, in two cities": [
        "flights from {a} to {b} on {go}, back on {back}",
        "and a hotel in {c}",
    ],
    "a district": [
        "Find flights from Berlin to Tokyo on {go}, back on {back}",
        "a hotel in Shinjuku with 5 stars",
    ],
}  # fmt: skip


def situations():
    """Yield each situation with other places and days in every round: its name, and what is understood."""
    dice = random.Random(SEED)
    hubs = [city for city in CITIES if city.tier == 1]
    for turn in range(ROUNDS):
        for name, messages in SITUATIONS.items():
            a, b, c = (in_full(city) for city in dice.sample(hubs, 3))
            go = FIRST_DAY + timedelta(days=dice.randrange(250))
            days = {"go": spelled(go), "back": spelled(go + timedelta(days=dice.randrange(2, 20)))}
            yield f"{name}, {turn}", told(*(each.format(a=a, b=b, c=c, **days) for each in messages))


def spelled(day):
    return f"{day.day} {day:%B} {day.year}"


def last_day(hotel):
    return hotel.check_out or (hotel.nights and hotel.check_in and hotel.check_in + timedelta(hotel.nights))


def moved(end, start, new_start):
    """An end that its start overtakes moves on with it."""
    return end if end is None or end > new_start else new_start + (end - start)


def same_city(before):
    goal, stay = before.flight.destination, before.hotel.city
    return goal is not None and stay is not None and goal.city == stay.city


# What each click means: (before, value) -> (flight, hotel). The flight is only clicked on where it is wanted.


def leave_from(before, city):
    return replace(before.flight, origin=Place(city=city)), before.hotel


def go_to(before, city):
    flight = replace(before.flight, destination=Place(city=city))
    return flight, hotel_city(before, city)[1] if same_city(before) else before.hotel


def hotel_city(before, city):
    return before.flight, replace(before.hotel, city=Place(city=city), district=None, name=None)


def leave_on(before, day):
    flight, hotel = before.flight, before.hotel
    start = flight.departure_date
    if hotel.check_in == start and "hotel" in before.wanted:
        hotel = replace(hotel, check_in=day, check_out=moved(hotel.check_out, start, day))
    return replace(flight, departure_date=day, return_date=moved(flight.return_date, start, day)), hotel


def return_on(before, day):
    flight, hotel = before.flight, before.hotel
    if flight.return_date is not None and flight.return_date == last_day(hotel):
        hotel = replace(hotel, check_out=day, nights=None)
    return replace(flight, return_date=day), hotel


def one_way(before):
    return replace(before.flight, return_date=None), before.hotel


def fly_to(before, city):
    return replace(before.flight, destination=Place(city=city)), before.hotel


def people(before, count):
    flight = replace(before.flight, passengers=count) if "flight" in before.wanted else before.flight
    return flight, replace(before.hotel, guests=count) if "hotel" in before.wanted else before.hotel


def check_in(before, day):
    hotel = before.hotel
    check_out = moved(hotel.check_out, hotel.check_in, day)
    return before.flight, replace(hotel, check_in=day, check_out=check_out)


def check_out(before, day):
    return before.flight, replace(before.hotel, check_out=day, nights=None)


def of_flight(slot):
    return lambda before, value: (replace(before.flight, **{slot: value}), before.hotel)


def of_hotel(slot):
    return lambda before, value: (before.flight, replace(before.hotel, **{slot: value}))


def departure(before, between):
    first, last = between
    return replace(before.flight, departs_after=first, departs_before=last), before.hotel


FLIGHT_CLICKS = {
    "leaveFrom": leave_from,
    "goTo": go_to,
    "flyTo": fly_to,
    "leaveOn": leave_on,
    "returnOn": return_on,
    "oneWay": one_way,
    "people": people,
    "passengers": of_flight("passengers"),
    "cabin": of_flight("cabin_class"),
    "stops": of_flight("max_stops"),
    "flightBudget": of_flight("max_price"),
    "departure": departure,
}
HOTEL_CLICKS = {
    "hotelCity": hotel_city,
    "district": of_hotel("district"),
    "checkIn": check_in,
    "checkOut": check_out,
    "people": people,
    "guests": of_hotel("guests"),
    "rooms": of_hotel("rooms"),
    "stars": of_hotel("stars"),
    "hotelBudget": of_hotel("max_price"),
    "score": of_hotel("min_score"),
}


def is_another_button(click, before):
    """Whether that is another button: there is one for both where flight and stay go together, else two."""
    if before.wanted != ("flight", "hotel"):
        return False
    are_the_same = before.flight.passengers == before.hotel.guests
    apart = {"goTo": not same_city(before), "people": not are_the_same}
    return apart.get(click, are_the_same and click in ("passengers", "guests"))


def values_for(click, before, dice):
    """Return what may be clicked: each value as it is meant, and as the page has it."""
    flight, hotel = before.flight, before.hotel
    if is_another_button(click, before):
        return []
    if click in ("leaveFrom", "goTo", "flyTo", "hotelCity"):
        known = [place.city for place in (flight.origin, flight.destination, hotel.city) if place]
        cities = dice.sample([city for city in CITIES if city not in known and city.airports], 2)
        return [(cities[0], in_full(cities[0])), (cities[1], cities[1].label)]
    if click in ("leaveOn", "checkIn"):
        start = flight.departure_date if click == "leaveOn" else hotel.check_in
        days = [
            start + timedelta(days=dice.choice([-3, -2, -1, 1, 2, 3])),
            start + timedelta(dice.randrange(4, 60)),
        ]
        return [(day, day.isoformat()) for day in days]
    if click in ("returnOn", "checkOut"):
        start = flight.departure_date if click == "returnOn" else hotel.check_in
        day = start + timedelta(days=dice.randrange(1, 40))
        return [(day, day.isoformat())]
    if click == "cabin":
        return [(each, each) for each in ("economy", "premium_economy", "business", "first")]
    if click in ("flightBudget", "hotelBudget"):
        each = {
            "amount": f"{dice.randrange(30, 3000)}.{dice.choice(['00', '50', '95'])}",
            "currency": dice.choice(["EUR", "USD", "GBP"]),
        }
        return [(Money(amount=Decimal(each["amount"]), currency=each["currency"]), each), (None, None)]
    if click == "district":
        named = NAMED_DISTRICTS.get(hotel.city.city.label, ())
        one = [(each.name, each.name) for each in dice.sample(named, min(2, len(named)))]
        return [*one, (None, "")]
    if click == "departure":
        noon, evening = time(12), time(18)
        between = [(None, noon), (noon, evening), (evening, None), (None, None)]
        return [(each, [one and f"{one:%H:%M}" for one in each]) for each in between]
    if click == "score":
        return [(None, None), *((float(each), each) for each in (7, 8, 9))]
    if click in ("stops", "stars"):
        counts = (None, 0, 1, 2) if click == "stops" else (None, 2, 3, 4, 5)
        return [(each, each) for each in counts]
    return [(each, each) for each in (1, dice.randrange(2, 9))]


def clicks():
    """Yield every click in every situation: the situation, what is understood, the call, and its meaning."""
    dice = random.Random(SEED)
    for name, before in situations():
        of = {
            **(FLIGHT_CLICKS if "flight" in before.wanted else {}),
            **(HOTEL_CLICKS if "hotel" in before.wanted else {}),
        }
        for click, meaning in of.items():
            if click == "oneWay":
                yield name, before, (click, []), meaning(before)
                continue
            for value, given in values_for(click, before, dice):
                arguments = given if isinstance(given, list) else [given]
                yield name, before, (click, arguments), meaning(before, value)


def misread(name, before, sentence, meant):
    after = understand(sentence, previous=before, today=TODAY)
    flight, hotel = meant
    if (flight, hotel) == (before.flight, before.hotel):
        return ""
    wrong = [
        f"{slot}: {getattr(got, slot)} instead of {getattr(wanted, slot)}"
        for got, wanted in ((after.flight, flight), (after.hotel, hotel))
        for slot in type(got).__slots__
        if getattr(got, slot) != getattr(wanted, slot)
    ]
    changed = {
        agent
        for agent, one, other in (("flight", before.flight, flight), ("hotel", before.hotel, hotel))
        if one != other
    }
    if not changed <= set(after.agents):
        wrong.append(f"only {after.agents} are to act")
    # A district goes with its city, and is named.
    if any(one.reason != "of_another_city" for one in after.refused):
        wrong.append(f"refused: {after.refused}")
    for slot in ("missing", "alternatives", "booking", "tour"):
        if getattr(after, slot):
            wrong.append(f"{slot}: {getattr(after, slot)}")
    if (after.relation, after.wanted) != ("refine", before.wanted):
        wrong.append(f"{after.relation}, {after.wanted} wanted")
    return f"{name}: {sentence!r}: {'; '.join(wrong)}" if wrong else ""


@pytest.mark.requirement("CLICKS-SAY-WHAT-THEY-MEAN")
def test_click_changes_what_was_clicked_and_nothing_else():
    made = list(clicks())
    sentences = said(call for _, _, call, _ in made)
    faults = [
        misread(name, before, sentence, meant)
        for (name, before, _, meant), sentence in zip(made, sentences, strict=True)
    ]
    assert len(faults) > 1000
    assert [fault for fault in faults if fault] == []


def asked_of(understood):
    """What the page knows of a task that was asked for that."""
    agents = {agent: {"request": requested_in_words(agent, understood)} for agent in understood.agents}
    return json.loads(encode({"agents": agents}))


SAID_SINCE = ("2 days later", "for 5 people", "3-star hotels", "business class", "under 700 euros per person")


def facts(understood):
    return understood.flight, understood.hotel, understood.agents, understood.wanted


def goal(understood):
    return (understood.flight.destination or understood.hotel.city).city


def test_request_is_taken_up_again_as_it_was_whatever_was_asked_for_since():
    left = [replace(before, agents=before.wanted) for _, before in situations()]
    sentences = said(("takeUpAgain", [asked_of(one)]) for one in left)
    dice = random.Random(SEED)
    wrong = []
    for one, sentence in zip(left, sentences, strict=True):
        others = dice.sample([each for each in left if goal(each) != goal(one)], 3)
        since = [understand(each, previous=one, today=TODAY) for each in SAID_SINCE]
        same_goal = [each for each in since if facts(each)[:2] != facts(one)[:2]]
        for previous in (others[0], *dice.sample(same_goal, min(2, len(same_goal)))):
            understood = understand(
                sentence, previous=previous, today=TODAY, recent=others, alike=[*same_goal, one]
            )
            if understood.resumes is None or facts(understood) != facts(one):
                wrong.append((sentence, understood.relation, understood.resumes))
    assert wrong == []


LIMITS = (
    ("flights from Berlin to Rome on 3 May", "leaving after 6 pm", "leaving between 9:30 and 11:00"),
    ("flights from Berlin to Rome on 3 May", "nonstop, leaving by noon", "leaving after 12:05"),
    ("hotels in Rome from 3 to 6 May", "rated 8.5 or better", "rated 9 or better"),
    ("flights and hotels in Rome from Berlin 3 to 6 May", "leaving in the morning", "rated 8 or better"),
)


@pytest.mark.parametrize(("before", "one", "other"), LIMITS)
def test_of_requests_with_different_limits_the_one_that_was_clicked_is_taken_up(before, one, other):
    first = understand(before, previous=None, today=TODAY)
    requests = [first, *(understand(limit, previous=first, today=TODAY) for limit in (one, other))]
    requests = [replace(each, agents=each.wanted) for each in requests]
    sentences = said(("takeUpAgain", [asked_of(each)]) for each in requests)
    left = understand("flights from Oslo to Lima on 5 May", previous=requests[-1], today=TODAY)
    for request, sentence in zip(requests, sentences, strict=True):
        understood = understand(
            sentence, previous=left, today=TODAY, recent=requests[-1:], alike=requests[:2]
        )
        assert (facts(understood), understood.refused) == (facts(request), ()), sentence


def test_so_it_is_where_nothing_else_was_asked_for_since():
    left = [replace(before, agents=before.wanted) for _, before in situations()]
    sentences = said(("takeUpAgain", [asked_of(one)]) for one in left)
    for one, sentence in zip(left, sentences, strict=True):
        for previous in (one, replace(one, relation="stop")):
            understood = understand(sentence, previous=previous, today=TODAY)
            assert (flight_query(understood), hotel_query(understood)) == (
                flight_query(one),
                hotel_query(one),
            )
            assert (understood.agents, understood.refused, understood.missing) == (one.agents, (), ())


def test_wish_that_the_page_has_no_input_for_is_said_as_it_is_shown():
    shown = {name: words for name, (_, _, words) in EXAMPLES.items() if ROWS[name].filter and words}
    what = {"flight": ("Flights", FLIGHT), "hotel": ("Hotels", STAY), "car": ("Rental cars", RENTAL)}
    sentences = said(("wish", [what[ROWS[name].agent][0], words]) for name, words in shown.items())
    for name, sentence in zip(shown, sentences, strict=True):
        slot = ROWS[name]
        known, again = told(EXAMPLES[name][0]), told(what[slot.agent][1], sentence)
        assert again.of(slot.agent) == known.of(slot.agent), sentence


@pytest.mark.parametrize("name", [name for name, slot in ROWS.items() if slot.filter])
def test_request_is_told_with_all_its_limits_to_be_taken_up_again(name):
    limited = told(EXAMPLES[name][0])
    plain = told({"flight": FLIGHT, "hotel": STAY, "car": RENTAL}[ROWS[name].agent])
    [sentence] = said([("takeUpAgain", [asked_of(limited)])])
    for alike in ([limited, plain], [plain, limited]):
        since = told("flights from Paris to Madrid on 3 June")
        understood = understand(sentence, previous=since, today=TODAY, recent=[since], alike=alike)
        assert facts(understood) == facts(limited), sentence
