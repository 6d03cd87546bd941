"""Whatever is written, in whatever order and company, SQLite and memory tell the same."""

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from structlog.testing import capture_logs

from backend.domain.context import InterruptedContext
from backend.domain.encoding import encode
from backend.domain.model_usage import RequestedCall, Usage
from backend.domain.partials import PartialBatch, PartialResults
from backend.domain.task import AgentProgress, InterruptReason, Message, Task, TaskStatus
from backend.store import threads as thread_steps
from backend.store.base import StateStore
from backend.store.ownership import Lease
from backend.store.postgres.store import PostgresStateStore
from backend.store.records import (
    Acceptance,
    Checkpoint,
    ForgetCheckpoint,
    ForgetPartials,
    MustBeOpen,
    NewUser,
    SavedPartial,
    SavedProgress,
    SavedReceipt,
)
from backend.store.sqlite import store as sqlite
from backend.store.sqlite.memory import MemoryStateStore
from backend.store.sqlite.store import SqliteStateStore
from backend.store.threads import SavedThread, ThreadStep
from backend.tasks.task_owner import TaskOwner
from tests.contract.conftest import Heard
from tests.contract.reading import (
    CLIENT_IDS,
    GRAPHS,
    TURNS,
    all_that_is_told,
    as_if_never_copied,
    exported_but_events,
)
from tests.model_store import ModelStore
from tests.postgres import Server
from tests.records import (
    AT,
    a_context,
    a_message,
    a_model_step,
    a_task,
    a_thread_step,
    a_tool_call,
    an_event,
    an_input,
)

USERS = ("ann", "bob")

turns = st.sampled_from(TURNS)
few_turns = st.sampled_from(TURNS[:3])
texts = st.text(max_size=8)
times = st.datetimes(timezones=st.just(UTC))
moments = st.sampled_from([AT, AT + timedelta(seconds=1)]) | times
values = st.dictionaries(
    texts,
    st.none() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    max_size=2,
)
batches = st.builds(
    PartialBatch.of,
    st.sampled_from(["flight", "hotel"]),
    st.lists(values, max_size=2),
    source=st.none() | texts,
    call_id=st.none() | texts,
)
progress = st.builds(
    AgentProgress,
    state=st.sampled_from(["working", "done"]),
    detail=texts,
    count=st.integers(0, 9),
    request=st.none() | st.dictionaries(texts, texts, max_size=2),
    since=st.none() | st.just(AT),
    until=st.none() | st.just(AT + timedelta(microseconds=1)),
)
acceptances = st.builds(Acceptance, st.sampled_from(CLIENT_IDS), texts.map(str.encode))
unknown = st.just("a record that no store knows")


def tasks(user_id: str) -> st.SearchStrategy[Task]:
    return st.builds(
        lambda turn, **fields: a_task(user_id, turn, aside=turn == 2, **fields),
        few_turns,
        status=st.sampled_from(TaskStatus),
        reason=st.none() | st.sampled_from(InterruptReason),
        updated_at=times,
        started_at=st.none() | times,
        interrupt_requested_at=st.none() | times,
        request=st.none() | values,
    )


def messages(user_id: str) -> st.SearchStrategy[Message]:
    return st.builds(
        lambda turn, position, **fields: a_message(user_id, turn, position, **fields),
        few_turns,
        st.integers(0, 3),
        text=texts,
        at=times,
        interrupted=st.booleans(),
    )


def contexts(user_id: str) -> st.SearchStrategy[InterruptedContext]:
    found = st.lists(batches, max_size=2).map(lambda found: encode(PartialResults(found).fragment()))
    return st.builds(
        lambda turn, **fields: a_context(user_id, turn, **fields),
        turns,
        at=times,
        text=texts,
        partial_results=found,
        request=st.none() | values,
    )


def inputs(user_id: str) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda turn, number, **fields: an_input(user_id, turn, number, **fields),
        few_turns,
        st.integers(1, 2),
        resolution=st.none() | st.sampled_from(["answered", "withdrawn", "expired"]),
        answer=st.none() | values,
    )


def tool_calls(user_id: str) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda turn, number, **fields: a_tool_call(user_id, turn, number, **fields),
        few_turns,
        st.integers(1, 2),
        effect=st.sampled_from(["read", "write"]),
        state=st.sampled_from(["waiting", "running", "ended"]),
        outcome=st.none() | st.sampled_from(["completed", "unknown"]),
        summary=texts,
        arguments=values,
        result=st.none() | values,
        started_at=st.none() | times,
        ended_at=st.none() | times,
        fresh_until=st.none() | times,
        found=st.none() | st.integers(0, 9),
    )


def model_steps(user_id: str) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda turn, position, **fields: a_model_step(user_id, turn, position, **fields),
        few_turns,
        st.integers(0, 2),
        text=texts,
        calls=st.lists(
            st.builds(RequestedCall, call_id=texts, tool=texts, arguments=values, key=texts, refused=texts),
            max_size=2,
        ).map(tuple),
        usage=st.builds(Usage, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.booleans()),
        at=times,
    )


