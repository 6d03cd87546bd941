"""Sessions and tickets: what browsers show in the place of a token, how long it counts, and how it ends."""

import asyncio

import orjson
import pytest
import websockets
from structlog.testing import capture_logs

from backend.domain.encoding import system_clock
from backend.domain.errors import Unauthorized
from backend.http.identity.principal import ONE_PARTY
from backend.http.identity.sessions import LOOKED_UP_AGAIN_S, TICKET_LASTS_S, Sessions
from backend.store.memory import MemoryStateStore
from tests.api.issuer import Issuer, bearer
from tests.api.live import BOUND_S, refusal, serving
from tests.api.signing import Moving

pytestmark = pytest.mark.requirement("SESSIONS-END")

TOKEN = "a-long-random-token-22"


async def signed_in(server) -> dict[str, str]:
    """Sign a page in; return what it sends from then on."""
    answer = await server.http.post("/session", json={"token": TOKEN})
    assert answer.status_code == 204
    server.http.cookies.clear()
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}


async def closed_with(socket) -> int:
    """Read a socket to its end; return the code that it was closed with."""
    async with asyncio.timeout(BOUND_S):
        try:
            while True:
                await socket.recv()
        except websockets.ConnectionClosed as closed:
            return closed.rcvd.code


class TestSessions:
    async def test_signing_out_ends_a_session_everywhere_and_no_other(self, tmp_path):
        async with serving(tmp_path, token=TOKEN) as server:
            one, other = await signed_in(server), await signed_in(server)
            assert one != other
            assert (await server.http.delete("/session", headers=one)).status_code == 204
            refusal(await server.http.get("/history/ann", headers=one), 401, "unauthorized")
            assert (await server.http.get("/history/ann", headers=other)).status_code == 404

    async def test_a_session_is_over_after_its_time_and_its_socket_is_closed_with_4401(self, tmp_path):
        async with serving(tmp_path, token=TOKEN, session_hours=1 / 3600) as server:
            own = await signed_in(server)
            async with server.socket("ann", additional_headers=own) as socket:
                assert await closed_with(socket) == 4401
            refusal(await server.http.get("/history/ann", headers=own), 401, "unauthorized")

    async def test_an_event_stream_ends_with_its_session(self, tmp_path):
        async with serving(tmp_path, token=TOKEN, session_hours=1 / 3600) as server:
            own = await signed_in(server)
            async with (
                asyncio.timeout(BOUND_S),
                server.http.stream("GET", "/events/ann", headers=own) as stream,
            ):
                assert b"hello" in b"".join([each async for each in stream.aiter_bytes()])

    async def test_a_restart_signs_nobody_out_and_another_token_everybody(self, tmp_path):
        async with serving(tmp_path, token=TOKEN, store="sqlite") as server:
            own = await signed_in(server)
        async with serving(tmp_path, token=TOKEN, store="sqlite") as server:
            assert (await server.http.get("/history/ann", headers=own)).status_code == 404
        async with serving(tmp_path, token="another-long-enough-secret", store="sqlite") as server:
            refusal(await server.http.get("/history/ann", headers=own), 401, "unauthorized")

    async def test_a_session_of_a_person_lasts_no_longer_than_the_token_it_was_begun_with(self, tmp_path):
        issuer = Issuer()
        async with serving(tmp_path, **issuer.settings()) as server:
            answer = await server.http.post("/session", json={"token": issuer.token("ann")})
            assert 500 < int(answer.headers["set-cookie"].partition("Max-Age=")[2].partition(";")[0]) <= 610
            server.http.cookies.clear()
            refusal(await server.http.post("/session", json={"token": "wrong"}), 401, "unauthorized")

    async def test_a_session_that_another_process_has_ended_counts_for_seconds_at_most(self):
        grants, clock = MemoryStateStore(keep_events=100), Moving()
        here, there = (Sessions(grants, clock, issuer="i", lasts_s=3600) for _ in range(2))
        secret, _ = await here.begin(ONE_PARTY)
        assert (await here.principal(secret.encode())).person is None
        await there.end(secret.encode())
        clock.pass_s(LOOKED_UP_AGAIN_S)
        with pytest.raises(Unauthorized):
            await here.principal(secret.encode())

    async def test_the_store_holds_no_secret(self, tmp_path):
        async with serving(tmp_path, token=TOKEN, store="sqlite") as server:
            own = await signed_in(server)
        secret = own["Cookie"].partition("=")[2].encode()
        assert not any(secret in each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())


