"""Fifty plain functions side by side, which block their threads while their message asks for it."""

import threading

from tests.graphs.building import State, beside

LONGEST_WAIT_S = 120.0


class Door:
    """What blocking functions wait at; `reached` is set once one does, `passed` once one is through."""

    def __init__(self) -> None:
        self.reached, self.passed = threading.Event(), threading.Event()
        self._open = threading.Event()

    def open(self) -> None:
        self._open.set()

    def wait(self) -> None:
        self.reached.set()
        assert self._open.wait(LONGEST_WAIT_S)
        self.passed.set()


doors: dict[str, Door] = {}
"""By the message that leads to them; other messages are answered at once."""


def walk(state: State) -> State:
    """Wait at the door of the message, if it has one."""
    if state["message"] in doors:
        doors[state["message"]].wait()
    return {"found": [1]}


graph = beside(*((f"node {number}", walk) for number in range(50)))
