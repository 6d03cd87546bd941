"""Limits of a minute: bursts pass, floods do not, and memory is bounded.

`tests/domain/test_token_bucket.py` holds the arithmetic.
"""

import pytest

from backend.domain.errors import TooManyRequests
from backend.http.edge.headers import UNKNOWN, client_address, counted_address
from backend.http.edge.limits import Limits, RateLimit
from tests.api.live import refusal, running
from tests.api.signing import Monotonic, per_minute


@pytest.fixture
def clock():
    return Monotonic()


def passed(limit, key, attempts):
    count = 0
    for _ in range(attempts):
        try:
            limit.take(key)
        except TooManyRequests:
            continue
        count += 1
    return count


def test_refusal_says_how_many_seconds_to_wait(clock):
    limit = RateLimit(6, "messages a minute", clock)
    passed(limit, "ann", 6)
    clock.now += 3.5
    with pytest.raises(TooManyRequests, match="6 messages a minute") as refusal:
        limit.take("ann")
    assert (refusal.value.retry_after_s, refusal.value.retryable) == (7, True)


def test_idle_keys_are_forgotten(clock):
    limit = RateLimit(60, "messages a minute", clock)
    for number in range(50):
        limit.take(f"user-{number}")
    clock.now += 60
    limit.take("ann")
    assert len(limit) == 1


def test_keys_are_bounded_and_the_longest_idle_go_first(clock):
    limit = RateLimit(1, "messages a minute", clock, most_keys=3)
    for user_id in ("ann", "bob", "cem", "bob", "dan", "eve"):
        passed(limit, user_id, 1)
    assert len(limit) == 3
    assert passed(limit, "bob", 1) == 0
    assert passed(limit, "cem", 1) == 1


def test_limit_of_zero_is_none_and_a_negative_one_is_refused(clock):
    limit = RateLimit(0, "messages a minute", clock)
    assert passed(limit, "ann", 1_000) == 1_000
    assert len(limit) == 0
    with pytest.raises(ValueError, match="nothing through"):
        RateLimit(-1, "messages a minute", clock)


async def admitted(limits, user_id, address):
    try:
        await limits.take_message(user_id, address)
    except TooManyRequests as error:
        return error.message
    return ""


async def test_refusal_of_one_limit_counts_in_no_other(clock):
    """Or an address that floods would use up what is left to all."""
    all_three = Limits(per_minute(messages=2, address_messages=3, total_messages=5), clock)
    assert [bool(await admitted(all_three, "ann", "1.1.1.1")) for _ in range(10)] == [False] * 2 + [True] * 8
    assert not await admitted(all_three, "bob", "1.1.1.1")
    assert "3 messages a minute from one address" in await admitted(all_three, "cem", "1.1.1.1")
    assert not await admitted(all_three, "cem", "2.2.2.2")
    assert not await admitted(all_three, "dan", "3.3.3.3")
    assert "all users together" in await admitted(all_three, "eve", "4.4.4.4")


def test_process_that_is_alone_waits_for_nothing(clock):
    alone = Limits(per_minute(messages=2, address_conversations=2, address_guesses=2), clock)
    for counting in (
        alone.take_message("ann", "1.1.1.1"),
        alone.take_conversation("1.1.1.1"),
        alone.check_guesses("1.1.1.1"),
        alone.count_wrong_token("1.1.1.1"),
    ):
        with pytest.raises(StopIteration):  # it ran to its end without an event loop
            counting.send(None)


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", UNKNOWN),
    ],
)
def test_ipv6_network_counts_as_one_address(address, counted):
    assert counted_address(address) == counted
    assert client_address({"type": "http", "client": (address, 1)}) == counted


# --- over the application --------------------------------------------------------------------------------


async def post(api, user_id, **fields):
    return await api.call("POST", "/chat", json={"user_id": user_id, "message": "find 1", **fields})


@pytest.mark.requirement("FLOODS-ARE-REFUSED")
async def test_flood_of_one_address_is_refused_and_loses_nothing(tmp_path):
    async with running(tmp_path, address_messages_per_minute=3) as api:
        for number in range(3):
            assert (await post(api, f"user-{number}")).status_code == 202
        refused = await post(api, "user-3")
        assert "from one address" in refusal(refused, 429, "too_many_requests")["message"]
        assert int(refused.headers["retry-after"]) == 20
        assert (await api.call("GET", "/status/user-3")).status_code == 404


