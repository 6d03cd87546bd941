"""A tour as a request: it stands alone, and is known until flights or hotels are asked for."""

from dataclasses import replace

from ..message import Tour
from ..result import Agent, Understanding
from .found import left_as_it_is
from .slots import held_in

_PLANNER: tuple[Agent, ...] = ("planner",)


def with_tour(tour: Tour, previous: Understanding | None) -> Understanding:
    """Return what a message means that asks for a tour."""
    known = held_in(previous)
    return Understanding(
        relation="new",
        agents=_PLANNER,
        wanted=_PLANNER,
        about=_PLANNER,
        dropped=tuple(sorted(known.filled)),
        refused=tour.refused,
        tour=tour.wish,
    )


def with_changed_tour(tour: Tour) -> Understanding:
    """Return what a message means that changes the tour before it."""
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
