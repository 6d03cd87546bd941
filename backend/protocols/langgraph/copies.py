"""Copies of threads: a new thread with the states of another."""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from fastapi import Request, Response

from ...conversation.writing import CopiedState
from ...domain.errors import BadInput
from ...http.identity.access import Act
from ...http.wire.bodies import json_response
from ..thread.state import Run, ThreadState
from .api import Api
from .checkpoints import Step, rest_of
from .messages import conversation_ids
from .views import Options, branch_of, head_of, thread_view, values_of
from .wire import thread_id_of, unknown_thread

MOST_STATES = 50
"""States that a copy has at most, the newest: each is rendered to find out what it adds."""


class Copies:
    """Answers the call that copies a thread."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._services = api.services

    async def copy(self, request: Request) -> Response:
        """Copy a thread: its metadata, and the states on the branch of the newest.

        Partial results, interruptions and runs are the original's alone, and what runs goes on there alone.
        """
        source = thread_id_of(request)
        copy_id = str(uuid.uuid4())
        async with self._services.long_read(source):
            state = await self._api.threads.state(source)
            saved = await self._api.index.get(source)
            if source in self._api.index.hidden or (state is None and saved is None):
                raise unknown_thread(source)
            options = await self._api.checkpoints.options(source, saved)
            head = head_of(state, options) if state is not None else None
            states: list[CopiedState] = []
            if state is not None and head is not None:
                if self._services.graphs is None:
                    raise BadInput("thread_id: the travel assistant has no state that could be copied.")
                branch = [state.last_run_of(each) for each in branch_of(head, state, options)]
                runs = [each for each in branch if each is not None]
                steps = await self._api.checkpoints.last_steps(source, runs)
                states = [*_states(state, runs[-MOST_STATES:], options, steps)]
        await self._services.access.check(copy_id, Act.SPEAK)
        await self._services.admit_message(copy_id)
        if states:
            await self._services.conversations.copy_states(copy_id, source, states)
        metadata: Mapping[str, Any] = saved.metadata if saved is not None else {}
        made, _ = await self._api.index.make(copy_id, metadata)
        copied = await self._api.threads.state(copy_id)
        newest = head_of(copied, {}) if copied is not None else None
        rest = rest_of(await self._api.checkpoints.last_step(copy_id, newest)) if newest is not None else None
        return json_response(thread_view(copy_id, replace(made, runs={}), copied, newest, rest=rest))


def _states(
    state: ThreadState, runs: list[Run], options: Options, steps: Mapping[str, Step]
) -> Iterator[CopiedState]:
    """Yield the states after the messages of some runs, oldest first: what each adds to the one before."""
    known = conversation_ids(state)
    before: dict[str, Any] = {}
    for run in runs:
        messages = values_of(state, run, options)["messages"]
        now = {known.get(each["id"], each["id"]): each for each in messages}
        new = [{**each, "id": name} for name, each in now.items() if each != before.get(name)]
        step = steps.get(run.task_id)
        yield {
            "graph": run.graph,
            "step_id": step["checkpoint"]["checkpoint_id"] if step is not None else None,
            "messages": new,
            "changed": [*before],
            "removed": [name for name in before if name not in now],
        }
        before = now
