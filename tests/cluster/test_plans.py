"""How the database finds a user's rows: by index, and without a lock where a replica has the user already."""

import asyncio
import json

import asyncpg
import pytest

from tests.cluster.conftest import BOUND_S, ended, sql
from tests.postgres import as_owner

pytestmark = pytest.mark.postgres

READ_AS_A_WHOLE = """
SELECT coalesce(json_agg(relname)::text, '[]') FROM pg_stat_user_tables
WHERE schemaname = 'detour' AND seq_scan > 0"""

OF_NO_USER = {"migrations", "identity", "replicas", "commands"}
"""What a start reads as a whole: tables of a few rows."""


async def test_queries_of_tasks_scan_no_whole_table(new_replica, address):
    await (await new_replica("before")).close()
    await sql(address, "SELECT pg_stat_reset()")
    here = await new_replica("here")
    for user_id in ("ann", "bob"):
        for _ in range(8):
            accepted = await here.runner.handle_user_message(user_id, "find this")
            await ended(here, user_id, accepted.task_id)
    await here.close()  # what a session has counted is known once it has ended
    assert {*json.loads(await sql(address, READ_AS_A_WHOLE))} <= OF_NO_USER


async def test_lease_of_an_own_user_waits_for_no_lock(new_replica, address):
    here = await new_replica("here")
    await here.post("say")
    other = await asyncpg.connect(as_owner(address))
    try:
        async with other.transaction():
            await other.execute("SELECT FROM detour.users WHERE user_id = 'ann' FOR UPDATE")
            async with asyncio.timeout(BOUND_S):
                claimed = await here.replica.registry.acquire("ann", here.name)
                # As a replica of an earlier release asks before each message.
                fence = await sql(address, "SELECT fence FROM detour.claim('ann', $1)", here.name)
        assert claimed.lease == here.runner.conversations.get("ann").lease
        assert fence == claimed.lease.fence
    finally:
        await other.close()


async def test_functions_are_neither_planned_for_each_call_nor_compiled(address):
    """Compiling a plan that costs much by estimate took 130 ms, of a hint that takes one."""
    query = """
    SELECT coalesce(json_agg(p.oid::regprocedure)::text, '[]') FROM pg_proc p
    WHERE p.pronamespace = 'detour'::regnamespace AND (p.provolatile = 'v' OR p.proretset)
        AND NOT coalesce(p.proconfig @> '{jit=off,plan_cache_mode=force_generic_plan}', false)"""
    assert json.loads(await sql(address, query)) == []
