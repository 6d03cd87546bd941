"""Renders tasks as A2A has them, whole or update by update: a function of the stored events alone.

The reply is an artifact, and so are the results of each agent. Version 0.3 has the same in another form.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...domain.encoding import encode
from ..ai_sdk.rendering import Chunk, RunChunks
from ..thread.fold import FoldedEvent
from ..thread.state import Frame, Run, TaskState, ThreadState

Body = dict[str, Any]

REPLY = "reply"
"""The artifact of a task's reply; those of results are named after their agents."""

BETWEEN = "\n\n"
"""What stands in a reply between the texts of two models."""

_STATES = {
    "pending": "SUBMITTED",
    "running": "WORKING",
    "success": "COMPLETED",
    "error": "FAILED",
    "interrupted": "CANCELED",
    "timeout": "CANCELED",
}
ENDED = frozenset({"COMPLETED", "FAILED", "CANCELED"})


def task_id_of(run: Run, user_id: str) -> str:
    """Return the id of a run's task: it has the conversation in it, so any replica can find it."""
    return f"{run.task_id}_{user_id}"


def parts_of(task_id: str) -> tuple[str, str]:
    """Return the task and the user of a task's id, both "" if it is none."""
    own, _, user_id = task_id.partition("_")
    return (own, user_id) if user_id else ("", "")


def state_of(run: Run, state: ThreadState) -> str:
    """Return the state of a run's task, in the words of A2A."""
    task = state.task_of(run)
    if run.ended_waiting and task is not None:
        if state.questions_of(run):
            return "INPUT_REQUIRED"
        return {"interrupted": "CANCELED", "failed": "FAILED"}.get(task.status, "COMPLETED")
    return _STATES[run.status]


class Form:
    """The form of one version: that of 0.3 if it `is_old`, else that of 1.0."""

    def __init__(self, user_id: str, *, is_old: bool) -> None:
        self._user_id = user_id
        self._is_old = is_old

    def task(self, run: Run, state: ThreadState, *, history: int | None = None) -> Body:
        """Return a task as it is, with the last `history` messages of it."""
        task = state.task_of(run) or TaskState(run.task_id, run.task_id)
        found = [self.artifact(agent, [{"data": {"items": items}}]) for agent, items in task.found.items()]
        reply = reply_of(run, state)
        said = [self._message(each, run) for each in _messages_of(run, state)]
        said = said if history is None else said[len(said) - min(history, len(said)) :]
        body: Body = {
            **self._ids(run, "id"),
            "status": self.status(run, state),
            "artifacts": [*found, *([self.artifact(REPLY, [{"text": reply}])] if reply else [])],
            "history": said,
            "metadata": _about(run, task),
        }
        return {"kind": "task", **body} if self._is_old else body

    def status(self, run: Run, state: ThreadState) -> Body:
        """Return the status of a task: with the questions that it asks, or why it failed."""
        name = state_of(run, state)
        parts: list[Body] = []
        if name == "INPUT_REQUIRED":
            for asked in state.questions_of(run):
                form = {each: asked[each] for each in ("request_id", "kind", "schema", "defaults")}
                parts += [{"text": asked["prompt"]}, {"data": form}]
        elif name == "FAILED":
            parts = [{"text": state.last_reply(run) or "The task has failed."}]
        said = {} if not parts else {"message": self._said(f"{run.run_id}-status", "agent", parts, run)}
        return {"state": self._state(name), "timestamp": run.updated_at, **said}

    def sent(self, body: Body) -> Body:
        """Return the task that a call for a message returns."""
        return body if self._is_old else {"task": body}

    def status_update(self, run: Run, state: ThreadState) -> Body:
        """Return the update of a status."""
        task = state.task_of(run)
        about = {} if task is None else _about(run, task)
        body = {**self._ids(run, "taskId"), "status": self.status(run, state), "metadata": about}
        if self._is_old:
            return {"kind": "status-update", "final": run.ended, **body}
        return {"statusUpdate": body}

    def artifact_update(self, run: Run, artifact: Body, *, append: bool) -> Body:
        """Return the update of an artifact."""
        body = {**self._ids(run, "taskId"), "artifact": artifact, "append": append, "lastChunk": False}
        return {"kind": "artifact-update", **body} if self._is_old else {"artifactUpdate": body}

    def artifact(self, name: str, parts: Sequence[Body]) -> Body:
        """Return an artifact."""
        return {"artifactId": name, "name": name, "parts": [self._part(each) for each in parts]}

    def _message(self, message: Frame, run: Run) -> Body:
        role = "user" if message["role"] == "user" else "agent"
        message_id = message["client_id"] or message["message_id"]
        return self._said(message_id, role, [{"text": message["text"]}], run)

    def _said(self, message_id: str, role: str, parts: Sequence[Body], run: Run) -> Body:
        body: Body = {"messageId": message_id, **self._ids(run, "taskId")}
        body |= {"parts": [self._part(each) for each in parts]}
        if self._is_old:
            return {"kind": "message", "role": role, **body}
        return {"role": f"ROLE_{role.upper()}", **body}

    def _part(self, part: Body) -> Body:
        (kind,) = part
        return {"kind": kind, **part} if self._is_old else part

    def _state(self, name: str) -> str:
        return name.lower().replace("_", "-") if self._is_old else f"TASK_STATE_{name}"

    def _ids(self, run: Run, name: str) -> Body:
        return {name: task_id_of(run, self._user_id), "contextId": self._user_id}


