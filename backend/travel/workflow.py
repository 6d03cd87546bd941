"""The travel assistant as the core knows it: reads messages and forms, and runs the travel graph for tasks.

A message comes here three times: `read` decides what it asks for (`read_in_situation`), `advise` has a model
read it where the rules make nothing of it, and `run` carries it out (`graph`), in a task, and again after a
pause or a crash. An answer in a form comes to `take` instead of `read`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, cast

from langchain_core.runnables import RunnableConfig

from ..domain.errors import BadInput, NotOpen, ProviderError, StoreUnavailable
from ..domain.questions import InputRequest
from ..domain.task import Policy, ResultFilter, ResultSorter
from ..graphs.hosted_tools import AgentTools
from ..graphs.pausing import PausableRun
from ..store.base import StateStore
from ..tasks.agent_context import AgentContext
from ..tasks.ledger.base import Tool
from ..tasks.ledger.ledger import Ledger
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Reading, Situation, StateWrite, WrittenState
from .agents.questions import answers_in, with_answer
from .agents.searching import search_keys
from .agents.state import READ_WITHIN_S, AgentState, TravelRun
from .agents.with_model.guard import airports
from .agents.with_model.reading import in_words_of_the_rules, is_for_model, read_alone, reading_of_turn
from .agents.writes import AGENT as BOOKING
from .graph import build_graph
from .models.base import ChatModel, LimitedModel
from .models.history import ModelJournal
from .providers.base import GoalFares, Provider
from .providers.travellers import Travellers
from .read_in_situation import answer_of, read_after, read_in_situation
from .stored_requests import (
    DROPPED,
    SAY_IT_AGAIN,
    KeptRequests,
    OfferFilter,
    SpokenOf,
    kept_searches,
    renewed,
    result_sorter,
    searches_of,
    spoken_in,
    spoken_of_in,
    to_stored,
    understanding_in,
)
from .tools.booking import BookingTools
from .tools.search import search_tools
from .understanding.english.talk.remarks import NOT_UNDERSTOOD, small_talk
from .understanding.languages.detect import foreign_in
from .understanding.languages.glosses import InEnglish, in_english
from .understanding.result import Agent, Understanding
from .values.travel import Tour


class TravelWorkflow:
    """Understands travel requests and runs the travel graph for them."""

    def __init__(
        self,
        provider: Provider,
        ledger: Ledger,
        *,
        today: Callable[[], date],
        plan_itinerary: Tool[Tour] | None = None,
        goal_fares: GoalFares | None = None,
        model: ChatModel | None = None,
        read_within_s: float = READ_WITHIN_S,
        searches_further: bool = False,
        kept: KeptRequests | None = None,
        travellers: Travellers | None = None,
    ) -> None:
        self._graph = build_graph()
        self._ledger = ledger
        self._today = today
        self._plan_itinerary = plan_itinerary
        self._goal_fares = goal_fares
        self._model = LimitedModel(model) if model is not None else None
        if model is not None:
            airports()  # loaded before anyone waits for it
        self._read_within_s = read_within_s
        self._searches_further = searches_further
        self._kept = kept
        self._travellers = travellers
        self._search_tools = search_tools(provider)
        self._provider = provider
        self._bookings = BookingTools(provider.bookings)
        for tool in self._bookings.writes:
            ledger.register(tool)

    def read(self, message: str, situation: Situation) -> Reading:
        """Understand a message against the request before it, what was asked about it, and those before."""
        return read_in_situation(message, situation, today=self._today())

    async def advise(self, message: str, situation: Situation) -> Reading | None:
        """Have the model read a message that the rules make nothing of; None at once where they do."""
        if self._model is None or (reading := self.read(message, situation)).manner != "beside":
            return None
        understanding = understanding_in(reading.request)
        if understanding is not None and (understanding.question or understanding.booking):
            return None
        if foreign_in(message) is None and small_talk(message) != NOT_UNDERSTOOD:
            return None
        today = self._today()
        turn = await read_alone(message, situation, self._model, today=today, within_s=self._read_within_s)
        if turn is None:
            return None
        if words := in_words_of_the_rules(turn):
            return self.read(words, situation)
        return reading_of_turn(turn, situation, message=message, today=today)

    def result_sorter(
        self, found_for: Mapping[str, Any] | None, request: Mapping[str, Any] | None
    ) -> ResultSorter:
        """Return which offers for one request fit another, have to be found anew, or are not wanted."""
        return result_sorter(found_for, request)

    def steer_policy(self, request: Mapping[str, Any] | None) -> Policy:
        """Return `interrupt`: a message that refines a request takes over the searches that still fit."""
        return "interrupt"

    def result_filter(self, request: Mapping[str, Any] | None) -> ResultFilter | None:
        """Return which offers fit a request."""
        return OfferFilter(request)

    def read_with_values(self, message: str, given: Mapping[str, Any], situation: Situation) -> Reading:
        """Read a message that goes back: `checkpoint_id` is the task that it comes after, or `start`.

        Raises `NotFound` if that is remembered no more, and `BadInput` for any other value.
        """
        if [*given] != ["checkpoint_id"]:
            other = min(name for name in given if name != "checkpoint_id")
            raise BadInput(f"{other}: the travel assistant takes nothing but the message.")
        return read_after(message, given["checkpoint_id"], situation, today=self._today())

    async def check_stored(self, store: StateStore, user_id: str, request: Mapping[str, Any] | None) -> None:
        """Accept every request: none names anything that must be stored."""

    async def write_state(self, write: StateWrite) -> WrittenState:
        """Refuse it. Raises `BadInput`."""
        raise BadInput("values: the travel assistant has no state that a client could write to.")

    def read_keys(self, request: Mapping[str, Any] | None) -> Sequence[str] | None:
        """Return the keys of the searches that a request leads to, of which enough is known."""
        understanding = understanding_in(request)
        if understanding is None:
            return ()
        return search_keys(understanding, searches_of(request), today=self._today())

    def read_answer(
        self,
        answer: Mapping[str, Any],
        question: InputRequest,
        previous: Mapping[str, Any] | None,
        *,
        asked: Sequence[InputRequest],
    ) -> Reading:
        """Understand a form that was filled in.

        Raises `BadInput` for a place or a day that cannot be, `NotOpen` if the request is unreadable.
        """
        before = understanding_in(previous)
        if before is None:
            raise NotOpen(SAY_IT_AGAIN)
        if question.question.agent == BOOKING:  # it asks who travels, which is told elsewhere
            return answer_of(before, {question.request_id: answer}, before=previous)
        agent = cast("Agent", question.question.agent)
        understanding = with_answer(before, agent, answer, today=self._today())
        answers = {question.request_id: answer, **answers_in(understanding, before, asked)}
        return answer_of(understanding, answers, before=previous)

    async def run(self, context: TaskContext) -> str | None:
        """Run the graph for a task and return the reply; None if it waits for its user."""
        run = PausableRun(context, agent_of=_agent_of)
        understanding = understanding_in(context.task.request)
        if understanding is None:
            if run.is_resumed:
                return SAY_IT_AGAIN  # a guess at what it had asked could book what nobody wants
            understanding = self._read_again(context)
        if self._search_tools["flight"].prices_by_age:
            told = tuple(one for one in understanding.refused if one.reason != "adult_fare")
            understanding = replace(understanding, refused=told)
        request: Any = context.task.request
        if request.get("drops_previous") and not run.is_resumed:
            said = context.message_records("system", DROPPED)  # before anything that the graph may ask
            context.record(*said, context.task)
        state = self._first_state(context, understanding)
        travel = self._travel_run(context, understanding, is_resumed=run.is_resumed)
        thread = RunnableConfig(configurable={"thread_id": context.task_id})
        asks = bool(understanding.missing) or state["books"] or self._model is not None
        if not asks and not run.is_resumed:
            final = await self._graph.ainvoke(state, thread, context=travel)  # it has nothing to ask
        else:
            final = await run.invoke(self._graph, state, thread, travel)
        if run.paused:
            return None
        context.suggestions = final.get("suggestions", ())
        return final["response"]

    async def forget(self, user_id: str, *, aged: bool = False) -> None:
        """Delete a user's bookings, unless their conversation is only aged. Raises `StoreUnavailable`."""
        if aged:
            return
        try:
            await self._provider.bookings.forget(user_id)
        except ProviderError as error:
            raise StoreUnavailable(error.message) from None

    def _first_state(self, context: TaskContext, understanding: Understanding) -> AgentState:
        """Return what the graph begins with; a run that is resumed has its own, in the checkpoint."""
        left = context.previous.to_state() if context.previous else None
        found: Mapping[str, Any] = left["partial_results"] if left else {}
        of_found = result_sorter(context.previous.request if context.previous else None, context.task.request)
        english = self._in_english(context, understanding)
        return AgentState(
            message=english.text if english else context.task.message,
            language=english.language if english else "",
            user_id=context.user_id,
            agents=understanding.agents,
            books=understanding.booking is not None,
            previous_context=left,
            partial_results={agent: _staying(of_found, agent, items) for agent, items in found.items()},
            outcomes={},
            response="",
            suggestions=(),
        )

    def _in_english(self, context: TaskContext, understanding: Understanding) -> InEnglish | None:
        """Return the English as which a message was understood; None if it was in that, or not read."""
        english = in_english(context.task.message, spoken_in(context.task.request))
        told = {one.said for one in understanding.refused}
        return english if english and {*english.unread} <= told else None

    def _travel_run(
        self, context: TaskContext, understanding: Understanding, *, is_resumed: bool
    ) -> TravelRun:
        """Return what the nodes may use. Both callbacks store the request anew, for the next message."""
        request: Any = context.task.request
        early, shown = context.result_filter, context.partial_results.to_json()
        context.result_filter = offers = OfferFilter(request, shown, before=early)

        def revise(corrected: Understanding) -> None:
            # Of the searches that the run began with: an earlier correction may have dropped some.
            searches = kept_searches(corrected, request)
            context.revise(request=renewed(context.task.request, corrected, without=["searches"], **searches))
            travel.searches = searches_of(context.task.request)
            travel.offers = OfferFilter(context.task.request, context.partial_results.to_json())
            context.result_filter = travel.offers
            context.save()

        def speak_of(spoken: SpokenOf) -> None:
            now = context.task.request
            understood = understanding_in(now) or understanding
            context.revise(request=renewed(now, understood, without=["spoken_of"], **to_stored(spoken)))
            travel.spoken_of = spoken
            context.save()

        travel = TravelRun(
            context=AgentContext(context),
            tools=AgentTools(context, self._ledger),
            journal=ModelJournal(context),
            revise=revise,
            speak_of=speak_of,
            previous_task_id=context.task.previous_task_id,
            understanding=understanding,
            searches=searches_of(request),
            offers=offers,
            spoken_of=spoken_of_in(request),
            asks_on=request.get("asks_on", ()),
            came_early=request.get("came_early", False),
            language="" if self._in_english(context, understanding) else spoken_in(request),
            kept=self._kept,
            travellers=self._travellers,
            today=self._today(),
            search_tools=self._search_tools,
            plan_itinerary=self._plan_itinerary,
            goal_fares=self._goal_fares,
            bookings=self._bookings,
            model=self._model,
            read_within_s=self._read_within_s,
            searches_further=self._searches_further,
        )
        is_over = is_resumed or request.get("read_by_model") or not is_for_model(understanding)
        if self._model is None or self._model.is_left_alone or is_over:
            travel.is_read.set()
        return travel

    def _read_again(self, context: TaskContext) -> Understanding:
        """Read a task's message alone, since its stored request is unreadable; store the new request."""
        reading = self.read(context.task.message, Situation())
        understanding = understanding_in(reading.request)
        if reading.request is None or understanding is None:
            raise LookupError("a message asks for nothing, not even for small talk")
        drops_previous = reading.manner == "interrupt" and context.task.relation != "new"
        request = {**reading.request, "drops_previous": drops_previous}
        context.revise(request=request)
        context.save()
        return understanding


def _staying(result_sorter: ResultSorter, agent: str, items: Sequence[Any]) -> Sequence[Any]:
    return [item for item, fate in zip(items, result_sorter(agent, items), strict=True) if fate == "stays"]


def _agent_of(_branch: str, _namespace: str) -> str:
    """Return the agent of a question that does not name one; all of this graph's name theirs."""
    return "travel"
