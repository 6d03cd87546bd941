"""What a message is about: flights, a hotel, a whole trip, or something that is not ours.

A message that speaks of both is divided: what stands behind "hotel" is about the hotel. Where the two words
are coupled ("flights and hotels in Rome"), what follows is about both. What somebody has is not looked for.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ...message import Background
from ...places.gazetteer import load_gazetteer
from ...result import Agent
from ...slot_table import FOLLOWERS, SLOTS, searching
from ..language.cars import BEGINNINGS, Cars, asks_for_car, car_at
from ..language.numbers import whole_number
from ..language.sentences import clauses, sentence_around
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text
from ..places.districts import district_at
from ..places.finder import PlaceMention
from ..places.places import named_places
from .mentions import (
    AGENT_NAMES,
    has_another_service,
    is_in_the_past,
    is_known,
    is_said_with,
    is_wanted_beside,
    sentences_aside,
    without_declined,
    without_praised,
)

_SAID = phrases_of("topics")
_WORDS = words_of("topics")
_LONGEST = 7
_WORDS_TO_WHAT_IS_PLANNED = 8
_WORDS_BEFORE_A_HOUSE = 5
_WORDS_TO_WHAT_IS_NEEDED = 5
_WORDS_TO_ANOTHER_AGENT = 3
_BOTH: tuple[Agent, ...] = ("flight", "hotel")
_HOTEL_ONLY: tuple[Agent, ...] = ("hotel",)


_NAMES_OF: tuple[tuple[Agent, Phrases], ...] = (("flight", _SAID.flight), ("hotel", _SAID.hotel))


def named_in(text: Text, background: Background) -> tuple[Agent, ...]:
    """Return the agents of which a message has a word; a trip is about flights and hotels.

    Where the request has a rental car, "the car" is that one.
    """
    named = set[Agent](("flight", "hotel") if text.has(_SAID.trip) else ())
    named |= {agent for agent, names in _NAMES_OF if text.has(names)}
    if any(_is_house_to_stay_in(text, at) for at in text.each_of({"place"})):
        named.add("hotel")
    if asks_for_car(text, cars_of(background)):
        named.add("car")
    return searching(named)


def cars_of(background: Background) -> Cars:
    """Return whether rental cars are searched for, and the request has one."""
    if "car" in background.running:
        return "known"
    return "offered" if "car" in background.offered else "none"


def is_of_journey(
    text: Text, background: Background, agents: tuple[Agent, ...], taken: Collection[int]
) -> bool:
    """Return whether a message is about the request before it, of whose month a bare day then is.

    So are the days of a hotel that joins where the journey goes, or of a flight there: "hotel in Porto from
    the 8th to the 12th", "flights from Oslo, too, arriving on the 1st".
    """
    if set(agents) - FOLLOWERS <= set(background.running):
        return True
    if background.stay is None or not background.running:
        return False
    named = named_places(text, load_gazetteer(), taken=taken)
    return all(
        one.role == "origin" or (one.place is not None and one.place.city == background.stay) for one in named
    )


def owned(text: Text, hits: Sequence[tuple[int, Agent]]) -> frozenset[int]:
    """Return the hits that name what somebody has, none where nothing else is asked for."""
    if len(hits) < 2 or _WORDS.cues.isdisjoint(text.vocabulary):
        return frozenset()
    found = {at for at, _ in hits if _is_owned(text, at, hits)}
    wanted = {agent for at, agent in hits if at not in found}
    is_apart = wanted and wanted.isdisjoint(agent for at, agent in hits if at in found)
    return frozenset(found) if is_apart else frozenset()


def _is_owned(text: Text, at: int, hits: Sequence[tuple[int, Agent]]) -> bool:
    clause = next(((first, after) for first, after in clauses(text) if first <= at < after), None)
    if clause is None:
        return False
    first, after = clause
    others = [other for other, _ in hits if first <= other < after and other != at]
    first = max([other + 1 for other in others if other < at], default=first)
    after = min([other for other in others if other > at], default=after)
    before = [text.norm(index) for index in range(first, at)]
    behind = [text.norm(index) for index in range(at + 1, after)]
    if not _WORDS.not_yet.isdisjoint(before) or not _WORDS.not_yet.isdisjoint(behind[:_LONGEST]):
        return False
    flies_in = any(text.match(_SAID.flies_in, index) for index in range(first, at + 1))
    is_ours = text.norm(at - 1) in ("my", "our") and text.match(_SAID.lands, at + 1) > 0
    return flies_in or is_ours or _has_it(before) or _is_done(behind)


def _has_it(before: list[str]) -> bool:
    """ "I have a", "we've got our", "already have"."""
    while before and before[-1] in _WORDS.of_it:
        before = before[:-1]
    if not before or before[-1] not in _WORDS.have or not _WORDS.asks_to_have.isdisjoint(before):
        return False
    return len(before) < 2 or before[-2] in _WORDS.us


def _is_done(behind: list[str]) -> bool:
    """ "to Vienna are booked", "booked already", "is sorted"."""
    done = next((at for at, word in enumerate(behind[: _LONGEST + 1]) if word in _WORDS.done), -1)
    return done >= 0 and (
        done == 0 or not _WORDS.is_word.isdisjoint(behind[:done] + behind[done + 1 : done + 2])
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Part of a message, the tokens from `first` up to `after`, and whom it is about; () if that is open."""

    first: int
    after: int
    agents: tuple[Agent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What a message is about. `agents` in their order; () where no word says."""

    segments: tuple[Segment, ...]
    is_trip: bool
    is_elsewhere: bool
    is_loose: bool = False
    aside: frozenset[int] = frozenset()
    """The tokens of sentences about another service, beside those that are about flights or hotels."""

    @property
    def agents(self) -> tuple[Agent, ...]:
        """All agents that the message names."""
        if len(self.segments) == 1:  # as nearly always
            return self.segments[0].agents
        return searching({agent for segment in self.segments for agent in segment.agents})

    def without(self, unwanted: tuple[Agent, ...]) -> "Topic":
        """The same without agents that are named only to say that they are not wanted."""
        segments = (
            replace(segment, agents=tuple(agent for agent in segment.agents if agent not in unwanted))
            for segment in self.segments
        )
        return replace(self, segments=tuple(segments)) if unwanted else self

    def of_days(self, text: Text, change: int) -> "Topic":
        """The same where the words at `change` change days: services told in other sentences are why."""
        return replace(self, is_elsewhere=self.is_elsewhere and is_said_with(text, _SAID.elsewhere, change))

    def of_all(self, agents: tuple[Agent, ...]) -> "Topic":
        """The same, all of it for these agents."""
        return replace(self, segments=tuple(replace(segment, agents=agents) for segment in self.segments))

    def with_what_goes_before(self, text: Text, running: tuple[Agent, ...]) -> "Topic":
        """The same where the message adds an agent to those `running`: what it says before is for these.

        "Make it Milan, and add a hotel" moves the flights as well.
        """
        is_joining = running and len(self.agents) == 1 and self.agents[0] not in running
        boundary = self._begin_of_its_part(text) if is_joining else 0
        return self._behind(boundary) if boundary else self

    def _begin_of_its_part(self, text: Text) -> int:
        """Where the part begins that names the only agent of a message, 0 where all of it does."""
        named = next((at for at, agent in _hits(text, {}, "offered") if agent in self.agents), -1)
        boundary = _boundary(text, 0, named)
        return boundary if named != boundary and len(self.segments) == 1 else 0

    def _behind(self, boundary: int) -> "Topic":
        """The same where the part before the boundary names nobody."""
        before = Segment(first=0, after=boundary, agents=())
        return replace(self, segments=(before, replace(self.segments[0], first=boundary)))

    def of_agent(self, agent: Agent) -> "Topic":
        """The same where every part that names nobody is about one agent's."""
        segments = (replace(segment, agents=segment.agents or (agent,)) for segment in self.segments)
        return replace(self, segments=tuple(segments))

    def with_flights_in(self, starts: Sequence[int]) -> "Topic":
        """The same where the parts that hold these tokens are about flights too."""
        if not starts:
            return self
        return replace(
            self,
            segments=tuple(
                replace(one, agents=searching((*one.agents, "flight")))
                if any(one.first <= at < one.after for at in starts)
                else one
                for one in self.segments
            ),
        )

    def of_all_that_goes_there(
        self, text: Text, running: tuple[Agent, ...], goals: Sequence[PlaceMention]
    ) -> "Topic":
        """The same where a goal of several agents stands beside a wish for one of them.

        "Make it Osaka, and only nonstop", "Osaka instead, with a 4 star hotel"; but "a hotel in Osaka".
        """
        if not goals or len(self.agents) != 1 or self.agents[0] not in running:
            return self
        if self.agents == ("flight",) and not text.has(_SAID.flight_itself):
            return self.unnamed()
        boundary = self._begin_of_its_part(text) if len(running) > 1 else 0
        is_before = any(goal.role != "stay" and goal.after <= boundary for goal in goals)
        return self._behind(boundary) if is_before else self

    def unnamed(self) -> "Topic":
        """The same as if it named nobody."""
        segments = tuple(replace(segment, agents=()) for segment in self.segments)
        return replace(self, segments=segments, is_trip=False)


_NAMES = AGENT_NAMES.keys() | _WORDS.car_names


def unwanted(text: Text, cars: Cars) -> tuple[Agent, ...]:
    """Return the agents a message says it can do without: "no hotel", "forget the flights"."""
    found: dict[Agent, None] = {}
    if text.has(_SAID.sleeps_elsewhere) and not _is_named(text, "hotel", cars):
        found["hotel"] = None
    if _NAMES.isdisjoint(text.vocabulary):
        return tuple(found)
    for index in text.each_of(_NAMES):
        agent = _named_at(text, index, cars)
        if not agent or _is_corrected(text, index) or _is_narrowed(text, index):
            continue
        is_denied = any(text.match(_SAID.not_wanted, index - length) == length for length in (1, 2, 3, 4, 5))
        if is_denied or _is_had(text, index):
            found[agent] = None
    alone = _wanted_alone(text, cars)
    if alone:
        found.update((agent, None) for agent in SLOTS if agent != alone and not _is_named(text, agent, cars))
    return tuple(found)


def _is_narrowed(text: Text, at: int) -> bool:
    """Whether it is told which are meant, so that others are wanted: "no hotels in Baixa", "after 8 pm"."""
    if text.norm(at + 1) in _WORDS.before_a_place and district_at(text, at + 2):
        return True
    return text.match(_SAID.narrows_what_is_not_wanted, at + 1) > 0 and text.norm(at + 2) != "all"


def _is_had(text: Text, at: int) -> bool:
    """Whether an agent there is settled without us: "we already have a hotel", "the hotel is sorted"."""
    if text.match(_SAID.settled, at + 1) and text.norm(0) not in ("is", "are"):
        return True
    before = [text.norm(each) for each in range(max(0, at - _WORDS_TO_ANOTHER_AGENT - 1), at)]
    is_had = not _WORDS.having.isdisjoint(before) and not _WORDS.we.isdisjoint(before)
    is_already = "already" in before or text.norm(at + 1) == "already"
    is_told = text.norm(0) not in _WORDS.having and text.vocabulary.isdisjoint(_WORDS.wanted_again)
    return is_had and is_already and is_told


def _is_corrected(text: Text, at: int) -> bool:
    """Whether a no before an agent there tells that nothing else is wanted: "no flights only, I meant"."""
    behind = text.said(at + 2, at + 2 + _WORDS_TO_ANOTHER_AGENT)
    is_alone = text.norm(at + 1) in _WORDS.alone and behind.isdisjoint(AGENT_NAMES)
    return is_alone and text.norm(at - 1) == "no"


def taken_instead(text: Text, running: tuple[Agent, ...], cars: Cars) -> tuple[Agent, ...]:
    """Return the agents whose place another takes that the message names: "book me a hotel instead"."""
    if not running or "instead" not in text.vocabulary:
        return ()
    named = {_named_at(text, at, cars): at for at in range(text.length)}
    named.pop(None, None)
    if len(named) != 1 or len(running) != 1 or running[0] in named:
        return ()
    at = next(iter(named.values()))
    first, _ = sentence_around(text, at)
    begins = any(
        text.norm(index) == "instead" and text.norm(index + 1) != "of" for index in (first, first + 1)
    )
    follows = text.norm(at + 1) == "instead" and text.norm(at + 2) != "of"
    return running if begins or follows else ()


def _wanted_alone(text: Text, cars: Cars) -> Agent | None:
    """The agent besides which nothing is wanted: "just the hotel please", "flights only"."""
    for index in text.each_of(_NAMES):
        agent = _named_at(text, index, cars)
        if agent is None:
            continue
        is_narrowed = text.norm(index - 1) in _WORDS.narrows_before
        is_alone = text.norm(index + 1) in _WORDS.alone and not is_narrowed
        if is_alone and text.norm(index + 2) not in _WORDS.after_a_part_alone:
            return agent
        at = index - 1
        while text.norm(at) in _WORDS.before_what_is_wanted_alone:
            at -= 1
        behind = text.norm(index + 1)
        ends_here = not behind or behind in _WORDS.after_what_is_wanted_alone
        ends_here = ends_here or text.match(_SAID.for_now, index + 1) > 0
        if text.norm(at) in _WORDS.alone and ends_here:
            return agent
        at = index - 1 - (text.norm(index - 1) in ("a", "one"))
        begins = agent != "car" and text.norm(at - 1) in (_WORDS.before_all_that_is_wanted | {""})
        # "Only flights in the morning" narrows; "just a hotel in the centre", "only hotels in Rome" do not.
        is_some = text.norm(index).endswith("s") and text.norm(index + 2) in ("the", "a")
        is_there = text.norm(index + 1) in _WORDS.before_a_place and not is_some
        if text.norm(at) in _WORDS.alone and begins and is_there:
            return agent
    return None


def _is_named(text: Text, agent: Agent, cars: Cars) -> bool:
    return any(_named_at(text, at, cars) == agent for at in text.each_of(_NAMES))


def _named_at(text: Text, index: int, cars: Cars) -> Agent | None:
    """The agent that a single word names."""
    if text.norm(index) in _WORDS.car_names:
        is_car = cars != "none" and car_at(text, index, "known")
        return "car" if is_car else None
    return AGENT_NAMES.get(text.norm(index))


def tells_which(text: Text, place: PlaceMention, agents: Collection[Agent]) -> bool:
    """Return whether a place says which flights or hotels are meant, of the `agents`: "hotels in Porto".

    Where these are not wanted, nobody goes there for them.
    """
    before = text.norm(place.first - 1)
    is_led = before in _WORDS.before_a_place or before == "to"
    return is_led and AGENT_NAMES.get(text.norm(place.first - 2)) in agents


def find_topic(
    text: Text,
    *,
    hotels: Mapping[int, int] | None = None,
    is_running: bool = False,
    cars: Cars = "offered",
) -> Topic:
    """Return what the message is about, with its parts, which cover it without gaps.

    `hotels` are the names of hotels, by their first token the index after. While a request `is_running`,
    "I want to go to Rome" is about that request, and no more the wish for a whole trip. `cars` tells
    whether "a car" and "the car" ask for one.
    """
    is_elsewhere = has_another_service(text, cars)
    named = _hits(text, hotels or {}, cars)
    had = owned(text, named)
    named = [hit for hit in named if hit[0] not in had]
    hits = [
        hit
        for hit in (_with_tickets(text, named) if is_running else named)
        if not is_in_the_past(text, hit[0]) and not (is_elsewhere and is_known(text, hit[0]))
    ]
    if _plans_a_trip(text) and not _plans_only_a_part(text, hits):
        whole = Segment(first=0, after=text.length, agents=_BOTH)
        return Topic(segments=(whole,), is_trip=True, is_elsewhere=is_elsewhere)
    if not hits:
        is_moving = text.has(_SAID.motion)
        is_trip = (
            not is_running
            and (is_moving or text.has(_SAID.trip))
            and text.has(_SAID.wish)
            and not is_elsewhere
        )
        is_stay = _is_stay(text) and not is_elsewhere and text.vocabulary.isdisjoint(_WORDS.bags)
        agents = _of_trip(text, is_stay=is_stay) if is_trip else _HOTEL_ONLY if is_stay else ()
        whole = Segment(first=0, after=text.length, agents=agents)
        return Topic(
            segments=(whole,),
            is_trip=is_trip,
            is_elsewhere=is_elsewhere,
            is_loose=is_stay and not is_trip,
        )
    hits = without_declined(text, without_praised(text, hits))
    aside = sentences_aside(text, [at for at, _ in hits]) if is_elsewhere else frozenset[int]()
    is_elsewhere = is_elsewhere and not any(is_wanted_beside(text, at) for at, _ in hits)
    return Topic(segments=tuple(_segments(text, hits)), is_trip=False, is_elsewhere=is_elsewhere, aside=aside)


def _is_house_to_stay_in(text: Text, index: int) -> bool:
    if text.norm(index) == "place":  # "a beachfront place for 5 nights"
        is_for_nights = not text.vocabulary.isdisjoint({"night", "nights"})
        return is_for_nights and text.has_any({"a", "an"}, index - _WORDS_BEFORE_A_HOUSE, index)
    is_house = text.norm(index) in _WORDS.houses
    return is_house and text.match_before(_SAID.before_a_house, index, within=_WORDS_BEFORE_A_HOUSE)


def _is_stay(text: Text) -> bool:
    """Whether somebody stays where a bed has to be found, and not with people they know."""
    at = text.find(_SAID.stay)
    while at >= 0:
        behind = at + text.match(_SAID.stay, at)
        if not (text.norm(behind) in _WORDS.among and text.match(_SAID.acquaintances, behind + 1)):
            return True
        at = text.find(_SAID.stay, at + 1)
    return False


def _of_trip(text: Text, *, is_stay: bool) -> tuple[Agent, ...]:
    """A trip needs a bed as well; who only says where they go, and not for how long, needs a flight."""
    stays = text.has(_SAID.trip) or is_stay or not text.vocabulary.isdisjoint(_WORDS.nights)
    return _BOTH if stays else ("flight",)


def _plans_a_trip(text: Text) -> bool:
    """Whether a whole trip is asked for: "arrange a 3-day trip", unlike "I am planning a trip"."""
    if text.has(_SAID.plans):
        return True
    if text.has(_SAID.trip) and text.has(_SAID.with_a_bed):
        return True
    if text.vocabulary.isdisjoint(_WORDS.plan):
        return False
    if text.has(_SAID.breaks):
        return True
    return any(
        token.norm in _WORDS.plan
        and any(text.norm(at + ahead) in _WORDS.planned for ahead in range(1, _WORDS_TO_WHAT_IS_PLANNED))
        for at, token in enumerate(text.tokens)
    )


def _plans_only_a_part(text: Text, hits: list[tuple[int, Agent]]) -> bool:
    """Whether a plan is told only as the reason for a flight: "I have travel plans and need a flight"."""
    return {agent for _, agent in hits} == {"flight"} and any(
        text.match_before(_SAID.needs, at, within=_WORDS_TO_WHAT_IS_NEEDED) for at, _ in hits
    )


_HITS = frozenset({*_SAID.flight, *_SAID.hotel, *_WORDS.houses, "place", *BEGINNINGS})


def _hits(text: Text, hotels: Mapping[int, int], cars: Cars) -> list[tuple[int, Agent]]:
    """Where the message names flights, hotels or rental cars."""
    hits: list[tuple[int, Agent]] = []
    names: Sequence[tuple[Phrases, Agent]] = ((_SAID.flight, "flight"), (_SAID.hotel, "hotel"))
    index = 0
    while index < text.length:
        if not hotels and (index := text.next_of(_HITS, index)) == text.length:
            break
        if index in hotels:
            hits.append((index, "hotel"))
            index = hotels[index]
            continue
        if _is_house_to_stay_in(text, index):
            hits.append((index, "hotel"))
        length = car_at(text, index, cars)
        if length:
            hits.append((index, "car"))
            index += length
            continue
        length = 1
        for phrases_of_agent, agent in names:
            found = text.match(phrases_of_agent, index)
            is_of_bags = text.norm(index + found - 1) == "cabin" and text.norm(index + found) in _WORDS.bags
            if found and not is_of_bags:
                hits.append((index, agent))
                length = found
                break
        index += length
    return hits


def _with_tickets(text: Text, hits: list[tuple[int, Agent]]) -> list[tuple[int, Agent]]:
    """Count tickets beside rooms as those of a flight: "2 tickets and 2 rooms"."""
    if not hits or any(agent == "flight" for _, agent in hits):
        return hits
    tickets = (at for at in range(1, text.length) if text.norm(at) in _WORDS.tickets)
    counted: list[tuple[int, Agent]] = [(at, "flight") for at in tickets if whole_number(text, at - 1)]
    return sorted([*hits, *counted])


def _segments(text: Text, hits: list[tuple[int, Agent]]) -> list[Segment]:
    segments: list[Segment] = []
    first, last = 0, hits[0][0]
    agents: tuple[Agent, ...] = (hits[0][1],)
    for index, agent in hits[1:]:
        is_coupled = _is_coupled(text, last, index)
        if is_coupled and agent not in agents:
            agents = searching((*agents, agent))
        elif not is_coupled and agents != (agent,):
            boundary = _boundary(text, last, index)
            segments.append(Segment(first=first, after=boundary, agents=agents))
            first = boundary
            agents = (agent,)
        last = index
    return [*segments, Segment(first=first, after=text.length, agents=agents)]


def _is_coupled(text: Text, last: int, index: int) -> bool:
    """Whether two words stand side by side but for "and a" and the like."""
    return index - last <= 5 and all(text.norm(at) in _WORDS.coupling for at in range(last + 1, index))


def _boundary(text: Text, last: int, index: int) -> int:
    """Where the part begins that the word at `index` names: behind the last "and" or stop before it."""
    return next((at for at in range(index - 1, last, -1) if text.norm(at) in _WORDS.boundary), index)


def changes_apart(text: Text) -> list[str]:
    """Return the parts of a message that may each be a change by itself; none where one is about another.

    Behind the name of one topic only what begins with a verb is apart: "a hotel, from the 5th" is one change,
    "an automatic car, and make it 3 people" are two.
    """
    parts = list[str]()
    is_named = False
    for first, after in clauses(text):
        begun = first
        for at in (*(each for each in text.where(_WORDS.join_changes) if first <= each < after), after):
            part, begun = Text(text.spelled(begun, at)), at + 1
            if not part.length:
                continue
            word, is_deed = part.norm(0), part.norm(0) in _WORDS.begin_a_change
            # Behind a comma a name may be that of a country: "fly to Muscat, Oman instead".
            is_name = bool(parts) and not (is_deed or part[0].is_number or word in _WORDS.begin_a_wish)
            if is_name or (is_named and not is_deed):
                return []
            parts.append(part.source)
            is_dropped = word in _WORDS.take_out
            is_named = is_named or (not is_dropped and part.has_any(_NAMES | _WORDS.name_a_topic))
    return parts
