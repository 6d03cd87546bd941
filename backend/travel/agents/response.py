"""The response assembler: one reply from whatever arrived: all, some, or nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

from langgraph.runtime import Runtime

from ..stored_requests import understanding_in
from ..tools.search import gaps_in
from ..understanding.english.language.text import Text, phrases
from ..understanding.english.talk.small_talk import NOT_UNDERSTOOD, small_talk
from ..understanding.english.wording import (
    ask_for,
    describe,
    doubts,
    not_searched_by,
    refusals,
    why_no_flight,
)
from ..understanding.queries import QUERIES
from ..understanding.result import Agent, Understanding
from .aftermath import aftermath
from .answers import leaves_it_to_us
from .model_reply import reply_of
from .state import AgentOutcome, AgentState, TravelRun

NOTHING_TO_STOP = "Nothing was running."
UNCHANGED = "Nothing else has changed."
RESUMED = "Back to your earlier request."
NOT_FOR_US = "I cannot decide that for you."
NOT_AN_ANSWER = "That leaves my question open."
STOPPED = "I have stopped that search."
DEMO = "All of it is demo inventory: invented flights, hotels and prices."
_UNSURE = phrases("i don't know", "i do not know", "don't know yet", "no idea", "not sure", "undecided")
_NOUNS = {"flight": ("flight", "flights"), "hotel": ("hotel", "hotels"), "planner": ("plan", "plans")}
_COMMON_WORDS = frozenset({"A", "Flights", "Hotels", "It", "No", "None", "Nothing", "Stays", "The", "There"})


async def response_assembler_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Write the reply."""
    understanding = runtime.context.understanding
    if understanding.relation == "stop":
        outcomes = await aftermath(runtime.context)
        return {"response": " ".join(filter(None, [_stopped(state), outcomes]))}
    outcomes = state["outcomes"]
    booked = outcomes.get("booking")
    if not understanding.agents:
        reply = _unsearched(understanding) or _small_talk(state["message"], runtime.context.asks_on)
        if booked is not None:
            reply = " ".join(
                filter(None, [refusals(understanding), booked["detail"], *runtime.context.asks_on])
            )
        return {"response": await _streamed(runtime.context, reply)}
    found = runtime.context.context.found.to_json()
    searched = [
        agent
        for agent in understanding.agents
        if outcomes[agent]["state"] != "needs_facts" and not _is_only_booked(agent, understanding, booked)
    ]
    looked = tuple(agent for agent in searched if outcomes[agent]["state"] != "stopped" or found.get(agent))
    no_flight = why_no_flight(understanding.flight) if "flight" in understanding.agents else ""
    sentences = [
        RESUMED if understanding.resumes is not None else "",
        await aftermath(runtime.context, searched=understanding.agents),
        _before(state, understanding, found),
        refusals(understanding),
        f"I looked for {describe(replace(understanding, agents=looked))}." if looked else "",
        doubts(replace(understanding, agents=looked)),
        *(_result(agent, outcomes[agent], found.get(agent, [])) for agent in searched),
        DEMO if searched and _has_demo(found) else "",
        no_flight,
        not_searched_by(understanding) if searched else "",
        booked["detail"] if booked else "",
    ]
    return {"response": await _streamed(runtime.context, " ".join(filter(None, sentences)) or NOT_UNDERSTOOD)}


async def _streamed(run: TravelRun, reply: str) -> str:
    """Return the reply, said by a model in words of its own if there is one."""
    return reply if run.model is None else await reply_of(run.model, run, reply)


def _has_demo(found: Mapping[str, Sequence[Any]]) -> bool:
    return any(not item.get("live", True) for items in found.values() for item in items)


def _is_only_booked(agent: str, understanding: Understanding, booked: AgentOutcome | None) -> bool:
    """Whether an agent has searched once more, only so that an offer could be picked and was."""
    wish = understanding.booking
    is_done = wish is not None and booked is not None and booked["state"] == "done"
    return is_done and understanding.relation != "new" and wish is not None and wish.kind in (None, agent)


def _unsearched(understanding: Understanding) -> str:
    """Return why a message has no effect, with the questions still open; "" if it says nothing."""
    if not understanding.refused:
        return ""
    missing = replace(understanding, agents=understanding.wanted).missing
    asked = ask_for(missing, alternatives=understanding.alternatives, period=understanding.period)
    rest = UNCHANGED if understanding.wanted and not asked else ""
    return " ".join(filter(None, [refusals(understanding), rest, asked]))


