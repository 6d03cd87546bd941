"""The graph that is put behind the server: a message is a script, and each step of it waits at a gate.

Its tools are a read, a quick read, a write, a blocking one and a program; all of them come to the runner's
world before they go on.
"""

from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from backend.hosted_tools import say
from conformance.gates import wait_at

FORM = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}},
    "required": ["city", "nights"],
}


class State(TypedDict, total=False):
    """What a run knows."""

    message: str
    user_id: str
    answer: str


async def router(state: State) -> State:
    """Find out what is wanted."""
    if state["message"] == "route":
        await wait_at(state["user_id"], "router")
    return {}


async def worker(state: State) -> State:
    """Do what is wanted, and say so."""
    match state["message"]:
        case "hold":
            await wait_at(state["user_id"], "hold")
        case "text":
            say("One, two")
            await wait_at(state["user_id"], "text")
            say(", three.")
            return {"answer": "One, two, three."}
        case "question":
            form = interrupt({"prompt": "Where to, and for how long?", "schema": FORM})
            return {"answer": f"{form['nights']} nights in {form['city']}."}
        case _:
            pass
    return {"answer": f"Done: {state['message']}."}


def graph():
    """Return the compiled graph."""
    builder = StateGraph(State)
    builder.add_node("router", router)
    builder.add_node("worker", worker)
    builder.add_edge(START, "router")
    builder.add_edge("router", "worker")
    builder.add_edge("worker", END)
    return builder.compile()
