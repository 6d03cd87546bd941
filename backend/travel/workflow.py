"""The travel graph: router; flight and hotel agent in parallel, or the planner; booking agent; assembler.

One graph thread is one task. What is special to a task reaches the nodes through the run's context, never
through state or globals. Partial results leave through it as well, so nothing is consumed from a stream.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..domain.fates import Fates, Keeps
from ..domain.inputs import InputRequest
from ..errors import BadInput, NotOpen, ProviderError, StoreUnavailable
from ..graphs.agent_tools import AgentTools
from ..graphs.pausing import PausableRun
from ..log.state_store.base import StateStore
from ..tasks.agent_context import AgentContext
from ..tasks.ledger.base import Tool
from ..tasks.ledger.ledger import Ledger
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Answers, Manner, Reading, Situation
from .agents.answers import answers_in, left_to_us, with_answer, with_defaults
from .agents.booking import booking_node
from .agents.flight import flight_node
from .agents.hotel import hotel_node
from .agents.model_reading import advice_on
from .agents.planner import planner_node
from .agents.response import response_assembler_node
from .agents.router import (
    after_searching,
    chosen_agents,
    router_node,
    with_agents_at_hand,
    with_agents_cut_short,
)
from .agents.search_step import search_keys
from .agents.state import READ_WITHIN_S, AgentState, TravelRun
from .fates import fates, keeps
from .model_journal import ModelJournal
from .models.base import ChatModel
from .providers.base import Provider
from .searches import kept_searches, searches_of
from .stored_requests import (
    DROPPED,
    SAY_IT_AGAIN,
    Request,
    UnderstoodRequest,
    understanding_in,
    understandings_in,
)
from .tools.booking import CancelBooking, booking_tools
from .tools.search import flight_search, hotel_search
from .understanding.english.talk.assent import decision_in
from .understanding.english.talk.small_talk import NOT_UNDERSTOOD, small_talk
from .understanding.result import Agent, Understanding
from .understanding.understand import understand
from .values.tour import Tour

Graph = CompiledStateGraph[AgentState, TravelRun, AgentState, AgentState]

_MANNERS: Mapping[str, Manner] = {"other": "beside", "stop": "stop"}


def build_graph() -> Graph:
    """Return the compiled travel graph."""
    graph = StateGraph(AgentState, context_schema=TravelRun)
    graph.add_node("router_node", router_node)
    graph.add_node("flight_node", flight_node)
    graph.add_node("hotel_node", hotel_node)
    graph.add_node("planner_node", planner_node)
    graph.add_node("booking_node", booking_node)
    graph.add_node("response_assembler_node", response_assembler_node)
    graph.add_edge(START, "router_node")
    # The choice is async: LangGraph runs a plain function on an edge in a thread, at every run.
    then = ["booking_node", "response_assembler_node"]
    searches = ["flight_node", "hotel_node", "planner_node"]
    graph.add_conditional_edges("router_node", chosen_agents, [*searches, *then])
    graph.add_conditional_edges("flight_node", after_searching, then)
    graph.add_conditional_edges("hotel_node", after_searching, then)
    graph.add_edge("planner_node", "response_assembler_node")
    graph.add_edge("booking_node", "response_assembler_node")
    graph.add_edge("response_assembler_node", END)
    return graph.compile()


class TravelWorkflow:
    """Understands travel requests and runs the travel graph for them."""

    def __init__(
        self,
        provider: Provider,
        ledger: Ledger,
        *,
        today: Callable[[], date],
        plan_itinerary: Tool[Tour] | None = None,
        model: ChatModel | None = None,
        read_within_s: float = READ_WITHIN_S,
    ) -> None:
        self._graph = build_graph()
        self._ledger = ledger
        self._today = today
        self._plan_itinerary = plan_itinerary
        self._model = model
        self._read_within_s = read_within_s
        self._search_flights = flight_search(provider)
        self._search_hotels = hotel_search(provider)
        self._provider = provider
        self._bookings = booking_tools(provider.bookings)
        for tool in self._bookings.writes:
            ledger.register(tool)

    def read(self, message: str, situation: Situation) -> Reading:
        """Understand a message against the request before it, what was asked about it, and those before."""
        previous, asked = situation.previous, [each for each in situation.asked if each.permission is None]
        to_allow = [each for each in situation.asked if each.permission is not None]
        if decided := _decided(message, to_allow):
            return Reading(relation="answer", manner="answer", answers=decided)
        before = understanding_in(previous)
        if before is not None and (left := left_to_us(message, asked)):
            return _answer(*with_defaults(before, left, today=self._today()), before=previous)
        if before is not None and situation.stopped:
            before = replace(before, relation="stop")
        recent = understandings_in(situation.recent)
        alike = understandings_in(situation.alike, first=len(situation.recent))
        understanding = understand(
            message,
            previous=before,
            today=self._today(),
            recent=list(recent.values()),
            alike=list(alike.values()),
            deciding=bool(to_allow),
        )
        searched_before = previous
        if understanding.resumes is not None:
            resumes = [*recent, *alike][understanding.resumes]
            searched_before = [*situation.recent, *situation.alike][resumes]
            understanding = replace(understanding, resumes=resumes)
        if before is not None and understanding.relation == "answer":
            answers = answers_in(understanding, before, asked)
            if answers:
                return _answer(replace(understanding, agents=before.agents), answers, before=previous)
            understanding = _no_answer(understanding, before)
        goes_back = understanding.booking is not None and situation.stopped  # not to what was stopped
        if before is not None and situation.unfinished and not goes_back:
            understanding = with_agents_cut_short(understanding, before)
        if before is not None and not situation.stopped:
            understanding = with_agents_at_hand(understanding, before)
        is_beside = understanding.relation == "other"
        asks_on = [each.question.prompt for each in situation.asked] if is_beside else []
        return _reading(
            understanding,
            before=searched_before,
            asks_on=asks_on,
            drops_previous=before is None and previous is not None,
        )

    async def advise(self, message: str, situation: Situation) -> Reading | None:
        """Have the model read a message that the rules make nothing of; None at once where they do."""
        if self._model is None or self.read(message, situation).manner != "beside":
            return None
        if small_talk(message) != NOT_UNDERSTOOD:
            return None
        read = await advice_on(
            message,
            situation.previous if understanding_in(situation.previous) else None,
            self._model,
            today=self._today(),
            within_s=self._read_within_s,
        )
        return _reading(read) if read is not None else None

    def fates(self, found_for: Mapping[str, Any] | None, request: Mapping[str, Any] | None) -> Fates:
        """Return which offers for one request fit another, have to be found anew, or are not wanted."""
        return fates(found_for, request)

    def keeps(self, request: Mapping[str, Any] | None) -> Keeps | None:
        """Return which offers fit a request."""
        return keeps(request)

    def with_given(self, message: str, given: Mapping[str, Any], situation: Situation) -> Reading:
        """Refuse it: the travel assistant takes words alone. Raises `BadInput`."""
        raise BadInput(f"{min(given)}: the travel assistant takes nothing but the message.")

    async def check_stored(self, store: StateStore, user_id: str, request: Mapping[str, Any] | None) -> None:
        """Accept every request: none names anything that must be stored."""

    def reads(self, request: Mapping[str, Any] | None) -> Sequence[str] | None:
        """Return the keys of the searches that a request leads to, of which enough is known."""
        understanding = understanding_in(request)
        if understanding is None:
            return ()
        if self._model is not None and understanding.agents:
            return None  # it may read the request otherwise; its router takes over what it then asks for
        return search_keys(understanding, searches_of(request), today=self._today())

    def take(
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
        agent = cast("Agent", question.question.agent)
        understanding = with_answer(before, agent, answer, today=self._today())
        answers = {question.request_id: answer, **answers_in(understanding, before, asked)}
        return _answer(understanding, answers, before=previous)

    async def run(self, context: TaskContext) -> str | None:
        """Run the graph for a task and return the reply; None if it waits for its user."""
        run = PausableRun(context, agent_of=_agent_of)
        understanding = understanding_in(context.task.request)
        if understanding is None:
            if run.is_resumed:
                return SAY_IT_AGAIN  # a guess at what it had asked could book what nobody wants
            understanding = self._read_again(context)
        request: Any = context.task.request
        if request.get("drops_previous") and not run.is_resumed:
            said = context.message_records("system", DROPPED)  # before anything that the graph may ask
            context.record(*said, context.task)
        context.keeps = keeps(request, context.partial_results.to_json())
        left = context.previous.to_state() if context.previous else None
        found: Mapping[str, Any] = left["partial_results"] if left else {}
        of_found = self.fates(context.previous.request if context.previous else None, request)
        state = AgentState(
            message=context.task.message,
            user_id=context.user_id,
            agents=understanding.agents,
            books=understanding.booking is not None,
            previous_context=left,
            partial_results={agent: _staying(of_found, agent, items) for agent, items in found.items()},
            outcomes={},
            response="",
        )

        def revise(corrected: Understanding) -> None:
            computed = ("understanding", "searches")
            others = {name: value for name, value in request.items() if name not in computed}
            others |= _kept(corrected, request)
            context.revise(request=UnderstoodRequest(corrected, **others))
            travel.searches = searches_of(context.task.request)
            context.keeps = keeps(context.task.request, context.partial_results.to_json())
            context.save()

        travel = TravelRun(
            context=AgentContext(context),
            tools=AgentTools(context, self._ledger),
            journal=ModelJournal(context),
            revise=revise,
            previous_task_id=context.task.previous_task_id,
            understanding=understanding,
            searches=searches_of(request),
            asks_on=request.get("asks_on", ()),
            today=self._today(),
            search_flights=self._search_flights,
            search_hotels=self._search_hotels,
            plan_itinerary=self._plan_itinerary,
            bookings=self._bookings,
            model=self._model,
            read_within_s=self._read_within_s,
        )
        thread = RunnableConfig(configurable={"thread_id": context.task_id})
        asks = bool(understanding.missing) or state["books"] or self._model is not None
        if not asks and not run.is_resumed:
            final = await self._graph.ainvoke(state, thread, context=travel)  # it has nothing to ask
        else:
            final = await run.invoke(self._graph, state, thread, travel)
        return None if run.paused else final["response"]

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

    async def forget(self, user_id: str) -> None:
        """Delete a user's bookings. Raises `StoreUnavailable`."""
        try:
            await self._provider.bookings.forget(user_id)
        except ProviderError as error:
            raise StoreUnavailable(error.message) from None


