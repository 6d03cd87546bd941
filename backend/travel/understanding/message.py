"""A message taken apart: what each of its parts says, before it is known what it is an answer to."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

from ..values.travel import City
from .dates.dates import DateMention, find_dates
from .dates.words import NIGHT_UNITS
from .details.airlines import AirlineMention, find_airlines
from .details.bare import is_bare
from .details.companions import find_companion
from .details.counts import Counted, bare_count
from .details.facts import Facts, read_facts
from .details.flexibility import flexibility_told
from .details.hotel_names import HotelName, find_hotel_names
from .details.limits import children_told, impossible_counts
from .details.removals import Removal, find_removals
from .details.shifts import Shift, find_shift
from .details.unsearched import Unsearched, find_unsearched
from .language.text import Text, phrases
from .places.districts import DistrictMention, find_district, find_district_of
from .places.finder import PlaceMention
from .places.gazetteer import Gazetteer, in_full
from .places.places import as_asked, find_places, further_goals, without_praise
from .result import Agent, Period, Place, Reason, Refused
from .talk.questions import asks_about
from .topics.changes import change_at, story, wanted_after, wanted_beside
from .topics.topics import Segment, Topic, find_topic, unwanted
from .topics.words import FLIES_BACK, FLIGHT, HOTEL

_NO_FACTS = Facts()
_THERE_AND_BACK = phrases("return", "returning", "round trip", "round-trip", "there and back", "back")
_KEEPS = phrases("keep", "keeping", "stay with", "stick to", "stick with", "leave it on", "still")
_WORDS_AFTER_KEEP = 3
_ONE_NIGHT = phrases(
    "just for tonight", "only for tonight", "just tonight", "only tonight", "tonight only", "just the night",
    "just for the night", "the first night only", "only the first night", "for the first night",
    "just the first night", "for the night before", "for the night of",
)  # fmt: skip
_END_SLOTS = frozenset({"flight.return_date", "hotel.check_out"})
_DAY_SLOTS = _END_SLOTS | {"flight.departure_date", "hotel.check_in"}


_Mention = (
    DateMention | DistrictMention | PlaceMention | HotelName | AirlineMention | Removal | Shift | Unsearched
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """What else a part could have meant: `what` is "origin", "destination", "named", "start" or "end".

    The other fields are those of `Alternative`.
    """

    what: str
    taken: str
    others: tuple[str, ...]
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one part of a message says, and whom it is about (`agents`, () if that is open).

    `named` is a place that is named without a word that says what it is to the journey. Of `period` the day
    is still to be said; of a region among the `others`, the city. With `is_leaving` the start is a day on
    which somebody leaves. Nights that are `nights_in_hotel` are told of a bed, and not of the whole journey.
    """

    agents: tuple[Agent, ...] = ()
    origin: Place | None = None
    destination: Place | None = None
    named: Place | None = None
    start: date | None = None
    end: date | None = None
    nights: int | None = None
    nights_in_hotel: bool = False
    period: Period | None = None
    is_leaving: bool = False
    district: DistrictMention | None = None
    facts: Facts = _NO_FACTS
    others: tuple[Other, ...] = ()
    has_unknown_goal: bool = False
    """Whether it names a place to go to, or to stay in, that nobody knows."""

    @property
    def says_something(self) -> bool:
        """Whether there is anything in it that could fill a slot."""
        is_empty = (
            replace(self, agents=(), others=(), nights_in_hotel=False, has_unknown_goal=False) == Part()
        )
        return not is_empty or any(not one.taken for one in self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message taken apart. `text` is what the readers of single words look at.

    `refused` is what could not be read; `not_wanted` are places it speaks against. `removed` are slots
    that it empties, `shift` is a change told by how much it changes.
    """

    text: Text
    topic: Topic
    parts: tuple[Part, ...]
    hotel_names: tuple[HotelName, ...] = ()
    is_bare: bool = False
    """Whether it says when, how long and for how many, and nothing else."""
    goal: Place | None = None
    """The last place it names that is not one to come from."""
    refused: tuple[Refused, ...] = ()
    not_wanted: tuple[Place, ...] = ()
    removed: frozenset[str] = frozenset()
    shift: Shift | None = None
    unsearched: tuple[Agent, ...] = ()
    """The agents for which it has wishes that no search takes."""

    @property
    def says_something(self) -> bool:
        """Whether any part could fill a slot, or change one."""
        return bool(self.removed) or self.shift is not None or self.parts_say_something

    @property
    def parts_say_something(self) -> bool:
        """Whether any part could fill a slot."""
        return any(part.says_something for part in self.parts)

    @property
    def flies_back(self) -> bool:
        """Whether it tells the day of the journey back."""
        return any(part.end for part in self.parts) and self.text.has(FLIES_BACK)

    def unnamed(self) -> "Message":
        """The same as if it named nobody: what it says is for those who are spoken to."""
        parts = tuple(replace(part, agents=()) for part in self.parts)
        return replace(self, topic=self.topic.unnamed(), parts=parts)


def read_message(
    source: str,
    gazetteer: Gazetteer,
    *,
    today: date,
    after: date | None = None,
    since: date | None = None,
    asked: tuple[str, ...] = (),
    counts: tuple[str, ...] = (),
    days: Collection[date] = (),
    running: tuple[Agent, ...] = (),
    is_hotel_named: bool = False,
    stay: City | None = None,
) -> Message:
    """Take a message apart.

    `after` and `since` are for `find_dates`. `asked` are the slots that the assistant asked for, `counts`
    those that a bare number may be for, and `days` those that the request before holds. `running` are its
    agents: if only a hotel was spoken of, to leave is to check out, unless the message brings in flights.
    `is_hotel_named` tells whether a hotel has been named before; `stay` is the city to stay in, if known.
    """
    whole = Text(source)
    removals = find_removals(whole)
    shift = find_shift(whole) or (find_companion(whole) if running else None)
    wishes = () if asks_about(whole) else find_unsearched(whole, running or _named(whole))
    text = whole.without(_tokens((*removals, shift) if shift else removals) | _tokens(wishes))
    district = find_district_of(text, stay) if stay else None
    there = _tokens([district] if district else [])
    airlines = find_airlines(text)
    flown = _tokens(airlines) | there
    names = tuple(
        one
        for one in find_hotel_names(
            text, gazetteer, is_named_before=is_hotel_named, is_looked_for="hotel" in running
        )
        if flown.isdisjoint(range(one.first, one.after))
    )
    told = story(whole)
    topic = find_topic(
        whole.without(_tokens([shift] if shift else []) | _tokens(wishes) | told),
        hotels={name.first: name.after for name in names},
        is_running=bool(running),
    )
    topic = topic.without(unwanted(whole)).with_what_goes_before(whole, running)
    dates = find_dates(
        text,
        today=today,
        after=after,
        since=since,
        near=after if set(topic.agents) <= set(running) else None,
        leaving_is_return="hotel" in (*running, *topic.agents) and "flight" not in (*running, *topic.agents),
        only_return_is_asked=_END_SLOTS.issuperset(slot for slot in asked if slot in _DAY_SLOTS)
        and not _END_SLOTS.isdisjoint(asked),
    )
    dated = _tokens(dates)
    refused = [_refused(text, day, day.refused) for day in dates if day.refused]
    change = change_at(text)
    is_open = (day for day in dates if day.approximate or not day.refused)
    dates = tuple(day for day in is_open if day.first not in topic.aside and not _is_kept(text, day, days))
    dates = wanted_after(dates, change)
    dates = wanted_beside(dates, told, is_else_told=shift is not None)
    is_of_days = change >= 0 and bool(dates) and dates[0].first > change
    topic = topic.of_days(text, change) if is_of_days else topic
    named = dated | _tokens(names) | flown
    found = find_places(text, gazetteer, taken=named)
    placed = named | _tokens((*found.mentions, *found.not_wanted))
    district = district or find_district(text, taken=placed)
    taken = placed | topic.aside | set(range(district.first, district.after) if district else ())
    is_answer = topic.agents in ((), ("flight",)) or asked[:1] == ("hotel.city",)
    places = without_praise(text, found.mentions, asked)
    places = as_asked(text, places, asked) if is_answer else places
    places = tuple(place for place in places if place.first > change) if is_of_days else places
    topic = topic.with_flights_in(_routes(topic, places))
    parts = tuple(
        _part(text, segment, dates, places, district, taken, airlines) for segment in topic.segments
    )
    unknown = [one for one in found.unknown if one.first not in taken]
    parts = tuple(
        replace(part, has_unknown_goal=_has_goal(segment, unknown))
        for part, segment in zip(parts, topic.segments, strict=True)
    )
    if topic.is_trip or text.has(_THERE_AND_BACK):
        parts = tuple(replace(part, nights_in_hotel=False) for part in parts)
    count = bare_count(text, taken, counts)
    parts = (_with_count(parts[0], *count),) if count and len(parts) == 1 else parts
    goals = [place.place for place in places if place.place and place.role in ("destination", "stay", "")]
    bare = is_bare(text, taken)
    topic = replace(topic, is_elsewhere=topic.is_elsewhere and not bare)
    return Message(
        text=whole,
        topic=topic,
        parts=parts,
        hotel_names=names,
        is_bare=bare,
        goal=goals[-1] if goals else None,
        refused=(
            *refused,
            *(Refused(said=mention.said, reason="unknown_place") for mention in unknown),
            *(Refused(said=one.airline, reason="cannot_be_excluded") for one in removals if one.airline),
            *impossible_counts(text),
            *children_told(text),
            *flexibility_told(text),
            *(_refused(whole, wish, "not_searched_by") for wish in wishes),
            *(_refused(text, place, "one_city_at_a_time") for place in further_goals(text, places)),
        ),
        removed=frozenset(slot for removal in removals for slot in removal.slots),
        shift=shift,
        unsearched=tuple(dict.fromkeys(wish.agent for wish in wishes)),
        not_wanted=tuple(mention.place for mention in found.not_wanted if mention.place),
    )


def _named(text: Text) -> tuple[Agent, ...]:
    """The agents of which an opening message has a word."""
    flight: tuple[Agent, ...] = ("flight",) if text.has(FLIGHT) else ()
    return (*flight, "hotel") if text.has(HOTEL) else flight


def _refused(text: Text, mention: _Mention, reason: Reason) -> Refused:
    return Refused(said=text.spelled(mention.first, mention.after), reason=reason)


def _is_kept(text: Text, mention: DateMention, days: Collection[date]) -> bool:
    """Whether a day is named as one that stays as it is: "keep the 15th"."""
    named = mention.start or mention.end
    is_known = named is not None and any(named.day == day.day for day in days)
    return is_known and text.match_before(_KEEPS, mention.first, within=_WORDS_AFTER_KEEP)


def _routes(topic: Topic, places: tuple[PlaceMention, ...]) -> list[int]:
    """Where parts about hotels alone tell where from and where to: nobody says so without wanting to fly."""
    starts: list[int] = []
    for segment in topic.segments:
        held = [place for place in places if segment.first <= place.first < segment.after]
        ends = {place.role: place.place.city for place in held if place.place}
        is_route = "origin" in ends and "destination" in ends and ends["origin"] != ends["destination"]
        if segment.agents == ("hotel",) and is_route:
            starts.append(segment.first)
    return starts


def _has_goal(segment: Segment, places: Sequence[PlaceMention]) -> bool:
    held = (place for place in places if segment.first <= place.first < segment.after)
    return any(place.role in ("destination", "stay") for place in held)


def _with_count(part: Part, what: Counted, count: int) -> Part:
    """The part with what was asked for, unless it tells that by itself."""
    if what == "nights":
        return part if part.nights is not None else replace(part, nights=count)
    if getattr(part.facts, what) is not None:
        return part
    return replace(part, facts=replace(part.facts, **{what: count}))


def _tokens(mentions: Sequence[_Mention]) -> set[int]:
    return {index for mention in mentions for index in range(mention.first, mention.after)}


def _part(
    text: Text,
    segment: Segment,
    dates: tuple[DateMention, ...],
    places: tuple[PlaceMention, ...],
    district: DistrictMention | None,
    taken: set[int],
    airlines: tuple[AirlineMention, ...],
) -> Part:
    part = Part(
        agents=segment.agents,
        facts=read_facts(text, segment.first, segment.after, taken=taken, airlines=airlines),
        district=district if district and segment.first <= district.first < segment.after else None,
    )
    part = _with_dates(part, text, [date for date in dates if segment.first <= date.first < segment.after])
    return _with_places(part, [place for place in places if segment.first <= place.first < segment.after])


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
