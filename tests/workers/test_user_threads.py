"""Threads shared between users: no share is exceeded, and no job waits that may run.

Jobs wait at events until their test lets them through, so no test depends on how long anything takes.
"""

import asyncio
import os
import subprocess
import sys
import threading
from concurrent.futures import CancelledError, Future

import pytest
import uvloop

from backend.tasks.user_threads import THREADS_OF, UserThreads
from tests.workers.conftest import BOUND_S
from tests.workers.programs import ENVIRONMENT

pytestmark = pytest.mark.requirement("BLOCKING-HOLDS-UP-ITS-OWN-USER")


class Blocking:
    """Starts jobs that block, each until `let_on` is called for it or all are let through."""

    def __init__(self, threads: UserThreads) -> None:
        self.threads = threads
        self.began: list[str] = []
        self.news = threading.Condition()
        self._doors: list[threading.Event] = []

    def start(self, user_id: str, *names: str) -> list[Future[str]]:
        """Submit a job of a user for each name."""
        futures = []
        for name in names:
            door = threading.Event()
            self._doors.append(door)
            token = THREADS_OF.set(user_id)
            futures.append(self.threads.submit(self._block, name, door))
            futures[-1].door = door
            THREADS_OF.reset(token)
        return futures

    def until_began(self, *names: str) -> None:
        """Return once these jobs, and no others, have begun."""
        with self.news:
            assert self.news.wait_for(lambda: set(names) <= set(self.began), BOUND_S), self.began
            assert sorted(self.began) == sorted(names)

    def end(self, future: "Future[str]") -> None:
        """Let a job through, and return once it has ended."""
        future.door.set()
        future.result(BOUND_S)

    def open(self) -> None:
        for door in self._doors:
            door.set()

    def _block(self, name: str, door: threading.Event) -> str:
        with self.news:
            self.began.append(name)
            self.news.notify_all()
        assert door.wait(2 * BOUND_S)
        return name


@pytest.fixture
def blocking():
    """Return a function that makes an executor's jobs; when the test ends no thread of them is left."""
    before = set(threading.enumerate())
    made: list[Blocking] = []

    def make(**sizes: int) -> Blocking:
        made.append(Blocking(UserThreads(**sizes)))
        return made[-1]

    yield make
    for each in made:
        each.open()
        each.threads.shutdown()
    for thread in set(threading.enumerate()) - before:
        thread.join(BOUND_S)
        assert not thread.is_alive(), thread


def test_user_has_no_more_threads_than_the_share(blocking):
    jobs = blocking(in_all=6, share=1 / 2)
    first, *_ = jobs.start("ann", "1", "2", "3")
    jobs.start("bob", "4")
    jobs.until_began("1", "2", "4")
    jobs.end(first)
    jobs.until_began("1", "2", "4", "3")


def test_user_without_a_thread_gets_a_free_one(blocking):
    jobs = blocking(in_all=8, share=1)
    jobs.start("ann", *"abcdefgh")
    jobs.start("bob", *"ijklmnop")
    jobs.start("cem", *"qrstuvwx")
    jobs.until_began("a", "b", "c", "d", "i", "j", "q")
    jobs.start("dan", "y")
    jobs.until_began("a", "b", "c", "d", "i", "j", "q", "y")


def test_sixty_blocking_users_leave_a_thread_for_the_next(blocking):
    jobs = blocking()
    for user in range(60):
        jobs.start(f"user {user}", *(f"{user}.{number}" for number in range(20)))
    first = {f"{user}.0" for user in range(60)}
    jobs.start("ann", "the next")
    with jobs.news:
        assert jobs.news.wait_for(lambda: {*first, "the next"} <= set(jobs.began), BOUND_S), jobs.began


def test_waiting_users_take_turns(blocking):
    jobs = blocking(in_all=1)
    [running, *_] = jobs.start("ann", "1", "2", "3")
    jobs.start("bob", "4")
    jobs.start("cem", "5")
    jobs.until_began("1")
    jobs.end(running)
    jobs.open()
    jobs.until_began("1", "2", "3", "4", "5")
    assert jobs.began == ["1", "2", "4", "5", "3"]


def test_job_cancelled_while_it_waits_never_begins(blocking):
    jobs = blocking(in_all=1)
    [running, waiting, last] = jobs.start("ann", "1", "2", "3")
    assert waiting.cancel()
    jobs.end(running)
    jobs.end(last)
    jobs.until_began("1", "3")


def test_thread_is_reused(blocking):
    threads = blocking().threads
    used = {threads.submit(threading.get_ident).result(BOUND_S) for _ in range(20)}
    assert len(used) <= 2  # a result is there a moment before its thread is free


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # that is SystemExit
@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(1)])
def test_job_that_raises_frees_its_thread(blocking, error):
    def fail() -> None:
        raise error

    threads = blocking(in_all=1).threads
    with pytest.raises((ValueError, RuntimeError)):
        threads.submit(fail).result(BOUND_S)
    assert threads.submit(str, "next").result(BOUND_S) == "next"


def test_thread_that_cannot_be_started_fails_only_its_job(blocking, monkeypatch):
    threads = blocking(in_all=1).threads

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="can't start"):
            threads.submit(str, "first").result(BOUND_S)
    assert threads.submit(str, "next").result(BOUND_S) == "next"


def test_shutdown_cancels_waiting_jobs_and_refuses_new_ones(blocking):
    jobs = blocking(in_all=1)
    [running, waiting] = jobs.start("ann", "1", "2")
    jobs.until_began("1")
    jobs.threads.shutdown(wait=True)
    with pytest.raises(CancelledError):
        waiting.result(BOUND_S)
    with pytest.raises(RuntimeError, match="after the shutdown"):
        jobs.threads.submit(str)
    jobs.end(running)


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_event_loop_and_process_end_while_a_job_blocks(loop):
    source = f"""
import asyncio, threading, uvloop
from backend.tasks.user_threads import UserThreads

async def main():
    asyncio.get_running_loop().set_default_executor(UserThreads())
    reached = threading.Event()
    def block():
        reached.set()
        threading.Event().wait()
    blocked = asyncio.get_running_loop().run_in_executor(None, block)
    assert await asyncio.to_thread(reached.wait, {BOUND_S})

with asyncio.Runner(loop_factory={loop.__module__}.{loop.__name__}) as runner:
    runner.run(main())
print("ended")
""".replace("asyncio.events.", "asyncio.")
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-c", source], env=environment, capture_output=True, timeout=BOUND_S, check=True
    )
    assert (ended.stdout, ended.stderr) == (b"ended\n", b"")