def _staying(fates: Fates, agent: str, items: Sequence[Any]) -> Sequence[Any]:
    return [item for item, fate in zip(items, fates(agent, items), strict=True) if fate == "stays"]


def _decided(message: str, asked: Sequence[InputRequest]) -> Answers:
    """Return the decision of a message that only allows or denies the one open permission."""
    if len(asked) != 1 or asked[0].permission is None:
        return {}
    decision = decision_in(message, cancels=asked[0].permission.tool == CancelBooking.name)
    return {asked[0].request_id: {"decision": decision}} if decision else {}


def _reading(
    understanding: Understanding,
    *,
    before: Request | None = None,
    asks_on: Sequence[str] = (),
    drops_previous: bool = False,
) -> Reading:
    request = UnderstoodRequest(understanding, asks_on=list(asks_on), **_kept(understanding, before))
    if drops_previous:
        request["drops_previous"] = True
    return Reading(
        relation=understanding.relation,
        manner=_MANNERS.get(understanding.relation, "interrupt"),
        request=request,
        carried=understanding.carried if understanding.agents else (),
        dropped=understanding.dropped,
        resumes=understanding.resumes,
        subject=_subject(understanding),
    )


def _kept(understanding: Understanding, before: Request | None) -> dict[str, Any]:
    searches = kept_searches(understanding, before)
    return {"searches": searches} if searches else {}


def _answer(understanding: Understanding, answers: Answers, *, before: Request | None) -> Reading:
    request = UnderstoodRequest(understanding, **_kept(understanding, before))
    return Reading(relation="answer", manner="answer", request=request, answers=answers)


def _no_answer(understanding: Understanding, before: Understanding) -> Understanding:
    """Return what a message means that answers no question: a change, a new request, or neither.

    A mere "yes" to a question that wants more than that is neither.
    """
    says_nothing = (understanding.flight, understanding.hotel) == (before.flight, before.hotel)
    if says_nothing and understanding.missing:
        return replace(understanding, relation="other", agents=())
    return replace(understanding, relation="refine" if understanding.carried else "new")


def _subject(understanding: Understanding) -> str | None:
    """Return where a request wants to go, or to stay."""
    if understanding.tour is not None:
        return ", ".join(sorted(place.city.label for place in understanding.tour.cities))
    goal = understanding.flight.destination or understanding.hotel.city
    return goal.city.label if goal is not None else None


def _agent_of(_branch: str, _namespace: str) -> str:
    """Return the agent of a question that does not name one; all of this graph's name theirs."""
    return "travel"
