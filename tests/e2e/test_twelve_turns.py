"""A conversation of twelve turns with the running server, interrupted at every turn while searches run."""

from datetime import date, timedelta
from typing import Any

import pytest

from backend.domain.encoding import system_clock
from tests.api.frames import State, ends, receive, receive_until
from tests.e2e.server_process import ServerProcess

LEAVING = system_clock().date() + timedelta(days=40)

TURNS = [
    ("I need a flight to Tokyo", "new"),
    (f"from Berlin, on {LEAVING.day} {LEAVING:%B}", "answer"),
    ("actually make it Osaka", "refine"),
    ("and a hotel there for 4 nights", "add"),
    ("at least 4 stars please", "refine"),
    ("for my wife and me", "refine"),
    ("thanks, looking good", "other"),
    ("leave a day earlier", "refine"),
    ("under 150 euros a night", "refine"),
    ("forget the hotel, just flights", "refine"),
    ("go back to the Tokyo flights", "refine"),
    ("in business class", "refine"),
]


def in_words(day: date) -> str:
    return f"{day:%a} {day.day} {day:%B} {day.year}"


@pytest.mark.requirement("TWELVE-TURNS-ARE-UNDERSTOOD")
async def test_twelve_turns_each_interrupting_the_one_before_are_understood_and_nothing_is_lost(process):
    server: ServerProcess = process(demo_pace=1)
    await server.start()
    said: list[dict[str, Any]] = []
    async with server.socket("ada") as socket:
        state = State()
        await receive(socket)
        state.take(await receive(socket))
        for message, relation in TURNS:
            accepted = await server.chat("ada", message)
            assert (message, accepted["relation"]) == (message, relation)
            said.append(accepted)
            # An aside is answered at once; a question or the first results of all others are waited for.
            awaited = {"message"} if relation == "other" else {"partial_result", "input_request"}

            def has_come(
                frame: dict[str, Any], of: str = accepted["task_id"], types: set[str] = awaited
            ) -> bool:
                is_own = frame["type"] != "message" or frame["role"] == "assistant"
                return frame.get("task_id") == of and frame["type"] in types and is_own

            for event in await receive_until(socket, has_come):
                state.take(event)
        for event in await receive_until(socket, ends(said[-1]["task_id"])):
            state.take(event)

    first, answer, *others = said
    assert answer["task_id"] == first["task_id"], "the answer lets the task go on that asked"
    tasks = [each["task_id"] for each in (first, *others)]
    aside = said[6]["task_id"]
    at_work = [task_id for task_id in tasks if task_id != aside]
    assert [each["interrupted_task_id"] for each in others if each["task_id"] != aside] == at_work[:-1]
    assert said[6]["interrupted_task_id"] is None, "small talk interrupts nothing"
    assert {state.tasks[each]["status"] for each in at_work[:-1]} == {"interrupted"}
    assert {state.receipts[each]["reason"] for each in at_work[:-1]} == {"superseded"}
    for task_id in at_work[:-1]:
        counts = {agent: len(items) for agent, items in state.tasks[task_id]["found"].items()}
        told = state.receipts[task_id]["partial_results"]
        assert {agent: count for agent, count in told.items() if count} == counts

    history = (await server.history("ada"))["messages"]
    assert [each["text"] for each in history if each["role"] == "user"] == [message for message, _ in TURNS]
    day = LEAVING - timedelta(days=1)
    reply = history[-1]["text"]
    assert history[-1]["role"] == "assistant"
    assert "flights from Berlin to Tokyo" in reply
    assert in_words(LEAVING) in reply or in_words(day) in reply
    assert "business" in reply
    assert "hotel" not in reply.partition("All of it is demo")[0]
