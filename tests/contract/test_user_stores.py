"""LangGraph's Store for any graph: durable for each user, and no user's items ever reach another's run."""

import asyncio
import sys
import threading
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.config import get_store
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from structlog.testing import capture_logs

from backend.domain.errors import GraphFailedError
from backend.graphs.graph_options import GraphOptions
from backend.graphs.hosted_graph import HostedGraph
from backend.graphs.state.user_stores import MOST_BYTES
from backend.graphs.support import GraphInterface, log_start
from tests.contract.test_threads import process, serving
from tests.interruption.parts import Parts, started
from tests.records import ANN, a_task

pytestmark = pytest.mark.requirement("A-STORE-FOR-EACH-USER")

MEMORIES = ("memories",)


def graph_of(node: Any, **compiled: Any) -> Any:
    builder = StateGraph(MessagesState)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    builder.add_edge("node", END)
    return builder.compile(**compiled)


async def remember(state: MessagesState) -> Any:
    """Put the message into the store, and reply with all that is in it."""
    store = get_store()
    text = state["messages"][-1].text
    await store.aput(MEMORIES, text, {"text": text})
    found = await store.asearch(MEMORIES)
    assert {each.namespace for each in found} == {MEMORIES}
    assert await store.alist_namespaces() == [MEMORIES]
    item = await store.aget(MEMORIES, text)
    assert item is not None
    assert item.namespace == MEMORIES
    return {"messages": [AIMessage(" ".join(sorted(each.key for each in found)))]}


async def replies(parts: Any, *messages: str, user: str = "ann") -> list[str]:
    found: list[str] = []
    for message in messages:
        await parts.settled(await parts.post(message, user=user))
        found.append((await parts.history(user))[-1][1])
    return found


@pytest.mark.parametrize("own", [{}, {"store": InMemoryStore()}, {"checkpointer": False}])
async def test_what_is_remembered_of_a_user_is_there_again_and_nobody_elses(own: Any) -> None:
    async with serving(graph_of(remember, **own)) as parts:
        assert await replies(parts, "one", "two") == ["one", "one two"]
        assert await replies(parts, "three", user="bob") == ["three"]


async def test_a_graphs_own_store_is_shared_by_all_users_where_the_setting_says_so() -> None:
    graph, shared = graph_of(remember, store=InMemoryStore()), GraphOptions(shares_store=True)
    parts = Parts(
        workflow=lambda ledger, owner: HostedGraph(graph, ledger=ledger, owner=owner, options=shared)
    )
    async with started(parts):
        assert await replies(parts, "one") == ["one"]
        assert await replies(parts, "two", user="bob") == ["one two"]


@pytest.mark.parametrize(
    ("shared", "said"), [(False, "where each user's items lie apart"), (True, "which all users share, as ")]
)
def test_whether_users_share_a_graphs_own_store_is_logged_at_the_start(shared: bool, said: str) -> None:
    brings_its_own = graph_of(remember, store=InMemoryStore())
    with capture_logs() as logs:
        log_start("agent", GraphInterface(brings_its_own, GraphOptions(shares_store=shared)))
        log_start("other", GraphInterface(graph_of(remember), GraphOptions(shares_store=shared)))
    [line] = logs
    assert line["graph"] == "agent"
    assert line["items"].startswith(said)


async def test_it_is_there_after_a_restart_and_gone_with_its_user() -> None:
    async with serving(graph_of(remember)) as parts:
        await replies(parts, "one")
    async with serving(graph_of(remember), store=parts.store, like=parts) as again:
        assert await replies(again, "two") == ["one two"]
        await again.runner.delete_user("ann")
        assert await replies(again, "three") == ["three"]


async def test_a_plain_node_uses_it_from_its_thread() -> None:
    def node(state: MessagesState) -> Any:
        store = get_store()
        store.put(MEMORIES, state["messages"][-1].text, {"x": 1})
        return {"messages": [AIMessage(" ".join(sorted(each.key for each in store.search(MEMORIES))))]}

    async with serving(graph_of(node)) as parts:
        assert await replies(parts, "one", "two") == ["one", "one two"]
    async with serving(graph_of(node), store=parts.store, like=parts) as again:
        assert await replies(again, "three") == ["one three two"]
    async with serving(graph_of(node, checkpointer=False)) as lazy:
        assert await replies(lazy, "one") == ["one"]


