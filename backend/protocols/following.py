"""Which run of a thread is followed: one, or the one that shows the answer to a message that steers."""

import contextlib
from collections.abc import Generator

from .thread.fold import Step
from .thread.state import Frame, Run, ThreadState


class Following:
    """A run that is followed to its end. `run_id` is None until it is known.

    With the `message_id` of a message that steers it is the run that is to take it in, from when it was sent;
    then the run that the message comes into, if that is another one.
    """

    def __init__(self, run_id: str | None = None, *, message_id: str | None = None) -> None:
        self.run_id = run_id
        self.message_id = message_id
        self._ended = False

    def take(self, step: Step, state: ThreadState) -> Run | None:
        """Return the run that is followed from this event on, None if it stays the same."""
        if self.message_id is None:
            return None
        frame = step.frame
        if frame["type"] == "steer" and frame["message_id"] == self.message_id:
            return self._go_on(state.run_of(frame["task_id"]))
        if step.began and step.run is not None and step.run.message_id == self.message_id:
            return self._go_on(step.run)
        return None

    def known_before(self, state: ThreadState) -> Run | None:
        """Return the run that is to be shown before the first event that is stored, if there is one.

        A run that is under way, and that no message names, is shown from that event on.
        """
        run = self.look(state)
        return run if run is not None and (run.ended or self.message_id is not None) else None

    def look(self, state: ThreadState) -> Run | None:
        """Return the run that is followed from this state on, None if it is not known."""
        message_id = self.message_id or ""
        message = state.messages.get(message_id) or state.pending.get(message_id)
        if message is not None:
            run = run_with(message, state)
            self.run_id = run.run_id if run is not None else self.run_id
        return state.runs.get(self.run_id or "")

    def over(self, state: ThreadState) -> bool:
        """Return whether nothing more comes of it."""
        if self._ended:
            return True
        run = state.runs.get(self.run_id or "")
        return run is not None and run.ended and not state.waits(self.message_id, run)

    def end(self) -> None:
        """Follow it no further."""
        self._ended = True

    def _go_on(self, run: Run | None) -> Run | None:
        if run is None or run.run_id == self.run_id:
            return None
        self.run_id = run.run_id
        return run


def run_with(message: Frame, state: ThreadState) -> Run | None:
    """Return the run that a message has come into, or is for; the last one if none is under way for it."""
    if "seq" in message and message["message_id"] in state.messages:
        return state.run_at(message["task_id"], message["seq"])
    return state.run_of(message["task_id"]) or next(reversed(state.runs.values()), None)


class Followers:
    """Who follows which run just now, by user."""

    def __init__(self) -> None:
        self._of_users: dict[str, list[Following]] = {}

    def follow(self, user_id: str, run_id: str) -> bool:
        """Return whether somebody follows a run."""
        return any(each.run_id == run_id for each in self._of_users.get(user_id, ()))

    @contextlib.contextmanager
    def counting(self, user_id: str, following: Following) -> Generator[None]:
        """Count one more within this block."""
        of_user = self._of_users.setdefault(user_id, [])
        of_user.append(following)
        try:
            yield
        finally:
            of_user.remove(following)
            if not of_user:
                self._of_users.pop(user_id, None)
