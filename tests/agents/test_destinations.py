"""Open and alternative destinations get fares, by all that was told before."""

import re
from datetime import date, timedelta
from decimal import Decimal

import pytest

OPEN = "anywhere cheap from Berlin on 15 January"


async def test_unwanted_places_are_not_suggested(house):
    first = await house.say("ada", OPEN)
    found = re.search(r"one way for one: (\w+) from .*?, (\w+) from", first)
    assert found, first
    one, other = found.groups()
    then = await house.say("ada", f"not {one} or {other}")
    assert "Places to fly to from Berlin, one way for one: " in then
    assert f"not to {one} or {other}" in then
    assert f"{one} from" not in then
    assert f"{other} from" not in then
    later = await house.say("ada", "for 2 people")
    assert "one way for one of the 2: " in later
    assert f"{one} from" not in later


async def test_country_to_avoid_is_not_suggested(house):
    reply = await house.say("ada", "flights from Berlin somewhere warm in February, avoid Spain")
    assert "Warm places to fly to from Berlin" in reply
    assert not {"Lanzarote", "Fuerteventura", "Tenerife", "Las Palmas", "Gran Canaria"} & {
        *re.findall(r"\w+", reply)
    }


def _least(reply):
    return float(re.search(r"from €([\d.]+)", reply).group(1))


async def test_fares_are_there_and_back_once_the_return_is_known(house):
    one_way = await house.say("ada", OPEN)
    both_ways = await house.say("ada", "back on the 17th")
    assert "Places to fly to from Berlin, there and back by one-way fares for one: " in both_ways
    assert _least(both_ways) > _least(one_way)
    within = await house.say("ada", f"max {_least(both_ways) + 1:.0f} euros")
    assert 0 < within.count(" from €") <= 2
    assert "there and back by one-way fares for one" in within


async def _suggested(house):
    response = await house.call("GET", "/history/ada")
    return response.json()["messages"][-1].get("suggestions", [])


@pytest.mark.parametrize(
    ("said", "goal", "other"),
    [
        ("flights from Brussels to geneva or innsbruck whatever is cheaper 20-27 feb", "Geneva", "Innsbruck"),
        ("fly from Berlin to Lisbon or Porto on 15 January, back on the 20th", "Lisbon", "Porto"),
    ],
)
async def test_fares_to_two_named_places_are_compared(house, said, goal, other):
    reply = await house.say("ada", said)
    assert f'I search for one city at a time, here {goal}; "{other} instead" searches there.' in reply
    assert "By one-way fares there and back for one, cheapest first: " in reply
    assert f"{goal} from €" in reply
    assert f"{other} from €" in reply
    assert "did you mean" not in reply
    assert f"{other} instead" in await _suggested(house)
    compared = await house.say("ada", "which of the two is cheaper?")
    assert "cheapest first: " in compared
    assert f"{other} from €" in compared
    then = await house.say("ada", f"{other} instead")
    assert f"to {other}" in then
    assert "one city at a time" not in then


async def test_cheaper_of_two_places_is_taken(house):
    reply = await house.say("ada", "is it cheaper to fly to Rome or to Milan from Brussels on 5 February?")
    cheapest = re.search(r"cheapest first: (\w+) from", reply)
    assert cheapest, reply
    assert cheapest.group(1) != "Rome", "that one is taken as it is"
    assert f"to {cheapest.group(1)}" in await house.say("ada", "ok the cheaper one, back on the 8th")


async def test_fares_are_compared_where_the_choice_changes_a_request(house):
    await house.say("ada", "fly from Berlin to Lisbon on 15 January, back on the 20th")
    reply = await house.say("ada", "Rome or Madrid instead, whichever is nicer")
    assert 'I compare cities by what it costs to fly there, and leave "whichever is nicer" to you.' in reply
    assert "Rome from €" in reply
    assert "Madrid from €" in reply
    assert "Madrid instead" in await _suggested(house)
    assert "Madrid" not in await house.say("ada", "2 people")


async def test_other_city_of_a_stay_is_a_step_away(house):
    reply = await house.say("ada", "hotel in Rome or Florence from 12 to 15 February")
    assert 'here Rome; "Florence instead" searches there.' in reply
    assert "By one-way fares" not in reply
    assert "in Florence" in await house.say("ada", "Florence instead")


async def test_cheapest_of_what_is_proposed_is_searched(house):
    asked = await house.say("ada", "a week of sun in February from Berlin")
    place = re.search(r"where to go \((.*?),", asked).group(1)
    asked = await house.say("ada", "ok do the cheapest")
    assert f"Noted: to {place}" in asked
    day = re.search(r"The cheapest days.*?: (\w+ \d+ \w+) from", asked).group(1)
    assert day in await house.say("ada", "take the cheapest one")


async def test_what_would_be_picked_of_what_is_proposed_is_the_cheapest(house):
    asked = await house.say("ada", "a week of sun in February from Berlin")
    place = re.search(r"where to go \((.*?),", asked).group(1)
    assert f"I would take {place}, the cheapest" in await house.say("ada", "hmm what would you pick")
    asked = await house.say("ada", "ok the cheapest")
    day = re.search(r"The cheapest days.*?: (\w+ \d+ \w+) from", asked).group(1)
    assert f"I would take {day}" in await house.say("ada", "which day would you choose?")


async def test_proposed_days_leave_other_days_open(house):
    asked = await house.say("ada", "flights from Berlin to Rome in February")
    assert "in February 2027" in asked
    assert "The cheapest days" in await house.say("ada", "which day is the cheapest?")
    fields = (await house.status("ada"))["input_request"]["schema"]["properties"]
    assert "oneOf" not in fields["departure_date"]
    assert "15 February" in await house.say("ada", "the 15th")


