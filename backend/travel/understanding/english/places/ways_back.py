"""Journeys that do not fly back from where they went: "into Rome and out of Venice, leaving Boston"."""

from dataclasses import replace

from ....values.travel import City
from ..language.tables import words_of
from ..language.text import Text
from .finder import PlaceMention

_WORDS = words_of("places")

_WORDS_TO_A_VERB = 4


def with_ways_back(text: Text, places: tuple[PlaceMention, ...]) -> tuple[PlaceMention, ...]:
    """Make places that a journey flies home from its way back, which their words alone make its start.

    "Out of Venice" tells a start, unless the message has told where to land ("into Rome and out of Venice"),
    or has another start. In "Boston to Rome, Venice to Boston" the second flight is the one home.
    """
    goals = [at for at, one in enumerate(places) if one.role in ("destination", "stay") and one.place]
    if not goals or len(places) < 2:
        return places
    if _is_flown_home(places):
        return (*places[:2], replace(places[2], role="back"))
    starts = [one for one in places if one.role == "origin" and one.place]
    back = next((one for one in starts if _flies_home(text, places[goals[0]], one, starts)), None)
    return tuple(replace(one, role="back") if one is back else one for one in places)


def open_jaws(text: Text, places: tuple[PlaceMention, ...], goal: City | None) -> tuple[PlaceMention, ...]:
    """Return the cities to fly back from that are not where the flight went: "to Milan, back from Venice"."""
    goals = [one.place.city for one in places if one.place and one.role in ("destination", "stay")]
    went = goals[-1] if goals else goal
    return tuple(
        one
        for one in places
        if one.place
        and went
        and one.place.city != went
        and one.role == "back"
        and text.norm(one.first - 1) not in _WORDS.there
    )


def _is_flown_home(places: tuple[PlaceMention, ...]) -> bool:
    """Whether these are two flights, the second of which ends where the first began."""
    cities = [one.place.city for one in places if one.place]
    roles = [one.role for one in places]
    return (
        len(cities) == len(places) == 2 * 2
        and roles == ["origin", "destination"] * 2
        and cities[0] == cities[3]
        and len(set(cities)) == len(cities) - 1
    )


def _flies_home(text: Text, goal: PlaceMention, one: PlaceMention, starts: list[PlaceMention]) -> bool:
    if one.first < goal.after or (goal.place and one.place and goal.place.city == one.place.city):
        return False
    verb = one.first - 1 - (text.norm(one.first - 1) in ("of", "from"))
    if text.norm(verb) not in _WORDS.leaves or verb == one.first - 1:
        return False
    is_out = text.norm(verb) == "out"
    while text.norm(verb - 1) in _WORDS.leaves:
        verb -= 1
    is_joined = text.norm(verb - 1) in _WORDS.joins and verb - goal.after < _WORDS_TO_A_VERB * 2
    if not is_joined or not _lands(text, goal):
        return False
    others = [start for start in starts if start.place != one.place]
    return bool(others) or (is_out and text.norm(verb - 1) != ",")


def _lands(text: Text, goal: PlaceMention) -> bool:
    return any(text.norm(goal.first - ahead) in _WORDS.arrives for ahead in (1, 2))
