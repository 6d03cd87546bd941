"""What a user of the running server sees: ask, watch, change the mind, get another answer."""

import pytest

from backend.domain.errors import ErrorAnswer
from tests.api.frames import State, ends, receive, receive_until
from tests.api.live import answer
from tests.e2e.server_process import ServerProcess

FIRST = "Find flights from Berlin to Tokyo on 10 December"


@pytest.mark.requirement("CHANGING-ONES-MIND")
async def test_user_changes_their_mind_and_what_was_found_is_kept_and_told(process):
    server: ServerProcess = process(demo_pace=1)
    await server.start()
    async with server.socket("ada") as socket:
        state = State()
        await receive(socket)
        state.take(await receive(socket))
        first = await server.chat("ada", FIRST)
        for event in await receive_until(socket, lambda frame: frame["type"] == "partial_result"):
            state.take(event)
        kept = state.tasks[first["task_id"]]["found"]["flight"]
        assert (await server.status("ada"))["current_agent"] == "flight"

        second = await server.chat("ada", "Actually, make it Osaka, and find a hotel there too")
        assert second["interrupted_task_id"] == first["task_id"]
        for event in await receive_until(socket, ends(second["task_id"])):
            state.take(event)
        (receipt,) = state.receipts.values()
        assert (receipt["task_id"], receipt["reason"]) == (first["task_id"], "superseded")
        assert receipt["partial_results"]["flight"] >= len(kept)

        found = await server.partial_results("ada")
        (left,) = found["interrupted"]
        assert left["partial_results"]["flight"][: len(kept)] == kept
        assert left["message"] == FIRST
        assert set(found["partial_results"]) == {"flight", "hotel"}
        history = (await server.history("ada"))["messages"]
        assert [said["role"] for said in history if said["task_id"] == first["task_id"]] == ["user", "system"]
        (reply,) = (said["text"] for said in history if said["role"] == "assistant")
        assert "Osaka" in reply
        assert (await server.status("ada"))["status"] == "completed"


@pytest.mark.requirement("A-TOKEN-IS-ASKED-EVERYWHERE")
async def test_token_opens_everything_and_nothing_opens_without_it(scripted):
    server: ServerProcess = scripted(token="a long and random string")
    await server.start()
    signed_in = {"Authorization": "Bearer a long and random string"}
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "a long and random string"}):
        for method, path in [
            ("POST", "/chat"),
            ("POST", "/stop/ada"),
            ("GET", "/status/ada"),
            ("GET", "/events/ada"),
            ("GET", "/openapi.json"),
            ("DELETE", "/users/ada"),
            ("GET", "/status/ada?token=a+long+random+string"),
        ]:
            refused = await server.call(method, path, headers=headers)
            assert answer(refused, 401, ErrorAnswer)["error"]["code"] == "unauthorized"
        async with server.socket("ada", additional_headers=headers) as socket:
            await socket.wait_closed()
            assert socket.close_code == 4401
    assert (await server.call("GET", "/health")).status_code == 200
    server.http.headers.update(signed_in)
    await server.chat("ada", "hold")
    async with server.socket("ada", additional_headers=signed_in) as socket:
        assert (await receive(socket))["type"] == "hello"
    assert "a long and random string" not in server.log.read_text()
