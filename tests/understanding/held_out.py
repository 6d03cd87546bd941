"""Phrases as a person types them, written before the rules that read them: 30 with dates, 30 with places.

Each is a message with what it must come to, on Friday 20 November 2026. What is told: slots that are filled
(`flight`, `hotel`), the `period` out of which the day of departure is open, what was `refused`, and
`choices`, of which each must be offered.
"""

from dataclasses import dataclass, field
from datetime import date, time
from typing import Any

FROM_BERLIN_TO_ROME = "flights from Berlin to Rome "


@dataclass(frozen=True, slots=True)
class Phrase:
    said: str
    flight: dict[str, Any] = field(default_factory=dict)
    hotel: dict[str, Any] = field(default_factory=dict)
    period: tuple[str, str] | None = None
    refused: str = ""
    choices: tuple[str, ...] = ()


def out(said: str, departure: str, back: str | None = None, *others: str) -> Phrase:
    """A flight from Berlin to Rome that leaves, and comes back, on those days."""
    flight: dict[str, Any] = {"departure_date": date.fromisoformat(departure)}
    if back:
        flight["return_date"] = date.fromisoformat(back)
    return Phrase(FROM_BERLIN_TO_ROME + said, flight=flight, choices=others)


def some_day(said: str, first: str, last: str) -> Phrase:
    """A flight from Berlin to Rome on some day of a period."""
    return Phrase(FROM_BERLIN_TO_ROME + said, period=(first, last))


def route(said: str, origin: str = "", destination: str = "", *choices: str, refused: str = "") -> Phrase:
    """A flight between these two, named as they are shown; "" where nothing must be taken."""
    ends = {"origin": origin, "destination": destination}
    flight = {name: place for name, place in ends.items() if place}
    return Phrase(said, flight=flight, choices=choices, refused=refused)


def stay(said: str, city: str = "", district: str = "", *choices: str, refused: str = "") -> Phrase:
    """A hotel in this city; "" where nothing must be taken."""
    where = {"city": city, "district": district}
    hotel = {name: place for name, place in where.items() if place}
    return Phrase(said, hotel=hotel, choices=choices, refused=refused)


DATES = (
    out("leaving Saturday week", "2026-11-28"),
    out("the last weekend in January", "2027-01-30", "2027-01-31"),
    out("from the 3rd to the 10th of Feb", "2027-02-03", "2027-02-10"),
    out("over Easter", "2027-03-26", "2027-03-29"),
    out("the Friday before Christmas", "2026-12-18"),
    out("the day before Thanksgiving", "2026-11-25"),
    out("on 1/2/27", "2027-02-01", None, "2027-01-02"),
    some_day("mid January for ten days", "2027-01-11", "2027-01-20"),
    out("in a fortnight", "2026-12-04"),
    out("tomorrow week", "2026-11-28"),
    out("on the second Saturday of December", "2026-12-12"),
    out("between Christmas and New Year", "2026-12-25", "2027-01-01"),
    out("leaving on Monday and coming back on Wednesday", "2026-11-23", "2026-11-25"),
    out("next month on the 15th", "2026-12-15"),
    Phrase(
        FROM_BERLIN_TO_ROME + "Sunday evening",
        flight={"departure_date": date(2026, 11, 22), "departs_after": time(18)},
    ),
    out("three weeks from Saturday", "2026-12-12"),
    out("12th to 15th", "2026-12-12", "2026-12-15"),
    out("on New Year's Day", "2027-01-01"),
    out("December 23rd through January 2nd", "2026-12-23", "2027-01-02"),
    some_day("the week after next", "2026-11-30", "2026-12-06"),
    some_day("at the end of March", "2027-03-21", "2027-03-31"),
    some_day("in the first week of April", "2027-04-01", "2027-04-07"),
    Phrase(
        FROM_BERLIN_TO_ROME + "on 30 February", refused="30 February", period=("2027-02-01", "2027-02-28")
    ),
    Phrase(
        FROM_BERLIN_TO_ROME + "leaving 10 December, returning 3 December",
        flight={"departure_date": date(2026, 12, 10)},
        refused="3 December",
    ),
    some_day("a long weekend in March", "2027-03-01", "2027-03-31"),
    out("on the 29th for a week", "2026-11-29", "2026-12-06"),
    some_day("any day in June", "2027-06-01", "2027-06-30"),
    Phrase(
        FROM_BERLIN_TO_ROME + "first thing Tuesday",
        flight={"departure_date": date(2026, 11, 24), "departs_after": time(5), "departs_before": time(8)},
    ),
    some_day("in summer", "2027-06-01", "2027-08-31"),
    out("a week on Tuesday", "2026-12-01"),
)

PLACES = (
    route("flights from Muenster to Ibiza", "Munster", "Ibiza"),
    stay("hotels in Saigon", "Ho Chi Minh City"),
    route("flights from Philly to Vegas", "Philadelphia", "Las Vegas"),
    stay("a hotel in Saint Petersburg", "Saint Petersburg", "", "Saint Petersburg, Florida"),
    route("flights from Portland, Maine to Paris, Texas", "Portland", "Paris"),
    route("fly from London Ontario to London England", "London", "London"),
    route("flights to Atlantis", refused="Atlantis"),
    route("flights from Berlin to Japan", "Berlin", "", "Tokyo, Japan", "Osaka, Japan"),
    stay("hotels in Tuscany", "", "", "Florence, Italy", "Pisa, Italy"),
    route("flights to the Canary Islands", "", "", "Tenerife, Spain", "Gran Canaria, Spain"),
    route("flights to Xanadu", refused="Xanadu"),
    stay("nice hotels in Nice", "Nice"),
    route("flights from reading to cork", "Reading", "Cork"),
    stay("I'm mobile, find hotels in Bath", "Bath"),
    route("flights from Oslo to Paris or Rome", "Oslo", "Paris", "Rome, Italy"),
    route("FLIGHTS FROM JFK TO LHR", "JFK", "LHR"),
    stay("hotel in Shoreditch", "London", "Shoreditch"),
    route("flights from Stuttgard to Kopenhagen", "Stuttgart", "Copenhagen"),
    route("flights to Roma from Milano", "Milan", "Rome"),
    route("Wien to Praha", "Vienna", "Prague"),
    stay("hotel close to the Eiffel Tower", "Paris", "Eiffel Tower"),
    route("flights from Sao Paolo to Bogota", "São Paulo", "Bogotá"),
    route("flights to Georgia", "", "", "Tbilisi, Georgia", "Atlanta, Georgia"),
    route("flights from Washington to Boston", "Washington", "Boston"),
    route("flights from Springfield to Chicago", "Springfield", "Chicago", "Springfield, Illinois"),
    stay("hotel in New York near Central Park", "New York", "Central Park"),
    route("flights from the Bay Area to Hawaii", "San Francisco", "Honolulu"),
    route("a flight from Newark to Gatwick", "EWR", "LGW"),
    route("fly to Mallorca from Köln", "Cologne", "Palma de Mallorca"),
    stay("hotels in the Lake District", refused="Lake District"),
)