def pauses(user_id: str) -> st.SearchStrategy[Any]:
    ids = st.builds(lambda turn, number: f"{user_id}-{turn}-q{number}", few_turns, st.integers(1, 2))
    return (
        inputs(user_id)
        | st.builds(MustBeOpen, ids)
        | st.builds(Checkpoint, few_turns, texts.map(str.encode), st.booleans())
        | st.builds(ForgetCheckpoint, few_turns)
        | tool_calls(user_id)
        | model_steps(user_id)
    )


def records(user_id: str) -> st.SearchStrategy[Any]:
    return st.one_of(
        tasks(user_id),
        messages(user_id),
        contexts(user_id),
        texts.map(an_event),
        st.builds(SavedPartial, few_turns, st.just(0), batches | st.none(), texts),
        st.builds(
            SavedReceipt, few_turns, few_turns.map(lambda turn: f"{user_id}-{turn}"), texts.map(str.encode)
        ),
        st.builds(SavedProgress, few_turns, st.sampled_from(["flight", "hotel"]), progress),
        acceptances,
        st.builds(ForgetPartials, few_turns),
        st.builds(
            SavedThread,
            user_id=st.just(user_id),
            created_at=times,
            updated_at=times,
            metadata=st.sampled_from([{}, {"a": 1}, {"a": 1, "b": "x"}]),
        ),
    )


pieces = st.lists(st.sampled_from([b"a" * 9, b"b" * 9, b"c" * 40, b"d"]), max_size=3)
steps = st.builds(
    lambda graph, own, paged, turn: a_thread_step(1, *own, paged=paged, graph=graph, turn=turn),
    st.sampled_from(GRAPHS),
    pieces,
    pieces,
    few_turns,
)
waits = st.booleans()
writes = st.sampled_from(USERS).flatmap(
    lambda user_id: st.tuples(
        st.just(user_id),
        waits,
        st.lists(records(user_id), max_size=4)
        | st.lists(contexts(user_id), max_size=7)
        | st.lists(texts.map(an_event) | acceptances | unknown, max_size=3)
        | st.lists(pauses(user_id) | texts.map(an_event), max_size=5)
        | st.lists(steps | texts.map(an_event), max_size=6)
        | st.lists(tasks(user_id) | st.builds(ForgetPartials, few_turns), max_size=4),
    )
)
Write = tuple[str, bool, list[Any]]


