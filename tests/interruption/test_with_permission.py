"""A node of a graph that asks before it books: what it books is allowed, done once, and told truly.

All that `accounts` and `office` hold the core to is checked at the end of each.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from backend.graphs.hosted_graph import HostedGraph
from backend.graphs.hosted_tools import NODE_CONTEXT, with_permission
from tests.graphs.building import State, beside, chain
from tests.interruption.lives import USERS
from tests.interruption.parts import Parts
from tests.interruption.script import Script
from tests.interruption.world import TIMES, World
from tests.virtual_time import sweep_steps

pytestmark = pytest.mark.virtual_time

ALLOWED_S = 0.012
"""After so long an answer is durable, and what it allows is not begun."""

Build = Callable[["Desk"], Any]


class Graphs(Script):
    """Serves a graph in the place of the script."""

    def __init__(self, desk: "Desk") -> None:
        super().__init__(desk.office)
        self._desk = desk

    def wire(self, ledger: Any, owner: Any) -> Any:
        super().wire(ledger, owner)
        return HostedGraph(self._desk.build(self._desk), ledger=ledger, owner=owner)

    async def book(self, what: str) -> str:
        node = NODE_CONTEXT.get()
        assert node is not None
        call = await with_permission(node.task, self._ledger.writes, "booking", self._book, {"what": what})
        return f"{what} {call.outcome}"


class Desk(World):
    """A world whose server runs a graph of nodes that book."""

    def __init__(self, build: Build, *, parts_type: type[Parts] = Parts) -> None:
        super().__init__(parts_type)
        self.build = build
        self.script = Graphs(self)
        self._replace_server()

    async def prompts(self, *, after_s: float = 0.05) -> list[str]:
        """Wait a little; return the prompts of what is asked for."""
        await asyncio.sleep(after_s)
        return [each.question.prompt for each in await self.asked(*USERS)]

    async def decide(self, word: str = "word", *, after_s: float = 1.0, number: int = 0) -> None:
        """Allow what is asked for, or deny it ("other"); then wait."""
        request = (await self.asked(*USERS))[number]
        self.answer("ann", word, request.request_id)
        await asyncio.sleep(after_s)

    async def outcomes(self, turn: int = 1) -> list[str | None]:
        return [row.outcome for row in await self.store.kept.get_tool_calls("ann", turn)]

    async def said(self) -> list[str]:
        return [each.text for each in await self.store.get_messages("ann", limit=100)]

    async def resolutions(self, turn: int = 1) -> list[str | None]:
        return [each.resolution for each in await self.store.kept.get_inputs("ann", turn)]


def booking(*whats: str) -> Build:
    """A graph of one node that books one thing after another."""

    def build(desk: Desk) -> Any:
        async def book(_state: State) -> State:
            return {"answer": ", ".join([await desk.script.book(what) for what in whats])}

        return chain(book)

    return build


def side_by_side(first: str, second: str, *, busy_s: float = 0.0) -> Build:
    """A graph of two nodes that book at the same time; a third one is busy, and they go on behind it."""

    def build(desk: Desk) -> Any:
        async def one(_state: State) -> State:
            return {"found": [await desk.script.book(first)]}

        async def two(_state: State) -> State:
            return {"found": [await desk.script.book(second)]}

        async def busy(_state: State) -> State:
            await asyncio.sleep(busy_s)
            return {}

        return beside(one, two, busy)

    return build


@pytest.fixture
async def serve() -> AsyncIterator[Callable[[Build], Any]]:
    desks: list[Desk] = []

    async def begin(build: Build) -> Desk:
        desk = Desk(build)
        desks.append(desk)
        await desk.start()
        desk.post("ann", "hi")
        await desk.prompts()
        return desk

    yield begin
    for desk in desks:
        await desk.finish()


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize(("word", "outcome", "sent"), [("word", "completed", 1), ("other", "denied", 0)])
async def test_booking_is_done_if_allowed_and_not_if_denied(serve, word, outcome, sent):
    desk = await serve(booking("book"))
    assert await desk.prompts() == ["book for 100?"]
    assert desk.office.sent == []
    await desk.decide(word)
    assert (await desk.outcomes(), len(desk.office.sent)) == ([outcome], sent)
    assert (await desk.said())[-1] == f"book {outcome}"


@pytest.mark.parametrize(("message", "outcome"), [("Yes.", "completed"), ("no", "denied")])
async def test_plain_word_in_a_message_decides(serve, message, outcome):
    desk = await serve(booking("book"))
    desk.post("ann", message)
    await asyncio.sleep(1)
    assert await desk.outcomes() == [outcome]


async def test_booking_with_a_changed_price_is_asked_for_again(serve):
    desk = await serve(booking("bookdear"))
    assert await desk.prompts() == ["bookdear for 100?"]
    await desk.decide()
    assert await desk.prompts() == ["bookdear for 101?"]
    assert desk.office.effects == {}
    await desk.decide()
    assert await desk.outcomes() == ["failed", "completed"]
    assert await desk.resolutions() == ["allowed", "allowed"]


async def test_booking_without_a_quote_is_not_asked_for(serve):
    desk = await serve(booking("booknothing"))
    assert await desk.prompts() == []
    assert (await desk.said())[-1] == "booknothing failed"


async def test_node_that_books_twice_asks_twice(serve):
    desk = await serve(booking("book", "booktoo"))
    await desk.decide()
    assert await desk.prompts() == ["booktoo for 100?"]
    await desk.decide("other")
    assert (await desk.said())[-1] == "book completed, booktoo denied"
    assert len(desk.office.sent) == 1


async def test_each_of_two_asking_branches_gets_its_own_decision(serve):
    desk = await serve(side_by_side("book", "booktoo"))
    assert sorted(await desk.prompts()) == ["book for 100?", "booktoo for 100?"]
    first = (await desk.prompts()).index("book for 100?")
    await desk.decide("other", number=first)
    assert desk.office.sent == []
    await desk.decide()
    rows = await desk.store.get_tool_calls("ann", 1)
    assert {row.arguments["what"]: row.outcome for row in rows} == {"book": "denied", "booktoo": "completed"}


@pytest.mark.requirement("WRITES-TAKE-TURNS")
async def test_second_of_two_allowed_bookings_is_asked_for_again_after_a_long_wait(
    serve,
):
    desk = await serve(side_by_side("bookslow", "booktoo", busy_s=1.0))
    for _ in range(2):
        await desk.decide(after_s=0.1)
    await asyncio.sleep(1)
    assert [row.state for row in await desk.store.get_tool_calls("ann", 1)] == ["running", "waiting"]
    assert (await desk.store.get_progress("ann", 1))["booking"].detail == "waits for others to end"
    assert await desk.prompts(after_s=26) == ["booktoo for 100?"]
    assert len(desk.office.sent) == 1
    await desk.decide()
    rows = await desk.store.get_tool_calls("ann", 1)
    assert sorted(row.outcome for row in rows) == ["completed", "completed", "not_started"]


async def test_open_permission_survives_a_kill(serve):
    desk = await serve(booking("book"))
    await desk.kill()
    assert await desk.prompts() == ["book for 100?"]
    await desk.decide()
    assert (await desk.outcomes(), await desk.resolutions()) == (["completed"], ["allowed"])


@pytest.mark.parametrize("end", [World.kill, World.shut_down])
async def test_allowed_booking_not_begun_is_done_by_the_next_process(serve, end):
    desk = await serve(booking("book"))
    await desk.decide(after_s=ALLOWED_S)
    assert (await desk.resolutions(), await desk.outcomes(), desk.office.sent) == (["allowed"], [None], [])
    await end(desk)
    await asyncio.sleep(2)
    assert (await desk.outcomes(), await desk.resolutions()) == (["completed"], ["allowed"])


async def test_allowed_booking_not_begun_in_time_is_asked_for_again(serve):
    desk = await serve(booking("book"))
    await desk.decide(after_s=ALLOWED_S)
    assert (await desk.resolutions(), desk.office.sent) == (["allowed"], [])
    await desk.parts.close()
    await asyncio.sleep(TIMES["allow_within_s"])
    desk._replace_server()
    await desk._open()
    assert await desk.prompts() == ["book for 100?"]
    assert desk.office.sent == []
    await desk.decide()
    assert await desk.outcomes() == ["not_started", "completed"]


@pytest.mark.requirement("WRITES-ARE-NEVER-SENT-AGAIN")
@pytest.mark.parametrize("end", [World.kill, World.shut_down])
async def test_sent_booking_is_reconciled_and_not_sent_again(serve, end):
    desk = await serve(booking("book"))
    await desk.decide(after_s=0.1)
    [sent] = desk.office.sent
    await end(desk)
    await asyncio.sleep(5)
    assert await desk.outcomes() == ["completed_after_interrupt"]
    assert desk.office.sent == [sent]
    assert (await desk.said())[-1] == "book completed_after_interrupt"


async def test_booking_certainly_not_done_is_tried_as_another_call(serve):
    """Whoever was asked about a call that it has not done may refuse it from then on."""
    desk = await serve(booking("bookno"))
    await desk.decide(after_s=0.1)
    await desk.kill()
    await asyncio.sleep(5)
    assert await desk.outcomes() == ["not_started", "failed"]
    assert len(set(desk.office.sent)) == 2
    assert await desk.resolutions() == ["allowed"]


async def test_booking_not_allowed_in_time_is_not_done(serve):
    desk = await serve(booking("book"))
    await asyncio.sleep(TIMES["allow_within_s"])
    desk.sweep()
    await desk.decide()
    assert (await desk.outcomes(), await desk.resolutions()) == (["not_started"], ["expired"])
    assert desk.office.sent == []


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_late_yes_before_the_sweep_books_nothing(serve):
    desk = await serve(booking("book"))
    await asyncio.sleep(TIMES["allow_within_s"])
    desk.post("ann", "Yes.")
    await asyncio.sleep(1)
    assert desk.office.sent == []
    assert "completed" not in await desk.outcomes()


async def test_newer_message_withdraws_the_permission(serve):
    desk = await serve(booking("book"))
    desk.post("ann", "something else")
    assert await desk.prompts() == ["book for 100?"]
    assert (await desk.outcomes(1), await desk.resolutions(1)) == (["not_started"], ["withdrawn"])
    assert desk.office.sent == []


@pytest.mark.parametrize("interruption", ["stop", "kill"])
def test_invariants_hold_when_a_booking_node_is_interrupted_at_any_step(interruption):
    class Story:
        def __init__(self) -> None:
            self.desk = Desk(booking("book"))
            self.ready = asyncio.Event()

        async def run(self) -> None:
            await self.desk.start()
            self.ready.set()
            self.desk.post("ann", "hi")
            await asyncio.sleep(0.05)
            self.desk.answer("ann", "word")
            await self.desk.quiet()

        async def check(self) -> None:
            await self.desk.finish()

    async def interrupt(story: Story) -> None:
        await story.ready.wait()
        if interruption == "stop":
            story.desk.stop("ann")
        else:
            await getattr(story.desk, interruption)()

    assert sweep_steps(Story, interrupt) > 20
