"""Each part of a message gets the days, places and facts that lie in it."""

from collections.abc import Sequence
from dataclasses import replace

from ..message import District, Facts, Other, Part
from ..places.gazetteer import in_full
from ..result import Period
from .dates.dates import DateMention
from .dates.words import NIGHT_UNITS
from .details.counts import Counted
from .language.text import Text, phrases
from .places.districts import DistrictMention
from .places.finder import PlaceMention
from .topics.topics import Segment

_ONE_NIGHT = phrases(
    "just for tonight", "only for tonight", "just tonight", "only tonight", "tonight only", "just the night",
    "just for the night", "the first night only", "only the first night", "for the first night",
    "just the first night", "for the night before", "for the night of",
)  # fmt: skip


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
    return _with_places(part, [place for place in places if here(place)])


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
        if mention.nights is not None:
            is_in_hotel = text.norm(mention.after - 1) in NIGHT_UNITS
            part = replace(part, nights=mention.nights, nights_in_hotel=is_in_hotel)
        elif mention.approximate:
            if part.start is None and mention.role != "return":
                part = replace(part, period=_period(text, mention))
        elif mention.role == "return" and mention.start is None:
            part = replace(part, end=mention.end, others=(*part.others, *_other_days("end", mention)))
        elif part.start is None:
            others = (*part.others, *_other_days("start", mention))
            is_leaving = mention.role == "departure"
            end = part.end or mention.end
            part = replace(
                part, start=mention.start, end=end, period=None, is_leaving=is_leaving, others=others
            )
        elif part.end is None and mention.start and mention.start > part.start:
            part = replace(part, end=mention.start)
    if part.nights is None and text.has(_ONE_NIGHT):
        part = replace(part, nights=1, nights_in_hotel=True)
    is_overruled = part.nights is not None and any(mention.has_loose_end for mention in dates)
    return replace(part, end=None) if is_overruled else part


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
    places = sorted(places, key=lambda mention: mention.place is None)
    origin = next((mention for mention in places if mention.role == "origin"), None)
    onward = [
        mention for mention in places if mention.is_placed and mention.role in ("destination", "stay", "")
    ]
    onward.sort(key=lambda mention: mention.role != "destination")
    bare = next((mention for mention in places if not mention.is_placed), None)
    named = onward[0] if onward else bare if part.agents else None
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
    return (Other(what=what, taken=taken, others=mention.others, said=mention.said),)
