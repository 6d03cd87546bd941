"""What becomes of a request as a whole: made once more, taken up again, or made without one of its agents."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..result import Agent, Period, Understanding, as_whole
from ..slot_table import SLOTS, searching
from .carry import continued
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
    whole: dict[str, Any] = {agent: previous.whole(agent) for agent in SLOTS}
    then = Slots(**whole)
    if not again or not set(again) <= set(then.agents):
        return previous
    joined = continued(then, held_in(previous), spreads=True)
    changed: dict[str, Any] = {agent: joined.of(agent) for agent in again}
    return replace(previous, **changed)


def still_open(slots: Slots, period: Period | None) -> Period | None:
    """Return the period, unless the first day is known by now."""
    return None if first_known(slots, "first_day") else period
