"""Each net is shown to hold: a bug that is planted in the core is caught by the nets its docstring names.

The nets: the step sweep, those of answers and of closings, fifty at once, kills during recovery, random lives
under a seeded scheduler, and hypothesis' lives. `test_any_order` and `test_any_life` run the last two without
a bug.
"""

import asyncio
import contextlib
import gc
from collections.abc import Callable
from typing import Any

import pytest

from backend.conversation import accepting, agent_manager, answering
from backend.conversation import answering as closing
from backend.conversation import recovery as take_over
from backend.conversation.agent_manager import AgentManager
from backend.conversation.conversation import Conversation
from backend.conversation.recovery import MOST_ATTEMPTS, _retry
from backend.domain.errors import StoreUnavailable
from backend.domain.task import InterruptReason, TaskStatus
from backend.domain.task_life import Transition
from backend.interruption_manager import InterruptionManager
from backend.store.records import MustBeOpen
from backend.tasks.settlement import Ending, ending_records
from backend.tasks.task_context import TaskContext
from tests.interruption.disk import WRITE_S
from tests.interruption.parts import Parts
from tests.interruption.test_any_life import live
from tests.interruption.test_fifty_at_once import post_all
from tests.interruption.test_question_races import Asked, answer_too, say_something_else
from tests.interruption.test_step_sweep import supersede
from tests.interruption.world import Story, World, play, shut_down, stop, sweep
from tests.stored import tasks_in
from tests.virtual_time import run_seeded

SEEDS = 120


class CancelsWithoutAReason(InterruptionManager):
    """An interruption only cancels the work, and forgets to set the reason. Steps, fifty, seeds, lives."""

    def interrupt_task(self, task_id: str, reason: InterruptReason) -> bool:
        supervision = self._in_flight.get(task_id)
        return supervision is not None and supervision.work.cancel()


class SettlesBeforeTheEnd(InterruptionManager):
    """The supervisor does not wait for the cancelled work to end. Steps, seeds, lives."""

    def interrupt_task(self, task_id: str, reason: InterruptReason) -> bool:
        told = super().interrupt_task(task_id, reason)
        if told:
            self._in_flight[task_id].end_wait()
        return told


class SettlesInTheWork(InterruptionManager):
    """There is no supervisor: the work writes its own ending, and one cancelled before its first step none.
    Steps, seeds.
    """

    async def _supervise(self, run: Any) -> None:
        if run.context.reason is not None and run.context not in self._begun:
            del self._in_flight[run.context.task_id]
            return
        await super()._supervise(run)

    def start(self, context: TaskContext, work: Any, then: Any = lambda _context: None) -> None:
        async def begun(context: TaskContext) -> str:
            self._begun.append(context)
            return await work(context)

        self._begun = getattr(self, "_begun", [])
        super().start(context, begun, then)


class SettlesTwice(InterruptionManager):
    """Whoever interrupts writes the ending, the supervisor does so too, and nobody compares. Steps, fifty,
    seeds, lives.
    """

    def interrupt_task(self, task_id: str, reason: InterruptReason) -> bool:
        told = super().interrupt_task(task_id, reason)
        if told:
            context = self._in_flight[task_id].context
            before, life = context.task, context.life
            records = ending_records(context, Ending(step=Transition.SETTLE), (), now=self._clock())
            context._task, context.life = before, life
            self._log.record(context.lease, *(records or ()))
        return told


class PublishesOn(InterruptionManager):
    """A task goes on to publish after its interruption, until its ending is written. Steps, seeds, lives."""

    def create_task_context(self, *args: Any, **kwargs: Any) -> TaskContext:
        context = super().create_task_context(*args, **kwargs)
        context.__class__ = _Careless
        return context


class _Careless(TaskContext):
    @property
    def closed(self) -> bool:
        return self.task.status.terminal

    def request_interruption(self, reason: InterruptReason) -> bool:
        return self.reason is None and super().request_interruption(reason)


class ForgetsWhatCouldNotBeStored(InterruptionManager):
    """What the store does not take at once is dropped. Seeds, lives."""

    def create_task_context(self, *args: Any, **kwargs: Any) -> TaskContext:
        context = super().create_task_context(*args, **kwargs)
        context.__class__ = _Forgetful
        return context


class _Forgetful(TaskContext):
    def record(self, *records: Any) -> None:
        with contextlib.suppress(StoreUnavailable):
            self._log.record(self.lease, *records)


def acts_before_it_is_durable(patch: pytest.MonkeyPatch) -> None:
    """The old task is told to end before the message is stored. Seeds, lives."""
    store = accepting.store

    async def store_too_late(conversation: Any, decided: Any, *more: Any, **others: Any) -> Any:
        if decided.superseded is not None:
            conversation.interrupt(decided.superseded, decided.reason)
        return await store(conversation, decided, *more, **others)

    patch.setattr(accepting, "store", store_too_late)


