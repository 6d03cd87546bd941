"""Messages that take an earlier request up again: "go back to the Tokyo flights", "the first one again",
"try again".
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..language.text import Text, phrases, word_set
from ..places.gazetteer import Gazetteer
from ..places.places import find_places
from ..queries import QUERIES, filters
from ..result import Place, Understanding
from ..slot_table import SLOTS
from ..topics.topics import Topic
from .slots import Slots

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
    "search again", "run it again", "do it again", "keep searching", "keep looking",
)  # fmt: skip
_NEGATIONS = word_set("don't dont not never no stop")
_COURTESY = word_set("thanks thank thx bye goodbye")
_SHORT = 12
_NEAR_THE_START = 6


def goes_back(text: Text) -> bool:
    """Return whether a message begins with words such as "go back to"."""
    return 0 <= text.find(_BACK_TO) <= _NEAR_THE_START


def told_in_full(
    requests: Sequence[Understanding],
    previous: Understanding | None,
    read_after: Callable[[Understanding], Understanding],
    *,
    goal: Place | None,
) -> int | None:
    """Return which of the requests, latest first, a message tells by all that it asks for; None if none.

    It tells one about which it changes nothing: `read_after` understands the message, which names the `goal`,
    after a request. Where it tells several so, it is the one that asks for the least beside what was said.
    """

    def is_told(one: Understanding) -> bool:
        is_there = goal is not None and goal.city in _cities(one)
        return is_there and _searches(read_after(one)) == _searches(one)

    told = [(_asks_for(one), at) for at, one in enumerate(requests) if is_told(one)]
    if not told or (previous and is_told(previous) and _asks_for(previous) <= min(told)[0]):
        return None
    return min(told)[1]


def _searches(understood: Understanding) -> tuple[object, ...]:
    """What is searched for, from whichever airport of the cities, and what narrows it."""
    flight = understood.flight
    places = {"origin": flight.origin, "destination": flight.destination}
    cities = {name: Place(city=place.city) for name, place in places.items() if place}
    anywhere = replace(understood, flight=replace(flight, **cities))
    return tuple((QUERIES[agent](anywhere), filters(agent, anywhere.of(agent))) for agent in SLOTS)


def _asks_for(understood: Understanding) -> int:
    return len(Slots(flight=understood.flight, hotel=understood.hotel).filled)


def taken_up(
    text: Text,
    topic: Topic,
    recent: Sequence[Understanding],
    previous: Understanding | None,
    gazetteer: Gazetteer,
) -> int | None:
    """Return which of the `recent` requests, latest first, the message takes up again; None if none.

    A request is told by its city, or by its place in the row; flights or hotels alone, where named.
    """
    if not recent or not (goes_back(text) or text.has(_ONCE_MORE)) or text.length > 2 * _SHORT:
        return None
    fitting = [at for at, one in enumerate(recent) if set(topic.agents) <= set(one.wanted)]
    cities = {one.place.city for one in find_places(text, gazetteer).mentions if one.place}
    if cities:
        is_there = previous is not None and cities & _cities(previous)
        return next((at for at in fitting if not is_there and cities & _cities(recent[at])), None)
    if not fitting:
        return None
    if text.has(_OLDEST):
        return fitting[-1]
    if text.has(_SECOND):
        return fitting[-2] if len(fitting) > 1 else None
    return fitting[0] if text.has(_LATEST) else None


def _cities(understood: Understanding) -> set[object]:
    places = (understood.flight.destination, understood.hotel.city)
    return {place.city for place in places if place}


def repeats(text: Text) -> bool:
    """Return whether a message only asks for the same again: "try again", "go on"."""
    at = text.find(_REPEATS)
    if at < 0 or text.length > _SHORT or text.norm(at - 1) in _NEGATIONS:
        return False
    return text.vocabulary.isdisjoint(_COURTESY)
