"""Messages that take an earlier request up again: "go back to the Tokyo flights", "the first one again",
"try again".
"""

from ...message import Return
from ...places.gazetteer import Gazetteer
from ..language.text import Text, phrases, word_set
from ..places.places import find_places

_BACK_TO = phrases(
    "go back to", "going back to", "back to", "return to the", "take up", "resume", "reopen", "revert to",
    "pick up", "continue with", "let's do", "show me", "bring back", "switch back to", "change back to",
)  # fmt: skip
_ONCE_MORE = phrases("again", "after all", "was better", "were better", "once more", "as before")
_OLDEST = phrases(
    "first one", "first search", "first request", "first thing", "first flights", "first hotel",
    "first hotels", "asked first", "at first", "original", "the first", "started with", "said first",
)  # fmt: skip
_SECOND = phrases("second one", "second search", "second request", "the second")
_LATEST = phrases(
    "previous one", "previous search", "previous request", "the previous", "last one", "last search",
    "earlier one", "earlier search", "earlier request", "one before", "search before", "request before",
    "the old one", "the old search", "what i had before",
)  # fmt: skip
_REPEATS = phrases(
    "try again", "try it again", "try that again", "again", "once more", "one more time", "retry",
    "repeat that", "repeat it", "repeat the search", "go on", "continue", "keep going", "carry on", "resume",
    "search again", "run it again", "do it again", "keep searching", "keep looking", "do look", "do search",
    "look after all", "search after all", "go on with it", "continue with it", "go on searching",
    "continue searching", "carry on searching", "pick it up again", "take it up again",
)  # fmt: skip
_NEGATIONS = word_set("don't dont not never no stop")
_COURTESY = word_set("thanks thank thx bye goodbye")
_SHORT = 12
_NEAR_THE_START = 6


def goes_back(text: Text) -> bool:
    """Return whether a message begins with words such as "go back to"."""
    return 0 <= text.find(_BACK_TO) <= _NEAR_THE_START


def repeats(text: Text) -> bool:
    """Return whether a message only asks for the same again: "try again", "go on"."""
    at = text.find(_REPEATS)
    if at < 0 or text.length > _SHORT or text.norm(at - 1) in _NEGATIONS:
        return False
    return text.vocabulary.isdisjoint(_COURTESY)


def find_return(text: Text, gazetteer: Gazetteer) -> Return | None:
    """Return which earlier request a message wants again, None if it wants none."""
    if not (goes_back(text) or text.has(_ONCE_MORE)) or text.length > 2 * _SHORT:
        return None
    # The words for a request name no place: all of them are read, also those that another reader has taken.
    cities = (one.place.city for one in find_places(text, gazetteer).mentions if one.place)
    return Return(
        cities=frozenset(cities),
        which=(
            "oldest"
            if text.has(_OLDEST)
            else "second"
            if text.has(_SECOND)
            else "latest"
            if text.has(_LATEST)
            else None
        ),
    )
