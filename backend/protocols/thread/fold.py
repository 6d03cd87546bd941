"""Folds a user's events into the state of a thread, and tells which run each event belongs to.

Pure: the same events give the same states and steps, so all that is rendered is the same in every replay.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...domain.questions import page_call_of
from .state import KEPT_INTERRUPTED, AskedCall, Frame, Run, RunStatus, TaskState, Text, ThreadState

_STATUS: Mapping[str, RunStatus] = {"completed": "success", "failed": "error", "interrupted": "interrupted"}


@dataclass(frozen=True, slots=True)
class FoldedEvent:
    """One event, and what it means for the runs.

    `run` is the run that it belongs to, None for one that came after the run had ended. `began` if that run
    began with it, or if it is the first of its events that are still stored. `ended` is the run that ended
    with it, which may be the one before. `message` is what came into the conversation with it: not one that
    waits to be taken in, but that message once it has its place.
    """

    frame: Frame
    run: Run | None
    began: bool = False
    ended: Run | None = None
    message: Frame | None = None

    @property
    def seq(self) -> int:
        """The number of the event."""
        return self.frame["seq"]


Retries = Mapping[str, str]
"""Of each task that retries a message after a crash, the task of the message."""


class Fold:
    """The state of a thread, event by event.

    `retries` and `continued` are known of tasks whose first event, or end, has been taken: `continued` are
    tasks that a crash or a shutdown ended and whose message is retried. `left` are interrupted tasks as the
    store knows them, `answered_by` are tasks that a message has just answered, `begun_before` are runs under
    way: all three of tasks whose first events are not stored any more.
    """

    def __init__(
        self,
        state: ThreadState,
        *,
        retries: Retries,
        continued: set[str],
        left: Iterable[Mapping[str, Any]] = (),
        answered_by: Iterable[str] = (),
        begun_before: Iterable[str] = (),
    ) -> None:
        self.state = state
        # Of these tasks it is not known from events what they had found, said and asked before.
        self._left = {each["task_id"]: each for each in left if each["task_id"] in state.tasks}
        self._retries = retries
        self._continued = continued
        self._answered_by = set(answered_by)
        self._begun_before = set(begun_before)
        self._take: Mapping[str, Callable[[Frame, TaskState], None]] = {
            "status_update": self._status,
            "agent_update": self._agent,
            "partial_result": self._partial,
            "text_delta": self._text,
            "message": self._message,
            "tool_call": self._ask,
            "graph_message": self._in_graph,
            "tool_update": self._tool,
            "input_request": self._asked,
            "input_resolved": self._resolved,
            "receipt": self._receipt,
            "state_written": self._written,
        }

    def take(self, frame: Frame) -> FoldedEvent:
        """Take the next event."""
        state, kind = self.state, frame["type"]
        state.seq, state.at = frame["seq"], frame["at"]
        if kind == "message" and frame.get("steer") == "pending":
            state.pending[frame["message_id"]] = frame  # the next event tells whose run it is for
            return FoldedEvent(frame, None)
        if kind == "steer" and frame["steer"] != "own_task":
            return self._steered(frame)
        message = frame if kind == "message" else self._as_own(frame)
        task = self._task(frame["task_id"])
        before = state.last_run_of(task.first_task_id)
        began = self._begins(frame, task, before)
        ended = None
        if began:
            if before is not None and not before.ended:
                ended = self._end(before, frame, "success")
            run = self._begin(message, frame, task, before)
        else:
            run = before if before is not None and not before.ended else None
        began = self._is_first_of(run) or began
        take = self._take.get(kind)
        if take is not None:
            take(frame, task)
        if run is not None:
            run.updated_at = frame["at"]
            ended = self._ended_by(frame, task, run) or ended
        return FoldedEvent(frame, run, began=began, ended=ended, message=message)

    # --- messages that steer -------------------------------------------------------------------------

    def _steered(self, frame: Frame) -> FoldedEvent:
        """Take what became of a message that was to steer a task, and is no task of its own."""
        state, message_id = self.state, frame["message_id"]
        last = state.run_of(frame["task_id"])
        run = last if last is not None and not last.ended else None
        entered = None
        if frame["steer"] == "pending":
            state.pending[message_id] = self._waiting(frame)
        elif frame["steer"] == "withdrawn":
            state.pending.pop(message_id, None)
        else:
            entered = state.messages[message_id] = {**self._waiting(frame), "seq": frame["seq"]}
            state.pending.pop(message_id, None)
        if run is not None:
            run.updated_at = frame["at"]
        return FoldedEvent(frame, run, began=self._is_first_of(run), message=entered)

    def _waiting(self, frame: Frame) -> Frame:
        """Return the message that a `steer` event is about, as it is with that."""
        unknown = {"type": "message", "role": "user", "interrupted": False, "client_id": None}
        known = self.state.pending.get(frame["message_id"], {**unknown, "at": frame["at"]})
        return {**known, **{name: frame[name] for name in ("message_id", "task_id", "text", "steer")}}

    def _as_own(self, frame: Frame) -> Frame | None:
        """Return the message whose task begins with this event, if it has waited; it has its place then."""
        begins = frame["type"] == "steer" or (
            frame["type"] == "status_update" and frame["status"] in {"queued", "running"}
        )
        waiting = self.state.pending.pop(f"{frame['task_id']}.0", None) if begins else None
        if waiting is None:
            return None
        plain = {name: value for name, value in waiting.items() if name != "steer"}
        own = {**plain, "task_id": frame["task_id"], "seq": frame["seq"]}
        self.state.messages[own["message_id"]] = own
        return own

    def _is_first_of(self, run: Run | None) -> bool:
        """Return whether this is the first event that is stored of a run which began before."""
        if run is None or run.run_id not in self._begun_before:
            return False
        self._begun_before.discard(run.run_id)
        return True

    # --- runs ----------------------------------------------------------------------------------------

    def _begins(self, frame: Frame, task: TaskState, last: Run | None) -> bool:
        """Return whether a run begins: with the first event of a message's task, or with an answer."""
        if last is None:
            return True
        if last.writes_state:
            return False
        if frame["type"] == "message" and frame["role"] == "user":
            self._answered_by.add(task.task_id)
            return True
        if frame["type"] == "input_resolved":
            # One message may answer several questions; they are resolved right after it.
            return frame["outcome"] in {"answered", "allowed", "denied"} and not self._follows_answer(task)
        self._answered_by.discard(task.task_id)
        # Without an answer a task resumes if its questions are withdrawn, as when their agent is stopped.
        return last.ended_waiting and frame["type"] == "status_update" and frame["status"] == "running"

    def _follows_answer(self, task: TaskState) -> bool:
        if task.task_id in self._answered_by:
            return True
        self._answered_by.add(task.task_id)
        return False

    def _begin(self, message: Frame | None, frame: Frame, task: TaskState, last: Run | None) -> Run:
        begins = message if message is not None and message["role"] == "user" else None
        run = Run(
            task_id=task.first_task_id,
            number=1 if last is None else last.number + 1,
            message=begins["text"] if begins is not None else task.message,
            message_id=begins["message_id"] if begins is not None else None,
            graph=task.graph,
            began_seq=frame["seq"],
            created_at=frame["at"],
            updated_at=frame["at"],
            status="pending" if last is None else "running",
            writes_state=frame["type"] == "state_written",
        )
        self.state.runs[run.run_id] = run
        return run

    def _ended_by(self, frame: Frame, task: TaskState, run: Run) -> Run | None:
        """End a run if its task has ended with this event, or only waits for its user from now on."""
        kind = frame["type"]
        if kind == "task_resting":
            run.ended_waiting = True
            return self._end(run, frame, "success")
        if kind == "status_update":
            run.graph = frame.get("graph") or run.graph
            if task.status in {"running", "input_required", "cancelling"}:
                run.status = "running"
            elif task.status in {"completed", "failed"}:
                return self._end(run, frame, _STATUS[task.status])
        if kind == "receipt" and task.status == "interrupted":
            # The receipt is the last word on an interrupted task; its status came just before.
            if task.task_id in self._continued:
                run.status = "pending"
                return None
            run.reason = task.reason
            return self._end(run, frame, "timeout" if task.reason == "timed_out" else "interrupted")
        return None

    def _end(self, run: Run, frame: Frame, status: RunStatus) -> Run:
        run.status, run.ended_seq, run.updated_at = status, frame["seq"], frame["at"]
        return run

    # --- state ---------------------------------------------------------------------------------------

    def _task(self, task_id: str) -> TaskState:
        task = self.state.tasks.get(task_id)
        if task is None:
            task = TaskState(task_id, self._retries.get(task_id, task_id))
            self.state.tasks[task_id] = task
        return task

    def _status(self, frame: Frame, task: TaskState) -> None:
        task.status, task.reason = frame["status"], frame["reason"]
        task.message = frame.get("message") or task.message
        task.graph = frame.get("graph") or task.graph
        # Of a task whose earlier events are not stored any more: a status shows all results.
        for agent, items in frame["partial_results"].items():
            task.found[agent] = list(items)
        if task.status == "interrupted":
            left: dict[str, Any] = {
                "task_id": task.task_id,
                "message": task.message,
                "reason": task.reason,
                "at": frame["at"],
                "partial_results": {agent: list(items) for agent, items in task.found.items()},
                "text": task.said,
                "asked": list(task.unanswered.values()),
            }
            if (known := self._left.get(task.task_id)) is not None:
                left |= {name: known[name] for name in ("partial_results", "text", "asked")}
            self.state.interrupted[task.task_id] = left
            while len(self.state.interrupted) > KEPT_INTERRUPTED:
                del self.state.interrupted[next(iter(self.state.interrupted))]

    def _agent(self, frame: Frame, task: TaskState) -> None:
        task.agents[frame["agent"]] = frame

    def _partial(self, frame: Frame, task: TaskState) -> None:
        task.found.setdefault(frame["agent"], []).extend(frame["items"])

    def _text(self, frame: Frame, task: TaskState) -> None:
        message_id = frame.get("message_id") or f"{task.task_id}.reply"
        text = task.texts.get(message_id)
        if text is None:
            text = Text(
                message_id,
                node=frame.get("node"),
                is_reply=frame.get("reply", True),
                seq=frame["seq"],
                # Without an id of a message, the offset is that in the whole reply.
                is_whole=frame["offset"] == 0 or "message_id" not in frame,
                namespace=frame.get("namespace", ""),
            )
            task.texts[message_id] = text
        text.text += frame["text"]
        if text.is_reply:
            task.said += frame["text"]

    def _message(self, frame: Frame, _: TaskState) -> None:
        self.state.messages[frame["message_id"]] = frame

    def _ask(self, frame: Frame, task: TaskState) -> None:
        call_id = frame["tool_call_id"]
        call = task.asked.get(call_id)
        if call is not None and call.is_repeated_by(frame):
            if frame["whole"] and not frame["offset"]:
                call.arguments = frame["arguments"]  # perhaps changed by whoever has allowed it
            return
        if call is not None and call.message_id != frame["message_id"]:
            # Some services number the calls of each answer: the newest has the id, and gets its result.
            task.asked[f"{call_id} {call.seq}"] = task.asked.pop(call_id)
            call = None
        if call is None:
            call = task.asked[call_id] = AskedCall(
                call_id,
                frame["tool"],
                frame["message_id"],
                frame["node"],
                frame["seq"],
                frame.get("namespace", ""),
                # Without its first pieces, which are not stored any more, nothing is known of its arguments.
                is_cut=frame["offset"] > 0,
            )
            if frame.get("for_page"):
                task.for_page[call_id] = False
        call.arguments += frame["arguments"]
        call.whole_seq = frame["seq"] if frame["whole"] else 0
        call.is_cut = call.is_cut or frame.get("cut", False)

    def _in_graph(self, frame: Frame, task: TaskState) -> None:
        message_id = frame["message_id"]
        if frame["role"] == "tool":
            task.results[message_id] = frame
            call_id = frame["tool_call_id"]
            call = self.state.call_of(task, call_id)
            if call is not None:
                call.answer = frame
            if call_id in task.for_page:
                task.for_page[call_id] = True
        elif "namespace" not in frame and "cut" not in frame:
            text = task.texts.setdefault(
                message_id, Text(message_id, frame.get("text", ""), frame["node"], False, frame["seq"])
            )
            text.in_graph = True
            for call in task.asked.values():
                if call.message_id == message_id:
                    call.node, call.namespace = frame["node"], ""  # a graph within has handed its message on

    def _tool(self, frame: Frame, task: TaskState) -> None:
        task.calls[frame["call_id"]] = frame

    def _asked(self, frame: Frame, task: TaskState) -> None:
        self.state.requests[frame["request_id"]] = frame
        call = page_call_of(frame.get("value"))
        if call is None:
            task.unanswered[frame["request_id"]] = frame["prompt"]
        else:
            task.for_page[call.call_id] = False

    def _resolved(self, frame: Frame, task: TaskState) -> None:
        self.state.requests.pop(frame["request_id"], None)
        if frame["outcome"] != "withdrawn":
            task.unanswered.pop(frame["request_id"], None)

    def _written(self, frame: Frame, task: TaskState) -> None:
        task.written = frame
        task.graph = frame.get("graph") or task.graph

    def _receipt(self, frame: Frame, task: TaskState) -> None:
        task.receipt = frame["receipt"]
        left = self.state.interrupted.get(task.task_id)
        if left is not None:
            left["receipt"] = frame["receipt"]
