"""Each net is shown to hold: the faults that all servers had when they were first steered are caught here.

A fault is planted in the core; the nets that its docstring names catch it. `test_seeded` and
`test_step_sweep` cast them over the server without a fault.
"""

import gc
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from backend.conversation.conversation import Conversation
from backend.domain import events
from backend.domain.task import Task
from backend.graphs.steering import TakingIn
from backend.tasks.inbox import Inbox
from backend.tasks.task_context import TaskContext
from tests.steering.test_step_sweep import kill, steer, supersede, sweep
from tests.steering.world import play
from tests.virtual_time import run_seeded

SEEDS = 60


def drains_before_the_boundary(patch: pytest.MonkeyPatch) -> None:
    """S1: what waits is drained at each step, and given to the model only where it is safe. Seeds, steps."""
    take_in = TakingIn.at

    def drain(self: Any, boundary: Any) -> None:
        take_in(self, boundary)
        if not self._taken:
            graph = self._context.task.graph
            self._taken, self._nodes = [*self._inbox.take(graph)], boundary.nodes

    patch.setattr(TakingIn, "at", drain)


def tells_at_acceptance(patch: pytest.MonkeyPatch) -> None:
    """S2: a message is told as taken in when it is only written down. Seeds, steps."""
    tell = events.steer

    def hasty(task_id: str, message: Task, fate: Any, **more: Any) -> Any:
        return tell(task_id, message, "taken_in" if fate == "pending" else fate, **more)

    patch.setattr(events, "steer", hasty)


def drops_at_the_end(patch: pytest.MonkeyPatch) -> None:
    """S3: what waits when the run ends is forgotten. Seeds, steps."""
    end = Conversation._on_ended

    def drop(conversation: Any, ended: TaskContext) -> None:
        conversation.inbox.taken_in(conversation.inbox.waiting)
        end(conversation, ended)

    patch.setattr(Conversation, "_on_ended", drop)


def consumes_in_memory(patch: pytest.MonkeyPatch) -> None:
    """S4: the step is stored without the end of the waiting, which is in memory only. Seeds, steps,
    kills.
    """
    take_in = TaskContext.take_in

    def forget(self: Any, messages: Sequence[Task], nodes: Sequence[str], **where: Any) -> list[Any]:
        records = take_in(self, messages, nodes, **where)
        return [each for each in records if isinstance(each, dict | events.Event)]

    patch.setattr(TaskContext, "take_in", forget)


def decides_twice(patch: pytest.MonkeyPatch) -> None:
    """Nobody holds a message about which something is being decided. Seeds."""
    patch.setattr(Inbox, "hold", lambda *_: None)


def seeds() -> None:
    for seed in range(SEEDS):
        run_seeded(lambda seed=seed: play(seed), seed)


def steps() -> None:
    for interruption in (steer, supersede):
        sweep(interruption, calls=True)
        sweep(interruption, calls=False)


def kills() -> None:
    sweep(kill, calls=True)


CAUGHT_BY: dict[Callable[[pytest.MonkeyPatch], None], list[Callable[[], None]]] = {
    drains_before_the_boundary: [seeds, steps],
    tells_at_acceptance: [seeds, steps],
    drops_at_the_end: [seeds, steps],
    consumes_in_memory: [seeds, steps, kills],
    decides_twice: [seeds],
}
PAIRS = [(bug, net) for bug, nets in CAUGHT_BY.items() for net in nets]


def fails(net: Callable[[], None]) -> bool:
    try:
        net()
        failed = False
    except Exception:  # noqa: BLE001 - whichever way it fails
        failed = True
    gc.collect()
    return failed


@pytest.mark.parametrize(("bug", "net"), PAIRS, ids=[f"{bug.__name__}-{net.__name__}" for bug, net in PAIRS])
@pytest.mark.filterwarnings("ignore")  # a scenario that fails half way leaves coroutines behind
def test_planted_fault_is_caught(bug, net, monkeypatch):
    bug(monkeypatch)
    assert fails(net)
