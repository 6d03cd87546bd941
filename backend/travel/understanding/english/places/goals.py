"""Goals that are not one city: left open, one of several, one after the other."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from ....values.travel import City
from ...places.gazetteer import in_full, load_gazetteer
from ...result import Agent, OpenGoal, Place, Refused
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .finder import Finder, PlaceMention
from .places import named_places, unwanted_of

_SAID = phrases_of("places")
_WORDS = words_of("places")


def words_of_open_goal(text: Text) -> frozenset[int]:
    """Return the tokens that leave a goal open, and those that tell it has to be warm."""
    if open_goal(text) is None:
        return frozenset()
    tokens: set[int] = set()
    for at in range(text.length):
        tokens.update(range(at, at + text.match(_SAID.open, at)))
    return frozenset(tokens)


def open_goal(text: Text) -> OpenGoal | None:
    """Return what is told of a goal that is left open, None where the message leaves none open."""
    if not text.has(_SAID.open) or text.has(_SAID.not_a_goal) or text.vocabulary.isdisjoint(_WORDS.of_travel):
        return None
    return OpenGoal(is_warm=not text.vocabulary.isdisjoint(_WORDS.warm))


_LONGEST = 4


def further_goals(
    text: Text, places: tuple[PlaceMention, ...], *, has_car: bool = False
) -> tuple[PlaceMention, ...]:
    """Return the cities to go on to, or over: "to Rome, then Florence", "to Tokyo via Dubai".

    So is one with days of its own, unless a car, which `has_car` tells, may be wanted elsewhere than a hotel.
    """
    goals = [mention for mention in places if mention.place and mention.role in ("destination", "stay", "")]
    over = [mention for mention in goals if text.norm(mention.first - 1) in _WORDS.over]
    starts = {mention.place.city for mention in places if mention.place and mention.role == "origin"}
    onward = [
        goal
        for before, goal in pairwise(goals)
        if before.place != goal.place
        and (
            any(text.norm(at) in _WORDS.then for at in range(before.after, goal.first))
            or (not has_car and _is_apart(text, before, goal, starts))
        )
    ]
    return tuple(dict.fromkeys((*over, *onward)))


def _is_apart(text: Text, before: PlaceMention, goal: PlaceMention, starts: Collection[City]) -> bool:
    """Whether two cities are wanted in turn: "in Lisbon 8 to 11 May and in Seville 11 to 14 May"."""
    has_days = any(text[at].is_number for at in range(before.after, goal.first))
    is_alike = goal.role == before.role or (goal.role == "" and text[goal.after].is_number)
    return has_days and is_alike and bool(goal.place) and goal.place.city not in starts


def beside_the_goal(
    text: Text, places: tuple[PlaceMention, ...], known: City | None, start: City | None
) -> tuple[PlaceMention, ...]:
    """Return the cities beside the known one, or beside the start, in whose place nobody wants them.

    "And then Lisbon", "Lisbon before that", "from Bergen would also be ok".
    """
    return tuple(
        one
        for one in places
        if (start if one.role == "origin" else known)
        and one.place
        and one.place.city not in (known, start)
        and one.role in ("", "destination", "origin")
        if text.match(_SAID.beside_it, one.after)
        or any(text.match(_SAID.onward, one.first - length) == length for length in range(1, _LONGEST + 1))
    )


def left_out(text: Text, used: Collection[str]) -> tuple[Refused, ...]:
    """Return the cities that a message names as another choice, or last of all, and that are not `used`."""
    last = _last_of_all(text)
    if last is None and "or" not in text.vocabulary and not text.has(_SAID.at_once):
        return ()  # as nearly always, and places need not be read once more
    named = [one for one in named_places(text, load_gazetteer()) if one.place]
    unwanted = unwanted_of(text, named)
    others = [one for one in named if is_another(text, one)]
    if len(named) > 1 and text.has(_SAID.at_once):
        others = named
    elif not named or "or" not in text.vocabulary:
        others = [last] if last else []
    return tuple(
        Refused(said=text.spelled(one.first, one.after), reason="one_city_at_a_time")
        for one in others
        if one.place and one not in unwanted and one.place.city.name not in used
    )


def is_another(text: Text, one: PlaceMention) -> bool:
    """Return whether a place is named as one of several to choose from: "or to Palermo"."""
    if text.norm(one.after) in _WORDS.of_an_airline or text.norm(one.first - 1) in _WORDS.of_an_airline:
        return False
    before = one.first - 1 - (text.norm(one.first - 1) in _WORDS.before_a_city)
    return text.norm(before) == "or" or text.norm(one.after) == "or"


def _last_of_all(text: Text) -> PlaceMention | None:
    """The city that a message ends with: "rather near the lake, Como"."""
    for at in range(max(1, text.length - 4), text.length):
        is_led = text.norm(at - 1) in _WORDS.before_the_last and text[at].is_capitalised
        one = Finder(text, load_gazetteer(), (), index=at, is_placed=True).exact() if is_led else None
        if one and one.place and all(not text[end].is_word for end in range(one.after, text.length)):
            return one
    return None


def hotels_elsewhere(text: Text, searched: Collection[City]) -> tuple[Refused, ...]:
    """Return the cities, none of those `searched`, of which hotels are spoken of as if they had been found.

    "Which hotel did you find in Kyoto?", "the hotel of Porto is too expensive".
    """
    is_asked = text.has(_SAID.hotels_found)
    if not (is_asked or text.has(_SAID.the_hotel_of)):
        return ()
    named = named_places(text, load_gazetteer())
    if not is_asked:
        named = tuple(one for one in named if text.norm(one.after + 1) == "too")
    cities = [one.place.city for one in named if one.place and one.place.city not in searched]
    return tuple(Refused(said=city.name, reason="not_searched_there") for city in cities)


_WORDS_AT_MOST = 10
_BEGIN = _WORDS.whichever | _SAID.depends.begin | {"the", "if"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """The tokens from `first` up to `after` that tell by what to choose; `is_of_fares` what fares tell."""

    first: int
    after: int
    is_of_fares: bool


def find_criterion(text: Text) -> Criterion | None:
    """Return by what one of the cities of a message is to be chosen, None if it does not tell.

    Of days and of offers it is none: "the 3rd or the 4th, whichever is cheaper".
    """
    found = next(_criteria(text), None) if "or" in text.vocabulary else None
    if found is None:
        return None
    named = named_places(text, load_gazetteer(), taken=range(found.first, found.after))
    return found if any(one.place and is_another(text, one) for one in named) else None


def without_criterion(text: Text) -> Text:
    """Return the message without the words by which to choose a city: they wish for no cheaper offer."""
    found = find_criterion(text)
    return text.without(range(found.first, found.after)) if found else text


def beside_the_known(
    text: Text, places: tuple[PlaceMention, ...], known: City | None
) -> tuple[PlaceMention, ...]:
    """Return the places, of which the only one is a choice beside the known city: "or Rome, if cheaper"."""
    if known is None or len(places) != 1 or places[0].place is None:
        return places
    one, other = places[0], places[0].place.city
    before = one.first - 1 - (text.norm(one.first - 1) in _WORDS.small_before_a_place)
    is_choice = text.norm(before) == "or" and not text[before - 1].is_word and one.role in ("", "destination")
    if not is_choice or one.is_choice or other == known or find_criterion(text) is None:
        return places
    return (replace(one, place=Place(city=known), others=(in_full(other),), is_choice=True, is_placed=True),)


def not_compared(
    text: Text, places: tuple[PlaceMention, ...], agents: Collection[Agent]
) -> tuple[Refused, ...]:
    """Return by what cities are to be chosen and are not compared: by all but what it costs to fly there."""
    found = find_criterion(text)
    are_starts = any(one.is_choice and one.role == "origin" for one in places)
    if found is None or (found.is_of_fares and set(agents) != {"hotel"} and not are_starts):
        return ()
    return (Refused(said=text.spelled(found.first, found.after), reason="not_compared"),)


def _criteria(text: Text) -> Iterator[Criterion]:
    for first in text.each_of(_BEGIN):
        end = _end(text, first)
        said = {text.norm(at) for at in range(first + 1, end)}
        if text.norm(first) in _WORDS.whichever:
            is_told = not said.isdisjoint(_WORDS.comparatives) or said <= _WORDS.left_to_us
        elif text.norm(first) == "if":
            better = [at for at in range(first + 1, end) if text.norm(at) in _WORDS.comparatives]
            is_told, end = bool(better) and text.norm(first + 1) in _WORDS.it, max(better, default=first) + 1
        elif text.norm(first) == "the":
            of_several = (
                text.match(_SAID.of_several, first + 2) if text.norm(first + 1) in _WORDS.comparatives else 0
            )
            is_told, end = of_several > 0, first + 2 + of_several
        else:
            is_told = text.match(_SAID.depends, first) > 0
        if is_told:
            is_less = not (said.isdisjoint(_WORDS.less) or said.isdisjoint(_WORDS.dear))
            is_of_fares = is_less or not said.isdisjoint(_WORDS.cheap) or said <= _WORDS.left_to_us
            yield Criterion(first=first, after=end, is_of_fares=is_of_fares)


def _end(text: Text, first: int) -> int:
    """Where what begins there ends: at a sign, or before what tells when, where from or for whom."""
    begun = max(first + 1, first + text.match(_SAID.depends, first))
    last = min(text.length, first + _WORDS_AT_MOST)
    signs = _WORDS.ends_of_a_criterion
    return next((at for at in range(begun, last) if text.norm(at) in signs or text[at].is_number), last)
