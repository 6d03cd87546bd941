"""Nodes by the way in which each calls its tools and agents, as far as that is known before they run."""

import asyncio
import concurrent.futures
import functools
import multiprocessing
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from langchain.agents import create_agent
from langchain_core.runnables.config import ContextThreadPoolExecutor
from langchain_core.tools import BaseTool, tool
from langgraph.func import entrypoint, task
from langgraph.graph import START, MessagesState, StateGraph

from tests.graphs.scripted_chat import ScriptedChat


@tool
def pay(city: str) -> str:
    """Pay."""
    return city


@tool
def book(city: str) -> str:
    """Book."""
    return city


TOOLS = [pay, book]
BY_NAME = {each.name: each for each in TOOLS}
POOL = ThreadPoolExecutor(2)
llm: Any = ScriptedChat(script=[])
agent: Any = create_agent(llm, TOOLS)


def run_one(call: Any) -> Any:
    return BY_NAME[call["name"]].invoke(call["args"])


def ask_agent(state: Any) -> Any:
    return agent.invoke(state)


def alone(node: Any) -> Any:
    """A graph of one node."""
    return StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").compile()


# --- what no callback follows ------------------------------------------------------------------------------


def pool(state: Any) -> Any:
    with ThreadPoolExecutor() as executor:
        return [each.result() for each in [executor.submit(pay.invoke, {"city": city}) for city in "ab"]]


def pool_of_lambdas(state: Any) -> Any:
    with concurrent.futures.ThreadPoolExecutor() as executor:
        return list(executor.map(lambda city: pay.invoke({"city": city}), "ab"))


def pool_of_a_helper(state: Any) -> Any:
    with ThreadPoolExecutor(max_workers=4) as executor:
        return list(executor.map(run_one, state["calls"]))


def pool_of_the_module(state: Any) -> Any:
    return POOL.submit(run_one, state).result()


def pool_of_an_agent(state: Any) -> Any:
    with ThreadPoolExecutor() as executor:
        return executor.submit(agent.invoke, state).result()


def thread(state: Any) -> Any:
    out: list[Any] = []

    def work() -> None:
        out.append(pay.invoke({"city": "x"}))

    running = threading.Thread(target=work)
    running.start()
    running.join()
    return out


async def own_executor(state: Any) -> Any:
    return await asyncio.get_running_loop().run_in_executor(POOL, pay.invoke, {})


def inner_function(state: Any) -> Any:
    function: Any = pay.func
    return function(city="x")


def inner_function_by_name(state: Any) -> Any:
    for call in state["calls"]:
        found: Any = BY_NAME[call["name"]]
        found.func(**call["args"])


def processes(state: Any) -> Any:
    with multiprocessing.Pool(2) as workers:
        return workers.map(pay.invoke, [])


def spawned_processes(state: Any) -> Any:
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as workers:
        return workers.map(pay.invoke, [])


def process_pool(state: Any) -> Any:
    with ProcessPoolExecutor() as executor:
        return executor.submit(run_one, state).result()


class WithPool:
    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(1)

    def run(self, state: Any) -> Any:
        return self.pool.submit(pay.invoke, state).result()


def made_with(tools: Sequence[BaseTool]) -> Callable[[Any], Any]:
    def node(state: Any) -> Any:
        with ThreadPoolExecutor() as executor:
            return [executor.submit(each.invoke, {}) for each in tools]

    return node


inner = alone(pool)


async def graph_within(state: Any) -> Any:
    return await inner.ainvoke(state)


@task
def pooled(message: str) -> Any:
    with ThreadPoolExecutor() as executor:
        return executor.submit(pay.invoke, {}).result()


@entrypoint()
async def flow(message: str) -> Any:
    return await pooled(message)


