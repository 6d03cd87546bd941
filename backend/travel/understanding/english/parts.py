"""Each part of a message gets the days, places and facts that lie in it.

Stars and amenities are those of a hotel, stops and cabins those of a flight, whoever else is named in the
same breath: "4 stars with a pool, and flights in the morning". They are told in clauses of their own, with
whose other facts they go: the price behind "4 stars, breakfast" is that of the hotel.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

from ..message import District, Facts, Other, Part
from ..places.gazetteer import in_full
from ..result import Agent, Period
from .dates.dates import DateMention
from .dates.points import NIGHT_UNITS
from .details.answers import Counted
from .language.tables import phrases_of, words_of
from .language.text import ShiftMention, Text
from .places.districts import DistrictMention
from .places.finder import PlaceMention
from .topics.mentions import AGENT_NAMES
from .topics.topics import Segment, Topic, tells_which

_SAID = phrases_of("english")
_WORDS = words_of("english")


_BOTH = frozenset({"flight", "hotel"})
_PLAIN_RANGE = 3
_SHORT_WINDOW = timedelta(days=3)
_ONE_WAY = re.compile(r"\b(one[ -]?way|single ticket)", re.IGNORECASE)
"""Looked for in the source, for the reader of removals has hidden the words."""


def part_of(
    text: Text,
    segment: Segment,
    *,
    facts: Facts,
    dates: Sequence[DateMention],
    places: Sequence[PlaceMention],
    unknown: Sequence[PlaceMention],
    district: DistrictMention | None,
    running: tuple[Agent, ...] = (),
) -> Part:
    """Return what a segment of a message says, of all that was found in the whole message.

    `unknown` are places that nobody knows.
    """

    def here(mention: DateMention | PlaceMention | DistrictMention) -> bool:
        return segment.first <= mention.first < segment.after

    part = Part(
        agents=segment.agents,
        facts=facts,
        district=District(name=district.name, cities=district.cities)
        if district and here(district)
        else None,
        has_unknown_goal=any(place.role in ("destination", "stay") for place in unknown if here(place)),
    )
    days = [mention for mention in dates if here(mention)]
    # Who only wants to go somewhere means to stay there.
    is_flight = any(AGENT_NAMES.get(word) == "flight" for word in text.vocabulary)
    is_flight = is_flight or any(one.role == "origin" for one in places if here(one))
    is_running = not segment.agents and running == ("flight",)
    is_of_flights = is_running or (segment.agents in ((), ("flight",)) and is_flight)
    days = [_as_window(text, mention, days, is_of_flights=is_of_flights) for mention in days]
    part = _with_dates(part, text, days)
    is_of_a_day = text.has(_SAID.day_trip) and (part.nights or 1) == 1  # unlike a "3 day trip"
    if not running and part.start and not part.end and is_of_a_day:
        is_stay = any(AGENT_NAMES.get(word) == "hotel" for word in text.vocabulary)
        part = replace(part, agents=part.agents if is_stay else ("flight",), end=part.start, nights=None)
    is_one_journey = bool(part.start or part.period) and {*part.agents} >= _BOTH
    is_one_journey = is_one_journey and not _ONE_WAY.search(text.source)
    if is_one_journey:  # "a flight and a hotel on 5 May for 4 nights"
        part = replace(part, nights_in_hotel=False)
    return _with_places(part, [place for place in places if here(place)])


def with_start(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Give a flight the start that a clause of its own tells: "I'm from Toulouse, a flight as well"."""
    apart = next((part for part in parts if part.origin is not None and part.agents == ()), None)
    flight = next((part for part in parts if part.origin is None and "flight" in part.agents), None)
    if apart is None or flight is None:
        return tuple(parts)
    moved = {id(apart): replace(apart, origin=None), id(flight): replace(flight, origin=apart.origin)}
    return tuple(moved.get(id(part), part) for part in parts)


def with_count(part: Part, what: Counted, count: int) -> Part:
    """Return the part with the count that was asked for, unless it tells one by itself."""
    if what == "nights":
        return part if part.nights is not None else replace(part, nights=count)
    if getattr(part.facts, what) is not None:
        return part
    return replace(part, facts=replace(part.facts, **{what: count}))


def _with_dates(part: Part, text: Text, dates: list[DateMention]) -> Part:
    """The first day that is not for the way back is the start; the way back, or a later day, is the end."""
    for mention in dates:
        if mention.is_arrival and mention.end is None:
            part = replace(part, arrival=mention.start)
        if not (mention.is_arrival and part.start):
            part = _with_date(part, text, mention)
    if part.nights is None and text.has(_SAID.one_night):
        part = replace(part, nights=1, nights_in_hotel=True)
    is_overruled = part.nights is not None and any(mention.has_loose_end for mention in dates)
    return replace(part, end=None) if is_overruled else part


