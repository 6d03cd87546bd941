"""Sessions and tickets: how they begin, how long they last, how they end, and what the log says of them."""

import asyncio
from datetime import timedelta

import orjson
import pytest
import websockets
from structlog.testing import capture_logs

from backend.domain.encoding import system_clock
from backend.domain.errors import StoreUnavailable, Unauthorized
from backend.http.identity import sessions as bounds
from backend.http.identity.access import AGAIN_AFTER_S, MOST_REMEMBERED, SignIns
from backend.http.identity.principal import ONE_PARTY, Principal
from backend.http.identity.sessions import (
    LOOKED_UP_AGAIN_S,
    MOST_OF_A_PERSON,
    NOTED_EVERY_S,
    TICKET_LASTS_S,
    Sessions,
)
from backend.http.wire.answers import SessionsAnswer, SignedOutAnswer
from backend.store.persons import Grant
from backend.store.sqlite.memory import MemoryStateStore
from tests.api.issuer import Issuer, bearer
from tests.api.live import BOUND_S, answer, refusal, serving
from tests.api.signing import Moving

pytestmark = pytest.mark.requirement("SESSIONS-END")

TOKEN = "a-long-random-token-22"
IDLE_S, LONGEST_S = 1800.0, 36_000.0


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
    async def test_sign_out_ends_one_session_everywhere(self, tmp_path):
        async with serving(tmp_path, token=TOKEN) as server:
            one, other = await signed_in(server), await signed_in(server)
            assert one != other
            assert (await server.http.delete("/session", headers=one)).status_code == 204
            refusal(await server.http.get("/history/ann", headers=one), 401, "unauthorized")
            assert (await server.http.get("/history/ann", headers=other)).status_code == 404

    async def test_session_ends_in_time_and_closes_its_socket_with_4401(self, tmp_path):
        async with serving(tmp_path, token=TOKEN, session_hours=1 / 3600) as server:
            own = await signed_in(server)
            async with server.socket("ann", additional_headers=own) as socket:
                assert await closed_with(socket) == 4401
            refusal(await server.http.get("/history/ann", headers=own), 401, "unauthorized")

    async def test_event_stream_ends_with_its_session(self, tmp_path):
        async with serving(tmp_path, token=TOKEN, session_hours=1 / 3600) as server:
            own = await signed_in(server)
            async with (
                asyncio.timeout(BOUND_S),
                server.http.stream("GET", "/events/ann", headers=own) as stream,
            ):
                assert b"hello" in b"".join([each async for each in stream.aiter_bytes()])

    async def test_restart_keeps_sessions_and_a_new_token_ends_them(self, tmp_path):
        async with serving(tmp_path, token=TOKEN, store="sqlite") as server:
            own = await signed_in(server)
        async with serving(tmp_path, token=TOKEN, store="sqlite") as server:
            assert (await server.http.get("/history/ann", headers=own)).status_code == 404
        async with serving(tmp_path, token="another-long-enough-secret", store="sqlite") as server:
            refusal(await server.http.get("/history/ann", headers=own), 401, "unauthorized")

    async def test_session_of_a_person_ends_with_its_token(self, tmp_path):
        issuer = Issuer()
        async with serving(tmp_path, **issuer.settings()) as server:
            answer = await server.http.post("/session", json={"token": issuer.token("ann")})
            assert 500 < int(answer.headers["set-cookie"].partition("Max-Age=")[2].partition(";")[0]) <= 610
            server.http.cookies.clear()
            refusal(await server.http.post("/session", json={"token": "wrong"}), 401, "unauthorized")

    async def test_session_ended_elsewhere_counts_for_seconds_at_most(self):
        grants, clock = MemoryStateStore(keep_events=100), Moving()
        here, there = (Sessions(grants, clock, issuer="i", lasts_s=3600) for _ in range(2))
        secret, _ = await here.begin(ONE_PARTY)
        assert (await here.principal(secret.encode())).person is None
        await there.end(secret.encode())
        clock.pass_s(LOOKED_UP_AGAIN_S)
        with pytest.raises(Unauthorized):
            await here.principal(secret.encode())

    async def test_store_holds_no_secret(self, tmp_path):
        async with serving(tmp_path, token=TOKEN, store="sqlite") as server:
            own = await signed_in(server)
        secret = own["Cookie"].partition("=")[2].encode()
        assert not any(secret in each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())


