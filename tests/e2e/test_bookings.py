"""A booking on a running server that is stopped, superseded or killed in its middle: never two, never lost.

The pace is such that a booking takes its time on the way there and back, and is cut at points between.
"""

import asyncio
import re

import pytest

from tests.api.frames import receive
from tests.e2e.server_process import ServerProcess
from tests.fakes.waiting import until

REFERENCE = re.compile(r"DEMO-[2-9A-HJKMNP-Z]{6}")
SEARCH = "flights from London to New York on {day} December"
PACE_S = 0.4
BOUND_S = 60.0


async def found(server, day=4):
    """Have flights searched."""
    assert (await server.chat_to_end("ada", SEARCH.format(day=day)))["status"] == "completed"


async def asked(server, message="book the cheapest"):
    """Have a booking asked for; its task, and the permission that is asked for."""
    task_id = (await server.chat("ada", message))["task_id"]
    status = await until_is(server, task_id, "input_required")
    return task_id, status["input_request"]


async def until_is(server, task_id, *wanted):
    return await server.until_status(
        "ada", lambda status: status["task_id"] == task_id and status["status"] in wanted
    )


async def decide(server, request, decision="allow"):
    body = {"request_id": request["request_id"], "decision": decision}
    response = await server.call("POST", "/answer/ada", json=body)
    assert response.status_code == 202, response.text


async def until_running(socket):
    """Return once a booking has begun: its intent is durable, and its request on the way."""
    async with asyncio.timeout(BOUND_S):
        while True:
            frame = await receive(socket)
            if frame["type"] == "tool_update" and (frame["effect"], frame["state"]) == ("write", "running"):
                return


async def booked(server):
    """The references of what is booked, as the assistant lists them."""
    said = len((await server.history("ada", limit=200))["messages"])
    await server.chat("ada", "show my bookings")

    async def reply():
        messages = (await server.history("ada", limit=200))["messages"]
        return messages[-1] if len(messages) > said + 1 and messages[-1]["role"] == "assistant" else None

    return re.findall(r"(DEMO-\w+) \(booked\)", (await until(reply, every_s=server.looks_every_s))["text"])


async def account(server, task_id):
    """What the receipt of a task says of its bookings, once none of them is unknown."""

    async def known():
        response = await server.call("GET", f"/receipts/ada/{task_id}")
        calls = response.json()["tool_calls"] if response.status_code == 200 else []
        writes = [call for call in calls if call["effect"] == "write"]
        return writes if all(call["outcome"] != "unknown" for call in writes) else None

    return await until(known, every_s=server.looks_every_s)


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE")
@pytest.mark.parametrize("how", ["stopped", "superseded"])
async def test_booking_that_is_interrupted_in_its_middle_is_finished_and_told(process, how):
    server: ServerProcess = process(demo_pace=1)  # the interruption must come before the booking's end
    await server.start()
    await found(server)
    task_id, request = await asked(server)
    async with server.socket("ada") as socket:
        await decide(server, request)
        await until_running(socket)
        if how == "stopped":
            response = await server.call("POST", "/stop/ada", json={})
            assert response.status_code in (200, 202)
        else:
            await server.chat("ada", "hotels in Rome from 4 to 6 December")
    (call,) = await account(server, task_id)
    assert call["outcome"] == "completed_after_interrupt"
    assert await booked(server) == REFERENCE.findall(call["summary"])


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE")
async def test_booking_that_waits_for_its_permission_when_it_is_superseded_never_begins(process):
    server: ServerProcess = process()
    await server.start()
    await found(server)
    task_id, request = await asked(server)
    await server.chat("ada", "hotels in Rome from 4 to 6 December")
    (call,) = await account(server, task_id)
    assert call["outcome"] == "not_started"
    body = {"request_id": request["request_id"], "decision": "allow"}
    assert (await server.call("POST", "/answer/ada", json=body)).status_code == 409
    assert await booked(server) == []


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE", "A-KILLED-BOOKING-IS-WHOLE")
@pytest.mark.parametrize("questions", [0, 25, 100])
async def test_server_that_is_killed_while_it_books_has_booked_once_or_asks_again(process, questions):
    """It is killed after so many answers to other questions; at the restart the task is taken up.

    What had been done is told then, and what had not is done or asked for.
    """
    server: ServerProcess = process(demo_pace=PACE_S)
    await server.start()
    await found(server)
    task_id, request = await asked(server)
    async with server.socket("ada") as socket:
        await decide(server, request)
        await until_running(socket)
        for _ in range(questions):
            await server.status("ada")
        await server.kill()
    await server.start()
    status = await until_is(server, (await server.status("ada"))["task_id"], "completed", "input_required")
    if status["status"] == "input_required":
        await decide(server, status["input_request"])
        await until_is(server, status["task_id"], "completed")
    (reference,) = await booked(server)
    said = "".join(each["text"] for each in (await server.history("ada", limit=200))["messages"])
    assert set(REFERENCE.findall(said)) == {reference}
    assert task_id <= status["task_id"]


async def test_server_that_is_told_to_end_finishes_what_it_books(process):
    server: ServerProcess = process(demo_pace=PACE_S)
    await server.start()
    await found(server)
    task_id, request = await asked(server)
    async with server.socket("ada") as socket:
        await decide(server, request)
        await until_running(socket)
        await server.terminate()
    await server.start()
    status = await until_is(server, (await server.status("ada"))["task_id"], "completed", "interrupted")
    assert len(await booked(server)) == 1
    calls = await account(server, status["task_id"])
    assert {call["outcome"] for call in calls} <= {"completed", "completed_after_interrupt"}
    assert task_id <= status["task_id"]


@pytest.mark.requirement("A-PAYMENT-CAN-FAIL")
async def test_denied_and_a_declined_booking_book_nothing(process):
    server: ServerProcess = process()
    await server.start()
    await found(server)
    task_id, request = await asked(server)
    await decide(server, request, "deny")
    await until_is(server, task_id, "completed")
    assert [call["outcome"] for call in await account(server, task_id)] == ["denied"]
    business = await server.chat("ada", "business class flights from London to New York on 4 December for 9")
    await until_is(server, business["task_id"], "completed")
    task_id, request = await asked(server, "book the fastest")
    await decide(server, request)
    await until_is(server, task_id, "completed")
    (call,) = await account(server, task_id)
    assert call["outcome"] == "failed"
    assert "the demo card pays up to €5,000" in call["summary"]
    assert await booked(server) == []


@pytest.mark.requirement("DELETE-FORGETS")
async def test_bookings_of_deleted_user_are_in_no_file(process):
    server: ServerProcess = process()
    await server.start()
    await found(server)
    task_id, request = await asked(server)
    await decide(server, request)
    await until_is(server, task_id, "completed")
    (reference,) = await booked(server)
    assert (await server.call("DELETE", "/users/ada")).status_code == 204
    await server.terminate()
    for file in (server.folder / "data").iterdir():
        assert reference.encode() not in file.read_bytes(), file.name