@pytest.mark.parametrize(
    ("left_open", "nights"),
    [
        ("on any day in February", 0),
        ("anytime in February", 0),
        ("in the week of 15 February, whatever day", 0),
        ("on the cheapest day in February for 5 nights", 5),
        ("in February, whenever it's cheapest, for a week", 7),
    ],
)
async def test_cheapest_day_is_taken_for_who_leaves_it_to_us(house, left_open, nights):
    reply = await house.say("ada", f"flights from Berlin to Rome {left_open}")
    compared = re.search(r"The cheapest days.*?: \w+ (\d+) February from", reply)
    number = compared.group(1)
    flight = (await house.status("ada"))["agents"]["flight"]["request"]
    assert flight["departure_date"] == f"2027-02-{int(number):02}"
    back = date(2027, 2, int(number)) + timedelta(days=nights)
    assert flight["return_date"] == (back.isoformat() if nights else None)


async def test_way_back_is_counted_from_the_day_that_was_taken(house):
    await house.say("ada", "flights from Berlin to Rome on the cheapest day of February")
    there = (await house.status("ada"))["agents"]["flight"]["request"]["departure_date"]
    await house.say("ada", "and coming back 5 days later")
    back = (await house.status("ada"))["agents"]["flight"]["request"]["return_date"]
    assert date.fromisoformat(back) - date.fromisoformat(there) == timedelta(days=5)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Flights from Munich to Athens on 8 December", "leave from Stuttgart if that's cheaper"),
        ("Flights from Munich to Athens on 8 December", "what if we fly on the 10th, is that cheaper?"),
        ("Flights from Munich to Athens on 8 December", "how much more would business class be?"),
        ("hotels in Rome from 3 to 6 February", "from the 10th to the 13th if that's less expensive"),
    ],
)
async def test_search_that_may_be_cheaper_is_held_against_the_one_before(house, first, then):
    kind = "hotel" if "hotels" in first else "flight"
    await house.say("ada", first)
    before = await _cheapest(house, kind)
    reply = await house.say("ada", then)
    now = await _cheapest(house, kind)
    apart = f"€{abs(now - before):,.2f} {'dearer' if now > before else 'cheaper'}"
    assert f"The cheapest {kind} is {apart} than before (€{before:,.2f})." in reply


async def test_place_that_is_wanted_beside_another_takes_its_place_and_says_so(house):
    await house.say("ada", "Flights from Munich to Athens on 8 December")
    before = await _cheapest(house, "flight")
    reply = await house.say("ada", "check from Stuttgart also")
    now = await _cheapest(house, "flight")
    assert "I search for one trip at a time, and this takes the place of Munich to Athens" in reply
    assert f"than before (€{before:,.2f})." in reply
    compared = await house.say("ada", "which is cheaper")
    first = "Munich" if before < now else "Stuttgart"
    assert compared.startswith(f"The cheapest was {first} to Athens, 8 December, from ")
    assert f"€{before:,.2f}" in compared
    assert f"€{now:,.2f}" in compared


@pytest.mark.parametrize("then", ["which is cheaper", "which one is cheaper?"])
async def test_flights_of_one_trip_are_held_against_each_other(house, then):
    await house.say("ada", "Flights from Munich to Athens on 8 December")
    assert (await house.say("ada", then)).startswith("Number 1, ")
    await house.say("ada", "Flights from Oslo to Rome on 9 December")
    assert (await house.say("ada", then)).startswith("Number 1, ")


async def test_limit_below_all_fares_is_told_with_the_question_for_a_day(house):
    await house.say("ada", "flights from Berlin to Rome in February")
    reply = await house.say("ada", "max 5")
    assert "On no day is there one up to €5. The cheapest days, one way for one: " in reply


async def test_search_that_nobody_compares_is_told_alone(house):
    await house.say("ada", "Flights from Munich to Athens on 8 December")
    assert "than before" not in await house.say("ada", "on the 10th")
    assert "than before" not in await house.say("ada", "something cheaper, nonstop")


async def _cheapest(house, kind):
    return min(Decimal(offer["price_total"]["amount"]) for offer in await house.found("ada", kind))


async def test_what_a_limit_keeps_out_is_told_behind_another_that_kept_out_all(house):
    day = "flights from Frankfurt to London on 10 December, nonstop, under 20 euros"
    assert 'Without "up to €20" I have' in await house.say("ada", day)
    assert "The nearest is" in await house.say("ada", "leaving between 2 and 3 am")


async def test_cheapest_of_each_number_of_stars_is_told(house):
    await house.say("ann", "hotels in Rome from 10 to 12 December")
    told = await house.say("ann", "how much are 2 star hotels, and the 3 star ones?")
    assert re.search(r"\d+ have 2 stars, from .* for €.*; \d+ have 3 stars, from .* for €", told)


async def test_place_of_another_service_is_meant_by_there(house):
    assert "weather" in await house.say("ann", "how's the weather in Lisbon")
    assert "from Berlin to Lisbon" in await house.say("ann", "flights there from Berlin on 5 January")


async def test_more_guests_than_a_room_takes_are_the_reason(house):
    await house.say("ann", "hotels in Rome from 10 to 12 December for 5 people")
    told = await house.say("ann", "five in one room")
    assert told.endswith('5 guests in 1 room are more than houses take; say "2 rooms", and I look for these.')
