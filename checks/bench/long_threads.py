"""What a step costs the longer its thread is: CPU of storing one, beside LangGraph's saver in memory.

    python -m checks.bench.long_threads

A graph keeps a conversation of so many turns, and beside it a text of so many bytes in a channel that no step
changes. Each step adds one message, as a node of an agent does. What is measured is what a step's checkpoint
costs the server until it is handed to the store, by the processor's time of this thread, and what is stored
of it. LangGraph's own work on the step is not in it, nor is the disk.
"""

import asyncio
import statistics
import time
from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.memory import InMemorySaver

from backend.graphs.state.checkpoints import TaskCheckpointer
from backend.graphs.state.thread import Beginning
from backend.graphs.state.writer import ThreadWriter
from backend.store.threads import ThreadStep

TURNS = (3, 30, 300)
TEXT_BYTES = (0, 1_000_000)
STEPS = 40


class Task:
    """As much of a task as a step needs, which keeps what it is to store."""

    def __init__(self) -> None:
        self.task_id, self.asked_in, self.turn = "t1", None, 1
        self.task = self
        self.closed = False
        self.tool_calls: dict[str, Any] = {}
        self.kept = self
        self.stored: list[ThreadStep] = []

    def record(self, *records: Any) -> None:
        self.stored += records

    def keep(self, graph: str, thread: Any) -> None:
        """Hold nothing."""


def conversation(turns: int) -> list[Any]:
    return [
        message
        for nth in range(turns)
        for message in (
            HumanMessage(f"What is the weather in town {nth} on the day after tomorrow?" * 2, id=f"h{nth}"),
            AIMessage(f"It will be sunny and warm in town {nth}." * 8, id=f"a{nth}"),
        )
    ]


def steps(saver: Any, turns: int, text: int, size: Callable[[], int]) -> tuple[float, float]:
    """Return the microseconds of a step, and the bytes that are stored of it."""
    config: Any = {"configurable": {"thread_id": "ann", "checkpoint_ns": ""}}
    messages = conversation(turns)
    spent: list[float] = []
    versions: dict[str, Any] = {"text": saver.get_next_version(None, None)}
    before = 0
    for nth in range(STEPS + 1):
        messages = [*messages, AIMessage("It depends." * 30, id=f"n{nth}")]
        versions["messages"] = saver.get_next_version(versions.get("messages"), None)
        checkpoint = {
            **empty_checkpoint(),
            "channel_values": {"messages": messages, "text": "x" * text},
            "channel_versions": dict(versions),
        }
        new = dict(versions) if nth == 0 else {"messages": versions["messages"]}
        began = time.thread_time()
        config = saver.put(config, checkpoint, {"source": "loop", "step": nth, "parents": {}}, new)
        spent.append(time.thread_time() - began)
        if nth == 0:
            before = size()
    return statistics.median(spent[1:]) * 1e6, (size() - before) / STEPS


async def main() -> None:
    """Measure and print."""
    print("| turns | text | us a step | bytes a step | InMemorySaver: us | bytes |")
    print("|---|---|---|---|---|---|")
    for text in TEXT_BYTES:
        for turns in TURNS:
            task: Any = Task()
            own = TaskCheckpointer(
                lambda *_: None,
                thread_id="ann",
                thread=ThreadWriter(task, Beginning(), deltas={}, graph=""),
            )

            def stored(task: Any = task) -> int:
                return sum(
                    len(step.body) + len(step.pieces) + len(step.pages) + sum(map(len, step.held.values()))
                    for step in task.stored
                )

            us, size = steps(own, turns, text, stored)
            saver = InMemorySaver()

            def blobs(saver: InMemorySaver = saver) -> int:
                return sum(len(body) for _, body in saver.blobs.values())

            theirs, their_size = steps(saver, turns, text, blobs)
            print(
                f"| {turns} | {text} | {us:.0f} | {size:,.0f} | {theirs:.0f} | {their_size:,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    asyncio.run(main())
