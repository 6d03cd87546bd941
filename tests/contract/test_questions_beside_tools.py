"""A question of a tool: its user's answer reaches the tool that asked, and nothing else is done twice.

LangGraph runs the whole node again with the answer. What had ended beside the question is not made again.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import interrupt

from tests.contract.serving import Served, dying, hosting, serving
from tests.fakes.waiting import until
from tests.graphs.building import State, chain
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started
from tests.records import ANN

pytestmark = pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")


class Tools:
    """A tool that books, one that asks its user before it does, and what they did."""

    def __init__(self, *, in_threads: bool = False, fails: bool = False) -> None:
        self.done: list[str] = []
        self.may_end, self.begun = threading.Event(), threading.Event()
        self.may_end.set()

        def booked(hotel: str) -> str:
            self.done.append(hotel)
            self.begun.set()
            return f"booked {hotel}"

        def ended(text: str) -> str:
            if fails:
                raise ValueError("no room")
            return text

        def asked(room: str) -> str:
            answer = interrupt(f"Which bed in {room}?")
            self.done.append(f"{room}: {answer}")
            return f"{room} with {answer}"

        if in_threads:

            @tool
            def book(hotel: str) -> str:
                """Book a hotel."""
                text = booked(hotel)
                self.may_end.wait(10)
                return ended(text)

            @tool
            def choose(room: str) -> str:
                """Choose a bed."""
                return asked(room)

        else:

            @tool
            async def book(hotel: str) -> str:
                """Book a hotel."""
                text = booked(hotel)
                await until(self.may_end.is_set)
                return ended(text)

            @tool
            async def choose(room: str) -> str:
                """Choose a bed."""
                return asked(room)

        self.both = [book, choose]


def agent(model: ScriptedChat, tools: Tools, *, handles: bool = False) -> Any:
    async def ask(state: MessagesState) -> Any:
        return {"messages": [await model.ainvoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("model", ask)
    builder.add_node("tools", ToolNode(tools.both, handle_tool_errors=handles))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    return builder.compile()


BOOK = {"name": "book", "args": {"hotel": "Adler"}, "id": "b"}
CHOOSE = {"name": "choose", "args": {"room": "7"}, "id": "c"}
CHOOSE_TOO = {"name": "choose", "args": {"room": "8"}, "id": "d"}


def calls_of(*calls: Any) -> AIMessage:
    return AIMessage("", tool_calls=[*calls])


def told(model: ScriptedChat) -> dict[str, tuple[str, str]]:
    """The results of its calls that the model was given last."""
    given = [each for each in model.given[-1] if isinstance(each, ToolMessage)]
    assert len({each.tool_call_id for each in given}) == len(given)
    return {each.tool_call_id: (each.text, each.status) for each in given}


@pytest.mark.parametrize("calls", [(BOOK, CHOOSE), (CHOOSE, BOOK)], ids=["book first", "choose first"])
@pytest.mark.parametrize("in_threads", [False, True], ids=["async", "in threads"])
@pytest.mark.parametrize("ends", ["before the question", "after it", "after the answer"])
async def test_answer_reaches_its_tool_and_the_call_beside_it_is_made_once(
    calls: Any, in_threads: bool, ends: str
):
    tools = Tools(in_threads=in_threads)
    model = ScriptedChat(script=[calls_of(*calls), "Fine."])
    async with serving(agent(model, tools)) as parts:
        served = Served(parts, in_real_time=True)
        if ends != "before the question":
            tools.may_end.clear()
        task = await parts.post("hi")
        [question] = await _questions(served)
        await until(tools.begun.is_set)
        if ends != "after the answer":
            tools.may_end.set()
            await parts.quiet()
        await parts.runner.answer("ann", question["request_id"], answer={"answer": "two"})
        tools.may_end.set()
        await parts.quiet()
        assert told(model) == {"b": ("booked Adler", "success"), "c": ("7 with two", "success")}
        assert sorted(tools.done) == ["7: two", "Adler"]
        assert (await parts.task(task)).status == "completed"
        receipt = await parts.receipt(task)
        assert {(each["tool"], each["outcome"]) for each in receipt["tool_calls"]} == {
            ("book", "completed"),
            ("choose", "completed"),
        }


async def _questions(served: Served) -> list[dict[str, Any]]:
    for _ in range(1000):
        if found := await served.questions():
            return found
        await asyncio.sleep(0.005)
    raise AssertionError("nothing was asked")


async def test_call_that_failed_beside_a_question_is_tried_again():
    tools = Tools(fails=True)
    model = ScriptedChat(script=[calls_of(BOOK, CHOOSE), "Fine."])
    async with serving(agent(model, tools, handles=True)) as parts:
        served = Served(parts, in_real_time=True)
        await served.post()
        await served.answer(answer="two")
        assert await served.reply() == "Fine."
        (failed, status), chosen = told(model)["b"], told(model)["c"]
        assert "no room" in failed
        assert (status, chosen) == ("error", ("7 with two", "success"))


@pytest.mark.parametrize("in_threads", [False, True], ids=["async", "in threads"])
async def test_of_two_that_ask_each_gets_its_own_answer(in_threads: bool):
    tools = Tools(in_threads=in_threads)
    model = ScriptedChat(script=[calls_of(BOOK, CHOOSE, CHOOSE_TOO), "Fine."])
    async with serving(agent(model, tools)) as parts:
        served = Served(parts, in_real_time=True)
        await served.post()
        for bed in ("one", "two"):
            [question] = await _questions(served)
            room = question["prompt"].split()[3].rstrip("?")
            await served.answer(answer=f"{bed} of {room}")
        assert await served.reply() == "Fine."
        texts = {key: text for key, (text, _) in told(model).items()}
        # Which of two threads asks first is not known.
        assert (texts["b"], texts["c"][-4:], texts["d"][-4:]) == ("booked Adler", "of 7", "of 8")
        assert (tools.done.count("Adler"), len(tools.done)) == (1, 3)


async def test_kill_beside_an_open_question_keeps_it_and_repeats_nothing():
    store, tools = DiskStore(), Tools()
    tools.may_end.clear()
    model = ScriptedChat(script=[calls_of(BOOK, CHOOSE), "Fine."])
    async with dying(agent(model, tools), store) as old:
        await old.post("hi")
        await _questions(Served(old))
        await until(tools.begun.is_set)
        await old.log.commit(ANN)
    tools.may_end.set()
    async with serving(agent(model, tools), store=store, like=old) as new:
        served = Served(new, in_real_time=True)
        await new.quiet()
        await served.answer(answer="two")
        assert await served.reply() == "Fine."
        assert told(model)["c"] == ("7 with two", "success")
        assert told(model)["b"][0].startswith("Not known: it had begun")
        assert sorted(tools.done) == ["7: two", "Adler"]


async def test_kill_after_the_answer_repeats_no_call_and_misplaces_no_answer():
    store, tools = DiskStore(), Tools()
    begun, gone = asyncio.Event(), asyncio.Event()
    is_first = True

    @tool
    async def pay(hotel: str) -> str:
        """Pay, if the user wants it."""
        if interrupt(f"Pay {hotel}?") != "yes":
            return f"{hotel} is not paid"
        tools.done.append(hotel)
        if is_first:
            begun.set()
            await gone.wait()
        return f"{hotel} is paid"

    tools.both = [pay]
    calls = [{"name": "pay", "args": {"hotel": each}, "id": each} for each in ("Adler", "Bad")]
    model = ScriptedChat(script=[calls_of(*calls), "Fine."])
    async with dying(agent(model, tools), store) as old:
        served = Served(old, in_real_time=True)
        await served.post()
        [question] = await served.questions()
        await old.runner.answer("ann", question["request_id"], answer={"answer": "yes"})
        await begun.wait()
        await old.log.commit(ANN)
    gone.set()
    is_first = False
    async with serving(agent(model, tools), store=store, like=old) as new:
        await new.quiet()
        assert (await new.history())[-1] == ("assistant", "Pay Bad?")
        await Served(new, in_real_time=True).answer(answer="no")
        assert (await new.history())[-1] == ("assistant", "Fine.")
        assert told(model)["Adler"][0].startswith("Not known: it had begun")
        assert told(model)["Bad"] == ("Bad is not paid", "success")
        assert tools.done == ["Adler"]


# --- a process that is killed after its user has allowed something -------------------------------------


FOREVER = "..."


class Booking:
    """A tool that books, and perhaps never returns."""

    def __init__(self, *, returns: bool) -> None:
        self.booked: list[str] = []
        self.begun = asyncio.Event()

        @tool
        async def book(hotel: str) -> str:
            """Book a hotel."""
            self.booked.append(hotel)
            self.begun.set()
            if not returns:
                await asyncio.get_running_loop().create_future()
            return f"booked {hotel}"

        self.book = book


def permitting_agent(how: str, booking: Booking, model: ScriptedChat) -> Any:
    if how == "breakpoint":
        return create_agent(model, [booking.book], interrupt_before=["tools"])
    middleware: Any = HumanInTheLoopMiddleware({"book": True}, interrupt_mode=how)  # pyright: ignore[reportArgumentType]
    return create_agent(model, [booking.book], middleware=[middleware])


async def killed(
    graph: Callable[[], Any], again: Callable[[], Any], answer: Any, holds: Callable[[], bool]
) -> Parts:
    """Allow what a graph asks, kill its process then, and let another one take over."""
    store = DiskStore()
    async with started(Parts(store, workflow=hosting(graph()))) as first:
        served = Served(first, in_real_time=True)
        await served.post()
        [question] = await served.questions()
        await first.runner.answer("ann", question["request_id"], answer=answer)
        await until(holds)
        await first.log.commit(ANN)  # what was recorded until here is durable
        store.lose_process()
        await first.die()
    second = Parts(store, workflow=hosting(again()), new_id=first.new_id)
    await second.open()
    async with asyncio.timeout(20):
        await second.quiet()
    return second


@pytest.mark.requirement("QUESTIONS-SURVIVE")
@pytest.mark.parametrize("how", ["batched", "per_call", "breakpoint"])
async def test_call_that_had_begun_is_not_repeated_and_the_model_knows(how):
    booking = Booking(returns=False)
    rest = ScriptedChat(script=["As it is."])
    first = ScriptedChat(script=[calling("book", hotel="Adler")])
    parts = await killed(
        lambda: permitting_agent(how, booking, first),
        lambda: permitting_agent(how, booking, rest),
        {"decision": "allow"},
        booking.begun.is_set,
    )
    assert booking.booked == ["Adler"]
    assert (await parts.history())[-1] == ("assistant", "As it is.")
    [given] = rest.given
    assert str(given[-1].content).startswith("Not known: it had begun")
    await parts.close()


@pytest.mark.requirement("QUESTIONS-SURVIVE")
@pytest.mark.parametrize("how", ["batched", "per_call", "breakpoint"])
async def test_run_continues_with_the_result_of_a_call_that_had_ended(how):
    booking = Booking(returns=True)
    rest = ScriptedChat(script=["As it is."])
    first = ScriptedChat(script=[calling("book", hotel="Adler"), FOREVER])
    parts = await killed(
        lambda: permitting_agent(how, booking, first),
        lambda: permitting_agent(how, booking, rest),
        {"decision": "allow"},
        lambda: len(first.given) == 2,
    )
    assert booking.booked == ["Adler"]
    assert (await parts.history())[-1] == ("assistant", "As it is.")
    [given] = rest.given
    assert given[-1].content == "booked Adler"
    await parts.close()


@pytest.mark.requirement("QUESTIONS-SURVIVE")
async def test_node_that_calls_by_itself_is_not_repeated_and_the_reply_names_the_tool():
    booking = Booking(returns=False)

    async def ask(state: State) -> State:
        interrupt("Shall I?")
        return {"answer": await booking.book.ainvoke({"hotel": "Adler"})}

    parts = await killed(lambda: chain(ask), lambda: chain(ask), {"answer": "yes"}, booking.begun.is_set)
    assert booking.booked == ["Adler"]
    assert "cut off while this ran: book." in (await parts.history())[-1][1]
    await parts.close()
