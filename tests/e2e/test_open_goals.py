"""Somebody who has not chosen where to go gets places with their fares, and picks one."""

from tests.api.frames import receive, receive_until
from tests.e2e.server_process import ServerProcess


async def asked_after(server: ServerProcess, message: str) -> dict:
    """Send a message, and return the question that it leads to; what was asked before is not looked at."""
    async with server.socket("ada") as socket:
        await receive(socket)  # hello
        await receive(socket)  # what is so far
        await server.chat("ada", message)
        await receive_until(socket, _asked)
    return (await server.status("ada"))["input_request"]


async def test_wish_for_warmth_leads_to_places_with_fares_to_pick_from(process):
    server: ServerProcess = process(demo_pace=0.01)
    await server.start()
    asked = await asked_after(server, "somewhere warm in February under 400, from Cologne")
    assert asked["prompt"].startswith("Please tell me where to go (")
    assert "Warm places to fly to from Cologne, by latitude and season, which is all" in asked["prompt"]
    assert "one way for one: " in asked["prompt"]
    assert " from €" in asked["prompt"]
    places = [each["const"] for each in asked["schema"]["properties"]["destination"]["oneOf"]]
    assert 3 <= len(places) <= 5
    asked = await asked_after(server, "the second one")
    assert asked["defaults"]["destination"] == places[1]
    assert "The cheapest days, one way for one: " in asked["prompt"]
    assert asked["defaults"]["origin"].startswith("Cologne")
    ended = await server.chat_to_end("ada", "the 10th")
    assert ended["status"] == "completed"


def _asked(frame) -> bool:
    return frame["type"] == "status_update" and frame["status"] == "input_required"
