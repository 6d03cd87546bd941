"""Nodes of every kind, each of which finds one thing, comes to a gate, and finds another past it.

Four of them lose the first cancellation that comes to them, each in a way of its own. They then wait for what
never comes, or end, and the node after them shows that the graph went on.
"""

# LangGraph fills in the keys of a state that are given, which no type says.
# pyright: reportTypedDictNotRequiredAccess=false

import asyncio
from contextlib import suppress
from typing import Any

from langgraph.config import get_stream_writer
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send, interrupt

from checks.conformance.agent import State
from checks.conformance.gates import pass_by, wait_at, wait_forever, wait_in_thread_at, wait_stubbornly

FORM = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}},
    "required": ["city", "nights"],
}
DONE: State = {"answer": "Done."}


def find(number: int) -> None:
    """Show something that was found."""
    get_stream_writer()({"found": number})


async def waiting(state: State) -> State:
    """Wait on the event loop."""
    find(1)
    await wait_at(state["user_id"], "node")
    find(2)
    return DONE


def blocking(state: State) -> State:
    """Wait in a thread, which nothing can end but its gate."""
    find(1)
    wait_in_thread_at(state["user_id"], "node")
    find(2)
    return DONE


async def catching(state: State) -> State:
    """Catch the first cancellation, and go on."""
    find(1)
    await wait_stubbornly(state["user_id"], "node")
    find(2)
    return DONE


async def returning(state: State) -> State:
    """End as if nothing had happened when it is cancelled."""
    find(1)
    with suppress(asyncio.CancelledError):
        await wait_at(state["user_id"], "node")
    find(2)
    return DONE


class AnsweredAtOnce(asyncio.Task[Any]):
    """An answer that comes in the very step in which the wait for it is cancelled."""

    def done(self) -> bool:
        """Whether it is there: it is, for a task that was cancelled."""
        waits = asyncio.current_task()
        return super().done() or (waits is not None and waits.cancelling() > 0)

    def result(self) -> Any:
        """Return the answer, None for one that is not there."""
        return super().result() if super().done() else None


async def waiting_for(state: State) -> State:
    """Lose the cancellation to `wait_for`, which before Python 3.12 prefers an answer that is there."""
    find(1)
    answer = AnsweredAtOnce(wait_at(state["user_id"], "node"))
    await asyncio.wait_for(answer, 3600)  # noqa: TID251 - what others use
    if answer.cancel():
        await wait_forever()
    find(2)
    return DONE


class TimeIsUp(asyncio.Task[Any]):
    """An answer whose time is up in the very step in which the wait for it is cancelled."""

    is_up = False

    def cancel(self, msg: Any | None = None) -> bool:
        """Note that its time is up."""
        self.is_up = True
        return super().cancel(msg)


async def timing_out(state: State) -> State:
    """Take the cancellation for that of a time-out, as libraries did that made their own."""
    find(1)
    answer = TimeIsUp(wait_at(state["user_id"], "node"))
    with suppress(asyncio.CancelledError):
        await answer
    if answer.is_up:
        await wait_forever()
    find(2)
    return DONE


async def after(state: State) -> State:
    """Show that the graph went on."""
    await pass_by(state["user_id"], "after")
    find(3)
    return {}


def within() -> Any:
    """Return a graph to be a node."""
    inner = StateGraph(State)
    inner.add_node("waiting", waiting)
    inner.add_edge(START, "waiting")
    inner.add_edge("waiting", END)
    return inner.compile()


async def split(state: State) -> State:
    """Run once, before what comes next runs several times."""
    await pass_by(state["user_id"], "split")
    return {}


async def left(state: State) -> State:
    """Be the branch that has ended."""
    await pass_by(state["user_id"], "left")
    find(1)
    return {}


async def right(state: State) -> State:
    """Be the branch that waits."""
    await wait_at(state["user_id"], "right")
    find(2)
    return {}


def ways(state: State) -> list[str | Send]:
    """Go to two nodes at once, or to one of them three times."""
    if state["message"] == "node: sent":
        return [Send("sent", {"user_id": state["user_id"], "number": number}) for number in range(3)]
    return ["asking", "right"] if state["message"] == "node: asking" else ["left", "right"]


async def sent(state: dict[str, Any]) -> State:
    """Be one of three: the first ends, the others wait."""
    if state["number"] == 0:
        find(1)
        await pass_by(state["user_id"], "sent first")
    else:
        await wait_at(state["user_id"], "sent")
    return {}


async def asking(state: State) -> State:
    """Ask, while another branch waits."""
    form = interrupt({"prompt": "Where to, and for how long?", "schema": FORM})
    return {"answer": f"{form['nights']} nights in {form['city']}."}


async def fork(state: State) -> State:
    """Lead to an edge that decides in a thread."""
    find(1)
    return DONE


def which_way(state: State) -> str:
    """Decide where to go next, past a gate."""
    wait_in_thread_at(state["user_id"], "edge")
    return END


@task
async def first_part(user: str) -> str:
    """End at once."""
    await pass_by(user, "first part")
    return "one"


@task
async def second_part(user: str) -> str:
    """Wait."""
    await wait_at(user, "second part")
    return "two"


@entrypoint()
async def whole(user: str) -> str:
    """Do both, one after the other."""
    find(1)
    return f"{await first_part(user)} {await second_part(user)}"


async def function(state: State) -> State:
    """Run a functional graph."""
    answer: Any = await whole.ainvoke(state["user_id"])
    return {"answer": answer}


def add_nodes(builder: Any, *, then: str = END) -> dict[str, str]:
    """Add the nodes and their edges to a graph; `then` follows the last. Return each script's first node."""
    losing = (catching, returning, waiting_for, timing_out)
    for node in (waiting, blocking, split, left, right, sent, asking, fork, function, *losing, after):
        builder.add_node(node.__name__, node)
    builder.add_node("within", within())
    builder.add_conditional_edges("split", ways, ["left", "right", "asking", "sent"])
    builder.add_conditional_edges("fork", which_way, {END: then})
    for name in ("waiting", "blocking", "left", "right", "sent", "asking", "function", "within", "after"):
        builder.add_edge(name, then)
    for node in losing:
        builder.add_edge(node.__name__, "after")
    own = {name: name for name in ("waiting", "blocking", "within", "fork", "function")}
    own |= {node.__name__: node.__name__ for node in losing}
    return own | dict.fromkeys(("branches", "sent", "asking"), "split")
