"""Messages that take an earlier request up again: "go back to the Tokyo flights", "the first one again",
"try again".
"""

from ...message import Return
from ...places.gazetteer import Gazetteer
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from ..places.places import find_places

_SAID = phrases_of("changes")
_WORDS = words_of("changes")

_SHORT = 12
_NEAR_THE_START = 6


def goes_back(text: Text) -> bool:
    """Return whether a message begins with words such as "go back to"."""
    return 0 <= text.find(_SAID.back_to) <= _NEAR_THE_START


def repeats(text: Text) -> bool:
    """Return whether a message only asks for the same again: "try again", "go on"."""
    at = text.find(_SAID.repeats)
    if at < 0 or text.length > _SHORT or text.norm(at - 1) in _WORDS.negations:
        return False
    return text.vocabulary.isdisjoint(_WORDS.courtesy)


def find_return(text: Text, gazetteer: Gazetteer) -> Return | None:
    """Return which earlier request a message wants again, None if it wants none."""
    if not (goes_back(text) or text.has(_SAID.once_more)) or text.length > 2 * _SHORT:
        return None
    # The words for a request name no place: all of them are read, also those that another reader has taken.
    cities = (one.place.city for one in find_places(text, gazetteer).mentions if one.place)
    return Return(
        cities=frozenset(cities),
        which=(
            "oldest"
            if text.has(_SAID.oldest)
            else "second"
            if text.has(_SAID.second)
            else "latest"
            if text.has(_SAID.latest)
            else None
        ),
    )
