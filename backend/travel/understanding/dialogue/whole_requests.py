"""What becomes of a request as a whole: made once more, taken up again, or made without one of its agents.

A tour is a request that stands alone, known until flights or hotels are asked for. Wishes that nothing is
searched or picked by stay with their request until it is a new one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..message import Tour
from ..result import Agent, Period, Reason, Refused, Understanding, as_whole
from ..slot_table import SLOTS, searching
from .carry import continued
from .found import left_as_it_is
from .slots import Slots, first_known, held_in


def taken_up_again(
    again: Understanding,
    before: Understanding,
    index: int,
    previous: Understanding | None,
    named: tuple[Agent, ...],
) -> Understanding:
    """Return the request `before`, which was interrupted, taken up again.

    `again` is what the message changes about it, `index` its place among the recent ones, and `previous`
    the request that is left for it. `named` are the agents that the message asks for.
    """
    taken = again if again.relation in ("refine", "add", "answer") else before
    now, was = held_in(taken), held_in(before)
    held = now.filled
    known = held_in(previous)
    left_open = (one for one in before.alternatives if now.value(one.slot) == was.value(one.slot))
    return replace(
        taken,
        relation="refine",
        agents=named or before.wanted,
        alternatives=tuple(dict.fromkeys((*taken.alternatives, *left_open))),
        wanted=before.wanted,
        carried=tuple(sorted(held)),
        dropped=tuple(sorted(known.filled - held)),
        resumes=index,
    )


def repeated(previous: Understanding, named: tuple[Agent, ...]) -> Understanding:
    """Return the same request once more, for all its agents or those that are named."""
    known = held_in(previous)
    agents = tuple(agent for agent in named if agent in previous.wanted) or previous.wanted
    return replace(
        previous,
        relation="refine",
        agents=agents,
        carried=tuple(sorted(known.filled)),
        dropped=(),
        refused=(),
        resumes=None,
    )


def searched_by_now(understood: Understanding, previous: Understanding | None) -> tuple[Agent, ...]:
    """Return the agents of the request that have had enough to search by, now or before."""
    before = previous.searched if previous and understood.relation != "new" else ()
    return searching((*before, *understood.able))


def without_agents(
    understood: Understanding, previous: Understanding, waived: Sequence[Agent], *, says_more: bool
) -> Understanding:
    """Return the same without the agents that are not wanted any more.

    `understood` is the message without these agents; with `says_more` it also says what else is wanted.
    """
    is_change = understood.relation in ("new", "refine", "add", "answer")
    base = understood if is_change and says_more else previous
    known = held_in(previous)
    left = held_in(base).only([agent for agent in SLOTS if agent not in waived])
    wanted = tuple(agent for agent in base.wanted if agent not in waived)
    agents = wanted if base is previous else tuple(agent for agent in base.agents if agent not in waived)
    carried = known.filled if base is previous else base.carried
    return replace(
        base,
        relation=(understood.relation if base is understood else "refine") if wanted else "stop",
        agents=agents or wanted,
        **left.by_agent,
        carried=tuple(sorted(left.filled & set(carried))),
        dropped=tuple(sorted(known.filled - left.filled)),
        alternatives=tuple(one for one in base.alternatives if one.slot in left.filled or not one.taken),
        wanted=wanted,
        assumed=tuple(slot for slot in base.assumed if slot in left.filled),
        period=still_open(left, base.period),
        refused=understood.refused,
        resumes=None,
        **as_whole({agent: previous.of(agent) for agent in SLOTS}),
    )


def with_what_was_waived(previous: Understanding, named: tuple[Agent, ...]) -> Understanding:
    """Return the request before with what it held of agents that were taken out of it and are named again.

    Where flight and stay agreed then, what was said since of the one holds for the other.
    """
    again: list[Agent] = [agent for agent in named if agent not in previous.wanted]
    if not again:
        return previous
    whole: dict[str, Any] = {agent: previous.whole(agent) for agent in SLOTS}
    then = Slots(**whole)
    if not set(again) <= set(then.agents):
        return previous
    joined = continued(then, held_in(previous), spreads=True)
    changed: dict[str, Any] = {agent: joined.of(agent) for agent in again}
    return replace(previous, **changed)


def still_open(slots: Slots, period: Period | None) -> Period | None:
    """Return the period, unless the first day is known by now."""
    return None if first_known(slots, "first_day") else period


_OF_WISHES: Collection[Reason] = (
    "not_understood", "not_searched_by", "cannot_be_excluded", "asked_of_airline", "asked_of_rental",
)  # fmt: skip
"""Why a wish is not used. What is refused for another reason, as a day that has passed, does not last."""
_REFUSED_OF: Mapping[Reason, Agent] = {
    "adult_fare": "flight",
    "arrive_by": "flight",
    "kind_of_lodging": "hotel",
}
"""The agent without which a refusal does not matter."""
MOST_UNUSED = 12
"""Wishes that a request keeps, the latest: each later request and permission repeats all of them."""


def _is_among(said: str, known: Collection[Sequence[str]]) -> bool:
    words = said.casefold().split()
    return any(words == one[at : at + len(words)] for one in known for at in range(len(one)))


def with_unused(
    understood: Understanding,
    before: Understanding | None,
    *,
    withdrawn: Collection[str] = (),
    untold: Sequence[Refused] = (),
) -> Understanding:
    """Return what was understood with the unused wishes of the message, and of the request `before` it.

    Those `withdrawn` are none any more; a message that does nothing else goes on with the request. What was
    refused and is `untold`, since no reply came, is told with this one.
    """
    if withdrawn and before is not None and before.wanted and understood.relation in ("other", "stop"):
        understood = repeated(before, before.wanted)
    if withdrawn:
        refused = tuple(one for one in understood.refused if one.said not in withdrawn)
        understood = replace(understood, refused=refused)
    if untold and understood.relation in ("refine", "add") and understood.agents:
        told = {*withdrawn, *(one.said for one in understood.refused)}
        lasting = (one for one in untold if one.said not in told)
        understood = replace(understood, refused=(*lasting, *understood.refused))
    if left := _left_behind(understood, before):
        understood = replace(understood, refused=(*understood.refused, *left))
    is_same = before is not None and understood.relation != "new"
    earlier = [said for said in before.unused if said not in withdrawn] if is_same and before else []
    is_wish = understood.relation not in ("other", "stop")
    told = [one.said for one in understood.refused if one.reason in _OF_WISHES and is_wish]
    known = [said.casefold().split() for said in earlier]  # "a sea view" is in "with a sea view"
    unused = (*earlier, *dict.fromkeys(said for said in told if not _is_among(said, known)))[-MOST_UNUSED:]
    return replace(understood, unused=unused) if unused != understood.unused else understood


def _left_behind(understood: Understanding, before: Understanding | None) -> tuple[Refused, ...]:
    """What was wanted of a stay in the city before, and is not of the one that took its place."""
    if before is None or understood.relation != "refine" or "hotel" not in understood.agents:
        return ()
    was, now = before.hotel, understood.hotel
    if was.city is None or now.city is None or was.city.city == now.city.city:
        return ()
    gone = [
        told for told, other in ((was.district, now.district), (was.name, now.name)) if told and not other
    ]
    return tuple(Refused(said=one, reason="of_another_city") for one in gone)


def refused_to(understood: Understanding) -> tuple[Refused, ...]:
    """Return what could not be taken, as far as it matters: fares are of flights, lodging of stays."""
    told = ("", *understood.agents)
    return tuple(one for one in understood.refused if _REFUSED_OF.get(one.reason, "") in told)


_PLANNER: tuple[Agent, ...] = ("planner",)


def with_tour(tour: Tour, previous: Understanding | None) -> Understanding:
    """Return what a message means that asks for a tour."""
    known, wish = held_in(previous), tour.wish
    flight = known.flight
    if wish.start is None and wish.earliest is None and flight.origin and flight.destination in wish.cities:
        # "6 nights in Lisbon and 4 in Porto" makes stops of the flight to Lisbon that was asked for.
        first, returns = flight.departure_date, wish.returns or flight.return_date is not None
        wish = replace(wish, start=flight.origin, earliest=first, first_day=first, returns=returns)
        wish = replace(wish, passengers=wish.passengers or flight.passengers)
    return Understanding(
        relation="new",
        agents=_PLANNER,
        wanted=_PLANNER,
        about=_PLANNER,
        dropped=tuple(sorted(known.filled)),
        refused=tour.refused,
        tour=wish,
    )


def with_changed_tour(tour: Tour) -> Understanding:
    """Return what a message means that changes the tour before it, to a `trip` where one city is left."""
    if tour.trip is not None:
        agents: tuple[Agent, ...] = ("flight",)
        return Understanding(
            relation="new", agents=agents, wanted=agents, about=agents, searched=agents, flight=tour.trip
        )
    return replace(with_tour(tour, None), relation="refine")


def with_tour_again(understood: Understanding, before: Understanding) -> Understanding:
    """Return what a message means that takes up a tour which was left for something else."""
    return replace(
        before,
        relation="refine",
        agents=_PLANNER,
        dropped=understood.dropped,
        refused=(),
        resumes=understood.resumes,
    )


def without_tour(request: Understanding) -> Understanding:
    """Return the request as one for flights or hotels sees it: of a tour there is nothing to go on with."""
    if request.tour is None:
        return request
    return replace(request, agents=(), wanted=(), about=(), tour=None)


def beside_tour(understood: Understanding, previous: Understanding | None) -> Understanding:
    """Return what a message means, with the tour before it, if it asks for nothing in its place."""
    tour = previous.tour if previous else None
    if tour is None or (understood.agents and not _is_of_no_place(understood)):
        return understood
    if understood.agents:
        # What it asks for the tour cannot take: as a request it would ask for all that the tour has told.
        return replace(left_as_it_is(previous), wanted=_PLANNER, about=_PLANNER, tour=tour)
    relation = "add" if understood.relation == "new" else understood.relation
    return replace(understood, relation=relation, wanted=_PLANNER, about=_PLANNER, tour=tour)


def _is_of_no_place(understood: Understanding) -> bool:
    """Whether a request tells nowhere to go: "only nonstop ones" after a tour is said of that."""
    flight, stay, car = understood.flight, understood.hotel, understood.car
    is_placed = flight.origin or flight.destination or stay.city or stay.name or car.city
    is_kept = understood.booking is not None or understood.resumes is not None
    return understood.relation == "new" and not (is_placed or is_kept or understood.alternatives)
