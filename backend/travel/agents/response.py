"""The response assembler: one reply from whatever arrived: all, some, or nothing.

It is one sentence on what was found, which tells what changed and what stands out: clients show the rest.
Others follow only on what failed, was left out or is kept, and a question has a paragraph of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from langgraph.runtime import Runtime

from ..stored_requests import understanding_in
from ..understanding.english.found.forms import asks
from ..understanding.english.language.tables import phrases_of
from ..understanding.english.language.text import Text
from ..understanding.english.talk.decisions import assent, decision_in, pauses
from ..understanding.english.talk.remarks import (
    ALL_RIGHT,
    EXAMPLE,
    HELLO,
    NOT_UNDERSTOOD,
    YOU_ARE_WELCOME,
    complains,
    greets,
    is_a_mood,
    is_about_the_price,
    is_closing,
    is_only_told,
    small_talk,
)
from ..understanding.english.talk.stops import only_answers_later, says_nothing, without_put_offs
from ..understanding.english.unread import beside_an_assent
from ..understanding.english.wording import (
    ages_assumed,
    ask_for,
    describe,
    doubts,
    news,
    not_searched_by,
    others_named,
    proposed_first,
    reached_by,
    refusals,
    why_no_flight,
)
from ..understanding.found import FoundQuestion, Which
from ..understanding.languages.detect import LANGUAGES
from ..understanding.languages.glosses import reply_in_its_language
from ..understanding.queries import QUERIES
from ..understanding.result import Agent, Understanding
from ..understanding.slot_table import SLOTS
from ..values.offers import cheapest
from .findings import BOOK_IT, aftermath, findings, next_steps, trip_in_all
from .found.answers import SHALL_I, answer
from .found.other_requests import near_miss, than_before
from .found.tours import about_the_tour
from .found.wording import counted, in_this_year, total
from .ideas import compared
from .questions import leaves_it_to_us
from .state import AgentOutcome, AgentState, TravelRun
from .talk import aside, not_understood, too_early_to_tell
from .with_model.reply import Fact, reply_of
from .writes import left_by_a_no, left_by_other_days

_BOOKINGS_SAID = phrases_of("bookings")
_FOUND_SAID = phrases_of("found")
_TALK_SAID = phrases_of("talk")

NOTHING_TO_STOP = "Nothing was running."
WHAT_CANCELS = 'To cancel what is booked, say "cancel my booking".'
UNCHANGED = "Nothing else has changed."
RESUMED = "Back to your earlier request."
NOT_FOR_US = "I cannot decide that for you."
CAME_EARLY = "You said that before you can have read my next question."
NOTHING_WAITS = 'Nothing waits for a yes. To book, say which: "book the cheapest".'
TAKE_YOUR_TIME = "Take your time: nothing happens until you have answered."
NOTHING_UNTIL_THEN = "Take your time: nothing changes until you say so."
PUT_RIGHT = (
    'Tell me what is wrong in it, for example "to Porto, not Rome", "on the 4th" or "2 adults"; '
    '"start over" forgets all of it.'
)
SAY_WHAT = f"Tell me what to look for, {EXAMPLE}."
CHEAPER = (
    'Prices are those of the offers in the list. "Cheaper", a limit such as "under 200", or other days '
    "search again; nothing has changed."
)
I_SEE = "I see. Nothing has changed."
STOPPED = "Stopped."
STARTED_OVER = (
    "From the start, then: I have forgotten what you told me, and search for none of it any more. "
    "What shall I look for?"
)
DEMO = "Demo: all invented."
_SEARCHING = (*SLOTS, "planner")
_BREAKS = frozenset({",", ".", "-", "!", ";"})
_COMMON_WORDS = frozenset({"A", "Flights", "Hotels", "It", "No", "None", "Nothing", "Stays", "The", "There"})


async def response_assembler_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Write the reply, which tells at first in which language it is where the request is in another one."""
    understanding = runtime.context.understanding
    if understanding.relation == "stop":
        # What its searches had found is told as kept.
        outcomes = await aftermath(runtime.context, searched=_SEARCHING)
        thanked = YOU_ARE_WELCOME if Text(state["message"]).has(_TALK_SAID.thanks) else ""
        return {"response": " ".join(filter(None, [_stopped(state), outcomes, thanked]))}
    outcomes = state["outcomes"]
    is_first = understanding.relation == "new" or state["previous_context"] is not None
    language = LANGUAGES.get(state.get("language", "")) if is_first and understanding.agents else None
    opening = language.answers_in_english if language else ""
    booked = outcomes.get("booking")
    is_told = booked is not None  # along with what is to be booked
    asked = None if is_told or _is_told_of_results(understanding) else understanding.question
    answered = await answer(runtime.context, asked) if asked else ""
    is_answer = not understanding.agents or (asked is not None and asked.topic in ("step", "shown"))
    if answered and is_answer:
        # Word for word: it is as short as an answer can be.
        not_done = await aftermath(runtime.context, searched=_SEARCHING) if understanding.agents else ""
        told = in_this_year(" ".join(filter(None, [not_done, answered])), runtime.context.today)
        reply = " ".join(filter(None, dict.fromkeys([opening, told, *runtime.context.asks_on])))
        return {"response": reply, "suggestions": [BOOK_IT] if answered.endswith(SHALL_I) else []}
    if not understanding.agents and understanding.relation == "new" and booked is None:
        outcomes_before = await aftermath(runtime.context)
        return {"response": " ".join(filter(None, [STARTED_OVER, outcomes_before]))}
    if not understanding.agents:
        if booked is not None:
            reply = " ".join(
                filter(None, [refusals(understanding), booked["detail"], *runtime.context.asks_on])
            )
        elif runtime.context.came_early:
            reply = " ".join([CAME_EARLY, *runtime.context.asks_on])
        else:
            reply = await _without_search(state["message"], runtime.context)
        return {"response": reply or NOT_UNDERSTOOD}
    found, tools = runtime.context.context.found.to_json(), runtime.context.search_tools
    searched: list[Agent] = [
        agent
        for agent in understanding.agents
        if outcomes[agent]["state"] != "needs_facts" and not _is_only_booked(agent, understanding, booked)
    ]
    ended: list[Agent] = [
        agent for agent in searched if outcomes[agent]["state"] not in ("stopped", "failed")
    ]
    cut_off = [agent for agent in searched if agent not in ended]
    looked = tuple(agent for agent in searched if outcomes[agent]["state"] != "stopped" or found.get(agent))
    by_age: list[Agent] = [agent for agent, tool in tools.items() if agent in looked and tool.prices_by_age]
    doubted = doubts(replace(understanding, agents=looked), whole=is_first)
    no_flight = why_no_flight(understanding.flight) if "flight" in understanding.agents else ""
    unsearched = not_searched_by(understanding, whole=is_first) if searched else []
    dropped = {slot.partition(".")[0] for slot in understanding.dropped} - {*understanding.wanted}
    gone: Mapping[str, Sequence[Any]] = {} if understanding.relation == "new" else dict.fromkeys(dropped, ())
    sentences = [
        Fact(RESUMED if understanding.resumes is not None else ""),
        Fact(await aftermath(runtime.context, searched=[*understanding.agents, *gone]), "all"),
        Fact(await left_by_other_days(runtime.context), "all"),
        # No reply has told yet what the interrupted task was asked for.
        Fact(
            findings(ended, understanding, outcomes, found, whole=state["previous_context"] is not None),
            "found",
        ),
        Fact(await than_before(runtime.context, state["message"])),
        Fact(answered if any(found.get(agent) for agent in ended) else ""),
        *(Fact(outcomes[agent].get("nothing_fits", "")) for agent in ended if not found.get(agent)),
        *[Fact(await near_miss(runtime.context, agent)) for agent in ended if not found.get(agent)],
        Fact(booked["detail"] if booked else "", "all"),
        # Only what failed says what it looked for: what was found tells it along with the finds.
        Fact(
            f"I looked for {describe(replace(understanding, agents=looked))}." if looked and not ended else ""
        ),
        *(Fact(_failure(agent, outcomes[agent], found.get(agent, [])), "all") for agent in cut_off),
        Fact(_before(state, understanding, {**gone, **runtime.context.offers.left_out, **found})),
        Fact(refusals(understanding, unsearched), "all"),
        Fact(ages_assumed(understanding, by_age), "all"),
        Fact(await compared(runtime.context, again=is_first) if "flight" in looked else ""),
        Fact(runtime.context.days_compared),
        Fact(others_named(replace(understanding, agents=looked), whole=is_first)),
        Fact(reached_by(replace(understanding, agents=looked))),
        Fact(trip_in_all(understanding, found)),
        Fact(DEMO if searched and is_first and _has_demo(found) else "", "all"),
    ]
    # A question must not be overlooked among what is told: it has a paragraph of its own.
    # Of what is booked the whole date is told, and whoever repeats it in a message means just that.
    if booked is None:
        sentences = [replace(each, text=in_this_year(each.text, runtime.context.today)) for each in sentences]
    asks = " ".join(filter(None, [doubted, no_flight]))
    suggestions = () if asks else next_steps(understanding, found, booked=booked is not None)
    facts = [fact for fact in sentences if fact.text] or [Fact("" if asks else NOT_UNDERSTOOD)]
    run = runtime.context
    # What became of a booking is told word for word.
    is_worded = facts[0].text and understanding.tour is None and booked is None
    if run.model is not None and not run.model.is_left_alone and is_worded:
        reply = await reply_of(run, run.model, state["message"], facts, opening=opening, asks=asks)
    else:
        told = "\n\n".join(filter(None, [" ".join(fact.text for fact in facts), asks]))
        reply = " ".join(filter(None, [opening, told]))
    return {"response": reply, "suggestions": suggestions}


