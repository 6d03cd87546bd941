"""Tells which frames belong to a message that was sent: to its task, or to the task that has it in its run.

No I/O. A message that steers has no task of its own at first: its `steer` events say which task has it.
"""

from .story import ACTIVE
from .wire_frames import Frame, SnapshotFrame
from .wire_values import ChatAnswer, StatusAnswer


class Reply:
    """What follows on one message; `accepted` is how it was taken. `has_ended` once no frame is its own."""

    def __init__(self, accepted: ChatAnswer) -> None:
        self.has_ended = False
        self._task_id = accepted["task_id"]
        self._message_id = accepted.get("message_id", "")
        # Of a withdrawn one, that was sent again: the event that says so is still to be heard.
        self._waits = accepted.get("steer") in ("pending", "withdrawn")

    def hear(self, frame: Frame) -> bool:
        """Take a frame, and return whether it belongs to the message."""
        if frame["type"] == "hello" or frame["type"] == "reset":
            return False
        if frame["type"] == "snapshot":
            self._take_from(frame)
            return True
        if frame["type"] == "steer" and frame["message_id"] == self._message_id:
            self._task_id, self._waits = frame["task_id"], frame["steer"] == "pending"
            self.has_ended = frame["steer"] == "withdrawn"
            return True
        if self._waits:
            # Until it is answered no step follows that could take the message in.
            return frame["type"] == "input_request"
        if frame["task_id"] != self._task_id:
            return False
        self.has_ended = _ends_task(frame)
        return True

    def _take_from(self, snapshot: SnapshotFrame) -> None:
        status = snapshot["status"]
        if self._waits:
            waiting = status.get("pending", []) if status is not None else []
            if any(each["message_id"] == self._message_id for each in waiting):
                return
            # In a history that does not go back so far its place is not told; its own task is the best guess.
            own, _, _ = self._message_id.rpartition(".")
            places = {each["message_id"]: each["task_id"] for each in snapshot["history"]}
            self._task_id, self._waits = places.get(self._message_id, own), False
        self.has_ended = not _is_active_in(status, self._task_id)


def _ends_task(event: Frame) -> bool:
    """Whether it is the last event of its task."""
    if event["type"] == "status_update":
        return event["status"] in ("completed", "failed")  # an interrupted one still gets its receipt
    return event["type"] == "receipt"


def _is_active_in(status: StatusAnswer | None, task_id: str) -> bool:
    if status is None:
        return False
    return task_id in status["queued"] or (status["task_id"] == task_id and status["status"] in ACTIVE)
