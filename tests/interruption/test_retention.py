"""A server drops what is older than it is to be kept, and nothing that anybody is at work on."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from backend.conversation import retention
from backend.conversation.retention import Sweeper
from backend.domain.errors import NotFound
from backend.http.metrics import Metrics, aged_counter
from backend.store.event_bus import Ended, SubscriptionEnded
from tests.figures import figures
from tests.interruption.disk import DiskStore, Health
from tests.interruption.parts import Parts, started

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("AGED-TURNS-GO")]

DAY_S = 86_400
KEEP_DAYS = 7


class Server(Parts):
    """A process that keeps what has ended for a week."""

    def __init__(self, store: DiskStore | None = None, *, keep_days: int = KEEP_DAYS) -> None:
        super().__init__(store or DiskStore(), answer_within_s=30 * DAY_S)
        self.metrics = Metrics(clock=self.clock)
        self.sweeper = Sweeper(
            self.runner,
            self.store,
            self.interruptions,
            keep_days=keep_days,
            now=self.runner.earliest_now,
            tally=aged_counter(self.metrics),
        )

    @property
    def dropped(self) -> tuple[float, float]:
        """How many turns and users have been dropped."""
        names = ("detour_aged_turns_total", "detour_aged_users_total")
        turns, users = (sum(figures(self.metrics, name).values()) for name in names)
        return turns, users

    async def say(self, *messages: str, user: str = "ann") -> None:
        """Post messages one after the other, each once the task before has settled."""
        for message in messages:
            await self.settled(await self.post(message, user=user))

    async def said(self, user: str = "ann") -> list[str]:
        """Read what the user has said."""
        return [text for role, text in await self.history(user) if role == "user"]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with started(Server()) as server:
        yield server


async def days(count: float) -> None:
    await asyncio.sleep(count * DAY_S)


async def test_aged_turns_are_dropped_and_the_rest_goes_on(server):
    await server.say("find", "say")
    await days(5)
    await server.say("find find")
    await days(5)
    await server.sweeper.sweep()
    assert await server.said() == ["find find"]
    assert server.dropped == (2, 0)
    await server.say("say")
    assert [task.turn for task in await server.store.recent_tasks("ann", limit=9)] == [4, 3]
    seqs = [event["seq"] for event in await server.events()]
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))


async def test_nothing_is_dropped_before_its_age(server):
    await server.say("find")
    await days(6.9)
    await server.sweeper.sweep()
    assert await server.said() == ["find"]


async def test_user_with_only_aged_turns_is_deleted(server):
    await server.say("find", "say")
    await server.say("say", user="bob")
    epoch = await server.runner.epoch("ann")
    await days(8)
    await server.say("say", user="bob")
    await server.sweeper.sweep()
    assert await server.store.position("ann") is None
    assert await server.runner.epoch("ann") != epoch
    assert server.dropped == (2, 1)
    assert await server.said("bob") == ["say"]
    await server.say("hello")
    assert (await server.store.position("ann")).turn == 1


async def test_subscriber_of_a_deleted_user_is_reset(server):
    await server.say("find")
    position = await server.store.position("ann")
    async with asyncio.TaskGroup() as group:

        async def follow() -> None:
            with pytest.raises(SubscriptionEnded) as ended:
                async for _ in server.log.follow("ann", position.seq, epoch=position.epoch):
                    pass
            assert ended.value.reason is Ended.RESET

        group.create_task(follow())
        await days(8)
        await server.sweeper.sweep()


async def test_user_with_a_waiting_task_keeps_all_turns(server):
    await server.say("find")
    await server.post("ask find")
    await days(8)
    await server.sweeper.sweep()
    assert await server.said() == ["find", "ask find"]


async def test_user_with_a_running_task_keeps_all_turns(server):
    await server.say("find")
    await days(8)
    await server.post("find wait")
    await server.sweeper.sweep()
    assert await server.said() == ["find", "find wait"]


async def test_conversation_in_memory_forgets_dropped_turns(server):
    await server.say("find find", "say")
    await days(5)
    await server.say("find")
    assert server.runner.conversations.get("ann").requests.past
    await days(3)
    await server.sweeper.sweep()
    await server.say("back find")
    with pytest.raises(NotFound):
        await server.runner.stop("ann", "t0001")
    last = (await server.store.recent_tasks("ann", limit=1))[0]
    assert last.resumed_task_id is None


async def test_message_waits_for_one_retention_step_only(server, monkeypatch):
    """Each step takes the store a second here; the user's message comes in between."""
    monkeypatch.setattr(retention, "TURNS_AT_ONCE", 1)
    await server.say(*["say"] * 6)
    await days(8)
    drop, steps = server.store.drop_aged, []

    async def slow(lease, before, *, most):
        await asyncio.sleep(1)
        dropped = await drop(lease, before, most=most)
        steps.append(dropped.turns)
        return dropped

    monkeypatch.setattr(server.store, "drop_aged", slow)
    async with asyncio.TaskGroup() as group:
        group.create_task(server.sweeper.sweep())
        await asyncio.sleep(0.5)
        at = asyncio.get_running_loop().time()
        task = await server.post("find wait wait wait")
        assert asyncio.get_running_loop().time() - at <= 1
    assert steps == [1, *[0] * (len(steps) - 1)]
    assert (await server.task(task)).turn == 7
    await server.settled(task)
    await server.sweeper.sweep()
    assert await server.said() == ["find wait wait wait"]


async def test_sweep_during_an_outage_is_made_up_by_a_later_one(server):
    await server.say("find", "say")
    await days(8)
    server.store.health = Health.REFUSES
    sweeping = server.owner.spawn(server.sweeper.sweep_for_ever(), name="sweeper")
    await asyncio.sleep(1)
    server.store.health = Health.WELL
    assert await server.store.position("ann") is not None
    await asyncio.sleep(retention.SWEEP_EVERY_S)
    sweeping.cancel()
    assert await server.store.position("ann") is None


async def test_user_with_damaged_records_holds_up_nobody_else(server, monkeypatch):
    await server.say("find")
    await server.say("find", user="bob")
    await days(8)
    drop = server.store.drop_aged

    async def fails_for_ann(lease, before, *, most):
        if lease.user_id == "ann":
            raise ValueError("damaged")
        return await drop(lease, before, most=most)

    monkeypatch.setattr(server.store, "drop_aged", fails_for_ann)
    await server.sweeper.sweep()
    assert await server.store.position("bob") is None
    assert await server.store.position("ann") is not None


async def test_drained_server_drops_nothing(server):
    await server.say("find")
    await days(8)
    await server.runner.drain()
    await server.sweeper.sweep()
    assert await server.said() == ["find"]
    await server.runner.serve_again()
    await server.sweeper.sweep()
    assert await server.said() == []


async def test_deleted_users_take_no_place_in_memory(server):
    await server.say("find", user="bob")
    await days(8)
    server.runner.conversations.clear()
    await server.say("find")
    await server.sweeper.sweep()
    assert [each.user_id for each in server.runner.conversations] == ["ann"]


async def test_retention_log_line_has_counts_and_no_content(server):
    await server.say("find", "say")
    await days(8)
    with capture_logs() as logs:
        await server.sweeper.sweep()
        await server.sweeper.sweep()
    [line] = [each for each in logs if "aged" in each["event"]]
    assert line == {"event": "aged turns were dropped", "log_level": "info", "turns": 1, "users": 1}


async def test_nothing_is_dropped_without_a_setting():
    async with started(Server(keep_days=0)) as server:
        await server.say("find")
        await days(50)
        await server.sweeper.sweep_for_ever()
        assert await server.said() == ["find"]
