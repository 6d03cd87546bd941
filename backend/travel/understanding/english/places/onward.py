"""Cities to go on to, or over, beside the goal: "to Rome, then Florence", "Lisbon before that"."""

from itertools import pairwise

from ....values.travel import City
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .finder import PlaceMention

_SAID = phrases_of("places")
_WORDS = words_of("places")

_LONGEST = 4


def further_goals(text: Text, places: tuple[PlaceMention, ...]) -> tuple[PlaceMention, ...]:
    """Return the cities to go on to, or over: "to Rome, then Florence", "to Tokyo via Dubai"."""
    goals = [mention for mention in places if mention.place and mention.role in ("destination", "stay", "")]
    over = [mention for mention in goals if text.norm(mention.first - 1) in _WORDS.over]
    onward = [
        goal
        for before, goal in pairwise(goals)
        if before.place != goal.place
        and any(text.norm(at) in _WORDS.then for at in range(before.after, goal.first))
    ]
    return tuple(dict.fromkeys((*over, *onward)))


def beside_the_goal(
    text: Text, places: tuple[PlaceMention, ...], known: City | None
) -> tuple[PlaceMention, ...]:
    """Return the cities that come before or after the known one, in whose place nobody wants them."""
    return tuple(
        one
        for one in places
        if known and one.place and one.place.city != known and one.role in ("", "destination")
        if _is_beside(text, one)
    )


def _is_beside(text: Text, one: PlaceMention) -> bool:
    """ "And then Lisbon", "Lisbon before that"."""
    is_led = any(text.match(_SAID.onward, one.first - length) == length for length in range(1, _LONGEST + 1))
    return is_led or text.match(_SAID.beside_it, one.after) > 0
