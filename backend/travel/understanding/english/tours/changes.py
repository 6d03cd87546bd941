"""What a short message changes about a tour: "2 nights each", "add Madrid", "without Athens", "in June"."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from ....values.tour import MOST_STOPS
from ...message import Tour
from ...places.gazetteer import load_gazetteer
from ...result import Place, Refused, TourWish
from ..details.returning import repeats
from ..language.text import Text
from ..places.finder import PlaceMention
from ..places.places import named_places
from ..talk.closing import is_closing
from ..talk.questions import asks_about
from ..topics.mentions import has_another_service
from ..topics.words import AGENT_NAMES
from . import words
from .tours import Said, read_said, start_of


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
    cities = _changed_cities(text, tour.cities, [one for one in places if one.role not in ("origin", "back")])
    if cities is None or len(cities) < 2:
        return None
    too_many = tuple(Refused(said=city.city.name, reason="too_many_cities") for city in cities[MOST_STOPS:])
    changed = replace(
        _with_what_is_said(tour, said),
        start=start_of(text, places) or tour.start,
        cities=cities[:MOST_STOPS],
        returns=_returns(text, tour),
    )
    is_change = changed != tour or too_many or said.refused
    return Tour(wish=changed, refused=(*said.refused, *too_many)) if is_change else None


def _is_about_something_else(text: Text) -> bool:
    names_an_agent = not text.vocabulary.isdisjoint(AGENT_NAMES)
    is_talk = is_closing(text) or asks_about(text) or has_another_service(text)
    return text.length > words.LONGEST_CHANGE or names_an_agent or is_talk


def _with_what_is_said(tour: TourWish, said: Said) -> TourWish:
    nights = said.nights or (said.nights_in_all if tour.nights and said.latest is None else None)
    is_dated = said.earliest is not None or said.latest is not None
    return replace(
        tour,
        nights=nights or tour.nights,
        earliest=said.earliest if said.earliest else tour.earliest,
        latest=said.latest if is_dated and (said.latest or said.earliest) else tour.latest,
        passengers=said.passengers or tour.passengers,
    )


def _returns(text: Text, tour: TourWish) -> bool:
    if text.has(words.DOES_NOT_RETURN):
        return False
    return tour.returns or text.has(words.RETURNS)


def _changed_cities(
    text: Text, cities: Sequence[Place], places: Sequence[PlaceMention]
) -> tuple[Place, ...] | None:
    """The cities with those that are added, and without those not wanted; None where that is unclear."""
    named = [(one, Place(city=one.place.city)) for one in places if one.place]
    if len(named) < len(places):
        return None
    gone = [city for one, city in named if _is_removed(text, one)]
    come = [city for _, city in named if city not in gone and city not in cities]
    if come and not gone and not text.has(words.ADDS):
        return None
    left = list(cities)
    for city in gone:
        if city not in left:
            return None
        at = left.index(city)
        left[at : at + 1] = [come.pop(0)] if come else []
    return (*left, *come)


def _is_removed(text: Text, one: PlaceMention) -> bool:
    return text.match_before(words.REMOVES, one.first, within=words.WORDS_TO_WHAT_IS_REMOVED)
