"""Connections, unread bytes, bodies and reads are shared by address: none takes all of them.

Over real connections an attacker comes from 127.0.0.2 and everybody else from 127.0.0.1.
"""

import asyncio
import contextlib
import socket as sockets
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.errors import TooManyRequests
from backend.http.edge import guard, shares, transports
from backend.http.edge.headers import of_request
from backend.http.edge.shares import Bodies, Places, Unread
from tests.api.live import refusal, serving
from tests.fakes.waiting import until

ATTACKER = "127.0.0.2"


class Held:
    """A connection that only tells whether it was aborted."""

    def __init__(self) -> None:
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True


def entered(places: Places, address: str, count: int) -> list[Held]:
    connections = [Held() for _ in range(count)]
    return [each for each in connections if places.enter(address, each)]


def living(connections: list[Held]) -> int:
    return sum(not each.aborted for each in connections)


# --- places --------------------------------------------------------------------------------------------


def test_address_may_have_every_free_place():
    assert len(entered(Places(10), "a", 20)) == 10


def test_later_address_gets_as_many_places_as_the_first():
    places = Places(10)
    first, second = entered(places, "a", 10), entered(places, "b", 10)
    assert (living(first), living(second), len(places)) == (5, 5, 10)
    assert [each.aborted for each in first] == [False] * 5 + [True] * 5  # those that came last go first


def test_addresses_with_equal_places_do_not_push_each_other_out():
    places = Places(3)
    first, second = entered(places, "a", 3), entered(places, "b", 3)
    third = entered(places, "a", 3)
    assert (living(first), living(second), living(third)) == (2, 1, 0)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), max_size=200), st.integers(1, 8))
def test_places_are_shared_as_evenly_as_asked_for(moves, count):
    places = Places(count)
    held: dict[str, list[Held]] = {address: [] for address in "abcd"}
    for address, leaves in moves:
        if leaves and held[address]:
            places.leave(address, held[address].pop(0))
        else:
            before = {each: len(of) for each, of in held.items()}
            connection = Held()
            if places.enter(address, connection):
                held[address].append(connection)
            else:
                # Refused only where an exchange would make nothing more even.
                assert sum(before.values()) == count
                assert before[address] + 1 >= max(before.values())
        held = {each: [one for one in of if not one.aborted] for each, of in held.items()}
        assert len(places) == sum(map(len, held.values())) <= count


def test_place_is_freed_once():
    places = Places(2)
    (connection,) = entered(places, "a", 1)
    for _ in range(2):
        places.leave("a", connection)
    assert len(places) == 0
    assert len(entered(places, "b", 3)) == 2


# --- what is not read ----------------------------------------------------------------------------------


def test_largest_unread_connection_is_aborted_first():
    unread = Unread(100)
    small, large, other = Held(), Held(), Held()
    unread.note("a", small, 20)
    unread.note("b", other, 40)
    unread.note("a", large, 35)
    assert not any(each.aborted for each in (small, large, other))
    unread.note("c", Held(), 10)
    assert (small.aborted, large.aborted, other.aborted) == (False, True, False)
    assert unread.total == 70


def test_single_large_answer_is_allowed():
    unread = Unread(100)
    first, second = Held(), Held()
    unread.note("a", first, 500)
    assert not first.aborted
    unread.note("a", second, 400)
    assert (first.aborted, second.aborted, unread.total) == (True, False, 400)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 5), st.integers(0, 50)), max_size=100))
def test_unread_bytes_are_those_noted_last(notes):
    unread = Unread(10**9)
    connections = [Held() for _ in range(6)]
    counts: dict[tuple[str, int], int] = {}
    for address, number, count in notes:
        if count:
            unread.note(address, connections[number], count)
            counts[address, number] = count
        else:
            unread.forget(address, connections[number])
            counts.pop((address, number), None)
        assert unread.total == sum(counts.values())


# --- bodies --------------------------------------------------------------------------------------------


def test_unfinished_bodies_are_bounded():
    bodies = Bodies(of_address=100, in_all=150)
    with bodies.unfinished("a", retry_after_s=20) as first:
        first(90)
        with (
            pytest.raises(TooManyRequests, match="arrive too slowly") as refused,
            bodies.unfinished("a", retry_after_s=20) as second,
        ):
            second(11)
        assert refused.value.retry_after_s == 20
        with bodies.unfinished("b", retry_after_s=20) as other:
            other(60)
            with pytest.raises(TooManyRequests), bodies.unfinished("c", retry_after_s=20) as third:
                third(1)
    assert bodies.total == 0


# --- over real connections -----------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def connections_from(live, address: str, count: int, data: bytes = b""):
    """Yield connections that sent so much, all of them made."""
    loop = asyncio.get_running_loop()
    with contextlib.ExitStack() as opened:
        made = []
        for _ in range(count):
            connection = opened.enter_context(sockets.socket())
            connection.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
            connection.bind((address, 0))
            connection.setblocking(False)
            await loop.sock_connect(connection, ("127.0.0.1", live.port))
            await loop.sock_sendall(connection, data)
            made.append(connection)
        yield made


HALF_A_BODY = b"POST /chat HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 100\r\n\r\n{"
EVENTS = b"GET /events/ada HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"


