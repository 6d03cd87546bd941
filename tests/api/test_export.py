"""`GET /users/{user_id}/export`: a user's data as a file of JSON."""

import asyncio
from collections.abc import AsyncGenerator

import orjson
import pytest

from backend.domain.encoding import system_clock
from backend.domain.errors import StoreUnavailable, TooManyRequests
from backend.http.edge.shares import answers
from backend.http.event_stream import Download
from backend.http.routes import events as export
from backend.http.wire.answers import ExportAnswer
from backend.http.wire.examples import EXAMPLES
from backend.store.export import EXPORTED_TABLES, Exported
from backend.store.sqlite.memory import MemoryStateStore
from backend.tasks.task_owner import TaskOwner
from tests.agents.booking_guest import FLIGHTS, a_house
from tests.api.live import answer, refusal

pytestmark = pytest.mark.requirement("EXPORT-HAS-EVERYTHING")


@pytest.mark.parametrize("path", ["/users/ada/export", "/v1/users/ada/export"])
async def test_export_is_a_file_with_every_table(api, path):
    await api.chat("ada", "find 1, hold")
    await api.until_found("ada", 1)
    found = await api.call("GET", path)
    told = answer(found, 200, ExportAnswer)
    assert found.headers["content-disposition"] == 'attachment; filename="detour-export.json"'
    assert found.headers["cache-control"] == "no-store"
    assert list(told) == ["user_id", "exported_at", *EXPORTED_TABLES, "damaged"]
    assert (told["user_id"], told["messages"][0]["text"]) == ("ada", "find 1, hold")
    assert told["tasks"][0]["status"] == "running"


def test_export_example_has_every_table():
    assert list(EXAMPLES["ExportAnswer"]) == ["user_id", "exported_at", *EXPORTED_TABLES, "damaged"]


async def test_export_of_unknown_user_returns_404(api):
    refusal(await api.call("GET", "/users/nobody/export"), 404, "unknown_user")


async def test_export_has_the_bookings_of_the_demo_inventory(tmp_path):
    async with a_house(tmp_path) as house:
        await house.say("ann", FLIGHTS)
        reference = await house.book("ann", "hold the cheapest flight")
        told = answer(await house.call("GET", "/users/ann/export"), 200, ExportAnswer)
    (booking,) = told["bookings"]
    assert (booking["reference"], booking["state"]) == (reference, "held")


class BreaksOff(MemoryStateStore):
    """Gives the first entries of an export, and then no more."""

    async def export(self, user_id: str) -> AsyncGenerator[Exported, None]:
        yield Exported("users", b"{}")
        yield Exported("messages", b"{}")
        raise StoreUnavailable("The disk does not answer.")


class Streams:
    """What a download asks of the server's parts."""

    def __init__(self, store: MemoryStateStore) -> None:
        self.store, self.clock, self.open = store, system_clock, 0
        self.owner = TaskOwner()
        self.answers = answers()

    def long_read(self, _user_id):
        return self.answers.turn("")

    def open_stream(self, _user_id: str) -> None:
        if self.open:
            raise TooManyRequests("This user has too many sockets and event streams open.")
        self.open += 1

    def close_stream(self, _user_id: str) -> None:
        self.open -= 1


async def stays():
    """The client says nothing more."""
    await asyncio.Event().wait()


async def sent(services: Streams, send, receive=stays) -> None:
    document = export._document(services, "ada", {})
    await Download(services, "ada", document, name="a.json")({}, receive, send)
    assert len(services.owner) == 0


async def test_export_that_cannot_be_completed_is_cut(monkeypatch):
    monkeypatch.setattr(export, "PIECE_BYTES", 1)
    services, messages = Streams(BreaksOff()), []

    async def send(message):
        messages.append(message)

    await sent(services, send)
    assert messages[-1]["more_body"]
    assert services.open == 0


@pytest.mark.virtual_time
async def test_export_ends_for_a_client_that_takes_nothing(monkeypatch):
    services, messages = Streams(BreaksOff()), []

    async def send(message):
        messages.append(message)
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    await sent(services, send)
    assert len(messages) == 2
    assert services.open == 0


class Long(MemoryStateStore):
    """Has very much of a user, and tells when it was left before its end."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = True

    async def export(self, user_id: str) -> AsyncGenerator[Exported, None]:
        for _ in range(1_000):
            await asyncio.sleep(0)
            yield Exported("messages", b"{}")
        self.let_go = False


async def test_export_ends_for_a_client_that_has_gone(monkeypatch):
    """To send to a connection that is closed succeeds: that alone would go on to the end."""
    monkeypatch.setattr(export, "PIECE_BYTES", 1)
    store, pieces, left = Long(), [], asyncio.Event()

    async def send(message):
        pieces.append(message)
        if len(pieces) == 5:
            left.set()

    async def receive():
        await left.wait()
        return {"type": "http.disconnect"}

    services = Streams(store)
    await sent(services, send, receive)
    assert pieces
    assert store.let_go
    assert services.open == 0


class Damaged(MemoryStateStore):
    """Has rows that cannot be read, the first one too."""

    async def export(self, user_id: str) -> AsyncGenerator[Exported, None]:
        for table, entry in [("messages", None), ("messages", b"{}"), ("tasks", None), ("tasks", None)]:
            yield Exported(table, entry)


async def test_export_omits_and_counts_damaged_rows():
    pieces = []

    async def send(message):
        pieces.append(message.get("body", b""))

    await sent(Streams(Damaged()), send)
    told = orjson.loads(b"".join(pieces))
    assert (told["messages"], told["tasks"], told["events"]) == ([{}], [], [])
    assert told["damaged"] == {"messages": 1, "tasks": 2}


async def test_exports_count_among_the_streams_of_a_user():
    services = Streams(BreaksOff())
    services.open_stream("ada")
    with pytest.raises(TooManyRequests):
        await sent(services, None)