class TestTickets:
    async def test_ticket_opens_one_socket(self, tmp_path):
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

    async def test_ticket_opens_an_event_stream_and_changes_nothing(self, tmp_path):
        async with serving(tmp_path, token=TOKEN) as server:
            own = await signed_in(server)
            ticket = (await server.http.post("/tickets", headers=own)).json()["ticket"]
            changed = await server.http.post(f"/stop/ann?ticket={ticket}", json={})
            refusal(changed, 401, "unauthorized")
            async with server.http.stream("GET", f"/events/ann?ticket={ticket}") as stream:
                assert stream.status_code == 200

    async def test_ticket_is_offered_as_a_subprotocol(self, tmp_path):
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

    async def test_ticket_expires_after_half_a_minute(self):
        clock = Moving()
        sessions = Sessions(MemoryStateStore(keep_events=100), clock, issuer="i", lasts_s=3600)
        ticket, _ = await sessions.give_ticket(ONE_PARTY)
        clock.pass_s(TICKET_LASTS_S)
        with pytest.raises(Unauthorized):
            await sessions.take_ticket(ticket)

    @pytest.mark.parametrize("how", ["signed out", "ended from the list", "not used"])
    async def test_ticket_ends_with_its_session_in_every_replica(self, how):
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

    async def test_ticket_admits_one_of_many(self):
        sessions = Sessions(MemoryStateStore(keep_events=100), system_clock, issuer="i", lasts_s=3600)
        ticket, _ = await sessions.give_ticket(ONE_PARTY)
        came = await asyncio.gather(
            *(sessions.take_ticket(ticket) for _ in range(20)), return_exceptions=True
        )
        assert [each for each in came if not isinstance(each, Unauthorized)] == [ONE_PARTY]

    async def test_ticket_and_session_are_not_interchangeable(self):
        sessions = Sessions(MemoryStateStore(keep_events=100), system_clock, issuer="i", lasts_s=3600)
        ticket, _ = await sessions.give_ticket(ONE_PARTY)
        with pytest.raises(Unauthorized):
            await sessions.principal(ticket.encode())
        secret, _ = await sessions.begin(ONE_PARTY)
        with pytest.raises(Unauthorized):
            await sessions.take_ticket(secret)


@pytest.mark.parametrize(("changes", "told"), [({}, 0), ({"token": TOKEN}, 1), (Issuer().settings(), 0)])
async def test_holders_of_one_token_are_logged_as_one_party(tmp_path, changes, told):
    with capture_logs() as lines:
        async with serving(tmp_path, **changes):
            pass
    assert len([each for each in lines if "one party" in each["event"]]) == told


async def test_audit_log_has_sign_ins_and_operators_and_no_secret(tmp_path):
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


class CountingStore(MemoryStateStore):
    """Counts the writes of grants that were there before."""

    replaced = 0
    is_full = False

    async def replace_grant(self, grant, now) -> None:
        self.replaced += 1
        if self.is_full:
            raise StoreUnavailable("The disk is full.")
        await super().replace_grant(grant, now)


@pytest.fixture
def store() -> CountingStore:
    return CountingStore(keep_events=100)


@pytest.fixture
def clock() -> Moving:
    return Moving()


def of_replica(store, clock, **changes) -> Sessions:
    return Sessions(store, clock, **{"issuer": "i", "lasts_s": LONGEST_S, "idle_s": IDLE_S, **changes})


