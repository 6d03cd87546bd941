"""Every test here runs on both loops; nothing may be left behind: no process, thread, file or task."""

import asyncio
import gc
import threading

import psutil
import pytest
import uvloop

from backend.tasks.task_owner import TaskOwner

BOUND_S = 60.0
"""How long what must happen may take before its test fails."""


def pytest_asyncio_loop_factories(config, item):
    return {"stock": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.fixture
async def owner():
    """Return an owner of tasks; when the test ends, what it owns has ended, and nothing else is left."""
    # With its first process uvloop opens a file that it keeps.
    await (await asyncio.create_subprocess_exec("true", stdout=asyncio.subprocess.PIPE)).communicate()
    threads = set(threading.enumerate())
    gc.collect()
    here = psutil.Process()
    files, processes = here.num_fds(), set(here.children(recursive=True))  # a fork server is among them
    owner = TaskOwner()
    yield owner
    await owner.finish(grace_s=BOUND_S)
    assert len(owner) == 0
    for thread in set(threading.enumerate()) - threads:
        thread.join(BOUND_S)
        assert not thread.is_alive(), thread
    await asyncio.sleep(0)  # a transport closes its file in the step after
    gc.collect()
    assert set(here.children(recursive=True)) <= processes
    assert here.num_fds() <= files
