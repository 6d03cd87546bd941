"""Journeys to several cities, in any order: "Rome, Athens and Lisbon from Berlin, 3 nights each, in May", or
in the one that is told: "Berlin to Rome to Athens and back"; and what a message changes about one.

A list of cities alone is none: one of them is searched for, as ever. It takes words that tell that all are
wanted ("in any order", "multi-city"), a visit to three of them, or an order.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import pairwise

from ....values.travel import MOST_STOPS, City
from ...message import Tour
from ...places.gazetteer import load_gazetteer
from ...result import Place, Refused, TourStay, TourWish
from ...slot_table import FlightSlots
from ..dates.dates import DateMention, find_dates
from ..dates.points import NTH
from ..details.people import find_people
from ..details.shifts import find_shift, repeats
from ..details.stays import nights_told, stays_in, with_cities_of_stays
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, ShiftMention, Text, any_of
from ..places.finder import Finder, PlaceMention
from ..places.places import is_changed, named_places
from ..talk.remarks import asks_about, is_closing, services_in
from ..topics.mentions import AGENT_NAMES, has_another_service
from ..unread import wishes_beside
from .ways import (
    begins_with_the_start,
    is_circle,
    is_same,
    legs_in,
    may_tell_an_order,
    may_tell_legs,
    tells_way_home,
    told_order,
    with_days,
    without_repeats,
    without_way_home,
)

_SAID = phrases_of("tours")
_TOPICS_SAID = phrases_of("topics")
_WORDS = words_of("tours")
_PLACES_WORDS = words_of("places")

_TELLS_OF_SEVERAL = any_of(_SAID.any_order, _SAID.through, _SAID.visits, _SAID.loops, _SAID.back_to)
_WORDS_BEFORE_A_LIST = 4
_WORDS_TO_WHAT_IS_CHANGED = 2
_LONGEST_CHANGE = 25
_LEAST_OF_A_LIST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a message says of a tour besides its cities. `taken` are the tokens that say when and how long."""

    nights: int | None = None
    earliest: date | None = None
    latest: date | None = None
    refused: tuple[Refused, ...] = ()
    taken: frozenset[int] = frozenset()
    nights_in_all: int | None = None
    first_day: date | None = None
    day: date | None = None
    """The only day that is told."""
    dates: tuple[DateMention, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Journey:
    """What a message tells of the way: where it starts, and the stops in their order."""

    start: Place | None
    stops: Sequence[PlaceMention]
    nights: Mapping[City, int]
    ordered: bool
    returns: bool
    first_day: date | None
    leaves: Mapping[City, date] = field(default_factory=dict[City, date])


_LONGEST = 300
"""Words of the longest message that is read as a tour: its days and places are read twice."""


def find_tour(text: Text, *, today: date, is_of_stay: bool = False) -> Tour | None:
    """Return the tour that a message asks for, None if it asks for none.

    Who has asked for a stay alone (`is_of_stay`) asks for none by "2 nights in Seville and 4 in Granada".
    """
    if text.length > _LONGEST or text.has(_SAID.open_jaw):
        return None
    is_put_in_order, has_legs = may_tell_an_order(text), may_tell_legs(text)
    if not (is_put_in_order or has_legs or text.has(_TELLS_OF_SEVERAL)):
        return None
    said = read_said(text, today=today)
    named = named_places(text, load_gazetteer(), taken=said.taken)
    placed = [one for one in named if one.place]
    journey = _by_legs(text, placed, said) if has_legs else None
    places = placed if journey else without_way_home(text, _with_the_whole_list(text, named, said.taken))
    journey = journey or _by_list(text, places, said, is_put_in_order=is_put_in_order)
    if journey is None:
        return None
    is_told = journey.start or journey.first_day or text.has(_TELLS_OF_SEVERAL)
    if is_of_stay and not is_told:
        return None
    has_stays = text.has(_TOPICS_SAID.hotel)
    is_flown = len(journey.nights) > 1 and (journey.start or text.has(_TOPICS_SAID.flight_itself))
    if has_stays and not (is_flown or text.has(_SAID.any_order)):
        return None  # "hotels: 5 nights in Rome, then 3 in Athens"
    cities = tuple(dict.fromkeys(Place(city=one.place.city) for one in journey.stops if one.place))
    start = journey.start
    if journey.stops[0].place == journey.stops[-1].place and start is None:
        start, cities = cities[0], cities[1:]
    if len(cities) < 2:
        return None
    wish = TourWish(
        start=Place(city=start.city) if start else None,
        cities=cities[:MOST_STOPS],
        nights=said.nights,
        earliest=said.earliest,
        latest=None if journey.first_day else said.latest,
        returns=journey.returns,
        passengers=find_people(text.without(said.taken)),
        ordered=journey.ordered,
        first_day=journey.first_day,
        stays=tuple(
            TourStay(
                city=city,
                nights=journey.nights[city.city],
                on=journey.leaves.get(city.city),
                is_left_then=city.city in journey.leaves,
            )
            for city in cities
            if city.city in journey.nights
        ),
    )
    unknown = tuple(
        Refused(said=text.spelled(one.first, one.after), reason="unknown_place")
        for one in places
        if one.is_unknown
    )
    words = {at for one in places for at in range(one.first, one.after)}
    bought = (service for service in services_in(text) if service.is_bought)
    others = (Refused(said=service.name, reason="other_service") for service in bought)
    refused = (*_refused(said, cities, has_nights=bool(journey.nights)), *others, *unknown)
    if has_stays:
        beside = "hotels" if text.vocabulary.isdisjoint(_WORDS.rented) else "hotels and rental cars"
        refused = (*refused, Refused(said=beside, reason="tour_of_flights"))
    return Tour(wish=wish, refused=(*refused, *wishes_beside(text, said.taken | words)))


def _refused(said: Said, cities: Sequence[Place], *, has_nights: bool) -> tuple[Refused, ...]:
    """What of a message a tour cannot take; nights that are those of single cities are no refused length."""
    refused = (one for one in said.refused if not has_nights or one.reason != "not_searched_by")
    too_many = (Refused(said=city.city.name, reason="too_many_cities") for city in cities[MOST_STOPS:])
    return (*refused, *too_many)


def _by_legs(text: Text, placed: Sequence[PlaceMention], said: Said) -> _Journey | None:
    """The journey that is told flight by flight, or stay by stay."""
    if _is_choice(text, placed):
        return None
    is_back = text.has(_SAID.returns) and not text.has(_SAID.does_not_return)
    way = legs_in(text, placed, said.dates, said.taken)
    places = without_way_home(text, with_cities_of_stays(text, placed, said.taken))
    stays = stays_in(text, places)
    if way:
        first, *goals = way.cities
        start, nights, first_day = first.place, way.nights or stays.nights, way.first_day
        leaves = way.leaves
    else:
        goals, nights, first_day = list(stays.stayed), stays.nights, said.first_day
        leaves = dict[City, date]()
        if len(goals) < 2:
            return None
        others = [one for one in places if one.place and one.place.city not in nights]
        is_led = others[:1] == [places[0]] and begins_with_the_start(text, places, said.taken)
        start = others[0].place if is_led else start_of(text, others)
        if any(one.role not in ("origin", "back") for one in others[is_led:]):
            return None
    is_home = way is not None and is_same(goals[-1].place, start)
    goals = goals[:-1] if is_home else goals
    if len({one.place for one in goals}) < len(goals):
        return None  # to one of them twice, which no tour does
    return _Journey(
        start=start,
        stops=goals,
        nights=nights,
        ordered=True,
        returns=is_home or is_back,
        first_day=first_day,
        leaves=leaves,
    )


def _by_list(
    text: Text, places: Sequence[PlaceMention], said: Said, *, is_put_in_order: bool
) -> _Journey | None:
    """The journey through the cities of a list, in any order or in the one that is told."""
    stays = stays_in(text, [one for one in places if one.place])
    way, taken = stays.way, said.taken
    circle = is_circle(text, way, taken) and not text.has(_SAID.any_order)
    has_stays = text.has(_TOPICS_SAID.hotel) and len(stays.nights) < 2
    ordered = (is_put_in_order or circle) and not has_stays and _is_ordered(text, way, taken, is_known=circle)
    start = start_of(text, places)
    if ordered and start is None and (circle or begins_with_the_start(text, way, taken)):
        start = way[0].place
    stops = tuple(one for one in way if one.role not in ("origin", "back") and not is_same(one.place, start))
    if not (len(stops) > 1 if ordered else _is_tour(text, stops, said)):
        return None
    is_loop = not ordered and is_itinerary(text, stops) and text.has(_SAID.returns)
    if is_loop and start is None and len(stops) >= _LEAST_OF_A_LIST:
        start, stops = stops[0].place, stops[1:]  # "a loop: Copenhagen, Hamburg, Berlin"
    is_round = stops[0].place == stops[-1].place
    goes_home = is_same(way[-1].place, start) and sum(is_same(one.place, start) for one in way) > 1
    is_back = text.has(_SAID.returns) and not text.has(_SAID.does_not_return)
    # "From 1 February, 3 nights in Madrid, 4 in Barcelona": the nights of one city do not end the journey.
    length = (said.latest - said.earliest).days if said.earliest and said.latest else 0
    is_of_one = len(stays.nights) > 1 and length in stays.nights.values()
    begins = [one for one in way if is_same(one.place, start)][:1]
    days = with_days([*begins, *stops], said.dates) if ordered and begins and not stays.nights else None
    return _Journey(
        start=start,
        stops=stops,
        nights=days.nights if days else stays.nights,
        ordered=ordered or is_loop,
        returns=is_round or goes_home or is_back,
        first_day=said.first_day or (said.earliest if is_of_one or (days and days.leaves) else None),
        leaves=days.leaves if days else {},
    )


def _is_choice(text: Text, places: Sequence[PlaceMention]) -> bool:
    return any(text.norm(at) == "or" for one in places for at in (one.first - 1, one.after))


def _is_ordered(text: Text, way: Sequence[PlaceMention], taken: Collection[int], *, is_known: bool) -> bool:
    """Whether a message puts the cities that it names in an order, and wants nothing but to fly it."""
    ends = [one for at, one in enumerate(way) if at == 0 or one.role not in ("origin", "back")]
    once = without_repeats(ends)
    names = {one.place.city for one in once if one.place}
    if len(names) < 2 or len(once) < 2 or text.has(_SAID.any_order):
        return False
    has_two_goals = len(names) > 2 or once[0].role != "origin"
    return has_two_goals and not _is_choice(text, once) and (is_known or told_order(text, once, taken))


def read_said(text: Text, *, today: date, near: date | None = None) -> Said:
    """Return what a message says of a tour besides its cities; `near` is a day known from before."""
    dates = find_dates(text, today=today, near=near)
    first = dates[0].start if len(dates) > 1 and near is None else None
    if first and any(day.start and day.start < first for day in dates):
        # "18 January, then on the 21st": the second day is one of the same month.
        dates = find_dates(text, today=today, near=first)
    told = nights_told(text)
    each = next((one for one in told if one.is_each), None)
    in_all = None if each or not told else told[0].count
    counted = {at for one in told for at in range(one.first, one.after)}
    taken = frozenset(at for day in dates for at in range(day.first, day.after)) | counted
    days = [day for day in dates if day.nights is None and (day.approximate or not day.refused)]
    starts = [day.start for day in days if day.start]
    ends = [day.end for day in days if day.end] + sorted(starts)[1:]
    earliest = min(starts, default=None)
    latest = max(ends, default=None)
    refused = [_refused_day(text, day) for day in dates if day.refused]
    if in_all and earliest and latest is None:
        latest = earliest + timedelta(days=in_all)
    elif in_all:
        lengths = (day for day in dates if day.nights == in_all)
        refused += [
            Refused(said=text.spelled(day.first, day.after), reason="not_searched_by") for day in lengths
        ]
    return Said(
        nights=(each and each.count) or None,
        earliest=earliest,
        latest=latest,
        refused=tuple(one for one in refused if one),
        taken=taken,
        nights_in_all=in_all,
        first_day=_first_day(text, days),
        dates=tuple(dates),
        day=days[0].start if len(days) == 1 and not days[0].approximate and not days[0].end else None,
    )


def _first_day(text: Text, days: Sequence[DateMention]) -> date | None:
    """The day on which a journey begins, where just that one is told: "starting 8 January"."""
    exact = [day for day in days if day.start and not day.approximate]
    if len(exact) != 1 or len(days) != 1 or (exact[0].end and not exact[0].has_loose_end):
        return None
    is_loose = any(text.norm(exact[0].first - ahead) in _WORDS.not_exactly for ahead in (1, 2))
    return None if is_loose else exact[0].start


def start_of(text: Text, places: Sequence[PlaceMention]) -> Place | None:
    """Return the city that a tour starts from, else that which it goes back to."""
    for one in places:
        is_start = any(text.match(_SAID.starts, one.first - length) == length for length in (2, 3, 4, 5))
        if one.place and (one.role == "origin" or is_start):
            return one.place
    return next((one.place for one in places if one.place and one.role == "back"), None)


def _refused_day(text: Text, day: DateMention) -> Refused | None:
    return Refused(said=text.spelled(day.first, day.after), reason=day.refused) if day.refused else None


def _with_the_whole_list(
    text: Text, places: Sequence[PlaceMention], taken: Collection[int]
) -> tuple[PlaceMention, ...]:
    """The places with those of the list that are words as well ("Nice"), or that nobody knows."""
    found: list[PlaceMention] = []
    known = {one.first: one for one in places}
    at = 0
    while at < text.length:
        one = known.get(at)
        if one is None and found and _goes_on(text, found[-1].after, at) and at not in taken:
            one = Finder(text, load_gazetteer(), taken, index=at, is_placed=True).exact() or _unknown(
                text, at
            )
        if one:
            found.append(one)
        at = one.after if one else at + 1
    return tuple(found)


def _goes_on(text: Text, after: int, at: int) -> bool:
    """Whether nothing but a comma and the like stands between two names of a list."""
    return 0 < at - after <= 3 and _WORDS.of_a_list.issuperset(text.said(after, at))


def _unknown(text: Text, at: int) -> PlaceMention | None:
    token = text[at]
    is_name = token.is_word and token.is_capitalised and text.norm(at + 1) in _WORDS.ends_of_a_list
    if not is_name or len(token.norm) < 3:
        return None
    return PlaceMention(first=at, after=at + 1, place=None, said=token.raw)


def _is_tour(text: Text, stops: Sequence[PlaceMention], said: Said) -> bool:
    """Whether a message that names these cities wants to go to all of them."""
    if len(stops) < 2 or _is_choice(text, stops):
        return False
    if text.has(_SAID.any_order):
        return True
    if asks_about(text) or text.has(_TOPICS_SAID.hotel) or not _is_list(text, stops):
        return False
    if is_itinerary(text, stops):
        return True
    if _is_before(text, _SAID.through, stops[0].first):
        return True
    is_visit = _is_before(text, _SAID.visits, stops[0].first)
    return is_visit and (len(stops) > 2 or said.nights is not None)


def is_itinerary(text: Text, stops: Sequence[PlaceMention]) -> bool:
    """Return whether a list is one to be gone through: "round trip from Paris: Madrid, Seville, Granada"."""
    cue = text.find(_SAID.loops, 0, stops[0].first)
    is_opened = text.norm(stops[0].first - 1) == ":" and cue >= 0
    is_beside = len(stops) > _LEAST_OF_A_LIST - 1 and _is_before(text, _SAID.loops, stops[0].first)
    return is_opened or is_beside


def _is_list(text: Text, stops: Sequence[PlaceMention]) -> bool:
    """Whether the cities stand in a list; of three and more nothing need stand between them."""
    is_long = len(stops) >= _LEAST_OF_A_LIST
    return all(
        _goes_on(text, one.after, other.first) or (is_long and one.after == other.first)
        for one, other in pairwise(stops)
    )


def _is_before(text: Text, cues: Phrases, index: int) -> bool:
    return text.match_before(cues, index, within=_WORDS_BEFORE_A_LIST)


def is_part_of(wish: TourWish, tour: TourWish) -> bool:
    """Return whether a journey tells just nights in cities of a tour, in its order: "Rome 5 nights"."""
    alike = tuple(city for city in tour.cities if city in wish.cities)
    return wish.start is None and wish.earliest is None and alike == wish.cities and bool(wish.stays)


def changed_tour(whole: Text, tour: TourWish, *, today: date) -> Tour | None:
    """Return the tour as a message changes it, or asks for it once more; None if it does neither."""
    text = whole
    if repeats(text):
        return Tour(wish=tour)
    if _is_about_something_else(text):
        return None
    shift = find_shift(text)
    if shift and not (shift.is_of_days and _names_only(text, tour)):
        shift = None  # "add 1 night in Valencia" is another city
    text = text.without(range(shift.first, shift.after)) if shift else text
    said = read_said(text, today=today, near=tour.earliest)
    if moved := _with_flight_moved(text, tour, said, shift):
        return moved
    places = [
        one for one in named_places(text, load_gazetteer(), taken=said.taken) if one.place or one.is_unknown
    ]
    home = [one for one in places if tells_way_home(text, one)]
    places = [one for one in places if one not in home]
    named: _Named = [
        (one, Place(city=one.place.city) if one.place else None)
        for one in places
        if one.role not in ("origin", "back") or (one.place and Place(city=one.place.city) in tour.cities)
    ]
    if swapped := _swapped(text, tour, named):
        # A day on which a city is left is the day of a flight: it stays at its place in the order.
        instead = dict(zip(tour.cities, swapped, strict=True))
        stays = [replace(stay, city=instead[stay.city]) if stay.is_left_then else stay for stay in tour.stays]
        return Tour(wish=replace(tour, cities=swapped, ordered=True, stays=tuple(stays)))
    cities = _changed_cities(text, tour, named)
    if cities is not None and len(cities) < 2:
        if cities and (trip := _trip_there(text, tour, cities[0], today=today)):
            return Tour(wish=tour, trip=trip)
        gone = " and ".join(city.city.name for city in tour.cities if city not in cities)
        return Tour(wish=tour, refused=(Refused(said=gone, reason="too_few_cities"),))
    if cities is None:
        return None
    cities, ordered = _in_order(text, tour, cities, named)
    there = _day_there(tour, named, said)
    nights = _nights_there(text, tour, cities, named)
    changed = replace(
        tour if there else _with_what_is_said(text, tour, said, is_of_one_city=bool(nights)),
        start=start_of(text, places) or tour.start,
        cities=cities[:MOST_STOPS],
        ordered=ordered,
        returns=(tour.returns or text.has(_SAID.returns)) and not text.has(_SAID.does_not_return),
    )
    stays = (changed.stay_in(city) for city in changed.cities)
    if tour.ordered and len(changed.cities) == len(
        tour.cities
    ):  # a city takes the nights of the one before it
        both = zip(tour.cities, changed.cities, strict=True)
        stays = (
            changed.stay_in(now) if now in tour.cities else replace(changed.stay_in(was), city=now)
            for was, now in both
        )
    if nights or said.dates or changed.cities != tour.cities:
        # The days that were told of the flights are those of the journey before.
        stays = (replace(stay, on=None, is_left_then=False) if stay.is_left_then else stay for stay in stays)
    stays = (replace(stay, nights=nights.get(stay.city, stay.nights)) for stay in stays)
    stays = (replace(stay, on=there.on) if there and there.city == stay.city else stay for stay in stays)
    changed = replace(changed, stays=tuple(stay for stay in stays if stay.nights or stay.on))
    refused = _refused(said, cities, has_nights=bool(nights))
    ends = [city.city for city in (cities[-1:] if ordered else cities)]
    jaws = [one for one in home if one.place is None or one.place.city not in ends]
    refused += tuple(Refused(said=text.spelled(one.first, one.after), reason="open_jaw") for one in jaws)
    if shift:
        moved = _moved(text, changed, shift, [city for _, city in named if city in changed.cities])
        as_told = Refused(said=whole.spelled(shift.first, shift.after), reason="not_understood")
        refused = refused if moved else (*refused, as_told)
        changed = moved or replace(changed, returns=tour.returns)  # "come back a day later" wants no return
    return Tour(wish=changed, refused=refused) if changed != tour or refused else None


def _trip_there(text: Text, tour: TourWish, city: Place, *, today: date) -> FlightSlots | None:
    """Flights there and back, where one city of a tour is left; None where their days are not known.

    "Skip Athens, just go home from Rome on the 8th". A tour that may begin on any day leaves the days open.
    """
    first = tour.first_day or tour.earliest
    told_nights = [each.count for each in nights_told(text)]
    nights = next(iter(told_nights), tour.stay_in(city).nights or tour.nights)
    if tour.start is None or first is None:
        return None
    if tour.first_day is None and tour.latest:
        return FlightSlots(origin=tour.start, destination=city, passengers=tour.passengers)
    if not tour.returns:
        return None
    days = [one.end or one.start for one in find_dates(text, today=today, near=first, after=first)]
    told = max(filter(None, days), default=None)
    back = told or (first + timedelta(days=nights) if nights else None)
    if back is None or back <= first:
        return None
    return FlightSlots(
        origin=tour.start,
        destination=city,
        departure_date=first,
        return_date=back,
        passengers=tour.passengers,
    )


def _names_only(text: Text, tour: TourWish) -> bool:
    """Whether a message names no city but those of the tour."""
    named = (one.place.city for one in named_places(text, load_gazetteer()) if one.place)
    return {*named} <= {city.city for city in tour.cities}


def _moved(text: Text, tour: TourWish, shift: ShiftMention, named: Sequence[Place | None]) -> TourWish | None:
    """The tour with other days, or nights in the city that is named; None where it is not known of what.

    "Start two days later", "one night less in Rome", "make the last leg a day later".
    """
    city = tour.cities[-1] if "last" in text.vocabulary else next(iter(named), None)
    if city is None and shift.what != "end" and text.vocabulary.isdisjoint(_WORDS.one_of_the_way):
        days = {name: getattr(tour, name) for name in ("earliest", "latest", "first_day")}
        moved = {name: shift.day(day) for name, day in days.items() if day}
        left = tuple(
            replace(stay, on=shift.day(stay.on)) if stay.is_left_then and stay.on else stay
            for stay in tour.stays
        )
        return replace(tour, stays=left, **moved) if moved and all(moved.values()) else None
    nights = (tour.stay_in(city).nights or tour.nights or 0) + shift.days if city else 0
    if city is None or nights < 1 or nights == shift.days or len(named) > 1:
        return None
    behind = tour.cities[tour.cities.index(city) :] if city in tour.cities else ()
    stays = (
        replace(stay, on=stay.on + timedelta(days=shift.days))
        if stay.is_left_then and stay.on and stay.city in behind
        else stay
        for stay in (*(one for one in tour.stays if one.city != city), tour.stay_in(city))
    )
    return replace(
        tour, stays=tuple(replace(stay, nights=nights) if stay.city == city else stay for stay in stays)
    )


def _with_flight_moved(text: Text, tour: TourWish, said: Said, shift: ShiftMention | None) -> Tour | None:
    """The tour with one flight on another day, the others as they are: "move the middle one to the 12th".

    None where no single flight and no day is told; told as not understood where no night would be left
    before it or behind.
    """
    at = text.find(_SAID.one_flight)
    day, by = said.first_day, shift.days if shift else 0
    if at < 0 or not (day or by) or tour.first_day is None or not tour.ordered:
        return None
    nights = [tour.stay_in(city).nights or tour.nights or 0 for city in tour.cities]
    flights = len(tour.cities) + tour.returns
    place = {"middle": (flights + 1) // 2, "last": flights, "final": flights}
    left = (
        place.get(text.norm(at), NTH.get(text.norm(at), 0)) - 2
    )  # the city that it leaves, -1 for the start
    if not 0 <= left < len(nights):
        return None
    leaves = tour.first_day + timedelta(days=sum(nights[: left + 1]))
    later = by or ((day - leaves).days if day else 0)
    nights[left] += later
    if left + 1 < len(nights):
        nights[left + 1] -= later
    if min(nights) < 1:  # also where no nights were told
        said_of = text.spelled(at, at + text.match(_SAID.one_flight, at))
        return Tour(wish=tour, refused=(Refused(said=said_of, reason="not_understood"),))
    stays = [
        replace(tour.stay_in(city), nights=count) for city, count in zip(tour.cities, nights, strict=True)
    ]
    if stays[left].is_left_then:
        stays[left] = replace(stays[left], on=leaves + timedelta(days=later))
    return Tour(wish=replace(tour, stays=tuple(stays)))


_Named = list[tuple[PlaceMention, Place | None]]
"""The places that a message names and their cities, None of one that nobody knows."""


def _is_about_something_else(text: Text) -> bool:
    names_an_agent = not text.vocabulary.isdisjoint(AGENT_NAMES) and not text.has(_SAID.one_flight)
    is_talk = is_closing(text) or asks_about(text) or has_another_service(text, "none")
    return text.length > _LONGEST_CHANGE or names_an_agent or is_talk


def _day_there(tour: TourWish, named: _Named, said: Said) -> TourStay | None:
    """The day on which somebody must be in one of the cities: "I must be in Rome on 10 January"."""
    if said.day is None or len(named) != 1:
        return None
    one, city = named[0]
    return TourStay(city=city, on=said.day) if one.role == "stay" and city in tour.cities else None


def _nights_there(text: Text, tour: TourWish, cities: Sequence[Place], named: _Named) -> Mapping[Place, int]:
    """The nights in single cities: "4 nights in Rome", "add Madrid after Rome, 2 nights"."""
    come = [city for city in cities if city not in tour.cities]
    nights = stays_in(text, [one for one, _ in named]).nights
    found = {Place(city=city): count for city, count in nights.items()}
    if len(come) == 1 and len(found) == 1 and come[0] not in found and not text.has(_SAID.nights_in):
        return {come[0]: next(iter(found.values()))}
    return found


def _with_what_is_said(text: Text, tour: TourWish, said: Said, *, is_of_one_city: bool) -> TourWish:
    in_all = said.nights_in_all if tour.nights and said.latest is None and not is_of_one_city else None
    is_dated = said.earliest is not None or said.latest is not None
    return replace(
        tour,
        nights=said.nights or in_all or tour.nights,
        earliest=said.earliest or tour.earliest,
        latest=said.latest if is_dated else tour.latest,
        passengers=find_people(text.without(said.taken)) or tour.passengers,
        first_day=said.first_day if is_dated else tour.first_day,
        stays=() if said.nights else tour.stays,
    )


def _changed_cities(text: Text, tour: TourWish, named: _Named) -> tuple[Place, ...] | None:
    """The cities with those that are added, and without those not wanted; None where that is unclear."""
    gone = _removed(text, tour, named)
    come = [city for _, city in named if city and city not in gone and city not in tour.cities]
    is_unclear = any(city is None for _, city in named) or (come and not gone and not text.has(_SAID.adds))
    if is_unclear or any(city not in tour.cities for city in gone):
        return None
    left = list(tour.cities)
    if tour.ordered and come and not gone:
        at = _place_in_order(text, left, named)
        return (*left[:at], *come, *left[at:])
    for city in gone:
        at = left.index(city)
        left[at : at + 1] = [come.pop(0)] if come else []
    return (*left, *come)


def _removed(text: Text, tour: TourWish, named: _Named) -> list[Place]:
    """The cities that are taken out: also the second of "skip Pisa and Florence"."""
    gone = list[Place]()
    for at, (one, city) in enumerate(named):
        before, earlier = named[at - 1] if at else (None, None)
        is_listed = before is not None and earlier in gone and _goes_on(text, before.after, one.first)
        if city and (
            _is_near(text, _SAID.removes, one) or is_changed(text, one) or (is_listed and city in tour.cities)
        ):
            gone.append(city)
    if not gone and named and _is_alone(text, named):
        wanted = {city for _, city in named}
        gone = [city for city in tour.cities if city not in wanted] if wanted < {*tour.cities} else gone
    return list(dict.fromkeys(gone))


def _is_alone(text: Text, named: _Named) -> bool:
    """Whether no city is wanted but those named: "ok just Athens then", unlike "only Athens is too hot"."""
    first, last = named[0][0], named[-1][0]
    led = first.first - 1 - (text.norm(first.first - 1) in ("in", "to", "do", "visit"))
    return text.norm(led) in ("just", "only") and text.norm(last.after) not in _PLACES_WORDS.is_word


def _swapped(text: Text, tour: TourWish, named: _Named) -> tuple[Place, ...]:
    """The cities of a tour with two of them in each other's place, or one before another; () if none are.

    "Swap Hanoi and Bangkok", "Hanoi and Bangkok the other way round", "Hanoi before Bangkok".
    """
    if len(named) < 2 or any(city not in tour.cities for _, city in named[:2]):
        return ()
    (first, one), (second, other) = named[:2]
    between = text.said(first.after, second.first)
    order = list(tour.cities)
    is_swap = _is_near(text, _SAID.swaps, first) and between <= _WORDS.swapped_with
    if one and other and (is_swap or (text.has(_SAID.other_way) and between == frozenset({"and"}))):
        here, there = order.index(one), order.index(other)
        order[here], order[there] = other, one
    elif one and other and len(between) == 1 and between <= {"before", "after"}:
        order.remove(one)
        order.insert(order.index(other) + ("after" in between), one)
    return tuple(order) if tuple(order) != tour.cities else ()


def _place_in_order(text: Text, cities: Sequence[Place], named: _Named) -> int:
    """Where a new city goes: "after Athens", "before Rome", "between the two"; else at the end."""
    for one, city in named:
        before = text.norm(one.first - 1)
        if city in cities and before in ("after", "between", "before"):
            return cities.index(city) + (before != "before")
    return 1 if len(cities) == 2 and text.has(_SAID.in_between) else len(cities)


def _in_order(
    text: Text, tour: TourWish, cities: tuple[Place, ...], named: _Named
) -> tuple[tuple[Place, ...], bool]:
    """The cities in the order that is told, and whether one is: "start with Granada", "Seville last"."""
    if text.has(_SAID.in_that_order) or text.has(_SAID.any_order):
        return cities, text.has(_SAID.in_that_order)
    one, city = named[0] if len(named) == 1 else (None, None)
    if one is None or city is None or city not in tour.cities or city not in cities:
        return cities, tour.ordered
    others = tuple(other for other in cities if other != city)
    if text.match_before(_SAID.begins_with, one.first, within=3) or text.norm(one.after) == "first":
        return (city, *others), True
    if text.match_before(_SAID.ends_with, one.first, within=3) or text.norm(one.after) == "last":
        return (*others, city), True
    return cities, tour.ordered


def _is_near(text: Text, cues: Phrases, one: PlaceMention) -> bool:
    return text.match_before(cues, one.first, within=_WORDS_TO_WHAT_IS_CHANGED)