def _is_told_of_results(understanding: Understanding) -> bool:
    """Whether a question beside a change is what results tell: "only nonstop, and which is cheapest?"."""
    question = understanding.question
    return bool(understanding.agents) and question == FoundQuestion(topic="which", which=Which(by="price"))


def _has_demo(found: Mapping[str, Sequence[Any]]) -> bool:
    """Whether something of it is invented: not really sold, and of no seller's test mode."""
    items = (item for several in found.values() for item in several)
    return any(not item.get("live", True) and item.get("terms") is None for item in items)


def _is_only_booked(agent: Agent, understanding: Understanding, booked: AgentOutcome | None) -> bool:
    """Whether an agent has searched once more, only so that an offer could be picked and was."""
    wish = understanding.booking
    if wish is None or booked is None or understanding.relation == "new" or not wish.offers:
        return False  # no cancellation searches: what is found beside it was asked for
    if wish.shown is not None or wish.is_earlier:
        return True  # it was found before, and maybe for another request than what is searched for now
    is_as_before = booked["state"] == "failed" and not any(news(agent, understanding, whole=False))
    is_of_it = not {each.kind for each in wish.offers}.isdisjoint((None, agent))
    return is_as_before or (booked["state"] == "done" and is_of_it)


async def _without_search(message: str, run: TravelRun) -> str:
    """Answer what asks for no search and no booking. Raises `StoreUnavailable`."""
    reply = aside(message, run) or _unsearched(run.understanding, run.asks_on)
    if not reply and not run.asks_on and decision_in(message) == "deny":
        reply = await left_by_a_no(run)
    return reply or await about_the_tour(message, run) or await _small_talk(message, run)