class TestTickets:
    async def test_a_ticket_opens_one_socket(self, tmp_path):
        issuer = Issuer()
        async with serving(tmp_path, **issuer.settings()) as server:
            answer = (await server.http.post("/tickets", headers=bearer(issuer.token("ann")))).json()
            assert answer["expires_in"] == TICKET_LASTS_S
            query = f"?ticket={answer['ticket']}"
            async with server.socket("ann-1", query) as socket:
                assert orjson.loads(await socket.recv())["type"] == "hello"
            async with server.socket("ann-1", query) as again:
                assert await closed_with(again) == 4401
            # It was ann who came by it.
            listed = await server.http.get("/conversations", headers=bearer(issuer.token("ann")))
            assert [each["user_id"] for each in listed.json()["conversations"]] == ["ann-1"]

    async def test_a_ticket_opens_an_event_stream_and_no_call_that_changes_something(self, tmp_path):
        async with serving(tmp_path, token=TOKEN) as server:
            own = await signed_in(server)
            ticket = (await server.http.post("/tickets", headers=own)).json()["ticket"]
            changed = await server.http.post(f"/stop/ann?ticket={ticket}", json={})
            refusal(changed, 401, "unauthorized")
            async with server.http.stream("GET", f"/events/ann?ticket={ticket}") as stream:
                assert stream.status_code == 200

    async def test_a_socket_brings_its_ticket_beside_the_protocol_that_it_is_answered_with(self, tmp_path):
        """Out of the address, which logs hold; browsers drop a socket whose offers are not answered."""
        async with serving(tmp_path, token=TOKEN) as server:
            own = await signed_in(server)
            ticket = (await server.http.post("/tickets", headers=own)).json()["ticket"]
            offered = ["detour", f"ticket.{ticket}"]
            async with server.socket("ann", subprotocols=offered) as socket:
                assert orjson.loads(await socket.recv())["type"] == "hello"
                assert socket.subprotocol == "detour"
            async with server.socket("ann", subprotocols=offered) as again:
                assert again.subprotocol == "detour"
                assert await closed_with(again) == 4401

    async def test_it_is_too_old_after_half_a_minute(self):
        clock = Moving()
        sessions = Sessions(MemoryStateStore(keep_events=100), clock, issuer="i", lasts_s=3600)
        ticket, _ = await sessions.give_ticket(ONE_PARTY)
        clock.pass_s(TICKET_LASTS_S)
        with pytest.raises(Unauthorized):
            await sessions.take_ticket(ticket)

    @pytest.mark.parametrize("how", ["signed out", "ended from the list", "not used"])
    async def test_it_ends_with_the_session_that_it_was_given_to_in_every_replica(self, how):
        grants, clock = MemoryStateStore(keep_events=100), Moving()
        here, there = (
            Sessions(grants, clock, issuer="i", lasts_s=3600, idle_s=TICKET_LASTS_S - 1) for _ in range(2)
        )
        secret, _ = await here.begin(ONE_PARTY)
        # It is known there, and looked up again only after some seconds.
        principal = await there.principal(secret.encode())
        kept, _ = await here.give_ticket(principal)
        assert await there.take_ticket(kept) == principal
        ticket, _ = await here.give_ticket(principal)
        if how == "signed out":
            await here.end(secret.encode())
        elif how == "ended from the list":
            (own,) = await here.of_person(None)
            assert await here.end_one(None, own.id)
        else:
            clock.pass_s(TICKET_LASTS_S - 1)
        with pytest.raises(Unauthorized):
            await there.take_ticket(ticket)

    async def test_one_that_was_given_for_a_token_needs_no_session(self):
        sessions = Sessions(MemoryStateStore(keep_events=100), Moving(), issuer="i", lasts_s=3600)
        ticket, _ = await sessions.give_ticket(ONE_PARTY)
        assert await sessions.take_ticket(ticket) == ONE_PARTY

    async def test_of_many_who_come_with_one_ticket_one_is_let_in(self):
        sessions = Sessions(MemoryStateStore(keep_events=100), system_clock, issuer="i", lasts_s=3600)
        ticket, _ = await sessions.give_ticket(ONE_PARTY)
        came = await asyncio.gather(
            *(sessions.take_ticket(ticket) for _ in range(20)), return_exceptions=True
        )
        assert [each for each in came if not isinstance(each, Unauthorized)] == [ONE_PARTY]

    async def test_a_ticket_is_no_session_and_a_session_no_ticket(self):
        sessions = Sessions(MemoryStateStore(keep_events=100), system_clock, issuer="i", lasts_s=3600)
        ticket, _ = await sessions.give_ticket(ONE_PARTY)
        with pytest.raises(Unauthorized):
            await sessions.principal(ticket.encode())
        secret, _ = await sessions.begin(ONE_PARTY)
        with pytest.raises(Unauthorized):
            await sessions.take_ticket(secret)


@pytest.mark.parametrize(("changes", "told"), [({}, 0), ({"token": TOKEN}, 1), (Issuer().settings(), 0)])
async def test_holders_of_one_token_are_told_to_be_one_party(tmp_path, changes, told):
    with capture_logs() as lines:
        async with serving(tmp_path, **changes):
            pass
    assert len([each for each in lines if "one party" in each["event"]]) == told


async def test_who_signed_in_and_out_and_what_operators_did_is_in_the_log_and_no_secret_is(tmp_path):
    issuer = Issuer()
    olga = issuer.token("olga", "operate")
    with capture_logs() as lines:
        async with serving(tmp_path, **issuer.settings()) as server:
            said = {"user_id": "ann-1", "message": "find 1"}
            assert (
                await server.http.post("/chat", json=said, headers=bearer(issuer.token("ann")))
            ).status_code == 202
            answer = await server.http.post("/session", json={"token": olga})
            own = {"Cookie": answer.headers["set-cookie"].partition(";")[0]}
            await server.http.post("/stop/ann-1", json={}, headers=own)
            await server.http.delete("/users/ann-1", headers=own)
            await server.http.delete("/session", headers=own)
            await server.http.get("/history/ann-1", headers=bearer("a-wrong-token"))
    done = [each for each in lines if "person" in each and "code" not in each]
    told = [(each["event"], each["person"], each.get("user_id")) for each in done]
    assert told == [
        ("signed in", "ann", None),
        ("signed in", "olga", None),
        ("an operator acted", "olga", "ann-1"),
        ("an operator acted", "olga", "ann-1"),
        ("a conversation was deleted", "olga", "ann-1"),
        ("signed out", "olga", None),
    ]
    secrets = [olga, own["Cookie"].partition("=")[2], "a-wrong-token", "find 1"]
    assert not any(each in str(lines) for each in secrets)