def reply_of(run: Run, state: ThreadState) -> str:
    """Return the reply of a run's task so far: what was streamed of it, and in the end all of it."""
    task = state.task_of(run)
    texts = () if task is None else task.texts.values()
    said = BETWEEN.join(each.text for each in texts if each.is_reply and each.text.strip())
    last = state.last_reply(run) if state_of(run, state) == "COMPLETED" else None
    if last is None or _without_spaces(last) in _without_spaces(said):
        return said
    return last if _without_spaces(said) in _without_spaces(last) else f"{said}{BETWEEN}{last}"


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def _messages_of(run: Run, state: ThreadState) -> list[Frame]:
    of_task = {run.task_id, *(each.task_id for each in state.tasks_of(run))}
    return [
        each
        for each in state.messages_in_order()
        if each["task_id"] in of_task and each["role"] in ("user", "assistant")
    ]


def _about(run: Run, task: TaskState) -> Body:
    """Return what A2A has no field for: why a task was interrupted, and what was done of it."""
    about = {"reason": run.reason or task.reason, "receipt": task.receipt}
    about = {name: value for name, value in about.items() if value is not None}
    return {"detour": about} if about else {}


# --- updates -------------------------------------------------------------------------------------------


class TaskFrames:
    """The updates of a task in one run of it, each as the result of a call. A `Renderer`."""

    def __init__(self, run_id: str, form: Form, call_id: Any) -> None:
        self._run_id = run_id
        self._form = form
        self._call_id = call_id
        self._chunks = RunChunks(run_id)
        self._counts: dict[str, int] = {}
        self._status = ""
        self._has_reply = False
        self._is_between = False

    def step(self, step: FoldedEvent, state: ThreadState) -> Sequence[bytes | None]:
        """Render an event."""
        chunks = self._chunks.step(step, state)
        if step.frame["type"] == "input_request":
            # The prompt, which is in the status.
            chunks = (each for each in chunks if not each["type"].startswith("text-"))
        return [*self._rendered(chunks, state)]

    def go_on(self, run: Run, step: FoldedEvent, state: ThreadState) -> Sequence[bytes | None]:
        """Render another run from this event on: a run that is followed by its id has none."""
        raise AssertionError(f"{run.run_id} is another run than {self._run_id}")

    def present(self, run: Run, state: ThreadState) -> Sequence[bytes | None]:
        """Render the task as it is, without its events, and go on from there."""
        self._chunks = RunChunks(run.run_id)
        for _ in self._chunks.present(run, state):
            pass
        return [self.whole(run, state)]

    def whole(self, run: Run, state: ThreadState) -> bytes:
        """Render the task as it is, after the events that were rendered so far."""
        task = state.task_of(run)
        self._counts = {} if task is None else {agent: len(items) for agent, items in task.found.items()}
        self._has_reply = bool(reply_of(run, state))
        self._status = state_of(run, state)
        task_body = self._form.task(run, state)
        return self.framed(self._form.sent(task_body))

    def framed(self, result: Body) -> bytes:
        """Return a result as a server-sent event."""
        return b"data: %b\n\n" % encode({"jsonrpc": "2.0", "id": self._call_id, "result": result})

    def _rendered(self, chunks: Iterator[Chunk], state: ThreadState) -> Iterator[bytes]:
        is_whole = False
        for chunk in chunks:
            run, kind = state.runs[self._run_id], chunk["type"]
            if kind == "start":
                is_whole = True
                yield self.whole(run, state)
            elif is_whole:
                pass  # the task has it
            elif kind == "text-start":
                self._is_between = self._has_reply
            elif kind == "text-delta":
                text = (BETWEEN if self._is_between else "") + chunk["delta"]
                artifact = self._form.artifact(REPLY, [{"text": text}])
                yield self.framed(self._form.artifact_update(run, artifact, append=self._has_reply))
                self._has_reply, self._is_between = True, False
            elif kind == "data-partial":
                yield from self._found(run, chunk["data"]["agent"], chunk["data"]["items"])
        run = state.runs.get(self._run_id)
        if run is not None and self._status and self._status != (now := state_of(run, state)):
            self._status = now
            yield self.framed(self._form.status_update(run, state))

    def _found(self, run: Run, agent: str, items: list[Any]) -> Iterator[bytes]:
        count = self._counts.get(agent, 0)
        self._counts[agent] = len(items)
        append = 0 < count <= len(items)
        new: Body = {"data": {"items": items[count:] if append else items}}
        artifact = self._form.artifact(agent, [new])
        yield self.framed(self._form.artifact_update(run, artifact, append=append))


def error_of(call_id: Any, code: int, message: str, data: Mapping[str, Any] | None = None) -> Body:
    """Return the answer to a call that failed."""
    error: Body = {"code": code, "message": message, **({} if data is None else {"data": data})}
    return {"jsonrpc": "2.0", "id": call_id, "error": error}
