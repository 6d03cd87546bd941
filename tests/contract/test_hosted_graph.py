"""The input and the reply of a graph that does not know Detour."""

import asyncio
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, NotRequired

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.func import entrypoint
from langgraph.graph import END, START, MessagesState, StateGraph, add_messages
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict

from backend.domain.errors import BadInput
from backend.domain.task import TaskStatus
from backend.graphs.graph_options import GraphOptions
from backend.graphs.graph_output import GraphFailedError
from tests.contract.hosting import Hosting
from tests.contract.serving import reply, serving, until_published
from tests.graphs.building import State, chain
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.records import a_context, a_message

GIVEN = {
    "message": "message 2",
    "user_id": "ann",
    "previous_context": a_context("ann", 1).to_state(),
    "partial_results": {"flight": [{"price": 1.5}], "hotel": []},
}


class Seen:
    """A node that records the states it was given, and returns a fixed answer."""

    def __init__(self, **answer: Any) -> None:
        self.states: list[Any] = []
        self.answer = answer

    async def look(self, state: Any) -> dict[str, Any]:
        self.states.append(state)
        return self.answer


def state_of(**fields: Any) -> Any:
    return TypedDict("State", fields)


# --- what a graph is given ---------------------------------------------------------------------------


@pytest.mark.parametrize("declared", [(), ("user_id", "previous_context"), tuple(GIVEN)])
async def test_graph_gets_exactly_the_fields_of_its_state(declared: tuple[str, ...]) -> None:
    seen = Seen(other=1)
    state = state_of(**dict.fromkeys([*declared, "other"], Any))
    await Hosting(chain(seen.look, state=state), previous=a_context("ann", 1), turn=2).reply()
    assert seen.states == [{name: GIVEN[name] for name in declared}]


class PydanticState(BaseModel):
    message: str
    previous_context: dict[str, Any] | None
    partial_results: dict[str, Any]
    answer: str = ""


@dataclass
class DataclassState:
    message: str
    previous_context: dict[str, Any] | None
    partial_results: dict[str, Any]
    answer: str = ""


@pytest.mark.parametrize("schema", [PydanticState, DataclassState])
async def test_state_may_be_a_pydantic_model_or_a_dataclass(schema: Any) -> None:
    seen = Seen(answer="yes")
    assert await Hosting(chain(seen.look, state=schema)).reply() == "yes"
    assert seen.states == [schema(message="message 1", previous_context=None, partial_results={})]


async def test_input_schema_decides_what_a_graph_gets() -> None:
    class Input(TypedDict):
        user_id: str

    seen = Seen()
    state = state_of(message=str, user_id=str)
    await Hosting(chain(seen.look, state=state, schemas={"input_schema": Input})).reply()
    assert seen.states == [{"user_id": "ann"}]


# --- the conversation --------------------------------------------------------------------------------

SAID = [
    a_message(turn=1, position=0, role="user", text="flights to Rome"),
    a_message(turn=1, position=1, role="assistant", text="Here are", interrupted=True),
    a_message(turn=1, position=2, role="system", text="Interrupted by a newer message"),
    a_message(turn=2, position=0, role="user", text="to Oslo"),
    a_message(turn=3, position=0, role="user", text="waits its turn"),
]


async def test_messages_are_the_conversation_up_to_its_own_message() -> None:
    seen = Seen()
    await Hosting(chain(seen.look, state=MessagesState), said=SAID, turn=2, message="to Oslo").reply()
    messages = [(type(each), each.content) for each in seen.states[0]["messages"]]
    assert messages == [
        (HumanMessage, "flights to Rome"),
        (AIMessage, "Here are"),
        (HumanMessage, "to Oslo"),
    ]


async def test_messages_are_mappings_where_the_state_does_not_convert_them() -> None:
    seen = Seen()
    state = state_of(messages=list[Any])
    await Hosting(chain(seen.look, state=state), message="hello").reply()
    assert seen.states == [{"messages": [{"role": "user", "content": "hello"}]}]


async def test_message_taken_up_again_is_last_and_said_once() -> None:
    seen = Seen()
    lost = {"turn": 4, "message": "to Oslo", "attempt": 3, "previous_task_id": "ann-3", "asked_in": "ann-2"}
    await Hosting(chain(seen.look, state=MessagesState), said=SAID, **lost).reply()
    messages = [each.content for each in seen.states[0]["messages"]]
    assert messages == ["flights to Rome", "Here are", "waits its turn", "to Oslo"]


# --- the reply ---------------------------------------------------------------------------------------


class Answering(TypedDict, total=False):
    answer: Any
    response: Any
    messages: Annotated[list[Any], add_messages]