def _unsearched(understanding: Understanding, asks_on: Sequence[str]) -> str:
    """Return why a message has no effect, with the questions still open; "" if it says nothing."""
    if not understanding.refused:
        return ""
    missing = replace(understanding, agents=understanding.wanted).missing
    asked = ask_for(missing, alternatives=understanding.alternatives, period=understanding.period)
    rest = UNCHANGED if understanding.wanted and not (asked or asks_on) else ""
    told = " ".join(filter(None, [refusals(understanding), rest, *asks_on]))
    return "\n\n".join(filter(None, [told, asked]))


async def _small_talk(message: str, run: TravelRun) -> str:
    """Answer what asks for no search, and ask again what is still asked."""
    asked, text = dict.fromkeys(run.asks_on), Text(message)
    is_for_us = leaves_it_to_us(message) or text.has(_TALK_SAID.unsure) or text.has(_FOUND_SAID.would_take)
    is_question = asks(text) and any(text.norm(at) in _BREAKS for at in range(text.length - 1))
    if asked and is_for_us:
        reply = proposed_first(run.understanding) or NOT_FOR_US
    elif asked and is_question and pauses(message):  # "hold on, do they have a cot?"
        reply = not_understood(message, run.understanding, today=run.today, is_asked=True)
    elif asked and (pauses(message) or without_put_offs(message) is not None):
        reply = TAKE_YOUR_TIME
    elif only_answers_later(Text(message)):
        reply = NOTHING_UNTIL_THEN
    else:
        reply = reply_in_its_language(message, example=EXAMPLE) or small_talk(message)
    if reply == NOT_UNDERSTOOD:
        reply = reply_in_its_language(message, run.language, example=EXAMPLE) or reply
    if reply == ALL_RIGHT and (unused := beside_an_assent(Text(message))):
        reply = f'I did nothing with "{unused}".'
    is_search = "flight" in run.understanding.wanted or "hotel" in run.understanding.wanted
    if reply == ALL_RIGHT and is_search and not asked and assent(Text(message)) == "yes":
        reply = NOTHING_WAITS
    if reply == NOT_UNDERSTOOD:
        reply = too_early_to_tell(message, run.understanding) or reply
    if reply == NOT_UNDERSTOOD:
        reply = in_this_year(_remarked(Text(message), run.understanding), run.today)
    if reply == NOT_UNDERSTOOD:
        reply = not_understood(message, run.understanding, today=run.today, is_asked=bool(asked))
    return " ".join([reply, *asked])