class TestIdleness:
    async def test_idle_session_ends(self, store, clock):
        sessions = of_replica(store, clock)
        secret, lasts_s = await sessions.begin(ONE_PARTY)
        assert lasts_s == LONGEST_S  # what the cookie is told: it may well be used
        principal = await sessions.principal(secret.encode())
        clock.pass_s(IDLE_S)
        assert await sessions.is_over(principal)
        with pytest.raises(Unauthorized):
            await sessions.principal(secret.encode())

    async def test_session_lasts_with_each_use_until_its_longest_time(self, store, clock):
        replicas = [of_replica(store, clock) for _ in range(2)]
        secret, _ = await replicas[0].begin(ONE_PARTY)
        uses = int(LONGEST_S / (IDLE_S / 2))
        for use in range(1, uses):
            clock.pass_s(IDLE_S / 2)
            await replicas[use % 2].principal(secret.encode())
        clock.pass_s(IDLE_S / 2)
        for sessions in replicas:
            with pytest.raises(Unauthorized):
                await sessions.principal(secret.encode())

    async def test_use_is_stored_at_most_once_a_minute(self, store, clock):
        sessions = of_replica(store, clock)
        secret, _ = await sessions.begin(ONE_PARTY)
        for _ in range(600):
            clock.pass_s(1)
            await sessions.principal(secret.encode())
        assert 1 <= store.replaced <= 600 / NOTED_EVERY_S

    async def test_use_that_cannot_be_stored_is_admitted(self, store, clock):
        sessions = of_replica(store, clock)
        secret, _ = await sessions.begin(ONE_PARTY)
        store.is_full = True
        clock.pass_s(IDLE_S / 2)
        assert await sessions.principal(secret.encode())
        assert store.replaced == 1

    async def test_session_of_an_earlier_version_gets_an_idle_time(self, store, clock):
        sessions = of_replica(store, clock)
        secret, _ = await sessions.begin(ONE_PARTY)
        (grant,) = await store.find_grants(b"session", clock())
        old = orjson.loads(grant.body)
        for name in ("begun", "used", "address", "browser"):
            del old[name]
        until = clock() + timedelta(seconds=LONGEST_S)
        await store.put_grant(Grant(digest=grant.digest, body=orjson.dumps(old), expires_at=until), clock())
        clock.pass_s(2 * IDLE_S)
        assert await sessions.principal(secret.encode())
        (seen,) = await sessions.of_person(None)
        assert seen.expires_at == clock() + timedelta(seconds=IDLE_S)
        clock.pass_s(IDLE_S)
        with pytest.raises(Unauthorized):
            await sessions.principal(secret.encode())