@pytest.fixture(autouse=True, scope="module")
def no_tidying_up_when_idle():
    """Leave what is durable in the journal until something is read, and so to a process that is lost."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite, "APPLY_AFTER_S", 3600.0)
        patch.setattr(thread_steps, "KEPT_STEPS", 4)
        patch.setattr(thread_steps, "KEPT_STEP_BYTES", 90)
        patch.setattr(thread_steps, "TRIM_EVERY_STEPS", 2)
        yield


class Agreement(RuleBasedStateMachine):
    """Writes the same to a model, a store in memory and another one, and compares all that they tell.

    Planted in SQLite one at a time, it caught each of these: a terminal status overwritten, the last
    acceptance winning, six contexts kept, partial results of the turn itself forgotten, numbers used up by
    failed writes, a resolved question answered again, a condition that looks into the tables only.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.lives = 0
        self.stores: list[Any] = [ModelStore(), MemoryStateStore(), self.other_store()]
        self.heard: list[Heard] = [[], [], []]
        self.known: set[str] = set()
        self.forgotten = dict.fromkeys(USERS, 0)
        self.epochs = 0
        self.position = 0
        self.last_steps: dict[tuple[str, str], ThreadStep] = {}
        self.runner.run(self.open_all())

    def other_store(self) -> StateStore:
        return SqliteStateStore(self.folder_of(0) / "detour.db")

    def folder_of(self, life: int) -> Path:
        return Path(self.folder.name) / str(life)

    async def open_all(self) -> None:
        for store, heard in zip(self.stores, self.heard, strict=True):
            await store.open(
                lambda user_id, events, heard=heard: heard.extend((user_id, event.seq) for event in events)
            )

    async def close_all(self) -> None:
        for store in self.stores:
            await store.close()

    @rule(together=st.lists(writes, min_size=1, max_size=5))
    def write_at_the_same_instant(self, together: Sequence[Write]) -> None:
        begun = [self.begin(user_id) for user_id in USERS if user_id not in self.known]
        sensible = [(user_id, wait, self.sensible(user_id, records)) for user_id, wait, records in together]
        model, *others = [self.runner.run(write_all(store, begun + sensible)) for store in self.stores]
        assert others == [model, model]

    def begin(self, user_id: str) -> Write:
        self.known.add(user_id)
        self.epochs += 1
        return user_id, False, [NewUser(f"epoch {self.epochs}")]

    def sensible(self, user_id: str, records: list[Any]) -> list[Any]:
        """Count positions, and leave out what a forgotten turn finds: no task that is over finds anything."""
        kept: list[Any] = []
        for record in records:
            if isinstance(record, ForgetPartials):
                self.forgotten[user_id] = max(self.forgotten[user_id], record.before_turn)
            if isinstance(record, ThreadStep):
                record = self.numbered(user_id, record)
            if isinstance(record, SavedPartial | SavedProgress) and record.turn < self.forgotten[user_id]:
                continue
            if isinstance(record, SavedPartial):
                self.position += 1
                record = replace(record, position=self.position)
            kept.append(record)
        return kept

    def numbered(self, user_id: str, step: ThreadStep) -> ThreadStep:
        """Give a step the next number, or have the newest take its own place, as for a graph within."""
        last = self.last_steps.get((user_id, step.graph))
        number = 1 if last is None else last.number + 1
        numbered = replace(step, number=number, step_id=f"step {number}")
        if last is not None and step.turn == 1:
            numbered = replace(last, body=b"went on")
        self.last_steps[user_id, step.graph] = numbered
        return numbered

    @rule(user_id=st.sampled_from(USERS))
    def delete(self, user_id: str) -> None:
        self.known.discard(user_id)
        self.forgotten[user_id] = 0
        for store in self.stores:
            self.runner.run(store.delete_user(Lease(user_id)))

    @rule(user_id=st.sampled_from(USERS), before=moments, most=st.integers(1, 3))
    def drop_what_is_aged(self, user_id: str, before: datetime, most: int) -> None:
        lease = Lease(user_id)
        model, *others = [self.runner.run(each.drop_aged(lease, before, most=most)) for each in self.stores]
        assert others == [model, model]

    @rule()
    def close_and_open_again(self) -> None:
        self.runner.run(self.close_all())
        self.runner.run(self.open_all())

    @rule()
    def lose_the_process(self) -> None:
        """Go on with a copy of SQLite's files as they are now, nothing having been closed."""
        self.lives += 1
        self.runner.run(self.go_on_with_a_copy(self.folder_of(self.lives - 1), self.folder_of(self.lives)))

    async def go_on_with_a_copy(self, folder: Path, copy: Path) -> None:
        shutil.copytree(folder, copy)
        as_if_never_copied(copy / "detour.mark")
        await self.stores[2].close()
        self.stores[2] = SqliteStateStore(copy / "detour.db")
        await self.open_all()

    @rule()
    def compare(self) -> None:
        model, memory, other = [self.runner.run(all_that_is_told(store, USERS)) for store in self.stores]
        assert memory == model
        assert other == model
        for user_id in USERS:  # of different users, what was written together may be told in any order
            memory, other = [self.runner.run(exported_but_events(each, user_id)) for each in self.stores[1:]]
            assert other == memory
            model, *others = [[seq for of, seq in heard if of == user_id] for heard in self.heard]
            assert others == [model, model]

    def teardown(self) -> None:
        self.compare()
        self.runner.run(self.close_all())
        self.runner.close()
        self.folder.cleanup()


async def write_all(store: Any, writes: Sequence[Write]) -> list[int | type[BaseException]]:
    """Write without a pause in between, and return each commit's number, or the type of its error."""
    commits: list[asyncio.Future[int]] = []
    with capture_logs():
        for user_id, wait, records in writes:
            if wait:
                commits.append(store.commit(Lease(user_id), *records))
            else:
                store.record(Lease(user_id), *records)
        commits += [store.commit(Lease(user_id)) for user_id in USERS]
        outcomes = await asyncio.gather(*commits, return_exceptions=True)
    return [type(outcome) if isinstance(outcome, BaseException) else outcome for outcome in outcomes]


TestAgreement = Agreement.TestCase
TestAgreement.settings = settings(max_examples=40, stateful_step_count=12)


class AgreementOfPostgres(Agreement):
    """The same of the store over PostgreSQL; a process that is lost leaves its connections behind."""

    def __init__(self, server: Server) -> None:
        self.server, self.address = server, server.new_database()
        self.owner = TaskOwner()
        super().__init__()

    def other_store(self) -> StateStore:
        return PostgresStateStore(self.address, self.owner.spawn)

    def teardown(self) -> None:
        super().teardown()
        self.server.give_back(self.address)

    async def go_on_with_a_copy(self, folder: Path, copy: Path) -> None:
        await self.owner.finish(grace_s=0)
        self.stores[2] = self.other_store()
        await self.open_all()


def test_a_store_over_postgres_tells_the_same(postgres: Server) -> None:
    run_state_machine_as_test(
        lambda: AgreementOfPostgres(postgres),
        settings=settings(max_examples=15, stateful_step_count=10),
    )
