"""What a new request makes of the results that an earlier one found.

A workflow decides it from the two requests, for each result; the core publishes it, counts it in the receipt
and tells it with what is kept.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict

Fate = Literal["stays", "waits", "goes"]
"""A result `stays` if it answers the new request as it is, `waits` if only its kind does, and has to be found
anew (another day, more people), and `goes` otherwise.
"""

Fates = Callable[[str, Sequence[Any]], Sequence[Fate]]
"""Returns the fate of each of an agent's results."""

Keeps = Callable[[str, Any], bool]
"""Returns whether a task shows a result of an agent."""


class SortedResults(TypedDict):
    """The results of one agent by their fates: as positions among all that it found, counted from 0."""

    stays: Sequence[int]
    waits: Sequence[int]
    goes: Sequence[int]


class SortedCounts(TypedDict):
    """How many of an agent's results have which fate."""

    stays: int
    waits: int
    goes: int


class SortedView(TypedDict):
    """What a task's request makes of the results of the task `from_task_id`, by agent."""

    from_task_id: str
    results: Mapping[str, SortedResults]


def sort_results(found: Mapping[str, Sequence[Any]], fates: Fates) -> dict[str, SortedResults]:
    """Return the positions of each agent's results by their fates; agents that found nothing are left out."""
    return {agent: _positions(fates(agent, items)) for agent, items in found.items() if items}


def counts_of(results: Mapping[str, SortedResults]) -> dict[str, SortedCounts]:
    """Return how many results of each agent have which fate."""
    return {
        agent: {"stays": len(each["stays"]), "waits": len(each["waits"]), "goes": len(each["goes"])}
        for agent, each in results.items()
    }


def _positions(fates: Sequence[Fate]) -> SortedResults:
    def having(fate: Fate) -> list[int]:
        return [position for position, each in enumerate(fates) if each == fate]

    return {"stays": having("stays"), "waits": having("waits"), "goes": having("goes")}