def _small_talk(message: str, asks_on: Sequence[str]) -> str:
    """Answer what asks for no search, and ask again what is still asked."""
    if not asks_on:
        return small_talk(message)
    is_for_us = leaves_it_to_us(message) or Text(message).has(_UNSURE)
    reply = NOT_FOR_US if is_for_us else small_talk(message)
    return " ".join([NOT_AN_ANSWER if reply == NOT_UNDERSTOOD else reply, *dict.fromkeys(asks_on)])


def _stopped(state: AgentState) -> str:
    """Return what a stop ended, without the messages that may wait in the queue."""
    left = state["previous_context"]
    if left is None:
        return NOTHING_TO_STOP
    kept = [_kept(items, agent) for agent, items in left["partial_results"].items() if items]
    return f"{STOPPED} What I had found is kept: {' and '.join(kept)}." if kept else STOPPED


def _before(state: AgentState, understanding: Understanding, found: Mapping[str, Sequence[Any]]) -> str:
    """Tell what the interrupted task had found, where that is not simply found again."""
    left = state["previous_context"]
    kept_items: Mapping[str, Sequence[Any]] = left["partial_results"] if left else {}
    others = {
        agent: items
        for agent, items in kept_items.items()
        if items and not (agent in found and _searches_on(agent, understanding, left))
    }
    if not others:
        return ""
    changed_mind = left is not None and left["reason"] == "superseded"
    before = "Before you changed your mind I had found" if changed_mind else "Earlier I had found"
    kept = " and ".join(_kept(items, agent) for agent, items in others.items())
    return f"{before} {kept}; {'it is' if sum(map(len, others.values())) == 1 else 'they are'} kept."


def _searches_on(agent: str, understanding: Understanding, left: Mapping[str, Any] | None) -> bool:
    """Whether an agent's search is the one that was interrupted, made again or refined."""
    if understanding.relation != "new":
        return True
    request = left["request"] if left else None
    before = understanding_in(request)
    if before is None:
        return False
    if agent == "planner":
        return before.tour == understanding.tour
    searched = cast("Agent", agent)
    return QUERIES[searched](before) == QUERIES[searched](understanding)


def _result(agent: str, outcome: AgentOutcome, items: Sequence[Mapping[str, Any]]) -> str:
    search = "planning of the tour" if agent == "planner" else f"{agent} search"
    if outcome["state"] == "stopped":
        kept = f"{_kept(items, agent)} had arrived by then and {'is' if len(items) == 1 else 'are'} kept"
        return f"You stopped the {search}: {kept if items else 'nothing had arrived by then'}."
    if outcome["state"] == "failed":
        kept = f" {_counted(len(items), agent)} had arrived before." if items else ""
        return f"The {search} did not work: {_after_colon(outcome['detail'])}{kept}"
    if agent == "planner":
        return outcome["detail"]
    gaps = gaps_in(outcome["detail"])
    missing = f" ({gaps})" if gaps else ""
    if not items:
        return f"I found no {_NOUNS[agent][1]} for that{missing}."
    cheapest = _cheapest(items)
    counted = _counted(len(items), agent)
    return f"I found {counted}{missing}; the cheapest is {_describe(agent, cheapest)} for {_price(cheapest)}."


def _cheapest(items: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return min(items, key=lambda item: Decimal(item["price_total"]["amount"]))


def _price(item: Mapping[str, Any]) -> str:
    """The price for all; where several fly, the one for each as well, by which flights are searched."""
    total = item["price_total"]
    each = item.get("price_per_person", total)
    return _amount(total) if each == total else f"{_amount(total)} ({_amount(each)} each)"


def _amount(money: Mapping[str, str]) -> str:
    return f"{Decimal(money['amount']):,} {money['currency']}"


def _after_colon(sentence: str) -> str:
    """Fit a sentence in after a colon. A first word that is not a common one may be a name, and stays."""
    first = sentence.partition(" ")[0]
    fitted = first.lower() + sentence[len(first) :] if first in _COMMON_WORDS else sentence
    return fitted if fitted.endswith((".", "!", "?")) else f"{fitted}."


def _describe(agent: str, item: Mapping[str, Any]) -> str:
    if agent == "hotel":
        return f"{item['name']} ({item['stars']} stars, {item['district']})"
    carriers = dict.fromkeys(segment["carrier_name"] for leg in item["slices"] for segment in leg["segments"])
    return " and ".join(carriers)


def _kept(items: Sequence[Mapping[str, Any]], agent: str) -> str:
    """How much of it is kept; of plans, of which each was the best so far, what the last one costs, too."""
    counted = _counted(len(items), agent)
    if agent != "planner":
        return counted
    which = "the best of them " if len(items) > 1 else ""
    return f"{counted} ({which}for {_amount(_cheapest(items)['price_total'])})"


def _counted(count: int, agent: str) -> str:
    one, many = _NOUNS.get(agent, (agent, agent))
    return f"{count} {one if count == 1 else many}"
