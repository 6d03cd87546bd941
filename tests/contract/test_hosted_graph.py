"""What a graph is given and what its final state answers; nothing in it knows Detour."""

import asyncio
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from langgraph.types import interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict

from backend.domain.task import TaskStatus
from backend.graphs.graph_output import GraphFailedError
from tests.contract.hosting import Hosting
from tests.graphs.building import State, chain
from tests.records import a_context, a_message

GIVEN = {
    "message": "message 2",
    "user_id": "ann",
    "previous_context": a_context("ann", 1).to_state(),
    "partial_results": {"flight": [{"price": 1.5}], "hotel": []},
}


class Seen:
    """A node that keeps the state it was given, and answers with what it was told to."""

    def __init__(self, **answer: Any) -> None:
        self.states: list[Any] = []
        self.answer = answer

    async def look(self, state: Any) -> dict[str, Any]:
        self.states.append(state)
        return self.answer


def state_of(**fields: Any) -> Any:
    return TypedDict("State", fields)


# --- what a graph is given ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "declared", [(), ("message",), ("user_id", "previous_context"), ("partial_results",), tuple(GIVEN)]
)
async def test_a_graph_gets_exactly_those_fields_that_its_state_declares(declared: tuple[str, ...]) -> None:
    seen = Seen(other=1)
    state = state_of(**dict.fromkeys([*declared, "other"], Any))
    await Hosting(chain(seen.look, state=state), previous=a_context("ann", 1), turn=2).reply()
    assert seen.states == [{name: GIVEN[name] for name in declared}]


async def test_where_nothing_was_interrupted_the_context_is_none_and_the_results_are_empty() -> None:
    seen = Seen()
    state = state_of(previous_context=Any, partial_results=Any)
    await Hosting(chain(seen.look, state=state)).reply()
    assert seen.states == [{"previous_context": None, "partial_results": {}}]


class PydanticState(BaseModel):
    message: str
    previous_context: dict[str, Any] | None
    answer: str = ""


@dataclass
class DataclassState:
    message: str
    previous_context: dict[str, Any] | None
    answer: str = ""


@pytest.mark.parametrize("schema", [PydanticState, DataclassState])
async def test_a_state_may_be_a_pydantic_model_or_a_dataclass(schema: Any) -> None:
    seen = Seen(answer="yes")
    assert await Hosting(chain(seen.look, state=schema)).reply() == "yes"
    assert seen.states == [schema(message="message 1", previous_context=None)]


async def test_a_graph_with_an_input_of_its_own_gets_what_that_declares() -> None:
    class Input(TypedDict):
        user_id: str

    seen = Seen()
    state = state_of(message=str, user_id=str)
    await Hosting(chain(seen.look, state=state, schemas={"input_schema": Input})).reply()
    assert seen.states == [{"user_id": "ann"}]


async def test_a_state_may_hold_what_no_json_schema_describes() -> None:
    seen = Seen()
    state = state_of(message=str, lock=asyncio.Lock, when_done=Any)
    await Hosting(chain(seen.look, state=state)).reply()
    assert seen.states == [{"message": "message 1"}]


# --- the conversation --------------------------------------------------------------------------------

SAID = [
    a_message(turn=1, position=0, role="user", text="flights to Rome"),
    a_message(turn=1, position=1, role="assistant", text="Here are", interrupted=True),
    a_message(turn=1, position=2, role="system", text="Interrupted by a newer message"),
    a_message(turn=2, position=0, role="user", text="to Oslo"),
    a_message(turn=3, position=0, role="user", text="waits its turn"),
]


async def test_a_state_with_messages_gets_the_conversation_up_to_its_own_message() -> None:
    seen = Seen()
    await Hosting(chain(seen.look, state=MessagesState), said=SAID, turn=2, message="to Oslo").reply()
    messages = [(type(each), each.content) for each in seen.states[0]["messages"]]
    assert messages == [
        (HumanMessage, "flights to Rome"),
        (AIMessage, "Here are"),
        (HumanMessage, "to Oslo"),
    ]


async def test_messages_are_plain_mappings_where_the_state_does_not_convert_them() -> None:
    seen = Seen()
    state = state_of(messages=list[Any])
    await Hosting(chain(seen.look, state=state), message="hello").reply()
    assert seen.states == [{"messages": [{"role": "user", "content": "hello"}]}]


