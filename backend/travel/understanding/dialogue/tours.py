"""A tour as a request: it stands alone, and is known until flights or hotels are asked for."""

from dataclasses import replace

from ..message import Tour
from ..result import Agent, Understanding
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
    if tour is None or understood.agents:
        return understood
    relation = "add" if understood.relation == "new" else understood.relation
    return replace(understood, relation=relation, wanted=_PLANNER, about=_PLANNER, tour=tour)
