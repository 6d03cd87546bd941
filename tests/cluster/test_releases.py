"""Replicas of two releases: what a later one says beside what this one knows is passed over."""

import asyncpg
import orjson
import ormsgpack
import pytest

from backend.conversation.accepted import Accepted
from backend.replicas.postgres import Command, Hint, payload
from tests.cluster.conftest import ended, sql
from tests.fakes.waiting import until
from tests.postgres import as_owner

pytestmark = [pytest.mark.postgres, pytest.mark.requirement("RELEASES-RUN-SIDE-BY-SIDE")]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("message", {"message": "say", "client_id": "c1", "policy": "interrupt"}),
        ("stop", {"task_id": None}),
        ("last_request", {}),
        ("delete", {}),
    ],
)
async def test_command_of_a_later_release_is_carried_out(new_replica, kind, body):
    here, there = await new_replica("here"), await new_replica("there")
    await here.post("find gate")
    body = orjson.dumps({**body, "later": {"field": 1}})
    command = Command("ann", "c1", kind, body, there.name)
    await there.replica.registry.leave_command(command, here.name, within_s=60.0)

    async def reply():
        return await there.replica.registry.reply_to("ann", "c1")

    assert "done" in orjson.loads(await until(reply))


async def test_reply_of_a_later_release_is_understood():
    told = {
        "task_id": "t1",
        "user_id": "ann",
        "status": "running",
        "policy": "interrupt",
        "relation": None,
        "interrupted_task_id": None,
        "epoch": "e1",
        "websocket": "/ws/ann",
    }
    assert Accepted.read({**told, "later": 1}) == Accepted.read(told)


async def test_hint_of_a_later_release_is_received(new_replica, address):
    here = await new_replica("here")
    heard = []
    here.replica.registry.hints.heard = heard.append
    connection = await asyncpg.connect(address)
    for told in (["of a later kind", "ann"], ["event", "ann", "", "", "later"]):
        await connection.execute(
            "SELECT pg_notify($1, $2)", f"detour_{here.name}", orjson.dumps(told).decode()
        )
    await connection.close()
    await until(lambda: len(heard) >= 2)
    assert heard == [Hint("of a later kind", "ann"), Hint("event", "ann")]
    here.replica._heard(heard[0])


@pytest.mark.parametrize(
    "hint", [Hint("event", "ann"), Hint("command", "ann"), Hint("neglected"), Hint("reply", "ann", "c1")]
)
def test_hint_without_a_reply_has_the_format_of_earlier_releases(hint):
    assert orjson.loads(payload(hint)) == [hint.kind, hint.user_id, hint.command_id]


async def test_stored_agents_and_results_may_have_more_fields(new_replica, address):
    here = await new_replica("here")
    accepted = await here.runner.handle_user_message("ann", "find find say")
    turn = (await ended(here, "ann", accepted.task_id)).turn

    async def stored():
        exported = [each async for each in here.store.export("ann")]
        return (
            await here.store.get_progress("ann", turn),
            await here.store.get_partials("ann", turn),
            exported,
        )

    before = await stored()
    assert all(before)
    connection = await asyncpg.connect(as_owner(address))
    try:
        for table, column, grown in (
            ("agents", "document", lambda row: [*row, "later"]),
            ("partials", "found", lambda rows: [[*row, "later"] for row in rows]),
        ):
            for at, packed in await connection.fetch(f"SELECT ctid, {column} FROM detour.{table}"):
                later = ormsgpack.packb(grown(ormsgpack.unpackb(packed)))
                await connection.execute(
                    f"UPDATE detour.{table} SET {column} = $1 WHERE ctid = $2", later, at
                )
    finally:
        await connection.close()
    assert await stored() == before


async def test_replica_registers_its_protocol_version(new_replica, address):
    await new_replica("here")
    await new_replica("there")
    await sql(address, "UPDATE detour.replicas SET protocol = 2 WHERE replica LIKE 'there%'")
    assert await sql(address, "SELECT min(protocol) FROM detour.replicas r WHERE detour.is_alive(r)") == 1
