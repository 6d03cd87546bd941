"""What the storms take for a message that was lost, and what not."""

from typing import Any

import pytest

from checks.cluster.invariants import came_to_something


def task(nth: int, status: str, reason: str | None, *, second: float, message: str = "") -> dict[str, Any]:
    return {
        "task_id": f"t{nth}",
        "message": message or f"m{nth}",
        "status": status,
        "reason": reason,
        "previous_task_id": f"t{nth - 1}",
        "interrupt_requested_at": f"2026-05-01T09:00:{second:06.3f}+00:00",
    }


FIRST = task(1, "interrupted", "shutdown", second=10)


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(task(2, "interrupted", "shutdown", second=10.5), id="ended by the same shutdown"),
        pytest.param(task(2, "completed", None, second=12, message="m1"), id="its retry was completed"),
        pytest.param(
            task(2, "interrupted", "superseded", second=12, message="m1"), id="its retry was superseded"
        ),
    ],
)
def test_replaced_message_counts_as_handled(second: dict[str, Any]) -> None:
    assert came_to_something([FIRST, second], "m1")


@pytest.mark.parametrize(
    "others",
    [
        pytest.param([], id="nothing followed"),
        pytest.param([task(2, "completed", None, second=12)], id="another replica went on without it"),
        pytest.param(
            [task(2, "interrupted", "superseded", second=10.5)], id="another one was superseded elsewhere"
        ),
        pytest.param([task(2, "interrupted", "shutdown", second=20)], id="ended by a later shutdown"),
        pytest.param([task(3, "interrupted", "shutdown", second=10.5)], id="the later one followed another"),
    ],
)
def test_interrupted_message_without_a_retry_counts_as_lost(others: list[Any]) -> None:
    assert not came_to_something([FIRST, *others], "m1")