def _remarked(text: Text, understanding: Understanding) -> str:
    """Answer who complains, or tells what wants nothing: after a complaint, with what is understood."""
    sought = describe(replace(understanding, agents=understanding.wanted))
    if complains(text):
        return f"I am sorry. I understood: {sought}. {PUT_RIGHT}" if sought else f"I am sorry. {SAY_WHAT}"
    rest = without_put_offs(text.source)
    if rest is not None and says_nothing(rest):
        return NOTHING_UNTIL_THEN
    if is_closing(text):
        return YOU_ARE_WELCOME
    if is_only_told(text) and (greets(text) or not sought):
        return HELLO
    if not sought:
        return NOT_UNDERSTOOD
    if is_about_the_price(text):
        return CHEAPER
    return I_SEE if is_only_told(text) or is_a_mood(text) else NOT_UNDERSTOOD


def _stopped(state: AgentState) -> str:
    """Return what a stop ended, without the messages that may wait in the queue."""
    left = state["previous_context"]
    if left is None:
        is_cancelled = Text(state["message"]).has(_BOOKINGS_SAID.cancels_last)
        return f"{NOTHING_TO_STOP} {WHAT_CANCELS}" if is_cancelled else NOTHING_TO_STOP
    kept = [_kept(items, agent) for agent, items in left["partial_results"].items() if items]
    return f"{STOPPED} Kept: {' and '.join(kept)}." if kept else STOPPED


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
    return f"Kept from before: {' and '.join(_kept(items, agent) for agent, items in others.items())}."


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


def _failure(agent: str, outcome: AgentOutcome, items: Sequence[Mapping[str, Any]]) -> str:
    search = "planning of the tour" if agent == "planner" else f"{agent} search"
    if outcome["state"] == "stopped":
        kept = f"{_kept(items, agent)} had arrived by then and {'is' if len(items) == 1 else 'are'} kept"
        return f"You stopped the {search}: {kept if items else 'nothing had arrived by then'}."
    kept = f" {counted(len(items), agent)} had arrived before." if items else ""
    return f"The {search} did not work: {_after_colon(outcome['detail'])}{kept}"


def _after_colon(sentence: str) -> str:
    """Fit a sentence in after a colon. A first word that is not a common one may be a name, and stays."""
    first = sentence.partition(" ")[0]
    fitted = first.lower() + sentence[len(first) :] if first in _COMMON_WORDS else sentence
    return fitted if fitted.endswith((".", "!", "?")) else f"{fitted}."


def _kept(items: Sequence[Mapping[str, Any]], agent: str) -> str:
    """How much of it is kept; of plans, of which each was the best so far, what the last one costs, too."""
    count = counted(len(items), agent)
    if agent != "planner":
        return count
    which = "the best of them " if len(items) > 1 else ""
    return f"{count} ({which}for {total(cheapest(items))})"
