"""The graph that is put behind the server: a message is a script, and each step of it waits at a gate.

Its tools are of every kind: a read, a quick one, a write, a blocking one and a program. All of
them come to the runner's world, and all but the quick one wait there. The scripts of
`checks/conformance/agent.py` call tools that nobody declared, those of `checks/conformance/nodes.py` run
nodes of every kind.
"""

# LangGraph fills in the keys of a state that are given, which no type says.
# pyright: reportTypedDictNotRequiredAccess=false

import sys
from collections.abc import AsyncGenerator, Generator
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from backend.graphs.hosted_tools import HostedTool, Quote, Report, program, say, tool, use
from checks.conformance import agent, nodes
from checks.conformance.agent import State
from checks.conformance.gates import order, pass_by, reference_of, wait_at, wait_in_thread_at


@tool(effect="read", fresh_s=60)
async def quick(user: str) -> AsyncGenerator[dict[str, Any], None]:
    """Find one thing, at once."""
    await pass_by(user, "quick")
    yield {"found": user}


@tool(effect="read")
async def search(user: str) -> AsyncGenerator[dict[str, Any], None]:
    """Find one thing, and another one past the gate."""
    yield {"found": 1}
    await wait_at(user, "search")
    yield {"found": 2}


@tool(effect="read")
def leaf_through(user: str) -> Generator[dict[str, Any], None, None]:
    """Find the same in a thread, which nothing can end but its gate."""
    yield {"found": 1}
    wait_in_thread_at(user, "thread")
    yield {"found": 2}


find = program("find", [sys.executable, "-m", "checks.conformance.finder"], effect="read")


def quote_room(user: str, slowly: bool) -> Quote:
    """Say what a room would cost."""
    return Quote(
        {"user": user, "slowly": slowly}, "Order a room for 120 EUR?", {"What": "A room", "Total": "120 EUR"}
    )


async def room_ordered(call_id: str) -> str | None:
    """Look up whether a room was ordered."""
    return await reference_of(call_id)


@tool(effect="write", quote=quote_room, outcome=room_ordered)
async def order_room(user: str, slowly: bool, report: Report) -> str:
    """Order a room, at once or past a gate: it is taken then, and confirmed past another one."""
    if slowly:
        await wait_at(user, "sending")
    return await order(user, report.call_id)


async def router(state: State) -> State:
    """Find out what is wanted."""
    if state["message"] == "route":
        await wait_at(state["user_id"], "router")
    return {}


def worker_with(quick: HostedTool, search: HostedTool, order_room: HostedTool):
    """Return the node that does what is wanted, with these tools."""

    async def worker(state: State) -> State:
        """Do what is wanted, and say so."""
        user = state["user_id"]
        match state["message"]:
            case "hold":
                await wait_at(user, "hold")
            case "text":
                say("One, two")
                await wait_at(user, "text")
                say(", three.")
                return {"answer": "One, two, three."}
            case "question":
                form = interrupt({"prompt": "Where to, and for how long?", "schema": nodes.FORM})
                return {"answer": f"{form['nights']} nights in {form['city']}."}
            case "order" | "order slowly":
                ordered = await use(order_room, user=user, slowly=state["message"] == "order slowly")
                return {"answer": f"{ordered.outcome}: {ordered.summary}"}
            case "read":
                return {"answer": (await use(search, user=user)).summary}
            case "two reads":
                first = await use(quick, user=user)
                second = await use(search, user=user)
                return {"answer": f"{first.summary}, {second.summary}"}
            case "thread":
                return {"answer": (await use(leaf_through, user=user)).summary}
            case "program":
                return {"answer": (await use(find, user=user)).summary}
            case _:
                pass
        return {"answer": f"Done: {state['message']}."}

    return worker


def graph(*, tools: tuple[HostedTool, HostedTool, HostedTool] = (quick, search, order_room)):
    """Return the compiled graph; `tools` are a quick read, one that waits at its gate, and a write."""
    builder = StateGraph(State)
    builder.add_node("router", router)
    builder.add_node("worker", worker_with(*tools))
    builder.add_node("model", agent.model)
    builder.add_node("ready", agent.ready)
    builder.add_node("tools", agent.tools)
    first_of = nodes.add_nodes(builder)

    async def where_to(state: State) -> str:
        kind, _, script = state["message"].partition(": ")
        return first_of[script] if kind == "node" else "model" if script else "worker"

    builder.add_edge(START, "router")
    builder.add_conditional_edges("router", where_to, ["worker", "model", *{*first_of.values()}])
    builder.add_edge("worker", END)
    builder.add_conditional_edges("model", agent.after_the_model, ["ready", END])
    builder.add_edge("ready", "tools")
    builder.add_edge("tools", "model")
    return builder.compile()
