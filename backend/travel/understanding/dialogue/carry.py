"""What a request inherits: from the request before it, and each agent from the others.

The agents of one journey are linked: the goal of the flight is the city of the stay, they share days and
people. A link holds as long as both sides say the same, so whoever changes one changes both; what was set
apart by hand stays apart. Which slots are linked is in the table of slots.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from ..calendar import later
from ..places.districts import is_centre
from ..result import Agent, Alternative, Place, Understanding
from ..slot_table import (
    ASSUMED_LINKS,
    FOLLOWERS,
    ROWS,
    SLOTS,
    Link,
    Slot,
    holds,
    linked,
    links_of,
    rows_of,
    searching,
    told_instead,
)
from .slots import NO_SLOTS, Slots, first_known, overlaid, without

_SPREAD: tuple[Link, ...] = ("goal", "first_day", "people", "children")
_ASSUMED = frozenset(slot.name for slot in ROWS.values() if slot.link in ASSUMED_LINKS)


def continued(known: Slots, said: Slots, *, spreads: bool) -> Slots:
    """Return what is known after a message that goes on with a request.

    With `spreads`, what is said of one agent holds for the others where they agreed before.
    """
    said = _allowed_again(said, known)
    result = without(known, _with_other_ends(said.cleared, known) if spreads else said.cleared)
    for agent in SLOTS:
        result = result.with_slots(agent, overlaid(agent, result.of(agent), said.of(agent)))
    if spreads and len(known.agents) > 1:
        for link in _SPREAD:
            result = _spread(link, known, said, result)
        result = _spread_end(known, said, result)
    elif said.hotel.nights and not said.hotel.check_in:
        result = _spread("first_day", known, said, result)  # "fly on the 11th, hotel 3 nights accordingly"
    for agent in SLOTS:
        result = _with_facts_of_goal(agent, known, said, result)
        result = _with_end_after_start(agent, known, said, result)
        result = _without_contradictions(agent, said, result)
    return replace(result, alternatives=(), cleared=frozenset[str](), unplaced=frozenset[str](), period=None)


def _allowed_again(said: Slots, known: Slots) -> Slots:
    """What is said without values that were left out and are only allowed again: "Ryanair is fine"."""
    for name in said.cleared:
        slot, _, value = name.partition(":")
        row = ROWS[slot]
        if not row.opposes or value not in getattr(known.of(row.agent), row.field):
            continue
        wanted = getattr(said.of(row.agent), row.opposes)
        said = said.changed(row.agent, **{row.opposes: tuple(each for each in wanted if each != value)})
        if said.flight.airline == value:
            said = said.changed("flight", airline=None)
    return said


def _without_contradictions(agent: Agent, said: Slots, result: Slots) -> Slots:
    """What a message says last holds: nothing is both wanted and left out."""
    for row in rows_of(agent):
        if not row.opposes:
            continue
        opposed = ROWS[f"{agent}.{row.opposes}"]
        wanted, unwanted = _several(said, opposed), _several(said, row)
        changed, without_those = (row, wanted) if wanted else (opposed, unwanted)
        left = tuple(one for one in _several(result, changed) if one not in without_those)
        is_single = changed.empty is None
        kept = (left[0] if left else None) if is_single else left
        result = result.changed(agent, **{changed.field: kept})
    return result


def _several(slots: Slots, row: Slot) -> tuple[Any, ...]:
    """The values that a slot holds: several, one, or none."""
    held = getattr(slots.of(row.agent), row.field)
    if held == row.empty:
        return ()
    return tuple(held) if row.empty == () else (held,)


def _other_ends(slot: Slot) -> tuple[Slot, ...]:
    """The slots in which other agents hold the same fact."""
    return tuple(other for other in links_of(slot.link) if other != slot) if slot.link else ()


def _with_other_ends(cleared: Collection[str], known: Slots) -> frozenset[str]:
    """Slots that are cleared, and what is linked to them."""
    same = (
        other.name
        for one in cleared
        if one in ROWS
        for other in _other_ends(ROWS[one])
        if known.value(one) == known.value(other.name)
    )
    return frozenset((*cleared, *same))


def _spread(link: Link, known: Slots, said: Slots, result: Slots) -> Slots:
    """What is said of one agent holds for those that agreed with it, and of which nothing is said."""
    for one in links_of(link):
        told, before = said.value(one.name), known.value(one.name)
        is_emptied = one.name in said.cleared
        if (told == one.empty and not is_emptied) or before == one.empty:
            continue
        for other in _other_ends(one):
            if known.value(other.name) == before and said.value(other.name) == other.empty:
                result = result.changed(other.agent, **{other.field: told})
    return result


def _spread_end(known: Slots, said: Slots, result: Slots) -> Slots:
    """The last day, which a stay may tell by its nights, is linked like the other slots.

    Where nothing is said of it the stay tells it to the others: its nights move with its first day.
    """
    ends = {agent: known.of(agent).told_last_day for agent in SLOTS}
    for end in {end for end in ends.values() if end is not None}:
        agreed: list[Agent] = [agent for agent in SLOTS if ends[agent] == end]
        told: list[Agent] = [agent for agent in agreed if _says_end(agent, said)]
        stays: list[Agent] = [agent for agent in agreed if told_instead(linked(agent, "last_day"))]
        for leader in (told or stays)[:1]:
            for agent in agreed:
                if agent != leader and agent not in told:
                    result = _ending(agent, result, result.of(leader).told_last_day)
    return result


def back_after_stay(result: Slots, said: Slots) -> Slots:
    """Return the slots with a flight back no earlier than the end of a stay that is told with the way out.

    "On the 19th, and a hotel for 2 nights" leaves nobody in bed whose flight went back on the 20th.
    """
    flight, stay = result.flight, result.hotel
    end, back = stay.told_last_day, flight.return_date
    is_told = said.flight.departure_date and not said.flight.return_date
    is_told = is_told and not said.filled.isdisjoint(("hotel.nights", "hotel.check_out"))
    is_there = flight.destination and stay.city and flight.destination.city == stay.city.city
    is_late = is_told and is_there and end and back and end > back
    return result.changed("flight", return_date=end) if is_late else result


def _says_end(agent: Agent, said: Slots) -> bool:
    last = linked(agent, "last_day")
    length = told_instead(last)
    return any(slot.name in said.filled for slot in (last, length) if slot)


def _ending(agent: Agent, slots: Slots, end: date | None) -> Slots:
    """The slots with a last day of an agent, told as a day."""
    last = linked(agent, "last_day")
    length = told_instead(last)
    return slots.changed(agent, **{last.field: end}, **({length.field: length.empty} if length else {}))


def _with_facts_of_goal(agent: Agent, known: Slots, said: Slots, result: Slots) -> Slots:
    """A part of the city is gone with the city, unless another is said; each city has a centre."""
    goal = linked(agent, "goal").name
    before, now = known.value(goal), result.value(goal)
    if not before or not now or before == now:
        return result
    facts = {slot.field: getattr(said.of(agent), slot.field) for slot in rows_of(agent) if slot.is_of_goal}
    was = known.hotel.district
    if agent == "hotel" and was and is_centre(was):
        facts["district"] = facts["district"] or was
    return result.changed(agent, **facts)


def _with_end_after_start(agent: Agent, known: Slots, said: Slots, result: Slots) -> Slots:
    first, last = linked(agent, "first_day").name, linked(agent, "last_day")
    end = result.value(last.name)
    said_end = said.value(last.name) if end == known.value(last.name) else end  # said of another agent
    end = _kept_apart(known.value(first), result.value(first), end, said_end=said_end)
    return result.changed(agent, **{last.field: end})


def _kept_apart(
    old_start: date | None, start: date | None, end: date | None, *, said_end: date | None
) -> date | None:
    """An end that the start has overtaken moves on with it, so that the journey stays as long as it was.

    The same day is an end as well, if it is said.
    """
    if start is None or end is None or end > start or start == end == said_end:
        return end
    if old_start and end >= old_start:  # also of a journey there and back on one day
        return start + (end - old_start)
    return end if end == start else None


def left_open(previous: Understanding) -> frozenset[str]:
    """Return the goals that a request for several still lacks: another goal was no answer to them."""
    goals = [linked(agent, "goal") for agent in searching(previous.wanted)]
    still_open = frozenset(
        goal.name for goal in goals if getattr(previous.of(goal.agent), goal.field) is None
    )
    return still_open if len(still_open) < len(goals) else frozenset()


def completed(slots: Slots, agents: tuple[Agent, ...], *, open_goals: Collection[str] = ()) -> Slots:
    """Return the slots with what the agents that are wanted can tell each other.

    The `open_goals` have been said otherwise, and are not to be taken from another.
    """
    wanted = searching((*slots.agents, *agents))
    for agent in wanted:
        for other in wanted:
            if other != agent:
                slots = _taking(agent, other, slots, open_goals)
    return slots


def _taking(agent: Agent, other: Agent, slots: Slots, open_goals: Collection[str]) -> Slots:
    """The slots in which an agent takes from another what nobody said of it."""
    taken: dict[str, object] = {}
    # A car may be wanted for a part of a journey: it tells where that goes, but none of its days.
    is_goal_alone = other in FOLLOWERS and _has_journey(agent, slots)
    for link in _SPREAD[:1] if is_goal_alone else _SPREAD:
        if not (holds(agent, link) and holds(other, link)):
            continue
        mine, its = linked(agent, link), linked(other, link)
        value = getattr(slots.of(other), its.field)
        is_open = getattr(slots.of(agent), mine.field) == mine.empty and mine.name not in open_goals
        if is_open and value != its.empty:
            taken[mine.field] = _fitting(mine, value) if isinstance(value, Place) else value
    is_start_taken = linked(agent, "first_day").field in taken
    result = slots.changed(agent, **taken)
    end, last = slots.of(other).told_last_day, linked(agent, "last_day")
    length = told_instead(last)
    if end is None or is_goal_alone or any(slot and slot.name in slots.filled for slot in (last, length)):
        return result
    if length is None and agent not in FOLLOWERS:
        # A journey whose first day was said without a last one is one way.
        return _ending(agent, result, end) if is_start_taken else result
    start = result.value(linked(agent, "first_day").name)
    return _ending(agent, result, end) if start and end > start else result


def _has_journey(agent: Agent, slots: Slots) -> bool:
    """Whether it is known where an agent's journey goes, or when."""
    return any(linked(agent, link).name in slots.filled for link in ("goal", "first_day", "last_day"))


