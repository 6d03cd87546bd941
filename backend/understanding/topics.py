"""What a message is about: flights, a hotel, a whole trip, or something that is not ours.

A message that speaks of both is divided: what stands behind "hotel" is about the hotel. Where the two
words are coupled ("flights and hotels in Rome"), what follows is about both.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from backend.understanding.result import Agent
from backend.understanding.text import Phrases, Text, phrases, word_set

_FLIGHT = phrases(
    "flight", "flights", "fligth", "fligths", "filght", "fly", "flying", "flies", "plane", "planes",
    "airplane", "plane ticket", "plane tickets", "airfare", "airfares", "air fare", "air ticket",
    "air tickets", "airline ticket", "airline tickets", "one way", "oneway", "one-way", "round trip",
    "round-trip", "roundtrip", "nonstop", "non-stop", "layover", "layovers", "business class",
    "economy class", "premium economy", "first class", "return ticket", "return tickets", "airline",
    "airlines",
)  # fmt: skip
_HOTEL = phrases(
    "hotel", "hotels", "hotell", "hotles", "hostel", "hostels", "motel", "motels", "room", "rooms",
    "suite", "inn", "accommodation", "accommodations", "accomodation", "accomodations", "place to stay",
    "places to stay", "somewhere to stay", "lodging", "lodgings", "b&b", "bed and breakfast",
    "guesthouse", "guesthouses", "guest house", "guest houses", "resort", "resorts", "apartment",
    "apartments", "airbnb",
)  # fmt: skip
_STAY = phrases(
    "stay", "staying", "check in", "check-in", "checkin", "checking in", "check into", "checking into",
    "check out", "check-out", "stars", "star",
)  # fmt: skip
_TRIP = phrases(
    "trip", "trips", "vacation", "holiday", "holidays", "getaway", "itinerary", "travel plan",
    "city break", "weekend break", "traveling plan", "travelling plan", "journey", "visit", "travel package",
)  # fmt: skip
_MOTION = phrases(
    "travel", "traveling", "travelling", "go to", "going to", "get to", "head to", "heading to", "go from",
    "going from",
)  # fmt: skip
_NIGHTS = word_set("night nights days week weeks weekend")
_PLANS = phrases(
    "travel plan", "travel plans", "itinerary", "travel itinerary", "trip itinerary", "trip plan",
    "plan a trip", "plan my trip", "plan our trip", "plan a vacation", "plan a holiday",
)  # fmt: skip
_PLAN = word_set("plan arrange organise organize create devise draft design prepare")
_PLANNED = word_set("trip journey vacation holiday getaway tour")
_WORDS_TO_WHAT_IS_PLANNED = 8
_WISH = phrases(
    "want", "wanna", "would like", "id like", "i'd like", "we'd like", "need", "plan", "planning",
    "book", "find", "help", "looking for", "looking to", "let's", "lets", "organise", "organize",
    "arrange", "create", "prepare", "hoping", "thinking of", "devise", "formulate", "provide",
    "going on", "wish", "come up with", "suggest", "please", "love to", "like to", "search", "get me",
    "put together", "we are", "i am", "make", "show",
)  # fmt: skip
_ELSEWHERE = phrases(
    "weather", "forecast", "temperature", "restaurant", "restaurants", "taxi", "cab", "uber", "lyft",
    "rental car", "rent a car", "car rental", "a car", "cars", "train", "trains", "bus", "buses", "bank",
    "account", "visa", "visas", "passport", "currency", "exchange rate", "vaccine", "vaccines",
    "vaccination", "shots", "plug", "socket", "adapter", "language", "movie", "movies", "concert",
    "concerts", "event", "events", "tickets to", "attraction", "attractions", "museum", "museums", "park",
    "joke", "jokes", "song", "music", "playlist", "alarm", "calendar", "meeting", "reminder", "traffic",
    "timezone", "time zone", "insurance", "credit card", "luggage", "lost", "carry on", "carry-on",
    "travel alert", "travel alerts", "travel notification", "doctor", "dentist", "salon", "therapist",
    "apartment to rent", "bill", "spa", "dinner", "lunch", "breakfast at", "table for", "a table", "meal",
    "food", "recipe", "translate", "how do you say", "how to say", "safe", "tourist", "things to do",
    "to do list", "shopping list", "gas", "mileage", "distance", "directions", "map",
)  # fmt: skip
_COUPLING = word_set(
    """
    and & + or / , plus a an also the some hotel hotels cheap both as well with flights flight
    """
)
_BOUNDARY = word_set("and & + , . ; ? ! plus also then with")
_BOTH: tuple[Agent, ...] = ("flight", "hotel")
_HOTEL_ONLY: tuple[Agent, ...] = ("hotel",)


_NOT_WANTED = phrases(
    "no", "without", "without a", "forget the", "forget about the", "skip the", "cancel the",
    "drop the", "remove the", "don't need a", "don't need the", "dont need a", "do not need a",
    "don't need any", "don't want a", "not the", "cancel my", "leave out the", "don't look for",
)  # fmt: skip
_AGENT_NAMES: dict[str, Agent] = {
    "flight": "flight",
    "flights": "flight",
    "hotel": "hotel",
    "hotels": "hotel",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Part of a message, the tokens from `first` up to `after`, and whom it is about; () if that is open."""

    first: int
    after: int
    agents: tuple[Agent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What a message is about. `agents` in the order flight, hotel; () where no word says."""

    segments: tuple[Segment, ...]
    is_trip: bool
    is_elsewhere: bool

    @property
    def agents(self) -> tuple[Agent, ...]:
        """All agents that the message names."""
        named = {agent for segment in self.segments for agent in segment.agents}
        return tuple(agent for agent in _BOTH if agent in named)

    def without(self, unwanted: tuple[Agent, ...]) -> "Topic":
        """The same without agents that are named only to say that they are not wanted."""
        segments = (
            replace(segment, agents=tuple(agent for agent in segment.agents if agent not in unwanted))
            for segment in self.segments
        )
        return replace(self, segments=tuple(segments)) if unwanted else self

    def unnamed(self) -> "Topic":
        """The same as if it named nobody."""
        segments = tuple(replace(segment, agents=()) for segment in self.segments)
        return replace(self, segments=segments, is_trip=False)


def unwanted(text: Text) -> tuple[Agent, ...]:
    """Return the agents a message says it can do without: "no hotel", "forget the flights"."""
    found: dict[Agent, None] = {}
    for index, token in enumerate(text.tokens):
        agent = _AGENT_NAMES.get(token.norm)
        if agent and any(text.match(_NOT_WANTED, index - length) == length for length in (1, 2, 3, 4)):
            found[agent] = None
    return tuple(found)


def find_topic(text: Text, *, hotels_at: Collection[int] = (), is_running: bool = False) -> Topic:
    """Return what the message is about, with its parts, which cover it without gaps.

    `hotels_at` are tokens that name one hotel. While a request `is_running`, "I want to go to Rome" is
    about that request, and no more the wish for a whole trip.
    """
    hits = _hits(text, hotels_at)
    is_elsewhere = text.has(_ELSEWHERE)
    if _plans_a_trip(text):
        whole = Segment(first=0, after=text.length, agents=_BOTH)
        return Topic(segments=(whole,), is_trip=True, is_elsewhere=is_elsewhere)
    if not hits:
        is_moving = text.has(_MOTION)
        is_trip = not is_running and (is_moving or text.has(_TRIP)) and text.has(_WISH) and not is_elsewhere
        is_stay = text.has(_STAY) and not is_elsewhere
        agents = _of_trip(text, is_stay=is_stay) if is_trip else _HOTEL_ONLY if is_stay else ()
        whole = Segment(first=0, after=text.length, agents=agents)
        return Topic(segments=(whole,), is_trip=is_trip, is_elsewhere=is_elsewhere)
    return Topic(segments=tuple(_segments(text, hits)), is_trip=False, is_elsewhere=is_elsewhere)


def _of_trip(text: Text, *, is_stay: bool) -> tuple[Agent, ...]:
    """A trip needs a bed as well; who only says where they go, and not for how long, needs a flight."""
    stays = text.has(_TRIP) or is_stay or not text.vocabulary.isdisjoint(_NIGHTS)
    return _BOTH if stays else ("flight",)


def _plans_a_trip(text: Text) -> bool:
    """Whether a whole trip is asked for: "arrange a 3-day trip", unlike "I am planning a trip"."""
    if text.has(_PLANS):
        return True
    return any(
        token.norm in _PLAN
        and any(text.norm(at + ahead) in _PLANNED for ahead in range(1, _WORDS_TO_WHAT_IS_PLANNED))
        for at, token in enumerate(text.tokens)
    )


def _hits(text: Text, hotels_at: Collection[int]) -> list[tuple[int, Agent]]:
    """Where the message names flights or hotels."""
    hits: list[tuple[int, Agent]] = []
    names: Sequence[tuple[Phrases, Agent]] = ((_FLIGHT, "flight"), (_HOTEL, "hotel"))
    index = 0
    while index < text.length:
        if index in hotels_at:
            hits.append((index, "hotel"))
            index += 1
            continue
        length = 1
        for phrases_of_agent, agent in names:
            found = text.match(phrases_of_agent, index)
            if found:
                hits.append((index, agent))
                length = found
                break
        index += length
    return hits


def _segments(text: Text, hits: list[tuple[int, Agent]]) -> list[Segment]:
    segments: list[Segment] = []
    first, last = 0, hits[0][0]
    agents: tuple[Agent, ...] = (hits[0][1],)
    for index, agent in hits[1:]:
        is_coupled = _is_coupled(text, last, index)
        if is_coupled and agent not in agents:
            agents = _BOTH
        elif not is_coupled and agents != (agent,):
            boundary = _boundary(text, last, index)
            segments.append(Segment(first=first, after=boundary, agents=agents))
            first = boundary
            agents = (agent,)
        last = index
    return [*segments, Segment(first=first, after=text.length, agents=agents)]


def _is_coupled(text: Text, last: int, index: int) -> bool:
    """Whether two words stand side by side but for "and a" and the like."""
    return index - last <= 5 and all(text.norm(at) in _COUPLING for at in range(last + 1, index))


def _boundary(text: Text, last: int, index: int) -> int:
    """Where the part begins that the word at `index` names: behind the last "and" or stop before it."""
    return next((at for at in range(index - 1, last, -1) if text.norm(at) in _BOUNDARY), index)