async def test_a_message_taken_up_again_is_the_last_one_and_is_said_once() -> None:
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
    ({"answer": "A"}, "A"),
    ({"response": "R"}, "R"),
    ({"answer": "A", "response": "R", "messages": [AIMessage("M")]}, "A"),
    ({"answer": "", "response": "R"}, "R"),
    ({"answer": None, "messages": [AIMessage("M")]}, "M"),
    ({"answer": 7, "messages": [AIMessage("M")]}, "M"),
    ({"response": AIMessage("R")}, "R"),
    ({"messages": [AIMessage("first"), AIMessage("last")]}, "last"),
    ({"messages": [THOUGHTFUL]}, "Two flights"),
    ({"messages": [{"role": "assistant", "content": "M"}]}, "M"),
    ({"answer": {"role": "assistant", "content": [{"type": "text", "text": "M"}]}}, "M"),
    ({}, "Done."),
    ({"answer": "half \ud83d"}, "half ?"),
]


@pytest.mark.parametrize(("final", "reply"), REPLIES)
async def test_the_reply_is_the_answer_the_response_or_the_last_message(final: Any, reply: str) -> None:
    hosting = Hosting(chain(Seen(**final).look, state=Answering))
    assert await hosting.reply() == reply


async def test_a_graph_that_adds_no_message_does_not_echo_the_users() -> None:
    assert await Hosting(chain(Seen().look, state=MessagesState), message="hello").reply() == "Done."


@pytest.mark.parametrize(("shown", "reply"), [("answer", "yes"), ("other", "no")])
async def test_what_a_graph_does_not_put_out_is_no_reply(shown: str, reply: str) -> None:
    schemas = {"output_schema": state_of(**{shown: str})}
    state = state_of(message=str, answer=str, other=str)
    graph = chain(Seen(answer="yes", other="no").look, state=state, schemas=schemas)
    assert await Hosting(graph).reply() == reply


# --- what a graph was compiled with ------------------------------------------------------------------


async def test_a_graph_keeps_the_store_it_was_compiled_with() -> None:
    store = InMemoryStore()
    store.put(("ann", "notes"), "ann", {"likes": "trains"})
    store.put(("bob", "notes"), "ann", {"likes": "boats"})

    async def recall(state: State, runtime: Runtime) -> State:
        assert runtime.store is not None
        note = await runtime.store.aget(("notes",), "ann")
        return {"answer": note.value["likes"] if note else "nothing"}

    assert await Hosting(chain(recall, store=store)).reply() == "trains"


async def test_a_graph_keeps_the_configuration_it_was_given() -> None:
    async def tell(state: State, config: RunnableConfig) -> State:
        return {"answer": f"{config['configurable']['model']} {config['tags']}"}

    graph = chain(tell).with_config(configurable={"model": "small"}, tags=["mine"])
    assert await Hosting(graph).reply() == "small ['mine']"


async def test_each_run_gets_a_context_of_its_own_made_of_its_defaults() -> None:
    @dataclass
    class Context:
        notes: list[str] = field(default_factory=list[str])

    async def note(state: State, runtime: Runtime[Context]) -> State:
        runtime.context.notes.append("seen")
        return {"answer": str(runtime.context.notes)}

    graph = chain(note, schemas={"context_schema": Context})
    assert [await Hosting(graph).reply(), await Hosting(graph).reply()] == ["['seen']"] * 2


async def test_a_checkpointer_of_its_own_is_left_alone_since_the_task_keeps_where_its_graph_stands() -> None:
    saver = InMemorySaver()

    async def look(state: State) -> State:
        return {}

    await Hosting(chain(look, checkpointer=saver)).reply()
    assert not saver.storage
    assert not saver.writes


async def test_a_graph_may_hold_what_has_no_encoding_as_long_as_it_does_not_ask() -> None:
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
async def test_a_task_whose_graph_stops_where_nobody_can_answer_fails_and_says_why(graph: Any) -> None:
    hosting = Hosting(graph)
    await hosting.start()
    assert (await hosting.ended()).status is TaskStatus.FAILED
    assert "compiled without a checkpointer: it cannot resume" in await hosting.last_message()


async def test_a_graph_that_goes_round_too_often_fails_and_says_so() -> None:
    hosting = Hosting(chain(("a", answer), ("b", answer), ("c", answer)).with_config(recursion_limit=2))
    with pytest.raises(GraphFailedError, match="more steps than it is allowed"):
        await hosting.reply()


@pytest.mark.requirement("FAILURES-STAY-ALONE")
async def test_a_node_that_raises_fails_the_task_and_what_was_found_is_kept() -> None:
    async def fail(state: State, runtime: Runtime) -> State:
        runtime.stream_writer({"city": "Rome"})
        raise ValueError("no such city")

    hosting = Hosting(chain(fail))
    await hosting.start()
    assert (await hosting.ended()).status is TaskStatus.FAILED
    assert hosting.told == [("fail", "working"), ("fail", [{"city": "Rome"}]), ("fail", "failed")]
