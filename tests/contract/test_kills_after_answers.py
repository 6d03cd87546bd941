"""A process that is killed after its user has allowed something: nothing that had begun is done twice."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.types import interrupt

from tests.contract.serving import Served, hosting
from tests.fakes.waiting import until
from tests.graphs.building import State, chain
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started
from tests.records import ANN

pytestmark = [
    pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH"),
    pytest.mark.requirement("QUESTIONS-SURVIVE"),
]

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


def agent(how: str, booking: Booking, model: ScriptedChat) -> Any:
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


@pytest.mark.parametrize("how", ["batched", "per_call", "breakpoint"])
async def test_call_that_had_begun_is_not_repeated_and_the_model_knows(how):
    booking = Booking(returns=False)
    rest = ScriptedChat(script=["As it is."])
    first = ScriptedChat(script=[calling("book", hotel="Adler")])
    parts = await killed(
        lambda: agent(how, booking, first),
        lambda: agent(how, booking, rest),
        {"decision": "allow"},
        booking.begun.is_set,
    )
    assert booking.booked == ["Adler"]
    assert (await parts.history())[-1] == ("assistant", "As it is.")
    [given] = rest.given
    assert str(given[-1].content).startswith("Not known: it had begun")
    await parts.close()


@pytest.mark.parametrize("how", ["batched", "per_call", "breakpoint"])
async def test_run_continues_with_the_result_of_a_call_that_had_ended(how):
    booking = Booking(returns=True)
    rest = ScriptedChat(script=["As it is."])
    first = ScriptedChat(script=[calling("book", hotel="Adler"), FOREVER])
    parts = await killed(
        lambda: agent(how, booking, first),
        lambda: agent(how, booking, rest),
        {"decision": "allow"},
        lambda: len(first.given) == 2,
    )
    assert booking.booked == ["Adler"]
    assert (await parts.history())[-1] == ("assistant", "As it is.")
    [given] = rest.given
    assert given[-1].content == "booked Adler"
    await parts.close()


async def test_node_that_calls_by_itself_is_not_repeated_and_the_reply_names_the_tool():
    booking = Booking(returns=False)

    async def ask(state: State) -> State:
        interrupt("Shall I?")
        return {"answer": await booking.book.ainvoke({"hotel": "Adler"})}

    parts = await killed(lambda: chain(ask), lambda: chain(ask), {"answer": "yes"}, booking.begun.is_set)
    assert booking.booked == ["Adler"]
    assert "cut off while this ran: book." in (await parts.history())[-1][1]
    await parts.close()