async def test_what_an_interrupted_run_has_remembered_stays() -> None:
    async def node(state: MessagesState) -> Any:
        reply = await remember(state)
        if state["messages"][-1].text == "one":
            await asyncio.get_running_loop().create_future()
        return reply

    async with serving(graph_of(node)) as parts:
        await parts.post("one")
        async with asyncio.timeout(20):
            while await parts.store.get_checkpoint("ann", -1) is None:  # noqa: ASYNC110
                await asyncio.sleep(0)
        assert await replies(parts, "two") == ["one two"]


async def test_two_runs_at_once_lose_nothing_of_each_other() -> None:
    parts = process(graph_of(remember))
    await parts.open()
    contexts = [parts.interruptions.create_task_context(a_task(turn=turn)) for turn in (1, 2)]
    first, second = (parts.workflow._stores.of(each) for each in contexts)
    await first.aput(MEMORIES, "one", {})
    await second.aput(MEMORIES, "two", {})
    assert sorted(each.key for each in await first.asearch(MEMORIES)) == ["one", "two"]
    await parts.close()


async def test_a_store_that_is_full_refuses_and_keeps_what_it_has() -> None:
    async def node(state: MessagesState) -> Any:
        size = int(state["messages"][-1].text)
        await get_store().aput(MEMORIES, str(size), {"text": "x" * size})
        return {"messages": [AIMessage(str(len(await get_store().asearch(MEMORIES))))]}

    async with serving(graph_of(node)) as parts:
        said = await replies(parts, "10", str(MOST_BYTES), "20")
        assert said[0] == "1"
        assert said[1].startswith("The store of this user is full")
        assert said[2] == "2"


async def test_what_has_no_json_form_is_refused_where_it_is_put() -> None:
    async def node(_state: MessagesState) -> Any:
        await get_store().aput(MEMORIES, "odd", {"odd": object()})
        return {}

    async with serving(graph_of(node)) as parts:
        [said] = await replies(parts, "one")
        assert said.startswith("The store keeps what has a JSON form alone")


async def test_patterns_and_depths_of_a_graphs_own_store_are_those_of_the_user() -> None:
    seen: list[Any] = []

    async def node(state: MessagesState) -> Any:
        store = get_store()
        await store.aput(("a", "b", "c"), "k", {"n": 1})
        await store.aput(("x", "b"), "k", {"n": 2})
        seen.append(await store.alist_namespaces(prefix=("a",)))
        seen.append(sorted(await store.alist_namespaces(max_depth=1)))
        seen.append(await store.alist_namespaces(suffix=("b",)))
        seen.append([each.value for each in await store.asearch((), filter={"n": 2})])
        return {"messages": [AIMessage("done")]}

    async with serving(graph_of(node, store=InMemoryStore())) as parts:
        await replies(parts, "one")
        await replies(parts, "one", user="bob")
    one = [[("a", "b", "c")], [("a",), ("x",)], [("x", "b")], [{"n": 2}]]
    assert seen == [*one, *one]


async def kept_items(parts: Parts) -> list[str]:
    """Return the keys of what another process finds in ann's store."""
    again = process(graph_of(remember), store=parts.store, like=parts)
    store = again.workflow._stores.of(again.interruptions.create_task_context(a_task()))
    return sorted(each.key for each in await store.asearch(MEMORIES, limit=10_000))


async def test_what_a_thread_puts_before_the_event_loop_does_is_kept_with_it() -> None:
    async with serving(graph_of(remember)) as parts:
        store = parts.workflow._stores.of(parts.interruptions.create_task_context(a_task()))
        await store.load()
        thread = threading.Thread(target=store.put, args=(MEMORIES, "one", {}))
        thread.start()
        thread.join()
        store.put(MEMORIES, "two", {})
        await parts.log.commit(ANN)
        await asyncio.sleep(0)
        assert await kept_items(parts) == ["one", "two"]


async def test_threads_that_put_at_the_same_time_lose_nothing_of_each_other() -> None:
    odd, failures = object(), []

    def put(store: Any, name: int) -> None:
        for number in range(60):
            try:
                store.put(MEMORIES, f"{name} {number}", {"odd": odd} if name == 0 else {})
            except GraphFailedError:
                failures.append(name)

    async with serving(graph_of(remember)) as parts:
        store = parts.workflow._stores.of(parts.interruptions.create_task_context(a_task()))
        await store.load()
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            await asyncio.gather(*(asyncio.to_thread(put, store, name) for name in range(5)))
        finally:
            sys.setswitchinterval(interval)
        expected = sorted(f"{name} {number}" for name in range(1, 5) for number in range(60))
        assert sorted(each.key for each in await store.asearch(MEMORIES, limit=1000)) == expected
        await parts.log.commit(ANN)
        assert await kept_items(parts) == expected
    assert failures == [0] * 60
