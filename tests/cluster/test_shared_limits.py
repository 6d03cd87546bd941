"""Limits over two servers that share a database: whichever of them is asked, they count together."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from backend.domain.token_bucket import TokenBucket
from backend.http.edge import limits as shared_limits
from backend.store.postgres import levels
from tests.api.live import LocalClient, refusal, running
from tests.cluster.conftest import sql
from tests.fakes.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.requirement("LIMITS-ARE-SHARED")]

TOKEN = "a token that is long enough"
DAY_S = 86_400


@pytest.fixture
async def replicas(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[list[LocalClient]]:
    """Two servers, of which a minute's worth of everything is little."""
    # However long a test takes, no token comes back meanwhile.
    monkeypatch.setattr(TokenBucket, "of_a_minute", lambda count: TokenBucket(float(count), count / DAY_S))
    # However busy the machine is, no replica counts alone.
    monkeypatch.setattr(shared_limits, "WITHIN_S", 60.0)
    monkeypatch.setattr(levels, "STATEMENT_WITHIN_S", 60.0)
    async with AsyncExitStack() as running_:
        yield [
            await running_.enter_async_context(
                running(
                    tmp_path / name,
                    postgres=address,
                    replica=name,
                    token=TOKEN,
                    messages_per_minute=2,
                    address_messages_per_minute=1000,
                    address_conversations_per_minute=4,
                    address_guesses_per_minute=3,
                    address_requests_per_minute=40,
                )
            )
            for name in ("here", "there")
        ]


async def post(replica: LocalClient, user_id: str) -> Any:
    body = {"user_id": user_id, "message": "find 1"}
    return await replica.call("POST", "/chat", json=body, headers={"authorization": f"Bearer {TOKEN}"})


async def status(replica: LocalClient, token: str = TOKEN) -> int:
    headers = {"authorization": f"Bearer {token}"}
    return (await replica.call("GET", "/status/nobody", headers=headers)).status_code


async def test_limits_of_two_servers_count_together(replicas, address):
    here, there = replicas
    # Two messages of a user, one at each replica.
    assert (await post(here, "ann")).status_code == 202
    assert (await post(there, "ann")).status_code == 202
    for each in (here, there):
        assert "2 messages a minute" in refusal(await post(each, "ann"), 429, "too_many_requests")["message"]
    # Four conversations from one address. Ann's counted twice: it was new to each replica.
    assert [(await post(each, user)).status_code for each, user in ((here, "bob"), (there, "cem"))] == [
        202,
        202,
    ]
    refused = refusal(await post(here, "dan"), 429, "too_many_requests")
    assert "new conversations" in refused["message"]
    # Three wrong tokens; then none is believed at either.
    assert await status(here, "guess") == 401
    assert [await status(each, "another guess") for each in (there, here, there)] == [401, 401, 429]
    assert [await status(each) for each in (here, there)] == [429, 429]
    # 40 requests; once one replica has answered them, the other one answers no more.

    async def are_used_up() -> bool:
        await here.call("GET", "/health")
        return await sql(address, "SELECT tokens < 1 FROM detour.buckets WHERE kind = 'requests'")

    await until(are_used_up)

    async def is_refused_there() -> bool:
        return (await there.call("GET", "/health")).status_code == 429

    assert await until(is_refused_there, every_s=0.05)  # in between it hears of what the other has counted
    asked = await sql(address, "SELECT tokens FROM detour.buckets WHERE kind = 'requests'")
    assert asked >= -5  # the other one has looked at few more
