"""Bookings of replicas that share a database and no folder: one office, whoever asks or is killed."""

import asyncio
from pathlib import Path

import asyncpg
import pytest
from structlog.testing import capture_logs

from tests.agents.booking_guest import FLIGHTS, a_house
from tests.e2e.server_process import ServerProcess
from tests.e2e.test_bookings import BOUND_S, REFERENCE, asked, booked, decide, found, until_running
from tests.postgres import as_owner

pytestmark = pytest.mark.postgres

PACE_S = 0.5


async def sql(address, query):
    connection = await asyncpg.connect(as_owner(address))
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


async def at_rest(server, *, since=()):
    """Wait until a user has nothing at work, and return the status; not one that was there before."""

    def rests(status):
        request = status["input_request"]
        return status["status"] == "completed" or (request and request["request_id"] not in since)

    return await server.until_status("ada", rests)


@pytest.mark.requirement("DELETE-FORGETS", "THE-LAST-SEAT-ONCE")
async def test_booking_at_one_replica_is_shown_exported_and_deleted_at_another(address, tmp_path):
    async with (
        a_house(tmp_path / "one", postgres=address) as house,
        a_house(tmp_path / "two", postgres=address) as other,
    ):
        await house.say("ann", FLIGHTS)
        reference = await house.book("ann", "book the cheapest flight")
        for served in (house, other):
            shown = (await served.call("GET", "/bookings/ann")).json()["bookings"]
            assert [each["reference"] for each in shown] == [reference]
        exported = (await other.call("GET", "/users/ann/export")).json()
        assert [each["reference"] for each in exported["bookings"]] == [reference]
        assert (await other.call("DELETE", "/users/ann")).status_code == 204
        for table in ("bookings", "claims", "calls"):
            assert await sql(address, f"SELECT count(*) FROM detour_demo.{table}") == 0
    assert not list(tmp_path.rglob("bookings.sqlite"))


async def test_unread_file_of_bookings_is_logged(address, tmp_path: Path):
    async with a_house(tmp_path, store="sqlite") as house:
        await house.say("ann", FLIGHTS)
        await house.book("ann", "book the cheapest flight")
    with capture_logs() as lines:
        async with a_house(tmp_path, postgres=address):
            pass
    (said,) = [line for line in lines if line["event"].startswith("bookings of a server without")]
    assert (said["log_level"], said["file"]) == ("warning", str(tmp_path / "bookings.sqlite"))


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE", "A-KILLED-BOOKING-IS-WHOLE", "A-DEAD-REPLICA-IS-TAKEN-OVER")
@pytest.mark.parametrize("when", ["before the office hears of it", "before its answer comes back"])
async def test_replica_that_is_killed_while_it_books_has_booked_once_and_the_survivor_tells_it(
    address, tmp_path, when
):
    killed, survivor = (
        ServerProcess(tmp_path / name, postgres=address, demo_pace=PACE_S) for name in ("killed", "survivor")
    )
    try:
        await asyncio.gather(killed.start(), survivor.start())
        await found(killed)
        _, request = await asked(killed)
        async with killed.socket("ada") as socket:
            await decide(killed, request)
            await until_running(socket)
            if when == "before its answer comes back":
                async with asyncio.timeout(BOUND_S):
                    while not await sql(address, "SELECT count(*) FROM detour_demo.bookings"):
                        pass
            await killed.kill()
        status = await at_rest(survivor, since={request["request_id"]})
        if status["status"] == "input_required":
            assert when == "before the office hears of it"
            await decide(survivor, status["input_request"])
            await at_rest(survivor, since={request["request_id"], status["input_request"]["request_id"]})
        (reference,) = await booked(survivor)
        said = "".join(each["text"] for each in (await survivor.history("ada", limit=200))["messages"])
        assert set(REFERENCE.findall(said)) == {reference}
        assert await sql(address, "SELECT reference FROM detour_demo.bookings") == reference
    finally:
        await asyncio.gather(killed.kill(), survivor.kill())
