"""A message that steers: the run takes it in at its next safe boundary, or it becomes the next message."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, TypedDict, cast

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AnyMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt

from backend.domain.errors import BadInput, Conflict, NotFound, StoreUnavailable
from backend.domain.questions import DECISION_SCHEMA
from backend.store.sqlite.memory import MemoryStateStore
from backend.tasks.inbox import MOST_STEERED
from backend.tools import pending_messages
from tests.contract.serving import hosting
from tests.contract.steering import (
    CARD,
    asked,
    chat_of,
    fates,
    humans,
    killed,
    loop_of,
    new_ids,
    onwards,
    outcomes,
    row_of,
    seconds,
    speaking,
    steer,
    use_tools,
)
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.parts import Parts, started

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("STEERED-ONCE")]


async def test_steered_message_is_taken_in_after_the_tools_and_before_the_model(begin):
    chat = chat_of(calling("look"), "Booked with the card.", "You are welcome.")
    parts, task_id = await begin(loop_of(chat))
    accepted = await steer(parts, client_id="c1")
    assert (accepted.task_id, accepted.policy, accepted.steer) == (task_id, "steer", "pending")
    assert [each.message for each in (await parts.store.standing("ann")).pending] == [CARD]
    assert (await parts.store.standing("ann")).queued == ()
    await parts.settled(task_id)
    assert asked(chat)[1] == [("human", "book it"), ("ai", ""), ("tool", "seen"), ("human", CARD)]
    assert await fates(parts) == [(CARD, "pending", task_id), (CARD, "taken_in", task_id)]
    assert [text for _, text in await parts.history()] == ["book it", CARD, "Booked with the card."]
    said = (await parts.store.get_messages("ann", limit=9))[1].to_wire()
    assert (said["message_id"], said["task_id"], said["steer"]) == (accepted.message_id, task_id, "taken_in")
    (_, taken) = [each for each in await parts.events() if each["type"] == "steer"]
    assert said["at"] < said["taken_in_at"] == taken["at"]
    assert taken["after"]["nodes"] == ["tools"]
    assert (await parts.store.standing("ann")).pending == ()
    assert [each.task_id for each in await parts.store.recent_tasks("ann", limit=9)] == [task_id]
    await parts.settled(await parts.post("thanks"))
    assert humans(chat)[2] == ["book it", CARD, "thanks"]


async def test_several_messages_are_taken_in_together_in_their_order(begin):
    chat = chat_of(calling("look"), "Booked.")
    parts, task_id = await begin(loop_of(chat))
    for text in ("one", "two", "three"):
        await steer(parts, text)
    await parts.settled(task_id)
    assert humans(chat)[1] == ["book it", "one", "two", "three"]
    assert await outcomes(parts) == ["pending"] * 3 + ["taken_in"] * 3


async def test_message_without_a_boundary_becomes_the_next_message_at_once(begin):
    chat = chat_of("It is booked by now.", "With the card.")
    parts, task_id = await begin(loop_of(chat))
    accepted = await steer(parts, client_id="c1")
    await parts.quiet()
    (_, own) = [each.task_id for each in await parts.store.recent_tasks("ann", limit=9)][::-1]
    assert await fates(parts) == [(CARD, "pending", task_id), (CARD, "own_task", own)]
    assert [role for role, _ in await parts.history()] == ["user", "assistant", "user", "assistant"]
    assert asked(chat)[1][-1] == ("human", CARD)
    again = await steer(parts, client_id="c1")
    assert (again.duplicate, again.steer, again.task_id) == (True, "own_task", own)
    assert again.message_id == accepted.message_id == f"{own}.0"


async def test_messages_left_at_the_end_become_one_task_before_the_queue(begin):
    chat = chat_of("It is booked by now.", "Both.", "Later.")
    parts, _task_id = await begin(loop_of(chat))
    queued = await parts.post("and then?", policy="enqueue")
    for text in ("one", "two"):
        await steer(parts, text)
    await parts.quiet()
    tasks = [each.message for each in await parts.store.recent_tasks("ann", limit=9)]
    assert sorted(tasks) == ["and then?", "book it", "two"]
    assert humans(chat)[1] == ["book it", "one", "two"]
    assert asked(chat)[2][-1] == ("human", "and then?")
    assert (await parts.task(queued)).status == "completed"
    assert (await outcomes(parts))[2:] == ["own_task", "merged"]


async def test_steered_message_without_a_running_task_is_a_message_like_any_other(begin):
    parts, task_id = await begin(loop_of(chat_of("It is booked.", "With the card.")))
    await parts.settled(task_id)
    accepted = await steer(parts)
    assert (accepted.status, accepted.policy, accepted.steer) == ("running", "steer", "own_task")
    assert accepted.message_id == f"{accepted.task_id}.0"
    await parts.settled(accepted.task_id)
    assert await fates(parts) == []


async def test_newer_message_has_pending_ones_before_it_in_its_run(begin):
    chat = chat_of(calling("look"), "Cancelled.")
    parts, task_id = await begin(loop_of(chat))
    await steer(parts)
    newer = await parts.post("no, cancel it")
    await parts.settled(newer)
    assert humans(chat)[1] == ["book it", CARD, "no, cancel it"]
    assert await fates(parts) == [(CARD, "pending", task_id), (CARD, "merged", newer)]
    assert [text for role, text in await parts.history() if role == "user"] == humans(chat)[1]


async def _fail(_state: MessagesState) -> Any:
    await asyncio.sleep(1)
    raise RuntimeError("the tools are out of order")


async def _hang(_state: MessagesState) -> Any:
    await asyncio.get_running_loop().create_future()


@pytest.mark.parametrize(
    ("tools", "stops", "ending"),
    [
        pytest.param(_hang, True, "stopped", id="stop"),
        pytest.param(_fail, False, None, id="failure"),
        pytest.param(_hang, False, "timed_out", id="time-out"),
    ],
)
async def test_run_that_does_not_complete_leaves_pending_message_as_the_next_one(begin, tools, stops, ending):
    chat = chat_of(calling("look"), "With the card.")
    parts, task_id = await begin(loop_of(chat, tools=tools), task_timeout_s=5)
    await steer(parts)
    if stops:
        await parts.runner.stop("ann")
    await parts.quiet()
    assert (await parts.task(task_id)).reason == ending
    assert await outcomes(parts) == ["pending", "own_task"]
    assert asked(chat)[1][-1] == ("human", CARD)


async def test_stop_can_withdraw_pending_messages(begin):
    parts, task_id = await begin(loop_of(chat_of(calling("look"))))
    await steer(parts)
    await parts.runner.stop("ann", withdraws=True)
    await parts.quiet()
    assert await outcomes(parts) == ["pending", "withdrawn"]
    assert [each.task_id for each in await parts.store.recent_tasks("ann", limit=9)] == [task_id]
    assert (await parts.store.standing("ann")).pending == ()


def _joined(said: list[AnyMessage], writes: Sequence[Any]) -> list[AnyMessage]:
    for each in writes:
        said = cast("list[AnyMessage]", add_messages(cast("Any", said), each))
    return said


class Deltas(TypedDict):
    messages: Annotated[list[AnyMessage], DeltaChannel(_joined)]
    watched: bool


async def test_conversation_stored_in_pieces_has_the_message(begin):
    chat = chat_of(calling("look"), calling("look", "c2"), "Booked.", "You are welcome.")

    async def watch(state: Deltas) -> Any:
        return {"watched": True}

    async def both_onwards(state: Deltas) -> list[str]:
        last: Any = state["messages"][-1]
        return ["tools", "watch"] if last.tool_calls else [END]

    builder = StateGraph(Deltas)
    builder.add_node("agent", speaking(chat))
    builder.add_node("tools", use_tools)
    # Its writes are the last of the step, and were stored before it ended.
    builder.add_node("watch", watch)
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", both_onwards, ["tools", "watch", END])
    builder.add_edge("tools", "agent")
    parts, task_id = await begin(builder.compile())
    await steer(parts)
    await parts.settled(task_id)
    assert asked(chat)[1][-1] == ("human", CARD)
    assert humans(chat)[2] == ["book it", CARD]
    await parts.settled(await parts.post("thanks"))
    assert humans(chat)[3] == ["book it", CARD, "thanks"]


async def test_message_that_a_summary_replaced_is_not_taken_in_again(begin):
    async def tools(state: MessagesState) -> Any:
        update = await use_tools(state)
        if CARD in [each.text for each in state["messages"]]:
            gone = [RemoveMessage(str(each.id)) for each in state["messages"][:-1]]
            update["messages"] = [*gone, *update["messages"], HumanMessage("Book it, with the card.")]
        return update

    chat = chat_of(*[calling("look", f"c{number}") for number in range(4)], "Booked.")
    parts, task_id = await begin(loop_of(chat, tools=tools))
    await steer(parts)
    await seconds(2)
    await steer(parts, "for two")
    await parts.settled(task_id)
    assert humans(chat)[1] == ["book it", CARD]
    assert all(("human", CARD) not in said for said in asked(chat)[2:])
    assert asked(chat)[-1].count(("human", "for two")) == 1


# --- boundaries and questions --------------------------------------------------------------------------


class Checking(AgentMiddleware):
    """Runs a node of its own after each answer, which asks no model."""

    async def aafter_model(self, state: Any, runtime: Any) -> None:
        await asyncio.sleep(1)


async def test_agent_with_middleware_takes_it_in_before_its_model(begin):
    @tool
    async def look() -> str:
        """Look."""
        await asyncio.sleep(1)
        return "seen"

    chat = chat_of(calling("look"), "Booked.")
    parts, task_id = await begin(create_agent(chat, [look], middleware=[Checking()]))
    await steer(parts)
    await parts.settled(task_id)
    assert asked(chat)[1][-1] == ("human", CARD)
    assert await outcomes(parts) == ["pending", "taken_in"]


async def test_row_of_models_takes_it_in_between_two():
    chat = chat_of("A plan.", "A draft.", "A reply.")
    think = speaking(chat)
    async with started(Parts(workflow=hosting(row_of(plan=think, draft=think, reply=think)))) as parts:
        task_id = await parts.post("book it")
        await seconds(0.05)
        await steer(parts)
        await parts.settled(task_id)
        assert asked(chat)[1] == [("human", "book it"), ("ai", "A plan."), ("human", CARD)]
        assert await outcomes(parts) == ["pending", "taken_in"]


async def test_run_that_stops_at_breakpoints_leaves_it_for_the_next_task(begin):
    graph = loop_of(chat_of(calling("look"), "Booked."))
    graph.interrupt_before_nodes = ["tools", "agent"]
    parts, task_id = await begin(graph)
    for has_steered in (False, True, True):
        (question,) = (await parts.store.snapshot("ann", history=0)).inputs
        if not has_steered:
            await steer(parts)
        await parts.runner.answer("ann", question.request_id, answer={"decision": "allow"})
        await seconds(2)
    await parts.quiet()
    assert (await parts.task(task_id)).status == "completed"
    # Before the model it stopped each time, so that its user might still say no: nobody would have read it.
    assert await outcomes(parts) == ["pending", "own_task"]


async def _ask(state: MessagesState) -> Any:
    seat = {"type": "string", "enum": ["aisle", "window"]}
    schema = {"type": "object", "properties": {"seat": seat}, "required": ["seat"]}
    answer = interrupt({"prompt": "Which seat?", "schema": schema})
    return {"messages": [ToolMessage(answer["seat"], tool_call_id="c1")]}


async def test_open_question_takes_a_message_that_answers_it_and_leaves_others_pending(begin):
    chat = chat_of(calling("look"), "Booked.")
    parts, task_id = await begin(loop_of(chat, tools=_ask))
    await seconds(1)
    waits = await steer(parts)
    assert (waits.status, waits.steer) == ("input_required", "pending")
    answered = await steer(parts, "aisle")
    assert (answered.task_id, answered.relation, answered.steer) == (task_id, "answer", None)
    await parts.settled(task_id)
    assert asked(chat)[1][-2:] == [("tool", "aisle"), ("human", CARD)]


async def test_steered_yes_gives_no_permission(begin):
    async def ask(state: MessagesState) -> Any:
        answer = interrupt({"prompt": "Pay?", "schema": DECISION_SCHEMA})
        return {"messages": [ToolMessage(answer["decision"], tool_call_id="c1")]}

    chat = chat_of(calling("look"), "Paid.")
    parts, task_id = await begin(loop_of(chat, tools=ask))
    await seconds(1)
    assert (await steer(parts, "yes")).steer == "pending"
    (question,) = (await parts.store.snapshot("ann", history=0)).inputs
    await parts.runner.answer("ann", question.request_id, answer={"decision": "deny"})
    await parts.settled(task_id)
    assert asked(chat)[1][-2:] == [("tool", "deny"), ("human", "yes")]


_REFUND = {"name": "refund", "args": {"order": "A-17"}}
_IN_EACH_SHAPE = [
    {
        "action_requests": [_REFUND],
        "review_configs": [{"action_name": "refund", "allowed_decisions": ["approve", "reject"]}],
    },
    {"type": "tool_approval", **_REFUND},
    {
        "action_request": {"action": "refund", "args": {"order": "A-17"}},
        "config": dict.fromkeys(("allow_ignore", "allow_accept"), True)
        | dict.fromkeys(("allow_respond", "allow_edit"), False),
    },
]


@pytest.mark.parametrize(
    ("review", "word"),
    [*((review, "yes") for review in _IN_EACH_SHAPE), (_IN_EACH_SHAPE[0], "Approve!")],
    ids=["decisions", "decision", "responses", "another word"],
)
async def test_steered_yes_to_a_review_stays_pending(begin, review, word):
    async def ask(state: MessagesState) -> Any:
        interrupt(review)
        return {"messages": [ToolMessage("not done", tool_call_id="c1")]}

    chat = chat_of(calling("look"), "It is left.")
    parts, task_id = await begin(loop_of(chat, tools=ask))
    await seconds(1)
    assert (await steer(parts, word)).steer == "pending"
    denied = await steer(parts, "no")
    assert (denied.relation, denied.steer) == ("answer", None)
    await parts.settled(task_id)
    assert asked(chat)[1][-2:] == [("tool", "not done"), ("human", word)]


async def test_steered_text_answers_a_review_that_takes_nothing_else(begin):
    async def ask(state: MessagesState) -> Any:
        config = {"action_name": "refund", "allowed_decisions": ["respond"]}
        given = interrupt({"action_requests": [_REFUND], "review_configs": [config]})
        return {"messages": [ToolMessage(given["decisions"][0]["message"], tool_call_id="c1")]}

    chat = chat_of(calling("look"), "Noted.")
    parts, task_id = await begin(loop_of(chat, tools=ask))
    await seconds(1)
    assert (await steer(parts, "aisle")).relation == "answer"
    await parts.settled(task_id)
    assert asked(chat)[1][-1] == ("tool", "aisle")


# --- limits and refusals -------------------------------------------------------------------------------


async def test_message_grants_the_run_the_steps_to_answer_it(begin):
    chat = chat_of(calling("look"), calling("look", "c2"), calling("look", "c3"), "Booked.")
    parts, task_id = await begin(loop_of(chat).with_config(recursion_limit=5))
    await seconds(1.5)
    await steer(parts)
    await parts.settled(task_id)
    assert (await parts.task(task_id)).status == "completed"


async def test_run_takes_in_ten_messages_and_no_more(begin):
    parts, task_id = await begin(loop_of(chat_of(calling("look"), "Booked.")))
    for number in range(MOST_STEERED):
        await steer(parts, f"number {number}")
    with pytest.raises(Conflict, match="at most") as refused:
        await steer(parts, "one more")
    assert refused.value.to_json()["error"]["code"] == "steered_too_often"
    await parts.settled(task_id)
    assert len((await parts.task(task_id)).took_in) == MOST_STEERED


async def test_message_for_another_task_or_with_anything_else_is_refused(begin):
    parts, task_id = await begin(loop_of(chat_of(calling("look"), "Booked.")))
    with pytest.raises(Conflict) as refused:
        await steer(parts, task_id="another")
    assert refused.value.to_json()["error"]["code"] == "other_task"
    with pytest.raises(BadInput, match="configurable"):
        await steer(parts, given={"configurable": {"mood": "good"}})
    assert (await steer(parts, task_id=task_id)).steer == "pending"
    await parts.settled(task_id)
    assert await outcomes(parts) == ["pending", "taken_in"]


class Single(TypedDict):
    message: str
    answer: str


async def test_graph_that_can_take_nothing_in_has_the_message_queued(begin):
    async def answer(state: Single) -> Any:
        await asyncio.sleep(1)
        return {"answer": f"{state['message']}!"}

    builder = StateGraph(Single)
    builder.add_node("say", answer)
    builder.add_edge(START, "say")
    parts, _task_id = await begin(builder.compile())
    accepted = await steer(parts)
    assert (accepted.policy, accepted.status, accepted.steer) == ("enqueue", "queued", None)
    await parts.quiet()
    assert [text for _, text in await parts.history()] == ["book it", "book it!", CARD, f"{CARD}!"]


def _refusing(left: list[AnyMessage], right: Any) -> list[AnyMessage]:
    more = right if isinstance(right, list) else [right]
    if left and any(getattr(each, "content", "") == CARD and len(left) > 1 for each in more):
        raise ValueError("no cards")
    return add_messages(left, right)


class Refusing(TypedDict):
    messages: Annotated[list[AnyMessage], _refusing]


async def test_reducer_that_refuses_the_message_does_not_fail_the_run(begin):
    chat = chat_of(calling("look"), "Booked.", "No cards.")
    parts, task_id = await begin(loop_of(chat, state=Refusing))
    await steer(parts)
    await parts.quiet()
    assert (await parts.task(task_id)).status == "completed"
    assert await outcomes(parts) == ["pending", "own_task"]


# --- decisions of the user -----------------------------------------------------------------------------


async def test_pending_message_can_be_edited_until_it_is_taken_in(begin):
    chat = chat_of(calling("look"), "Booked.")
    parts, task_id = await begin(loop_of(chat))
    message_id = (await steer(parts)).message_id
    change = parts.runner.change_pending
    edited = await change("ann", message_id, "edit", text="my own card", revision=0)
    assert (edited["steer"], edited["text"], edited["revision"]) == ("pending", "my own card", 1)
    assert await change("ann", message_id, "edit", text="my own card", revision=0) == edited
    with pytest.raises(Conflict) as stale:
        await change("ann", message_id, "edit", text="no card", revision=0)
    assert stale.value.to_json()["error"]["code"] == "stale_revision"
    assert stale.value.details["text"] == "my own card"
    await parts.settled(task_id)
    assert asked(chat)[1][-1] == ("human", "my own card")
    assert ("user", "my own card") in await parts.history()
    with pytest.raises(Conflict) as late:
        await change("ann", message_id, "edit", text="no card", revision=1)
    assert late.value.to_json()["error"]["code"] == "not_pending"
    assert late.value.details["steer"] == "taken_in"


@pytest.mark.parametrize("by", ["withdrawal", "stop of its task"])
async def test_pending_message_can_be_withdrawn(begin, by):
    chat = chat_of(calling("look"), "Booked.")
    parts, _task_id = await begin(loop_of(chat))
    message_id = (await steer(parts)).message_id
    if by == "withdrawal":
        assert (await parts.runner.change_pending("ann", message_id, "withdraw"))["steer"] == "withdrawn"
    else:
        assert await parts.runner.stop("ann", message_id.removesuffix(".0")) is not None
    assert (await parts.runner.change_pending("ann", message_id, "withdraw"))["steer"] == "withdrawn"
    await parts.quiet()
    assert [kind for kind, _ in asked(chat)[1]] == ["human", "ai", "tool"]
    assert await outcomes(parts) == ["pending", "withdrawn"]
    for unknown in ("nothing.0", f"{message_id[:-1]}1", ""):
        with pytest.raises(NotFound):
            await parts.runner.change_pending("ann", unknown, "withdraw")


async def test_pending_message_can_be_sent_now(begin):
    chat = chat_of(calling("look"), "With the card.")
    parts, task_id = await begin(loop_of(chat))
    first, second = [(await steer(parts, text)).message_id for text in ("now", "and then")]
    sent = await parts.runner.change_pending("ann", first, "now")
    assert (sent["steer"], sent["interrupted_task_id"]) == ("own_task", task_id)
    await parts.quiet()
    assert (await parts.task(task_id)).reason == "superseded"
    assert humans(chat)[1] == ["book it", "and then", "now"]
    again = await parts.runner.change_pending("ann", first, "now")
    assert (again["steer"], again["task_id"]) == ("own_task", sent["task_id"])
    with pytest.raises(Conflict):
        await parts.runner.change_pending("ann", second, "now")


async def test_pending_message_can_be_left_for_the_end(begin):
    chat = chat_of(calling("look"), "Booked.", "With the card.")
    parts, _task_id = await begin(loop_of(chat))
    message_id = (await steer(parts)).message_id
    left = await parts.runner.change_pending("ann", message_id, "later")
    assert left["steer"] == "own_task"
    assert (await parts.store.standing("ann")).queued == (left["task_id"],)
    await parts.quiet()
    assert [kind for kind, _ in asked(chat)[1]] == ["human", "ai", "tool"]
    assert asked(chat)[2][-1] == ("human", CARD)


# --- kills ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dies_after", [0.0, 0.3, 0.7, 0.8, 1.05, 1.5, 2.2])
async def test_kill_neither_loses_a_message_nor_takes_it_in_twice(dies_after):
    chat = chat_of(calling("look"), *["Booked now, with the company card." for _ in range(6)])
    async with killed(loop_of(chat), dies_after) as parts:
        assert [each for each in await outcomes(parts) if each != "pending"] == ["taken_in"]
        assert humans(chat)[-1].count(CARD) == 1
        assert len(await parts.store.resumable("ann")) == 0


def reading(chat: ScriptedChat) -> Any:
    """A loop with a node before its model that reads pending messages."""

    async def read(state: MessagesState) -> Any:
        return {"messages": [HumanMessage(each.text, id=each.message_id) for each in pending_messages()]}

    builder = StateGraph(MessagesState)
    for name, node in {"agent": speaking(chat), "tools": _ask, "read": read}.items():
        builder.add_node(name, node)
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", onwards, ["tools", END])
    builder.add_edge("tools", "read")
    builder.add_edge("read", "agent")
    return builder.compile()


def by_the_rule(chat: ScriptedChat) -> Any:
    return loop_of(chat, tools=_ask)


@pytest.mark.parametrize("graph", [by_the_rule, reading])
async def test_message_taken_in_after_an_answer_outlives_a_kill_in_that_run(graph):
    chat = chat_of(calling("look"), *["Booked now, with the company card." for _ in range(4)])
    # Killed as the model speaks: its node's step is not stored.
    async with killed(graph(chat), 0.3, CARD, "aisle") as parts:
        assert await outcomes(parts) == ["pending", "taken_in"]
        assert asked(chat)[-1][-2:] == [("tool", "aisle"), ("human", CARD)]
        await parts.settled(await parts.post("thanks"))
        assert humans(chat)[-1] == ["book it", CARD, "thanks"]


class Failing(MemoryStateStore):
    """A store that takes nothing while it is `down`."""

    down = False

    def record(self, lease: Any, *records: Any) -> None:
        if self.down:
            raise StoreUnavailable("The store is down.")
        super().record(lease, *records)


async def test_message_is_not_taken_in_if_the_store_fails_at_that_step():
    store = Failing()
    chat = chat_of(calling("look"), "Booked with the card.", "Booked with the card.")
    first = Parts(store, workflow=hosting(loop_of(chat)))
    await first.open()
    await first.post("book it")
    await seconds(0.5)
    await steer(first)
    store.down = True
    await seconds(0.8)
    await first.die()
    store.down = False
    assert await outcomes(first) == ["pending"]
    async with started(Parts(store, workflow=hosting(loop_of(chat)), new_id=new_ids())) as second:
        await second.quiet()
        assert await outcomes(second) == ["pending", "taken_in"]