UNFOLLOWED: dict[str, Any] = {
    "pay in a ThreadPoolExecutor": [
        pool,
        pool_of_lambdas,
        WithPool().run,
        made_with(TOOLS),
        inner,
        graph_within,
    ],
    "book, pay in a ThreadPoolExecutor": [pool_of_a_helper, pool_of_the_module, pool_of_an_agent],
    "pay in a thread of its own": [thread],
    "pay in an executor of its own": [own_executor],
    "pay by its .func": [inner_function, inner_function_by_name],
    "pay in a pool of multiprocessing": [processes, spawned_processes],
    "book, pay in a ProcessPoolExecutor": [process_pool],
}

# --- what blocks the event loop ----------------------------------------------------------------------------


async def asks_agent(state: Any) -> Any:
    return agent.invoke(state)


async def asks_model(state: Any) -> Any:
    return llm.with_structured_output(dict).invoke("x")


async def asks_local_agent(state: Any) -> Any:
    made = create_agent(llm, TOOLS)
    return made.invoke(state)


async def asks_local_chain(state: Any) -> Any:
    chain = llm | str
    return chain.invoke(state)


async def streams(state: Any) -> Any:
    return [*(llm | str).stream("x")]


async def calls_helper(state: Any) -> Any:
    return ask_agent(state)


async def calls_local_function(state: Any) -> Any:
    def ask() -> Any:
        return agent.invoke(state)

    return ask()


async def calls_tool(state: Any) -> Any:
    return pay.invoke({})


class Asking:
    def __init__(self) -> None:
        self.agent = agent

    async def __call__(self, state: Any) -> Any:
        return self.agent.invoke(state)


async def with_worker(state: Any, worker: Any) -> Any:
    return worker.invoke(state)


BLOCKING: dict[str, Any] = {
    "agent.invoke()": [asks_agent, calls_helper, calls_local_function],
    "llm.with_structured_output(dict).invoke()": [asks_model],
    "made.invoke()": [asks_local_agent],
    "chain.invoke()": [asks_local_chain],
    "(llm | str).stream()": [streams],
    "pay.invoke()": [calls_tool],
    "self.agent.invoke()": [Asking()],
    "worker.invoke()": [functools.partial(with_worker, worker=agent)],
}

# --- what is followed, and blocks nobody -------------------------------------------------------------------


def pool_with_context(state: Any) -> Any:
    with ContextThreadPoolExecutor() as executor:
        return executor.submit(pay.invoke, {}).result()


def copied_context(state: Any) -> Any:
    with ThreadPoolExecutor() as executor:
        return executor.submit(copy_context().run, pay.invoke, {}).result()


def kept_context(state: Any) -> Any:
    context = copy_context()
    with ThreadPoolExecutor() as executor:
        return executor.submit(context.run, pay.invoke, {}).result()


def pool_without_tools(state: Any) -> Any:
    with ThreadPoolExecutor() as executor:
        return executor.submit(len, state).result()


def pool_beside_a_tool(state: Any) -> Any:
    with ThreadPoolExecutor() as executor:
        executor.submit(len, state).result()
    return pay.invoke({})


def pool_of_a_model(state: Any) -> Any:
    with ThreadPoolExecutor() as executor:
        return executor.submit(llm.invoke, state).result()


async def default_executor(state: Any) -> Any:
    return await asyncio.get_running_loop().run_in_executor(None, pay.invoke, {})


async def awaits(state: Any) -> Any:
    return await agent.ainvoke(state)


async def in_a_thread(state: Any) -> Any:
    return await asyncio.to_thread(agent.invoke, state)


async def lambda_in_a_thread(state: Any) -> Any:
    return await asyncio.to_thread(lambda: agent.invoke(state))


async def helper_in_a_thread(state: Any) -> Any:
    return await asyncio.to_thread(ask_agent, state)


FOLLOWED: list[Any] = [
    pool_with_context, copied_context, kept_context, pool_without_tools, pool_beside_a_tool, pool_of_a_model,
    default_executor, awaits, in_a_thread, lambda_in_a_thread, helper_in_a_thread, ask_agent, agent,
]  # fmt: skip

graph = StateGraph(MessagesState).add_node("pays", pool).add_node("asks", asks_agent)
graph = graph.add_edge(START, "asks").add_edge("asks", "pays").compile()