THOUGHTFUL = AIMessage(
    content=[{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Two "}, "flights"]
)
REPLIES = [
    ({"answer": "A", "response": "R", "messages": [AIMessage("M")]}, "A"),
    ({"answer": "", "response": "R"}, "R"),
    ({"answer": None, "messages": [AIMessage("M")]}, "M"),
    ({"messages": [AIMessage("first"), AIMessage("last")]}, "last"),
    ({"messages": [THOUGHTFUL]}, "Two flights"),
    ({"messages": [{"role": "assistant", "content": "M"}]}, "M"),
    ({"answer": {"role": "assistant", "content": [{"type": "text", "text": "M"}]}}, "M"),
    ({}, "Done."),
    ({"messages": [HumanMessage("hello")]}, "Done."),
    ({"answer": "half \ud83d"}, "half ?"),
]


@pytest.mark.parametrize(("final", "reply"), REPLIES)
async def test_reply_is_the_answer_the_response_or_the_last_message(final: Any, reply: str) -> None:
    hosting = Hosting(chain(Seen(**final).look, state=Answering))
    assert await hosting.reply() == reply


@pytest.mark.parametrize(("shown", "reply"), [("answer", "yes"), ("other", "no")])
async def test_field_outside_the_output_schema_is_no_reply(shown: str, reply: str) -> None:
    schemas = {"output_schema": state_of(**{shown: str})}
    state = state_of(message=str, answer=str, other=str)
    graph = chain(Seen(answer="yes", other="no").look, state=state, schemas=schemas)
    assert await Hosting(graph).reply() == reply


# --- what a graph was compiled with ------------------------------------------------------------------


async def test_configuration_of_a_graph_is_kept() -> None:
    async def tell(state: State, config: RunnableConfig) -> State:
        return {"answer": f"{config['configurable']['model']} {config['tags']}"}

    graph = chain(tell).with_config(configurable={"model": "small"}, tags=["mine"])
    assert await Hosting(graph).reply() == "small ['mine']"


async def test_run_gets_a_context_of_its_own_from_defaults() -> None:
    @dataclass
    class Context:
        notes: list[str] = field(default_factory=list[str])

    async def note(state: State, runtime: Runtime[Context]) -> State:
        runtime.context.notes.append("seen")
        return {"answer": str(runtime.context.notes)}

    graph = chain(note, schemas={"context_schema": Context})
    assert [await Hosting(graph).reply(), await Hosting(graph).reply()] == ["['seen']"] * 2


async def test_checkpointer_of_a_graph_is_left_alone() -> None:
    saver = InMemorySaver()

    async def look(state: State) -> State:
        return {}

    await Hosting(chain(look, checkpointer=saver)).reply()
    assert not saver.storage
    assert not saver.writes


async def test_value_without_an_encoding_works_in_a_graph_that_does_not_ask() -> None:
    async def hold(state: State) -> State:
        return {"found": [lambda: "seen"]}

    async def call(state: State) -> State:
        return {"answer": state["found"][0]()}

    assert await Hosting(chain(hold, call)).reply() == "seen"


# --- what cannot be carried out ----------------------------------------------------------------------


async def ask(state: State) -> State:
    return {"answer": interrupt("Which city?")}


async def answer(state: State) -> State:
    return {"answer": "never said"}


PAUSING = [
    chain(ask, checkpointer=False),
    chain(answer, checkpointer=False, interrupt_before=["answer"]),
]


@pytest.mark.parametrize("graph", PAUSING)
async def test_graph_that_stops_without_a_checkpointer_fails_its_task(graph: Any) -> None:
    hosting = Hosting(graph)
    await hosting.start()
    assert (await hosting.ended()).status is TaskStatus.FAILED
    assert "compiled without a checkpointer: it cannot resume" in await hosting.last_message()


async def test_graph_beyond_its_recursion_limit_fails() -> None:
    hosting = Hosting(chain(("a", answer), ("b", answer), ("c", answer)).with_config(recursion_limit=2))
    with pytest.raises(GraphFailedError, match="more steps than it is allowed"):
        await hosting.reply()


@pytest.mark.requirement("FAILURES-STAY-ALONE")
async def test_node_that_raises_fails_its_task_and_keeps_what_was_found() -> None:
    async def fail(state: State, runtime: Runtime) -> State:
        runtime.stream_writer({"city": "Rome"})
        raise ValueError("no such city")

    hosting = Hosting(chain(fail))
    await hosting.start()
    assert (await hosting.ended()).status is TaskStatus.FAILED
    assert hosting.published == [("fail", "working"), ("fail", [{"city": "Rome"}]), ("fail", "failed")]


class Price(BaseModel):
    amount: Decimal
    on: date


NINE = Price(amount=Decimal("9.50"), on=date(2026, 3, 1))
NINE_AS_JSON = '{"amount":"9.50","on":"2026-03-01"}'


# --- the reply -------------------------------------------------------------------------------------------


class Wanted(TypedDict, total=False):
    topic: str
    price: Any
    sources: list[str]


class Found(TypedDict):
    price: Any


async def look_up(state: Wanted) -> Any:
    return {"price": NINE, "sources": ["shop"]}


async def reply_with(graph: Any, **options: Any) -> str:
    return await Hosting(graph, options=GraphOptions(**options)).reply()


@pytest.mark.virtual_time
@pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")
async def test_only_result_of_a_graph_is_its_reply_as_json() -> None:
    graph = chain(look_up, state=Wanted, schemas={"output_schema": Found})
    assert await reply_with(graph) == NINE_AS_JSON


@pytest.mark.virtual_time
@pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")
async def test_setting_names_the_reply_among_several_results() -> None:
    graph = chain(look_up, state=Wanted)
    assert await reply_with(graph) == "Done."
    assert await reply_with(graph, reply_key="price") == NINE_AS_JSON


class Routed(MessagesState, total=False):
    next: str
    report: str


@pytest.mark.virtual_time
@pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")
@pytest.mark.parametrize(("report", "text"), [("", "Done."), ("All is well.", "All is well.")])
async def test_next_node_of_a_router_is_no_reply(report: str, text: str) -> None:
    async def supervisor(state: Routed) -> Any:
        return {"next": END, "report": report}

    assert await reply_with(chain(supervisor, state=Routed)) == text


RETURNED: list[tuple[Any, str]] = [
    (NINE, NINE_AS_JSON),
    ({"price": 9}, '{"price":9}'),
    (9, "9"),
    ([], "Done."),
    ({"role": "assistant", "content": "Sunny."}, "Sunny."),
    (
        [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [{"type": "text", "text": "A"}]},
        ],
        "A",
    ),
    ({"messages": [HumanMessage("hi")]}, "Done."),
    (object(), "Done."),
]


@pytest.mark.virtual_time
@pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")
@pytest.mark.parametrize(("value", "text"), RETURNED)
async def test_returned_value_is_the_reply_as_json(value: Any, text: str) -> None:
    @entrypoint()
    async def work(message: str) -> Any:
        return value

    assert await reply_with(work) == text


# --- an input that no text is ----------------------------------------------------------------------------


class Email(TypedDict):
    subject: str


@dataclass
class Inbox:
    email: Email
    tone: str = "kind"
    language: str = "English"


async def answer_email(state: Inbox) -> Any:
    get_stream_writer()({"subject": state.email["subject"], "tone": state.tone})
    return {}


@pytest.mark.virtual_time
@pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")
async def test_input_that_no_text_fits_is_brought_by_each_message() -> None:
    graph = chain(answer_email, state=Inbox)
    async with serving(graph, input_field="email") as parts:
        brought = {"input": {"email": {"subject": "Lunch"}}}
        await parts.settled(await parts.post("Answer it.", given=brought))
        found = [event for event in await parts.events() if event["type"] == "partial_result"]
        assert [event["items"] for event in found] == [[{"subject": "Lunch", "tone": "kind"}]]
        assert await reply(parts, "And this.") == "The graph needs email: send it in the message's input."


# --- messages that are no input --------------------------------------------------------------------------


class Topic(TypedDict):
    topic: str


class Research(Topic):
    messages: Annotated[list[BaseMessage], add_messages]


@pytest.mark.virtual_time
@pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")
async def test_messages_that_a_graph_keeps_for_itself_are_completed() -> None:
    entered = asyncio.Event()

    @tool
    async def search(topic: str) -> str:
        """Search."""
        entered.set()
        await asyncio.get_running_loop().create_future()
        return topic

    script = [calling("search", topic="Rome"), "It is Oslo.", "Half of it ...", "It is Turin."]
    model = ScriptedChat(script=script)

    async def agent(state: Research) -> Any:
        return {"messages": [await model.ainvoke([HumanMessage(state["topic"]), *state["messages"]])]}

    async def is_done(state: Research) -> str:
        last = state["messages"][-1]
        return "tools" if isinstance(last, AIMessage) and last.tool_calls else END

    builder = StateGraph(Research, input_schema=Topic)
    builder.add_node("agent", agent)
    builder.add_node("tools", ToolNode([search]))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", is_done)
    builder.add_edge("tools", "agent")
    async with serving(builder.compile()) as parts:
        await parts.post("Rome")
        await entered.wait()
        await parts.settled(await parts.post("Oslo"))
        assert [each.type for each in model.given[-1]] == ["human", "ai", "tool"]
        assert model.given[-1][-1].text.startswith("Cancelled before it was done")
        await parts.post("Bern")
        await until_published(parts, "Half")
        await parts.settled(await parts.post("Turin"))
        # No message of a user follows: half an answer would end the list, which many models refuse.
        assert [each.type for each in model.given[-1]] == ["human", "ai", "tool", "ai"]
        assert model.given[-1][-1].text == "It is Oslo."


@pytest.mark.virtual_time
@pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")
async def test_user_id_is_in_context_and_configurable_without_a_schema() -> None:
    async def node(_state: MessagesState, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
        found = runtime.context["user_id"], config.get("configurable", {})["user_id"]
        return {"messages": [AIMessage(" ".join(found))]}

    assert await Hosting(chain(node, state=MessagesState)).reply() == "ann ann"


class Wants(TypedDict, total=False):
    message: str
    depth: int
    answer: str


class GivenContext(BaseModel):
    user_id: str = ""
    tone: str = "plain"
    model: str = "small"


async def tell(state: Wants, runtime: Runtime[GivenContext], config: RunnableConfig) -> Any:
    given: Any = config["configurable"]
    if state["message"] == "ask":
        interrupt("What?")
    return {
        "answer": f"{state.get('depth')} {runtime.context.tone} {runtime.context.user_id} {given.get('k')}"
    }


def telling(**compiled: Any) -> Any:
    return chain(tell, state=Wants, schemas={"context_schema": GivenContext}, **compiled)


@pytest.mark.virtual_time
@pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")
async def test_run_gets_what_its_message_brings_and_the_next_does_not() -> None:
    async with serving(telling(checkpointer=False)) as parts:
        given = {"input": {"depth": 3}, "context": {"tone": "warm"}, "configurable": {"k": [1]}}
        assert await reply(parts, "hi", given=given) == "3 warm ann [1]"
        assert await reply(parts, "hi") == "None plain ann None"


@pytest.mark.virtual_time
@pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")
async def test_run_that_asks_has_it_again_after_the_answer() -> None:
    async with serving(telling()) as parts:
        task = await parts.post("ask", given={"context": {"tone": "warm"}})
        await parts.settled(task)
        assert await reply(parts, "this") == "None warm ann None"


class WantedDict(TypedDict):
    tone: str
    note: NotRequired[str]


@dataclass
class WantedClass:
    tone: str


class WantedModel(BaseModel):
    tone: str


async def tell_tone(state: Wants, runtime: Runtime[Any]) -> Any:
    if state["message"] == "ask":
        return {"answer": interrupt("What?")}
    context: Any = runtime.context
    return {"answer": context["tone"] if isinstance(context, dict) else context.tone}


@pytest.mark.virtual_time
@pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")
@pytest.mark.parametrize("schema", [WantedDict, WantedClass, WantedModel])
async def test_message_without_required_context_is_refused_by_field(schema: Any) -> None:
    graph = chain(tell_tone, state=Wants, schemas={"context_schema": schema})
    async with serving(graph) as parts:
        for given in ({}, {"context": {}}, {"input": {"depth": 1}}):
            with pytest.raises(BadInput) as refused:
                await parts.post("hi", given=given)
            assert refused.value.message == (
                "context.tone: the graph needs it; send it with the message, or set it for all in "
                "DETOUR_GRAPH_CONTEXT."
            )
        assert await parts.events() == []
        assert await reply(parts, "hi", given={"context": {"tone": "warm"}}) == "warm"
        task = await parts.post("ask", given={"context": {"tone": "warm"}})
        await parts.settled(task)
        assert await reply(parts, "an answer brings none") == "an answer brings none"
    async with serving(graph, context={"tone": "cold"}) as parts:
        assert await reply(parts, "hi") == "cold"


DOES_NOT_FIT = {
    "input.width: it is no field that a message may bring; those are: depth.": {"input": {"width": 1}},
    "input.depth: Input should be a valid integer": {"input": {"depth": "deep"}},
    "context.size: it is no field that a message may bring; those are: model, tone.": {
        "context": {"size": 1}
    },
    "context.user_id: it is no field": {"context": {"user_id": "bob"}},
    "context.tone: Input should be a valid string": {"context": {"tone": 3}},
    "context.model: the server's setting gives it.": {"context": {"model": "large"}},
    "configurable.thread_id: the server sets it.": {"configurable": {"thread_id": "bob"}},
    "configurable.checkpoint_ns: the server sets it.": {"configurable": {"checkpoint_ns": ""}},
    "configurable.__pregel_read: the server sets it.": {"configurable": {"__pregel_read": 1}},
}


@pytest.mark.virtual_time
@pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")
@pytest.mark.parametrize("said", DOES_NOT_FIT)
async def test_given_value_that_does_not_fit_is_refused_by_name(said: str) -> None:
    async with serving(telling(), context={"model": "small"}) as parts:
        with pytest.raises(BadInput) as refused:
            await parts.post("hi", given=DOES_NOT_FIT[said])
        assert refused.value.message.startswith(said)
        assert await parts.events() == []
