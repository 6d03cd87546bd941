"""What the assistant is doing right now, and what it has been asked for."""

from contextlib import aclosing
from dataclasses import replace

from ....domain.partials import ShownResults
from ...stored_requests import understanding_in
from ...understanding.english.wording import describe, title_of
from ...understanding.found import KINDS
from ..state import TravelRun
from ..writes import NO_BOOKINGS, list_of_bookings
from . import totals
from .found_offers import Found
from .wording import counted, listed, plural

NOTHING_ASKED = "You have asked for nothing yet."
NOT_RUNNING = "Nothing is running right now"


async def state(run: TravelRun) -> str:
    """Return what is being done right now. Raises `StoreUnavailable`."""
    shown = await _shown_now(run)
    if shown is None:
        return f"{NOT_RUNNING}; tell me what to look for."
    current = understanding_in(shown.request)
    busy = [agent for agent, now in shown.agents.items() if now.state in ("waiting", "working")]
    if not (shown.is_active and busy) or current is None:
        kept = listed(_counts(shown))
        return f"{NOT_RUNNING}: the last search has ended with {kept}." if kept else f"{NOT_RUNNING}."
    searches = [_how_far(shown, agent) for agent in busy]
    title = title_of(current)
    return f"I am searching{f' for {title}' if title else ''}: {listed(searches)}."


async def asked_for(run: TravelRun) -> str:
    """Return what the user has asked for, as it is searched by. Raises `StoreUnavailable`."""
    shown = await _shown_now(run)
    current = understanding_in(shown.request) if shown is not None else None
    title = title_of(current) if current else ""
    return f"You have asked for: {title}." if title else f"{NOT_RUNNING}; tell me what to look for."


async def everything(run: TravelRun, found: Found) -> str:
    """Return what was asked for, what that has found and what is booked. May be cancelled."""
    booked = "" if (lines := await list_of_bookings(run)) == NO_BOOKINGS else lines
    asked = describe(replace(found.understanding, agents=found.understanding.wanted))
    told = f"You have asked for {asked}. {totals.summary(found)}" if asked else NOTHING_ASKED
    return f"{told} {booked}".rstrip()


def _how_far(shown: ShownResults, agent: str) -> str:
    now, noun = shown.agents[agent], plural(agent) if agent in KINDS else agent
    sources = f"{now.done} of {now.total} sellers have answered, " if now.total else ""
    return f"{noun} ({sources}{len(shown.results.get(agent, ()))} found so far)"


def _counts(shown: ShownResults) -> list[str]:
    return [counted(len(items), agent) for agent, items in shown.results.items() if items and agent in KINDS]


async def _shown_now(run: TravelRun) -> ShownResults | None:
    """Return what the current request has found so far. Raises `StoreUnavailable`."""
    async with aclosing(run.context.shown()) as requests:
        return await anext(requests, None)
