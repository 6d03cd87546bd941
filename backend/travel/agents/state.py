"""What the nodes of the travel graph share: the state of a run, and what a run may use."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, NotRequired, TypedDict

from ...graphs.hosted_tools import AgentTools
from ...tasks.agent_context import AgentContext
from ...tasks.ledger.base import Tool
from ..models.base import LimitedModel
from ..models.history import ModelJournal
from ..providers.base import GoalFares
from ..providers.travellers import Travellers
from ..stored_requests import NOTHING, KeptRequests, OfferFilter, Searches, SpokenOf
from ..tools.booking import BookingTools
from ..tools.search import SearchTool
from ..understanding.result import Agent, Bookable, Understanding
from ..values.travel import Tour

READ_WITHIN_S = 1.5
"""Seconds that a model has to read a message, unless set otherwise."""


class AgentOutcome(TypedDict):
    """How an agent's part ended: `detail` is a sentence for the reply where it failed.

    `nothing_fits` tells what a search has found where nothing of it fits.
    """

    state: str
    detail: str
    nothing_fits: NotRequired[str]


class EarlierOffer(TypedDict):
    """An offer that was found for an earlier request, `task_id`; or why there is none, in a sentence."""

    task_id: str
    kind: Bookable
    item: Mapping[str, Any] | None
    why_none: str


def merged(
    left: Mapping[str, AgentOutcome] | None, right: Mapping[str, AgentOutcome]
) -> Mapping[str, AgentOutcome]:
    """Put together what parallel agents return."""
    return {**(left or {}), **right}


class AgentState(TypedDict):
    """The state of one run: plain values only, since it is stored while the run waits for the user.

    `message` is in English if it can be told in it; `language` is what it was written in, if not in that.
    `books` is True if the message wants to hold, book or cancel something; `earlier` is what it wants booked
    of an earlier request, which no search has to find first. `suggestions` are messages that may follow the
    `response`.
    `previous_context` is all that an interrupted task left; `partial_results` what it found, if still valid.
    """

    message: str
    language: NotRequired[str]
    user_id: str
    agents: Sequence[Agent]
    books: bool
    earlier: NotRequired[EarlierOffer | None]
    previous_context: Mapping[str, Any] | None
    partial_results: Mapping[str, Sequence[Any]]
    outcomes: Annotated[Mapping[str, AgentOutcome], merged]
    response: str
    suggestions: Sequence[str]


@dataclass(slots=True, kw_only=True)
class TravelRun:
    """What the nodes of one run may use; reaches them as the run's context.

    `context` and `tools` are the task as its agents see it, `journal` what models have done for it.
    `understanding` is the current request: an answer changes it, and the resumed run gets the new one; a
    `model` that reads the message beside the searches corrects it with `revise`, within `read_within_s`
    seconds. It `is_read` once that is over, or where no model reads it. With `searches_further` a model may
    search for more than the rules did.
    `searches` are those that are made, which may find more than what fits; `offers` tells what does.
    `plan_itinerary` is None if the provider plans no tours, `goal_fares` if it compares no places.
    `spoken_of` are the offers that the conversation spoke of last; `speak_of` keeps others with the request.
    `days_compared` tells by which fares the day was taken, for who left it to us.
    `kept` reads what was found for the user's earlier requests, None where nothing is stored; `travellers`
    who travels, None where nothing is booked that asks for it.
    `asks_on` are the prompts of questions that stay open after a message which answers none; one that
    `came_early` would have answered them, had its user seen them. `language` is the one that is spoken, "" if
    the message was read in English.
    """

    context: AgentContext
    tools: AgentTools
    journal: ModelJournal
    revise: Callable[[Understanding], None]
    speak_of: Callable[[SpokenOf], None]
    previous_task_id: str | None
    understanding: Understanding
    searches: Searches
    offers: OfferFilter
    spoken_of: SpokenOf = NOTHING
    days_compared: str = ""
    came_early: bool = False
    language: str = ""
    asks_on: Sequence[str] = ()
    kept: KeptRequests | None = None
    travellers: Travellers | None = None
    today: date
    search_tools: Mapping[Agent, SearchTool[Any]]
    plan_itinerary: Tool[Tour] | None = None
    goal_fares: GoalFares | None = None
    bookings: BookingTools
    model: LimitedModel | None = None
    read_within_s: float = READ_WITHIN_S
    searches_further: bool = False
    is_read: asyncio.Event = field(default_factory=asyncio.Event)