@pytest.mark.requirement("FLOODS-ARE-REFUSED", "RETRIES-START-NOTHING")
async def test_accepted_message_gets_its_answer_over_every_limit(tmp_path):
    async with running(tmp_path, messages_per_minute=1, address_conversations_per_minute=1) as api:
        first = await post(api, "ada", client_id="one")
        refusal(await post(api, "ada", client_id="two"), 429, "too_many_requests")
        again = await post(api, "ada", client_id="one")
        assert (again.status_code, again.json()["task_id"]) == (202, first.json()["task_id"])


async def test_new_conversations_of_one_address_are_limited(tmp_path):
    async with running(tmp_path, store="sqlite", address_conversations_per_minute=2) as api:
        for user_id in ("ada", "bob", "ada"):
            assert (await post(api, user_id)).status_code == 202
        refused = await post(api, "cem")
        assert "new conversations" in refusal(refused, 429, "too_many_requests")["message"]
        await api.until_ended("ada", (await post(api, "ada")).json()["task_id"])
        api.detour.conversations.conversations.clear()  # as for a conversation that has left memory
        assert (await post(api, "ada")).status_code == 202


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/stop/ada"), ("GET", "/health")],
)
async def test_requests_of_every_kind_count_by_address(tmp_path, method, path):
    async with running(tmp_path, address_requests_per_minute=2) as api:
        for _ in range(2):
            assert (await api.call(method, path)).status_code != 429
        refused = await api.call(method, path)
        assert "2 requests a minute from one address" in refusal(refused, 429, "too_many_requests")["message"]


TOKEN = "a token that is long enough"


async def status_of(api, path="/status/ada", token=TOKEN):
    return await api.call("GET", path, headers={"authorization": f"Bearer {token}"})


@pytest.mark.requirement("GUESSING-IS-SLOW")
async def test_guessing_address_is_refused_with_the_right_token_and_logged(tmp_path, lines):
    async with running(tmp_path, token=TOKEN, address_guesses_per_minute=3) as api:
        assert (await status_of(api)).status_code == 404
        for number in range(3):
            refusal(await status_of(api, token=f"guess {number}"), 401, "unauthorized")
        refusal(await status_of(api), 429, "too_many_requests")
        signing_in = await api.call("POST", "/session", json={"token": TOKEN})
        refusal(signing_in, 429, "too_many_requests")
        # Who sends no token guesses none.
        refusal(await api.call("GET", "/status/ada"), 401, "unauthorized")
    # One for each guess, and one for the request without a token.
    assert [line.get("code") for line in lines].count("unauthorized") == 4
    assert "guess 1" not in str(lines)


@pytest.mark.requirement("GUESSING-IS-SLOW")
async def test_guesses_at_sign_in_count_and_slow_no_other_address(tmp_path):
    async with running(tmp_path, token=TOKEN, address_guesses_per_minute=2) as api:
        for number in range(2):
            wrong = await api.call("POST", "/session", json={"token": f"guess {number}"})
            refusal(wrong, 401, "unauthorized")
        refusal(await status_of(api), 429, "too_many_requests")
        api.http._transport.client = ("192.0.2.1", 1)
        assert (await status_of(api)).status_code == 404


@pytest.mark.requirement("GUESSING-IS-SLOW")
async def test_guesses_of_one_client_slow_no_other_behind_a_proxy(tmp_path):
    changes = {"address_guesses_per_minute": 2, "proxy_addresses": "127.0.0.1"}
    async with running(tmp_path, token=TOKEN, **changes) as api:

        async def status_through(client, token=TOKEN):
            headers = {"authorization": f"Bearer {token}", "x-forwarded-for": client}
            return (await api.call("GET", "/status/ada", headers=headers)).status_code

        for port in (4711, 4712):
            assert await status_through(f"203.0.113.5:{port}", token="a guess") == 401
        assert await status_through("203.0.113.5:4713") == 429
        assert await status_through("203.0.113.6:4711") == 404
        assert await status_through("[2001:db8::1]:443") == 404