class TestOwnSessions:
    async def test_person_lists_and_ends_own_sessions_alone(self, tmp_path):
        issuer = Issuer()
        async with serving(tmp_path, **issuer.settings()) as server:

            async def sign_in(person: str, browser: str) -> dict[str, str]:
                body = {"token": issuer.token(person)}
                headers = {"User-Agent": browser.encode("latin-1")}
                told = await server.http.post("/session", json=body, headers=headers)
                server.http.cookies.clear()
                return {"Cookie": told.headers["set-cookie"].partition(";")[0]}

            async def seen(headers: dict[str, str]) -> list[dict]:
                listed = await server.http.get("/sessions", headers=headers)
                return answer(listed, 200, SessionsAnswer)["sessions"]

            one, two = await sign_in("ann", "One/1"), await sign_in("ann", "Two\xa0/2" + 300 * "x")
            eve = await sign_in("eve", "Eve/1")
            own = {each["browser"][:5]: each for each in await seen(one)}
            assert own["One/1"]["current"]
            assert not own["Two/2"]["current"]
            assert len(own["Two/2"]["browser"]) == 200
            assert {each["address"] for each in own.values()} == {"127.0.0.1"}
            assert set(own) == {"One/1", "Two/2"}
            assert [each["browser"] for each in await seen(eve)] == ["Eve/1"]
            with_token = await seen(bearer(issuer.token("ann")))
            assert [each["current"] for each in with_token] == [False, False]
            path = f"/sessions/{own['Two/2']['id']}"
            refusal(await server.http.delete(path, headers=eve), 404, "unknown_session")
            assert len(await seen(two)) == 2
            assert (await server.http.delete(path, headers=one)).status_code == 204
            refusal(await server.http.get("/sessions", headers=two), 401, "unauthorized")
            refusal(await server.http.delete(path, headers=one), 404, "unknown_session")
            assert len(await seen(one)) == 1
            assert one["Cookie"].partition("=")[2] not in str(own)

    async def test_operator_ends_the_sessions_of_a_person_everywhere(self, tmp_path, store, clock):
        issuer = Issuer()
        async with serving(tmp_path, **issuer.settings()) as server:
            told = await server.http.post("/session", json={"token": issuer.token("ann")})
            server.http.cookies.clear()
            own = {"Cookie": told.headers["set-cookie"].partition(";")[0]}
            ticket = (await server.http.post("/tickets", headers=own)).json()["ticket"]
            with capture_logs() as lines:
                ended = await server.http.post(
                    "/operate/sign-out",
                    json={"person": "ann"},
                    headers=bearer(issuer.token("olga", "operate")),
                )
            assert answer(ended, 200, SignedOutAnswer) == {"person": "ann", "ended": 1}
            refusal(await server.http.get("/sessions", headers=own), 401, "unauthorized")
            refusal(await server.http.get(f"/events/ann-1?ticket={ticket}"), 401, "unauthorized")
        told = [(each["event"], each["person"], each.get("whose")) for each in lines if "person" in each]
        assert told[-1] == ("an operator ended sessions", "olga", "ann")
        # In another replica it holds as soon as it looks the session up again.
        here, there = of_replica(store, clock), of_replica(store, clock)
        secrets = [
            (await here.begin(Principal(person=person, scopes=frozenset({"chat"}))))[0].encode()
            for person in ("ann", "ann", "anna")
        ]
        for secret in secrets:
            await there.principal(secret)
        assert await here.end_all("ann") == 2
        clock.pass_s(LOOKED_UP_AGAIN_S)
        for secret in secrets[:2]:
            with pytest.raises(Unauthorized):
                await there.principal(secret)
        assert (await there.principal(secrets[2])).person == "anna"

    async def test_ticket_of_a_token_is_refused_after_an_operators_sign_out(self, store, clock):
        here, there = of_replica(store, clock), of_replica(store, clock)
        ann, anna = (Principal(person=person, scopes=frozenset({"chat"})) for person in ("ann", "anna"))
        ticket, _ = await here.give_ticket(ann)  # of no session, whose end would end it as well
        others, _ = await here.give_ticket(anna)
        assert await there.end_all("ann") == 0
        with pytest.raises(Unauthorized):
            await here.take_ticket(ticket)
        assert await here.take_ticket(others) == anna

    @pytest.mark.parametrize("person", ["ann\x1b[31m", "ann\nolga", "ann\u202eagol"])
    async def test_invalid_person_is_refused_and_not_logged(self, tmp_path, person):
        issuer = Issuer()
        async with serving(tmp_path, **issuer.settings()) as server:
            own = bearer(issuer.token("olga", "operate"))
            with capture_logs() as lines:
                told = await server.http.post("/operate/sign-out", json={"person": person}, headers=own)
        refusal(told, 422, "bad_input")
        assert [each.get("whose") for each in lines if each["event"] == "an operator ended sessions"] == []

    async def test_holders_of_one_token_share_sessions(self, tmp_path):
        async with serving(tmp_path, token=TOKEN) as server:
            await server.http.post("/session", json={"token": TOKEN})
            server.http.cookies.clear()
            listed = await server.http.get("/sessions", headers=bearer(TOKEN))
            (session,) = answer(listed, 200, SessionsAnswer)["sessions"]
            told = await server.http.post("/operate/sign-out", json={"person": "ann"}, headers=bearer(TOKEN))
            refusal(told, 404, "no_persons")
            ended = await server.http.delete(f"/sessions/{session['id']}", headers=bearer(TOKEN))
            assert ended.status_code == 204
            # Here the browser keeps its list of trips: it is the only one that has it.
            assert "clear-site-data" not in (await server.http.delete("/session")).headers

    async def test_server_without_sign_in_has_no_sessions(self, tmp_path):
        async with serving(tmp_path) as server:
            assert (await server.http.get("/sessions")).json() == {"sessions": []}
            refusal(await server.http.delete("/sessions/x"), 404, "unknown_session")
            told = await server.http.post("/operate/sign-out", json={"person": "ann"})
            refusal(told, 404, "no_persons")

    async def test_sign_out_clears_the_browsers_storage(self, tmp_path):
        async with serving(tmp_path, **Issuer().settings()) as server:
            told = await server.http.delete("/session")
        assert told.headers["clear-site-data"] == '"storage"'