class LeavesRunningAtShutdown(AgentManager):
    """A shutdown ends what runs, and not what is being accepted meanwhile. Closings."""

    async def close(self, *, grace_s: float) -> None:
        running = self._runtime.interruptions.running_tasks()
        for task_id in running:
            self._runtime.interruptions.interrupt_task(task_id, InterruptReason.SHUTDOWN)
        for task_id in running:
            await self._runtime.interruptions.wait_settled(task_id)


class DecidesWithoutALock(AgentManager):
    """Messages of one user are accepted side by side. Fifty, seeds, lives."""

    def _locked(self, user_id: str, **how: Any) -> Any:
        conversation = self.conversations.get(user_id)
        if conversation is not None:
            conversation.lock = asyncio.Lock()
        return super()._locked(user_id, **how)


def starts_only_what_waits_longest(patch: pytest.MonkeyPatch) -> None:
    """What waits is forgotten as soon as nothing is at work. Fifty, seeds, lives."""
    note_over = Conversation._on_run_over

    def forget_the_queue(conversation: Any, context: TaskContext) -> None:
        del conversation.queued[1:]
        note_over(conversation, context)

    patch.setattr(Conversation, "_on_run_over", forget_the_queue)


def hands_over_before_it_is_durable(patch: pytest.MonkeyPatch) -> None:
    """The graph gets an answer that is not stored yet. Seeds, lives."""
    resolve = answering.resolve

    async def hasty(conversation: Any, context: TaskContext, reading: Any, **more: Any) -> int:
        for request_id, answer in reading.answers.items():
            context.inputs.put(context.inputs.get(request_id).resolved("answered", answer))
        conversation.resume()
        return await resolve(conversation, context, reading, **more)

    patch.setattr(answering, "resolve", hasty)
    patch.setattr(accepting, "resolve", hasty)


def answers_without_looking(patch: pytest.MonkeyPatch) -> None:
    """Whoever answers holds no conversation, and nobody compares. Answers, seeds, lives."""
    answer_request, closing_records = answering.answer_request, closing._closing_records

    async def blind(conversation: Any, request_id: str, **more: Any) -> Any:
        held, conversation.lock = conversation.lock, asyncio.Lock()
        held.release()  # others need not wait for this one
        await held.acquire()
        return await answer_request(conversation, request_id, **more)

    def unconditional(context: TaskContext, resolved: Any, request_ids: Any, **more: Any) -> Any:
        records = closing_records(context, resolved, request_ids, **more)
        context.inputs.release(request_ids)
        return [each for each in records if not isinstance(each, MustBeOpen)]

    patch.setattr(agent_manager, "answer_request", blind)
    patch.setattr(closing, "_closing_records", unconditional)


def runs_beside_itself(patch: pytest.MonkeyPatch) -> None:
    """A task that is answered while another branch works is started a second time. Answers, seeds, lives."""

    def resume(conversation: Any, *, after_rest: bool = True) -> None:
        context = conversation.interruptible
        if context is not None and not conversation.runtime.interruptions.shutting_down:
            context.resume(after_rest=after_rest)
            run, then = conversation.workflow.run, conversation._on_run_over
            conversation.runtime.interruptions.start(context, run, then)

    patch.setattr(Conversation, "resume", resume)


class LeavesQuestionsOpen(InterruptionManager):
    """A task that ends does not withdraw what it has asked. Seeds, lives."""

    async def _store_ending(self, supervision: Any) -> None:
        inputs = supervision.context.inputs
        inputs.hold([each.request_id for each in inputs.open])
        await super()._store_ending(supervision)


class RestsWithWhatIsNotStored(InterruptionManager):
    """A task comes to rest though its question could not be stored yet. Seeds."""

    def create_task_context(self, *args: Any, **kwargs: Any) -> TaskContext:
        context = super().create_task_context(*args, **kwargs)
        context.save_unsaved = lambda: True
        return context


def retries_what_was_told_to_end(patch: pytest.MonkeyPatch) -> None:
    """Recovery does not look at why a task was told to end. Seeds, lives."""
    recover = take_over.recover

    async def careless(conversation: Any, task: Any) -> None:
        if task.status is TaskStatus.QUEUED:
            await recover(conversation, task)
        else:
            ended = task.status.terminal
            context = None if ended else conversation.runtime.interruptions.create_task_context(task)
            await _retry(conversation, task, context)

    patch.setattr(take_over, "recover", careless)


def settles_first_and_retries_later(patch: pytest.MonkeyPatch) -> None:
    """Recovery ends a lost task in one write and retries its message in another. Kills."""

    async def twice(conversation: Any, task: Any) -> None:
        if not task.status.terminal:
            context = conversation.runtime.interruptions.create_task_context(task)
            await conversation.runtime.interruptions.settle(context, InterruptReason.LOST)
            await _retry(conversation, task)

    patch.setattr(take_over, "recover", twice)