def _fitting(slot: Slot, place: Place) -> Place:
    """A place as a slot takes it."""
    return place if slot.has_airports else Place(city=place.city)


def placed(slots: Slots, agents: Collection[Agent], place: Place) -> Slots:
    """Return the slots with the place that was spoken of before as the goal, where none is said."""
    goals = links_of("goal")
    starts = (slot for slot in ROWS.values() if slot.type is Place and slot not in goals)
    if any(slots.value(goal.name) for goal in goals):
        return slots
    if any(slots.value(start.name) == Place(city=place.city) for start in starts):
        return slots
    for goal in goals:
        if goal.agent in agents:
            slots = slots.changed(goal.agent, **{goal.field: _fitting(goal, place)})
    return slots


def following(said: Slots, known: Slots, agents: tuple[Agent, ...], place: Place | None) -> Slots:
    """The same with the goal of another agent for these, if theirs differs and it was spoken of last."""
    goals = {goal.agent: known.value(goal.name) for goal in links_of("goal")}
    if place is None or not any(goal and goal.city == place.city for goal in goals.values()):
        return said
    behind: list[Agent] = [
        agent for agent in agents if (goal := goals.get(agent)) and goal.city != place.city
    ]
    return placed(said, behind, place)


def assumed_names(
    result: Slots, said: Slots, known: Slots = NO_SLOTS, assumed: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the names of the days and people that only another agent of the trip tells.

    Of what was `known` before, some were only `assumed`.
    """
    settled = known.filled.difference(assumed) | said.filled
    return tuple(sorted(slot for slot in result.filled - settled if slot in _ASSUMED))


def carried_names(result: Slots, said: Slots, known: Slots) -> tuple[str, ...]:
    """Return the names of the slots whose value comes from the request before."""
    return tuple(
        sorted(
            name
            for name in result.filled - said.filled
            if result.value(name)
            in [known.value(slot.name) for slot in (ROWS[name], *_other_ends(ROWS[name]))]
        )
    )


def changed_agents(result: Slots, known: Slots) -> tuple[Agent, ...]:
    """Return the agents whose slots are others than before."""
    return tuple(agent for agent in SLOTS if result.of(agent) != known.of(agent))


def open_alternatives(
    said: Slots, previous: Understanding, result: Slots, carried: tuple[str, ...]
) -> tuple[Alternative, ...]:
    """Return the other readings that still stand: of this message, and earlier ones of what was kept."""
    spoken = {alternative.slot for alternative in said.alternatives}
    kept = (
        alternative
        for alternative in previous.alternatives
        if alternative.slot not in spoken
        and (alternative.slot in carried or (not alternative.taken and alternative.slot not in result.filled))
    )
    return (*said.alternatives, *kept)


def as_long_as_before(said: Slots, known: Slots) -> Slots:
    """Return what is said with the nights of before, where the days alone are open again: "in March"."""
    first, last = first_known(known, "first_day"), first_known(known, "last_day")
    if not (said.period and first and last and first < last) or said.length or said.hotel.nights:
        return said
    nights = (last - first).days
    stay = nights if known.hotel.check_in and "hotel.check_in" in said.cleared else None
    return replace(said, length=nights if known.flight.return_date else None).changed("hotel", nights=stay)


def ending_after(result: Slots, length: int | None, known: Slots, *, is_kept: bool) -> Slots:
    """Return the slots with a return so many nights after a departure that was not known before.

    With `is_kept` a journey that took as long stays so where its departure moves and its return was not told.
    """
    flight, before = result.flight, known.flight
    start = flight.departure_date
    if length is None or start is None or start == before.departure_date:
        return result
    if before.departure_date is None:
        is_moved = flight.return_date is None
    else:
        was_as_long = before.return_date == later(before.departure_date, days=length)
        is_moved = is_kept and was_as_long and flight.return_date == before.return_date
    return result.changed("flight", return_date=later(start, days=length)) if is_moved else result


def staying_in_turn(understood: Understanding, nights: tuple[int, int] | None) -> Understanding:
    """Return the same with a stay or a car for so many nights behind others of the journey, or from its end.

    The same where the journey is not known so far, or has no such nights.
    """
    start, end = understood.flight.departure_date, understood.flight.return_date
    agents: list[Agent] = [agent for agent in understood.agents if agent != "flight"]
    if nights is None or start is None or end is None or not agents:
        return understood
    skipped, count = nights
    first = (end if skipped < 0 else start) + timedelta(days=skipped)
    last = min(first + timedelta(days=count), end)
    if not start <= first < last:
        return understood
    for agent in agents:
        begin, close = linked(agent, "first_day"), linked(agent, "last_day")
        length = told_instead(close)
        emptied = {length.field: length.empty} if length else {}
        held = replace(understood.of(agent), **{begin.field: first, close.field: last}, **emptied)
        told: dict[str, Any] = {agent: held}
        understood = replace(
            understood,
            **told,
            assumed=tuple(slot for slot in understood.assumed if slot not in (begin.name, close.name)),
            carried=tuple(slot for slot in understood.carried if slot not in (begin.name, close.name)),
        )
    return understood