class TestSessionLimit:
    async def test_sign_in_beyond_the_most_ends_the_oldest_session(self, store, clock):
        here, there = of_replica(store, clock), of_replica(store, clock)
        ann, eve = (Principal(person=person, scopes=frozenset({"chat"})) for person in ("ann", "eve"))
        of_eve, _ = await here.begin(eve)
        secrets = []
        for number in range(MOST_OF_A_PERSON):
            secrets.append((await (here, there)[number % 2].begin(ann))[0].encode())
            clock.pass_s(1)
        assert len(await here.of_person("ann")) == MOST_OF_A_PERSON
        principal = await there.principal(secrets[0])
        newest, _ = await here.begin(ann)
        assert len(await here.of_person("ann")) == MOST_OF_A_PERSON
        assert await there.is_over(principal)
        clock.pass_s(LOOKED_UP_AGAIN_S)
        with pytest.raises(Unauthorized):
            await there.principal(secrets[0])
        for secret in (*secrets[1:], newest.encode()):
            assert (await there.principal(secret)).person == "ann"
        assert (await there.principal(of_eve.encode())).person == "eve"

    async def test_concurrent_sign_ins_leave_no_more_than_the_most(self, store, clock):
        replicas = [of_replica(store, clock) for _ in range(3)]
        for number in range(3):
            await asyncio.gather(*(each.begin(ONE_PARTY) for each in replicas for _ in range(50)))
            assert len(await replicas[number].of_person(None)) == MOST_OF_A_PERSON

    async def test_new_session_survives_a_slow_clock(self, store, clock):
        ahead = Moving()
        ahead.pass_s(60)
        for _ in range(MOST_OF_A_PERSON):
            await of_replica(store, ahead).begin(ONE_PARTY)
        behind = of_replica(store, clock)
        secret, _ = await behind.begin(ONE_PARTY)
        assert await behind.principal(secret.encode()) is not None
        assert len(await behind.of_person(None)) == MOST_OF_A_PERSON


class TestTicketLimit:
    async def test_ticket_beyond_the_most_ends_the_oldest(self, store, clock, monkeypatch):
        monkeypatch.setattr(bounds, "MOST_TICKETS", 3)
        here = of_replica(store, clock)
        ann, eve = (Principal(person=person, scopes=frozenset({"chat"})) for person in ("ann", "eve"))
        of_eve, _ = await here.give_ticket(eve)
        *given, taken = [(await here.give_ticket(ann))[0] for _ in range(3)]
        assert await here.take_ticket(taken) == ann  # and so it counts no more
        given += [(await here.give_ticket(ann))[0] for _ in range(2)]
        with pytest.raises(Unauthorized):
            await here.take_ticket(given[0])
        for ticket in given[1:]:
            assert await here.take_ticket(ticket) == ann
        assert await here.take_ticket(of_eve) == eve

    async def test_expired_tickets_are_forgotten(self, store, clock):
        here = of_replica(store, clock)
        for person in ("ann", "eve"):
            await here.give_ticket(Principal(person=person, scopes=frozenset({"chat"})))
        clock.pass_s(TICKET_LASTS_S)
        await here.give_ticket(Principal(person="bob", scopes=frozenset({"chat"})))
        assert [*here._tickets] == ["bob"]


class TestSignInLog:
    def test_token_is_logged_once_an_hour_for_each_address(self):
        now = [0.0]
        sign_ins = SignIns(lambda: now[0])
        ann = Principal(person="ann", scopes=frozenset({"chat"}))
        with capture_logs() as lines:
            for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2"):
                for token in (b"one", b"two"):
                    sign_ins.note(ann, address, "token", token)
            now[0] += AGAIN_AFTER_S
            sign_ins.note(ann, "192.0.2.1", "token", b"one")
        told = [(each["event"], each["person"], each["address"], each["by"]) for each in lines]
        first, second = (("signed in", "ann", f"192.0.2.{end}", "token") for end in (1, 2))
        assert told == [first, first, second, second, first]
        assert "one" not in str(lines)

    def test_logged_tokens_are_bounded(self):
        sign_ins = SignIns(lambda: 0.0)
        with capture_logs() as lines:
            for number in range(MOST_REMEMBERED + 1):
                sign_ins.note(ONE_PARTY, "192.0.2.1", "token", str(number).encode())
            assert len(sign_ins._logged) == MOST_REMEMBERED
        assert len(lines) == MOST_REMEMBERED + 1

    async def test_every_way_to_sign_in_is_logged(self, tmp_path):
        with capture_logs() as lines:
            async with serving(tmp_path, token=TOKEN) as server:
                for _ in range(3):
                    await server.http.get("/history/ann", headers=bearer(TOKEN))
                await server.http.post("/session", json={"token": TOKEN})
            proxy = {"auth": "proxy", "proxy_addresses": "127.0.0.1"}
            async with serving(tmp_path, **proxy) as server:
                for _ in range(3):
                    forwarded = {"X-Forwarded-User": "ann", "X-Forwarded-For": "203.0.113.7"}
                    await server.http.get("/conversations", headers=forwarded)
        told = [
            (each["person"], each["by"], each["address"]) for each in lines if each["event"] == "signed in"
        ]
        assert told == [
            ("one party", "token", "127.0.0.1"),
            ("one party", "session", "127.0.0.1"),
            ("ann", "proxy", "203.0.113.7"),
        ]