def gives_nothing_up(patch: pytest.MonkeyPatch) -> None:
    """Recovery retries a message for ever, though it brings the server down each time. Kills."""

    async def patient(conversation: Any, task: Any) -> None:
        await _retry(conversation, task, conversation.runtime.interruptions.create_task_context(task))

    patch.setattr(take_over, "recover", patient)


def with_bug(bug: Any, patch: pytest.MonkeyPatch) -> type[Parts]:
    """Return a server with a bug in it: another class for one of its parts, or a patch."""
    if not isinstance(bug, type):
        bug(patch)
        return Parts
    name = "manager_type" if issubclass(bug, InterruptionManager) else "runner_type"
    return type("Buggy", (Parts,), {name: bug})


def steps(parts_type: type[Parts]) -> None:
    """Interrupt at every step, and just before the first."""
    for interruption in (supersede, stop):
        for message in ("find late", "find slow"):
            sweep(lambda message=message: Story(message, parts_type=parts_type), interruption)


def closings(parts_type: type[Parts]) -> None:
    """Shut down at every step of a task's life, which is longer than a server has to go down."""

    class InGoodOrder(Story):
        async def check(self) -> None:
            await super().check()
            assert InterruptReason.LOST not in {task.reason for task in tasks_in(self.world.store.kept)}

    sweep(lambda: InGoodOrder("find" + " wait" * 25, parts_type=parts_type), shut_down)


def fifty(parts_type: type[Parts]) -> None:
    for policy in ("interrupt", "enqueue"):
        run_seeded(lambda policy=policy: post_all(0, lambda *_: {"policy": policy}, parts_type=parts_type), 0)


def kills(parts_type: type[Parts]) -> None:
    """Kill the server, and the next one at every moment of its recovery; then again and again."""

    async def killed(after_s: float) -> None:
        world = await World(parts_type).start()
        world.post("ann", "find gate")
        await asyncio.sleep(0.5)
        await world.kill(next_lives_s=after_s)
        await world.finish()

    async def killed_for_ever() -> None:
        world = await World(parts_type).start()
        world.post("ann", "find gate")
        for _ in range(MOST_ATTEMPTS):
            await asyncio.sleep(0.5)
            await world.kill()
        assert world.parts.interruptions.running_tasks() == []
        await world.finish()

    for moment in range(12):
        run_seeded(lambda moment=moment: killed(moment * WRITE_S / 2), moment)
    run_seeded(killed_for_ever, 0)


def answers(parts_type: type[Parts]) -> None:
    """Let whatever may come meet an answer at every step."""
    for coming in (answer_too, say_something_else, stop):
        for rested in (True, False):
            sweep(lambda rested=rested: Asked(rested=rested, parts_type=parts_type), coming)


def seeds(parts_type: type[Parts]) -> None:
    for seed in range(SEEDS):
        run_seeded(lambda seed=seed: play(seed, parts_type=parts_type), seed)


def lives(parts_type: type[Parts]) -> None:
    live(parts_type, examples=800, shrink=False)


CAUGHT_BY: dict[Any, list[Callable[[type[Parts]], None]]] = {
    CancelsWithoutAReason: [steps, fifty, seeds, lives],
    SettlesBeforeTheEnd: [steps, seeds, lives],
    SettlesInTheWork: [steps, seeds],
    SettlesTwice: [steps, fifty, seeds, lives],
    PublishesOn: [steps, seeds, lives],
    ForgetsWhatCouldNotBeStored: [seeds, lives],
    acts_before_it_is_durable: [seeds, lives],
    LeavesRunningAtShutdown: [closings],
    DecidesWithoutALock: [fifty, seeds, lives],
    starts_only_what_waits_longest: [fifty, seeds, lives],
    hands_over_before_it_is_durable: [seeds, lives],
    answers_without_looking: [answers, seeds, lives],
    runs_beside_itself: [answers, seeds, lives],
    LeavesQuestionsOpen: [seeds, lives],
    RestsWithWhatIsNotStored: [seeds],
    retries_what_was_told_to_end: [seeds, lives],
    settles_first_and_retries_later: [kills],
    gives_nothing_up: [kills],
}
PAIRS = [(bug, net) for bug, nets in CAUGHT_BY.items() for net in nets]


def fails(net: Callable[[type[Parts]], None], parts_type: type[Parts]) -> bool:
    try:
        net(parts_type)
        failed = False
    except Exception:  # noqa: BLE001 - whichever way it fails
        failed = True
    gc.collect()
    return failed


@pytest.mark.parametrize(("bug", "net"), PAIRS, ids=[f"{bug.__name__}-{net.__name__}" for bug, net in PAIRS])
@pytest.mark.filterwarnings("ignore")  # a scenario that fails half way leaves coroutines behind
def test_planted_bug_is_caught(bug, net, monkeypatch):
    assert fails(net, with_bug(bug, monkeypatch))


@pytest.mark.parametrize("net", [steps, closings, fifty, kills, answers], ids=lambda net: net.__name__)
def test_net_passes_the_server_without_a_bug(net):
    net(Parts)