def _with_date(part: Part, text: Text, mention: DateMention) -> Part:
    if mention.nights is not None:
        is_in_hotel = text.norm(mention.after - 1) in NIGHT_UNITS
        return replace(part, nights=mention.nights, nights_in_hotel=is_in_hotel)
    if mention.approximate:
        is_start = part.start is None and mention.role != "return"
        return replace(part, period=_period(text, mention)) if is_start else part
    if mention.role == "return" and mention.start is None:
        return replace(part, end=mention.end, others=(*part.others, *_other_days("end", mention)))
    # "We land on the 12th, and need a car from the 13th": what begins later than that begins then.
    if part.start is None or (part.start == part.arrival and part.end is None and not mention.role):
        return replace(
            part,
            start=mention.start,
            end=part.end or mention.end,
            period=None,
            is_leaving=mention.role == "departure",
            others=(*part.others, *_other_days("start", mention)),
        )
    is_later = part.end is None and mention.start and mention.start > part.start
    return replace(part, end=mention.start) if is_later else part


def _as_window(
    text: Text, mention: DateMention, days: Sequence[DateMention], *, is_of_flights: bool
) -> DateMention:
    """Days between which a flight leaves, or a shorter stay lies: "between 4 and 6 June"."""
    if not (mention.start and mention.end and text.norm(mention.first - 1) == "between"):
        return mention
    length, nights = mention.end - mention.start, max((one.nights or 0 for one in days), default=0)
    is_shorter = 0 < nights < length.days
    tokens = range(mention.first, mention.after)
    is_numbered = any(text[at].is_number for at in tokens) and len(tokens) > _PLAIN_RANGE  # not "9 and 11"
    if is_shorter or not (is_of_flights and is_numbered):
        return replace(mention, approximate=True) if is_shorter else mention
    if mention.role == "return":
        ahead = range(1, min(length, _SHORT_WINDOW).days + 1)
        others = tuple(mention.start + timedelta(days=each) for each in ahead)
        return replace(mention, start=None, end=mention.start, others=others)
    is_told = mention.role == "departure" or any(one.role == "return" for one in days)
    return replace(mention, approximate=True) if is_told or length <= _SHORT_WINDOW else mention


def _period(text: Text, mention: DateMention) -> Period | None:
    if mention.start is None or mention.end is None:
        return None
    said = text.spelled(mention.first, mention.after)
    is_any = text.has(_SAID.any_day) or text.norm(mention.first - 1) == "between"
    return Period(said=said, start=mention.start, end=mention.end, is_any=is_any)


def _other_days(what: str, mention: DateMention) -> tuple[Other, ...]:
    day = mention.end if what == "end" else mention.start
    if not mention.others or day is None:
        return ()
    return (Other(what=what, taken=day.isoformat(), others=tuple(one.isoformat() for one in mention.others)),)


def _with_places(part: Part, places: list[PlaceMention]) -> Part:
    """Where from, and where to: said to be so, or else where to stay, or else just named there.

    A city goes before a region, in which the city has still to be chosen.
    """
    if not places:
        return part
    places = sorted(places, key=lambda mention: mention.place is None)
    origin = next((mention for mention in places if mention.role == "origin"), None)
    onward = [
        mention for mention in places if mention.is_placed and mention.role in ("destination", "stay", "")
    ]
    onward.sort(key=lambda mention: mention.role != "destination")
    bare = next((mention for mention in places if not mention.is_placed), None)
    named = onward[0] if onward else bare if part.agents or origin else None
    is_told = named is not None and named.role != ""
    what = "destination" if is_told else "named"
    return replace(
        part,
        origin=origin.place if origin else None,
        destination=named.place if named and is_told else None,
        named=named.place if named and not is_told else None,
        others=(*part.others, *_other_places("origin", origin), *_other_places(what, named)),
    )


def _other_places(what: str, mention: PlaceMention | None) -> tuple[Other, ...]:
    if mention is None or not (mention.others or mention.said):
        return ()
    taken = in_full(mention.place.city) if mention.place else ""
    other = Other(
        what=what, taken=taken, others=mention.others, said=mention.said, is_choice=mention.is_choice
    )
    return (other,)


def from_home(text: Text, places: Sequence[PlaceMention]) -> PlaceMention | None:
    """Return the start that is told right behind where to stay, or by the way back.

    "A weekend in Paris from Oslo, and a car", "be in Paris on Monday, and back in Oslo on Friday".
    """
    for goal, start in pairwise(places):
        is_behind = (goal.role, start.role) == ("stay", "origin") and (
            start.first == goal.after + 1 or "back" in text.said(start.first - 3, start.first)
        )
        is_way = goal.place and start.place and goal.place.city != start.place.city
        if is_behind and is_way and not tells_which(text, goal, ("hotel", "car")):
            return start
    return None


def routes_in(text: Text, topic: Topic, places: tuple[PlaceMention, ...]) -> list[int]:
    """Return where parts without flights tell a route: nobody does who does not want to fly."""
    home = from_home(text, places)
    starts: list[int] = []
    for segment in topic.segments:
        held = [place for place in places if segment.first <= place.first < segment.after]
        ends = {place.role: place.place.city for place in held if place.place}
        goal = ends.get("destination") or (ends.get("") if text.has(_SAID.leaves_from) else None)
        is_route = "origin" in ends and goal is not None and ends["origin"] != goal
        is_told = (segment.agents == ("hotel",) and is_route) or home in held
        if is_told and segment.agents and "flight" not in segment.agents:
            starts.append(segment.first)
    return starts