@pytest.mark.uvloop
@pytest.mark.requirement("NO-ADDRESS-TAKES-ALL")
@pytest.mark.parametrize(
    "data", [b"", b"GET / HT", HALF_A_BODY, EVENTS], ids=["none", "head", "body", "stream"]
)
async def test_address_with_every_connection_locks_nobody_out(tmp_path, monkeypatch, data):
    monkeypatch.setattr(transports, "CONNECTIONS", 8)
    if b"%d" in data:
        data = data.replace(b"%d", b"1")
    async with (
        serving(tmp_path, sockets_per_user=100, allowed_hosts=("127.0.0.1:1",)) as live,
        connections_from(live, ATTACKER, 20, data),
    ):
        await until(lambda: len(live.server.server_state.connections) >= 8)
        assert (await live.call("GET", "/health")).status_code == 200
        async with live.socket("bob") as socket:
            assert await socket.recv()


@pytest.mark.uvloop
@pytest.mark.requirement("NO-ADDRESS-TAKES-ALL")
async def test_unread_answers_are_bounded(tmp_path):
    async with serving(tmp_path, messages_per_minute=0) as live:
        await live.chat_to_end("ada", "big 3000000")
        bounds = live.server.config.http_protocol_class.bounds
        bounds.unread._most = 8_000_000
        request = b"GET /partial-results/ada HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % live.port
        most = 0
        async with connections_from(live, ATTACKER, 20, request):
            for _ in range(5):
                found = await live.call("GET", "/partial-results/ada")
                assert len(found.content) > 3_000_000
                held = [each.transport for each in live.server.server_state.connections]
                most = max(most, sum(each.get_write_buffer_size() for each in held if not each.is_closing()))
        assert 0 < most <= 8_000_000 + 4_000_000


@pytest.mark.requirement("NO-ADDRESS-TAKES-ALL")
async def test_slow_bodies_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(guard, "Bodies", lambda: Bodies(of_address=1000, in_all=10_000))
    async with serving(tmp_path) as live:
        head = b"POST /chat HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 2000\r\n\r\n" % live.port
        async with connections_from(live, ATTACKER, 3, head + b"{" * 500) as slow:
            received = await asyncio.get_running_loop().sock_recv(slow[2], 1 << 16)
            assert received.startswith(b"HTTP/1.1 429 ")
            assert b"retry-after: 20" in received
            await live.chat("ada", "find 1")


@pytest.mark.requirement("NO-ADDRESS-TAKES-ALL")
async def test_streams_of_one_address_are_bounded(tmp_path):
    async with serving(tmp_path, address_streams=2) as live:
        async with live.socket("ada") as first, live.socket("bob") as second:
            assert await first.recv()
            assert await second.recv()
            async with live.socket("cem") as third:
                with contextlib.suppress(Exception):
                    await third.recv()
                assert third.close_code == 4409
            refusal(await live.call("GET", "/events/cem"), 429, "too_many_requests")
        await live.until_all_have_left()
        assert (live.detour._services.streams_by_address, live.detour.open_streams) == ({}, 0)


class GatedHistory:
    """In the place of a store's `history`: counts who reads at once, until the gate opens."""

    def __init__(self, store) -> None:
        self._history = store.history
        self.open = asyncio.Event()
        self.reading: Counter[str] = Counter()
        self.most: Counter[str] = Counter()

    async def __call__(self, user_id: str, *, limit: int, before: str | None = None):
        address = of_request.get()
        self.reading[address] += 1
        self.most[address] = max(self.most[address], self.reading[address])
        await self.open.wait()
        self.reading[address] -= 1
        return await self._history(user_id, limit=limit, before=before)


@pytest.mark.uvloop
@pytest.mark.requirement("NO-ADDRESS-TAKES-ALL")
async def test_address_with_hundreds_of_reads_has_few_at_once(tmp_path, monkeypatch):
    """Caught the rows of 2,500 answers in memory at once, with everybody's reads and messages behind them."""
    async with serving(tmp_path) as live:
        await live.chat_to_end("ada", "find 1")
        gated = GatedHistory(live.detour.store)
        monkeypatch.setattr(live.detour.store, "history", gated)
        request = b"GET /history/ada HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % live.port
        at_work, waiting = shares.ADDRESS_ANSWERS_AT_ONCE, shares.ADDRESS_ANSWERS_WAITING
        async with connections_from(live, ATTACKER, at_work + waiting, request) as asking:
            turns = live.detour._services.answers._turns
            await until(lambda: turns.waiting(ATTACKER) == waiting)
            async with connections_from(live, ATTACKER, 1, request) as beyond:
                received = await asyncio.get_running_loop().sock_recv(beyond[0], 1 << 16)
                assert received.startswith(b"HTTP/1.1 429 ")
                assert b"retry-after: 2" in received
            async with connections_from(live, "127.0.0.1", 1, request) as neighbour:
                await until(lambda: gated.reading["127.0.0.1"] == 1)
                gated.open.set()
                for each in (*neighbour, *asking):
                    received = await asyncio.get_running_loop().sock_recv(each, 1 << 16)
                    assert received.startswith(b"HTTP/1.1 200 ")
        assert gated.most[ATTACKER] == at_work
        assert (turns.taken, turns.waiting(ATTACKER)) == (0, 0)
