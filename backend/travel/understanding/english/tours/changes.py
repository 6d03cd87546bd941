"""What a short message changes about a tour: "2 nights each", "add Madrid after Rome", "without Athens",
"in June", "4 nights in Rome", "I must be in Rome on 10 January".
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from ....values.tour import MOST_STOPS
from ...message import Tour
from ...places.gazetteer import load_gazetteer
from ...result import Place, Refused, TourStay, TourWish
from ..details.shifts import repeats
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from ..places.finder import PlaceMention
from ..places.places import named_places
from ..talk.closing import is_closing
from ..talk.questions import asks_about
from ..topics.mentions import has_another_service
from ..topics.words import AGENT_NAMES
from . import words
from .orders import nights_by_city
from .tours import Said, read_said, start_of

_SAID = phrases_of("tours")
_WORDS = words_of("tours")


def changed_tour(text: Text, tour: TourWish, *, today: date) -> Tour | None:
    """Return the tour as a message changes it, or asks for it once more; None if it does neither."""
    if repeats(text):
        return Tour(wish=tour)
    if _is_about_something_else(text):
        return None
    said = read_said(text, today=today, near=tour.earliest)
    places = tuple(
        one for one in named_places(text, load_gazetteer(), taken=said.taken) if one.place or one.is_unknown
    )
    named = [one for one in places if one.role not in ("origin", "back") or _is_visited(tour, one)]
    swapped = _swapped(text, tour, named)
    if swapped:
        return Tour(wish=replace(tour, cities=swapped, ordered=True))
    cities = _changed_cities(text, tour, named)
    if cities is None or len(cities) < 2:
        return None
    too_many = tuple(Refused(said=city.city.name, reason="too_many_cities") for city in cities[MOST_STOPS:])
    cities, ordered = _in_order(text, tour, cities, named)
    there = _day_there(tour, named, said)
    nights = _nights_there(text, tour, cities, named)
    changed = replace(
        tour if there else _with_what_is_said(tour, said, is_of_one_city=bool(nights)),
        start=start_of(text, places) or tour.start,
        cities=cities[:MOST_STOPS],
        ordered=ordered,
        returns=_returns(text, tour),
    )
    changed = replace(changed, stays=_stays(changed, nights, there))
    refused = tuple(one for one in said.refused if not nights or one.reason != "not_searched_by")
    is_change = changed != tour or too_many or refused
    return Tour(wish=changed, refused=(*refused, *too_many)) if is_change else None


def _is_visited(tour: TourWish, one: PlaceMention) -> bool:
    return one.place is not None and Place(city=one.place.city) in tour.cities


def _day_there(tour: TourWish, named: Sequence[PlaceMention], said: Said) -> TourStay | None:
    """The day on which somebody must be in one of the cities: "I must be in Rome on 10 January"."""
    if said.day is None or len(named) != 1 or named[0].role != "stay" or named[0].place is None:
        return None
    city = Place(city=named[0].place.city)
    return TourStay(city=city, on=said.day) if city in tour.cities else None


def _nights_there(
    text: Text, tour: TourWish, cities: Sequence[Place], named: Sequence[PlaceMention]
) -> Mapping[Place, int]:
    """The nights in single cities: "4 nights in Rome", "add Madrid after Rome, 2 nights"."""
    told, _ = nights_by_city(text, named)
    come = [city for city in cities if city not in tour.cities]
    found = {Place(city=one.place.city): told[one.first] for one in named if one.place and one.first in told}
    if len(come) == 1 and len(found) == 1 and come[0] not in found and not text.has(_SAID.nights_in):
        return {come[0]: next(iter(found.values()))}
    return found


def _stays(tour: TourWish, nights: Mapping[Place, int], there: TourStay | None) -> tuple[TourStay, ...]:
    """What is told of single cities, after the message."""
    stays = (tour.stay_in(city) for city in tour.cities)
    stays = (replace(stay, nights=nights.get(stay.city, stay.nights)) for stay in stays)
    stays = (replace(stay, on=there.on) if there and there.city == stay.city else stay for stay in stays)
    return tuple(stay for stay in stays if stay.nights or stay.on)


def _is_about_something_else(text: Text) -> bool:
    names_an_agent = not text.vocabulary.isdisjoint(AGENT_NAMES)
    is_talk = is_closing(text) or asks_about(text) or has_another_service(text, "none")
    return text.length > words.LONGEST_CHANGE or names_an_agent or is_talk


def _with_what_is_said(tour: TourWish, said: Said, *, is_of_one_city: bool) -> TourWish:
    in_all = said.nights_in_all if tour.nights and said.latest is None and not is_of_one_city else None
    nights = said.nights or in_all
    is_dated = said.earliest is not None or said.latest is not None
    return replace(
        tour,
        nights=nights or tour.nights,
        earliest=said.earliest if said.earliest else tour.earliest,
        latest=said.latest if is_dated and (said.latest or said.earliest) else tour.latest,
        passengers=said.passengers or tour.passengers,
        first_day=said.first_day if is_dated else tour.first_day,
        stays=() if said.nights else tour.stays,
    )


def _returns(text: Text, tour: TourWish) -> bool:
    if text.has(_SAID.does_not_return):
        return False
    return tour.returns or text.has(_SAID.returns)


def _changed_cities(text: Text, tour: TourWish, places: Sequence[PlaceMention]) -> tuple[Place, ...] | None:
    """The cities with those that are added, and without those not wanted; None where that is unclear."""
    cities = tour.cities
    named = [(one, Place(city=one.place.city)) for one in places if one.place]
    if len(named) < len(places):
        return None
    gone = [city for one, city in named if _is_removed(text, one)]
    come = [city for _, city in named if city not in gone and city not in cities]
    if come and not gone and not text.has(_SAID.adds):
        return None
    left = list(cities)
    if tour.ordered and come and not gone:
        at = _place_in_order(text, left, named)
        return (*left[:at], *come, *left[at:])
    for city in gone:
        if city not in left:
            return None
        at = left.index(city)
        left[at : at + 1] = [come.pop(0)] if come else []
    return (*left, *come)


def _swapped(text: Text, tour: TourWish, places: Sequence[PlaceMention]) -> tuple[Place, ...]:
    """The cities of a tour with two of them in each other's place, or one before another; () if none are.

    "Swap Hanoi and Bangkok", "Hanoi and Bangkok the other way round", "Hanoi before Bangkok".
    """
    named = [(one, Place(city=one.place.city)) for one in places if one.place]
    if len(named) < 2 or any(city not in tour.cities for _, city in named[:2]):
        return ()
    (first, one), (second, other) = named[:2]
    between = {text.norm(at) for at in range(first.after, second.first)}
    order = list(tour.cities)
    is_swap = text.match_before(_SAID.swaps, first.first, within=words.WORDS_TO_WHAT_IS_SWAPPED)
    if (is_swap and between <= _WORDS.swapped_with) or (text.has(_SAID.other_way) and between == {"and"}):
        here, there = order.index(one), order.index(other)
        order[here], order[there] = other, one
    elif between in ({"before"}, {"after"}):
        order.remove(one)
        order.insert(order.index(other) + ("after" in between), one)
    return tuple(order) if tuple(order) != tour.cities else ()


def _place_in_order(text: Text, cities: Sequence[Place], named: Sequence[tuple[PlaceMention, Place]]) -> int:
    """Where a new city goes: "after Athens", "before Rome", "between the two"; else at the end."""
    for one, city in named:
        if city in cities and text.norm(one.first - 1) in ("after", "between"):
            return cities.index(city) + 1
        if city in cities and text.norm(one.first - 1) == "before":
            return cities.index(city)
    return 1 if len(cities) == 2 and text.has(_SAID.in_between) else len(cities)


def _in_order(
    text: Text, tour: TourWish, cities: Sequence[Place], named: Sequence[PlaceMention]
) -> tuple[tuple[Place, ...], bool]:
    """The cities in the order that is told, and whether one is: "start with Granada", "Seville last"."""
    order = list(cities)
    if text.has(_SAID.in_that_order):
        return tuple(order), True
    if text.has(_SAID.any_order):
        return tuple(order), False
    told = [(one, Place(city=one.place.city)) for one in named if one.place]
    moved = [(one, city) for one, city in told if city in tour.cities and city in order]
    if len(moved) != 1 or len(told) != 1:
        return tuple(order), tour.ordered
    (one, city) = moved[0]
    is_first = text.match_before(_SAID.begins_with, one.first, within=3) or text.norm(one.after) == "first"
    is_last = text.match_before(_SAID.ends_with, one.first, within=3) or text.norm(one.after) == "last"
    if not (is_first or is_last):
        return tuple(order), tour.ordered
    order.remove(city)
    order.insert(0 if is_first else len(order), city)
    return tuple(order), True


def _is_removed(text: Text, one: PlaceMention) -> bool:
    return text.match_before(_SAID.removes, one.first, within=words.WORDS_TO_WHAT_IS_REMOVED)