def moved_before_the_stay(
    text: Text,
    topic: Topic,
    running: Collection[Agent],
    dates: Sequence[DateMention],
    shift: ShiftMention | None,
) -> list[int]:
    """Return where parts about hotels begin with a day of the journey: "leave on the 11th, and a hotel"."""
    days = [mention.first for mention in dates if mention.role]
    days += [shift.first] if shift and shift.what in ("start", "end") else []
    if not days or "flight" not in running or topic.agents != ("hotel",):
        return []
    # "Check out on 16 June" names no hotel, and is about the stay alone.
    if not any(AGENT_NAMES.get(word) == "hotel" for word in text.vocabulary):
        return []
    starts: list[int] = []
    for segment in topic.segments:
        here = range(segment.first, segment.after)
        noun = next((at for at in here if AGENT_NAMES.get(text.norm(at)) == "hotel"), segment.after)
        ends = (at for at in here if text.norm(at) in (",", "and"))
        if any(day <= end < noun for end in (*ends, segment.after - 1) for day in days if day in here):
            starts.append(segment.first)
    return starts


def on_a_route(
    topic: Topic, text: Text, dates: Sequence[DateMention], places: Sequence[PlaceMention]
) -> Topic:
    """Return the topic, which is ours where a day, a start and a goal are told."""
    if not (topic.is_elsewhere and dates) or not text.vocabulary.isdisjoint(_WORDS.other_deeds):
        return topic
    ends = {place.role: place.place.city for place in places if place.place}
    goal = ends.get("destination") or ends.get("stay")
    is_route = goal is not None and "origin" in ends and ends["origin"] != goal
    return replace(topic, is_elsewhere=False) if is_route else topic


_ONLY_OF: Mapping[Agent, tuple[str, ...]] = {
    "flight": ("max_stops", "cabin_class", "airline", "airlines"),
    "hotel": ("stars", "amenities", "rooms"),
}
_OTHER: Mapping[Agent, Agent] = {"flight": "hotel", "hotel": "flight"}
_NOTHING = Facts()

Read = Callable[[int, int], Facts]
"""Reads the facts in the tokens from the one up to the other."""


def parted(
    text: Text, parts: Sequence[Part], segments: Sequence[Segment], running: Collection[Agent], read: Read
) -> tuple[Part, ...]:
    """Return the parts, with one more for each that tells facts of the agent that it does not name.

    Only an agent of the request that is `running` has any.
    """
    result: list[Part] = []
    for part, segment in zip(parts, segments, strict=True):
        own = part.agents[0] if len(part.agents) == 1 else None
        other = _OTHER.get(own) if own else None
        if own is None or other is None or other not in running or not _tells(part.facts, other):
            result.append(part)
            continue
        mine, its = _shared(text, segment, own, other, read)
        result += [replace(part, facts=mine), Part(agents=(other,), facts=its)]
    return tuple(result)


def _shared(text: Text, segment: Segment, own: Agent, other: Agent, read: Read) -> tuple[Facts, Facts]:
    """The facts of a segment that are of its own agent, and those of the other one."""
    told: dict[Agent, Facts] = {own: _NOTHING, other: _NOTHING}
    now = own
    for first, after in _clauses(text, segment):
        facts = read(first, after)
        named = {AGENT_NAMES.get(text.norm(at)) for at in range(first, after)}
        if own in named or other in named:
            now = own if own in named else other
        elif _tells(facts, own) != _tells(facts, other):
            now = own if _tells(facts, own) else other
        for agent in (own, other):
            kept = [each.name for each in fields(facts) if _goes_with(each.name, agent, now)]
            told[agent] = _merged(told[agent], {name: getattr(facts, name) for name in kept})
    return told[own], told[other]


def _clauses(text: Text, segment: Segment) -> Iterator[tuple[int, int]]:
    begun = segment.first
    for at in range(segment.first, segment.after + 1):
        if at == segment.after or text.norm(at) in _WORDS.ends_a_clause:
            if at > begun:
                yield begun, at
            begun = at + 1


def _goes_with(name: str, agent: Agent, now: Agent) -> bool:
    """Whether a fact is for an agent, in a clause that is about `now`."""
    owner = next((each for each, names in _ONLY_OF.items() if name in names), now)
    return owner == agent


def _tells(facts: Facts, agent: Agent) -> bool:
    """Whether facts tell what only one agent has."""
    return any(getattr(facts, name) not in (None, ()) for name in _ONLY_OF[agent])


def _merged(before: Facts, told: Mapping[str, Any]) -> Facts:
    """The facts with those told later, of which amenities add up."""
    values = {name: value for name, value in told.items() if value != getattr(_NOTHING, name)}
    if "amenities" in values:
        values["amenities"] = tuple(dict.fromkeys((*before.amenities, *values["amenities"])))
    return replace(before, **values)
