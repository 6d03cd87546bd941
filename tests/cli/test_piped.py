"""The client without a terminal, and where it cannot start; in front of a real server process."""

import asyncio
import sys
from datetime import timedelta

import pytest

from backend.clients.server import environment_without_settings
from backend.domain.encoding import system_clock
from tests.cli.pseudo_terminal import BOUND_S

DAY = (system_clock() + timedelta(days=30)).date().isoformat()


async def piped(server, *lines: str, user: str = "ada", **env: str) -> tuple[int, str, str]:
    """Run the client with these lines as its input; return its exit code, output and errors."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "backend.clients.cli"),
        *("--server", f"http://127.0.0.1:{server.port}", "--user", user),
        env={**environment_without_settings(), "PYTHONIOENCODING": "utf-8", **env},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(BOUND_S):
        out, errors = await process.communicate("\n".join(lines).encode())
    return process.returncode, out.decode(), errors.decode()


async def test_piped_lines_are_messages_answers_and_decisions(process):
    server = process()
    await server.start()
    lines = [f"flights to Lisbon on {DAY}", "Berlin", "", "", "book the cheapest flight", "allow"]
    code, out, errors = await piped(server, *lines)
    assert (code, errors) == (0, "")
    told = [
        "You: flights to Lisbon",
        "Please tell me where to fly from.",
        "To [Enter: Lisbon, Portugal]?",
        "You: From: Berlin",
        "Flight: working, 1 of 3 sources",
        "flights from Berlin to Lisbon",
        "found, the best:",
        "Goes on from your previous message: flight search.",
        "Booking the flight needs your permission:",
        "allow or deny?",
        "Allowed.",
        "Booked as DEMO-",
    ]
    places = [out.find(text) for text in told]
    assert -1 not in places, out
    assert places == sorted(places), out
    assert "\x1b" not in out


@pytest.mark.requirement("CLIENTS-STEER")
@pytest.mark.parametrize(
    ("first", "told"),
    [
        ("tools", ["You: card", "Taken in; it is read next.", "Read: tools | card"]),
        ("reply", ["Read: reply", "You: card", "It is now a message of its own.", "Read: card"]),
    ],
)
async def test_piped_line_can_steer(process, first, told):
    server = process(graph="tests.steered_graph:graph")
    await server.start()
    code, out, errors = await piped(server, first, "/steer card", "on")
    assert (code, errors) == (0, "")
    places = [out.find(text) for text in ["(1) waits to be taken in: card", *told]]
    assert -1 not in places, out
    assert places == sorted(places), out


async def test_missing_token_is_explained_without_a_traceback(process):
    server = process(token="a-long-random-token-22")
    await server.start()
    code, out, _ = await piped(server, "hello", DETOUR_TOKEN="a-long-random-token-22")
    assert code == 0
    assert "You: hello" in out
    code, _, errors = await piped(server, "hello")
    assert code == 1
    assert "token" in errors
    assert "Traceback" not in errors


async def test_invalid_user_id_is_refused_with_a_sentence(process):
    server = process()
    await server.start()
    code, _, errors = await piped(server, "hello", user="no such user")
    assert (code, errors) == (1, "The server does not accept this user id.\n")
