"""Each part of a message gets the days, places and facts that lie in it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..message import District, Facts, Other, Part
from ..places.gazetteer import in_full
from ..result import Period
from .dates.dates import DateMention
from .dates.points import NIGHT_UNITS
from .details.answers import Counted
from .language.tables import phrases_of, words_of
from .language.text import Text
from .places.districts import DistrictMention
from .places.finder import PlaceMention
from .topics.topics import Segment, Topic

_SAID = phrases_of("english")
_WORDS = words_of("english")


_BOTH = frozenset({"flight", "hotel"})
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
    part = _with_dates(part, text, [mention for mention in dates if here(mention)])
    is_one_journey = part.start is not None and {*part.agents} >= _BOTH
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
    if part.start is None:
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


def _period(text: Text, mention: DateMention) -> Period | None:
    if mention.start is None or mention.end is None:
        return None
    return Period(said=text.spelled(mention.first, mention.after), start=mention.start, end=mention.end)


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


def routes_in(text: Text, topic: Topic, places: tuple[PlaceMention, ...]) -> list[int]:
    """Return where parts about hotels alone tell a route: nobody does who does not want to fly."""
    starts: list[int] = []
    for segment in topic.segments:
        held = [place for place in places if segment.first <= place.first < segment.after]
        ends = {place.role: place.place.city for place in held if place.place}
        goal = ends.get("destination") or (ends.get("") if text.has(_SAID.leaves_from) else None)
        is_route = "origin" in ends and goal is not None and ends["origin"] != goal
        if segment.agents == ("hotel",) and is_route:
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
