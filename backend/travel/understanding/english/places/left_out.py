"""Cities that are named beside the one that is searched: "or Palermo, whichever is cheaper"."""

from collections.abc import Collection

from ...places.gazetteer import load_gazetteer
from ...result import Refused
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .finder import Finder, PlaceMention
from .places import named_places
from .unwanted import unwanted_of

_SAID = phrases_of("places")
_WORDS = words_of("places")


def left_out(text: Text, used: Collection[str]) -> tuple[Refused, ...]:
    """Return the cities that a message names as another choice, or last of all, and that are not `used`."""
    named = [one for one in named_places(text, load_gazetteer()) if one.place]
    unwanted = unwanted_of(text, named)
    if len(named) > 1 and text.has(_SAID.at_once):
        others = list(named)
    elif not named or "or" not in text.vocabulary:
        last = _last_of_all(text)
        others = [last] if last else []
    else:
        others = [one for one in named if is_another(text, one)]
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
