"""Whatever comes, at whichever step of a task's life: the promises hold. Every step is tried."""

import pytest

from backend.domain.task import TaskStatus
from tests.interruption.world import Coming, Story, World, delete, kill, say_stop, shut_down, stop, sweep

LAST = "say wait find"


async def supersede(world: World) -> None:
    world.post("ann", LAST)


async def supersede_twice(world: World) -> None:
    world.post("ann", "find slow")
    world.post("ann", LAST)


async def enqueue(world: World) -> None:
    world.post("ann", LAST, policy="enqueue")


MESSAGES = ["find say search", "find late", "hello wait say", "find raises"]
INTERRUPTIONS: list[Coming] = [
    supersede, supersede_twice, enqueue, stop, say_stop, delete, kill, shut_down,
]  # fmt: skip


@pytest.mark.requirement("ALL-HOLDS-IN-ANY-ORDER", "TERMINAL-IS-FINAL")
@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("message", MESSAGES)
def test_invariants_hold_whatever_comes_at_any_step(message, interruption):
    assert sweep(lambda: Story(message), interruption) > 20


@pytest.mark.requirement("NEWEST-MESSAGE-WINS")
@pytest.mark.parametrize("interruption", [supersede, supersede_twice, enqueue])
def test_last_message_is_answered_at_any_step(interruption):
    class Answered(Story):
        async def check(self) -> None:
            await super().check()
            last = max(self.world.accepted, key=lambda each: each.seq)
            task = await self.world.store.get_task_metadata(last.user_id, last.task_id)
            assert task.status is TaskStatus.COMPLETED

    assert sweep(lambda: Answered("find slow"), interruption, seed=1) > 20
