"""LangGraph's Store for any graph: durable for each user, and no user's items ever reach another's run."""

import asyncio
import sys
import threading
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.config import get_store
from langgraph.graph import MessagesState
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore
from structlog.testing import capture_logs

from backend.domain.errors import GraphFailedError
from backend.graphs.graph_options import GraphOptions
from backend.graphs.state.user_stores import MOST_BYTES, StoreOfUser, label_of
from backend.graphs.support import GraphInterface, log_start
from tests.contract.serving import process, reply, serving
from tests.contract.text_store import TextStore
from tests.fakes.waiting import until
from tests.graphs.building import chain, pipeline
from tests.interruption.parts import Parts
from tests.records import ANN, a_task

pytestmark = pytest.mark.requirement("A-STORE-FOR-EACH-USER")

MEMORIES = ("memories",)


async def replies(parts: Parts, *messages: str, user: str = "ann") -> list[str]:
    return [await reply(parts, message, user=user) for message in messages]


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


@pytest.mark.parametrize("own", [{}, {"store": InMemoryStore()}, {"checkpointer": False}])
async def test_items_of_a_user_are_there_again_and_nobody_elses(own: Any) -> None:
    async with serving(chain(remember, state=MessagesState, **own)) as parts:
        assert await replies(parts, "one", "two") == ["one", "one two"]
        assert await replies(parts, "three", user="bob") == ["three"]


async def test_store_of_a_graph_is_shared_where_the_setting_says_so() -> None:
    graph = chain(remember, state=MessagesState, store=InMemoryStore())
    async with serving(graph, shares_store=True) as parts:
        assert await replies(parts, "one") == ["one"]
        assert await replies(parts, "two", user="bob") == ["one two"]


@pytest.mark.parametrize(
    ("shared", "said"), [(False, "where each user's items lie apart"), (True, "which all users share, as ")]
)
def test_sharing_of_a_graphs_store_is_logged_at_the_start(shared: bool, said: str) -> None:
    brings_its_own = chain(remember, state=MessagesState, store=InMemoryStore())
    with capture_logs() as logs:
        log_start("agent", GraphInterface(brings_its_own, GraphOptions(shares_store=shared)))
        log_start("other", GraphInterface(pipeline(node=remember), GraphOptions(shares_store=shared)))
    [line] = logs
    assert line["graph"] == "agent"
    assert line["items"].startswith(said)


async def test_items_outlive_a_restart_and_go_with_their_user() -> None:
    async with serving(pipeline(node=remember)) as parts:
        await replies(parts, "one")
    async with serving(pipeline(node=remember), store=parts.store, like=parts) as again:
        assert await replies(again, "two") == ["one two"]
        await again.runner.delete_user("ann")
        assert await replies(again, "three") == ["three"]


async def test_plain_node_uses_the_store_from_its_thread() -> None:
    def node(state: MessagesState) -> Any:
        store = get_store()
        store.put(MEMORIES, state["messages"][-1].text, {"x": 1})
        return {"messages": [AIMessage(" ".join(sorted(each.key for each in store.search(MEMORIES))))]}

    async with serving(pipeline(node=node)) as parts:
        assert await replies(parts, "one", "two") == ["one", "one two"]
    async with serving(pipeline(node=node), store=parts.store, like=parts) as again:
        assert await replies(again, "three") == ["one three two"]
    async with serving(chain(node, state=MessagesState, checkpointer=False)) as lazy:
        assert await replies(lazy, "one") == ["one"]


async def test_items_of_an_interrupted_run_stay() -> None:
    async def node(state: MessagesState) -> Any:
        reply = await remember(state)
        if state["messages"][-1].text == "one":
            await asyncio.get_running_loop().create_future()
        return reply

    async with serving(pipeline(node=node)) as parts:
        await parts.post("one")
        await until(lambda: parts.store.get_checkpoint("ann", -1))
        assert await replies(parts, "two") == ["one two"]


async def test_full_store_refuses_and_keeps_what_it_has() -> None:
    async def node(state: MessagesState) -> Any:
        size = int(state["messages"][-1].text)
        await get_store().aput(MEMORIES, str(size), {"text": "x" * size})
        return {"messages": [AIMessage(str(len(await get_store().asearch(MEMORIES))))]}

    async with serving(pipeline(node=node)) as parts:
        said = await replies(parts, "10", str(MOST_BYTES), "20")
        assert said[0] == "1"
        assert said[1].startswith("The store of this user is full")
        assert said[2] == "2"


async def test_item_without_json_form_is_refused() -> None:
    async def node(_state: MessagesState) -> Any:
        await get_store().aput(MEMORIES, "odd", {"odd": object()})
        return {}

    async with serving(pipeline(node=node)) as parts:
        [said] = await replies(parts, "one")
        assert said.startswith("The store keeps what has a JSON form alone")


async def test_patterns_and_depths_of_a_graphs_store_are_the_users() -> None:
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

    async with serving(chain(node, state=MessagesState, store=InMemoryStore())) as parts:
        await replies(parts, "one")
        await replies(parts, "one", user="bob")
    one = [[("a", "b", "c")], [("a",), ("x",)], [("x", "b")], [{"n": 2}]]
    assert seen == [*one, *one]


async def kept_items(parts: Parts) -> list[str]:
    """Return the keys of what another process finds in ann's store."""
    again = process(pipeline(node=remember), store=parts.store, like=parts)
    store = again.workflow._stores.of(again.interruptions.create_task_context(a_task()))
    return sorted(each.key for each in await store.asearch(MEMORIES, limit=10_000))


async def test_item_of_a_thread_put_before_the_event_loops_is_kept() -> None:
    async with serving(pipeline(node=remember)) as parts:
        store = parts.workflow._stores.of(parts.interruptions.create_task_context(a_task()))
        await store.load()
        thread = threading.Thread(target=store.put, args=(MEMORIES, "one", {}))
        thread.start()
        thread.join()
        store.put(MEMORIES, "two", {})
        await parts.log.commit(ANN)
        await asyncio.sleep(0)
        assert await kept_items(parts) == ["one", "two"]


async def test_threads_that_put_at_once_lose_nothing() -> None:
    odd, failures = object(), []

    def put(store: Any, name: int) -> None:
        for number in range(60):
            try:
                store.put(MEMORIES, f"{name} {number}", {"odd": odd} if name == 0 else {})
            except GraphFailedError:
                failures.append(name)

    async with serving(pipeline(node=remember)) as parts:
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


ALIKE = [
    "ann",
    "anna",
    "Ann",
    "ann.lee",
    "ann.lee.x",
    "a_n",
    "an",
    "ann-x",
    "ann@x",
    "ann.notes",
    "langgraph",
]
NOTES = ("notes",)
DEEP = ("lee", "notes")


@pytest.fixture(params=[TextStore, InMemoryStore])
def shared(request: pytest.FixtureRequest) -> BaseStore:
    return request.param()


async def test_users_whose_ids_begin_alike_see_their_own_items_alone(shared: BaseStore) -> None:
    stores = {user: StoreOfUser(shared, user) for user in ALIKE}
    for user, store in stores.items():
        for namespace in (NOTES, DEEP):
            await store.aput(namespace, user, {"of": user})
    for user, store in stores.items():
        found = await store.asearch(())
        assert sorted((each.namespace, each.key) for each in found) == [(DEEP, user), (NOTES, user)]
        assert [each.key for each in await store.asearch(NOTES)] == [user]
        assert await store.alist_namespaces() == [DEEP, NOTES]
        assert await store.alist_namespaces(max_depth=1) == [("lee",), NOTES]
        assert await store.alist_namespaces(prefix=["lee"]) == [DEEP]
        assert await store.alist_namespaces(suffix=["notes"]) == [DEEP, NOTES]
        others = [each for each in ALIKE if each != user]
        assert [await store.aget(NOTES, each) for each in others] == [None] * len(others)
        item = store.get(DEEP, user)
        assert item is not None
        assert (item.namespace, item.value) == (DEEP, {"of": user})


async def test_pages_of_a_search_are_of_the_users_items(shared: BaseStore) -> None:
    store = StoreOfUser(shared, "ann")
    for number in range(5):
        await store.aput(NOTES, str(number), {"odd": number % 2})
    pages = [await store.asearch((), limit=2, offset=at) for at in (0, 2, 4)]
    assert sorted(each.key for page in pages for each in page) == ["0", "1", "2", "3", "4"]
    assert sorted(each.key for each in await store.asearch(NOTES, filter={"odd": 1})) == ["1", "3"]
    await store.adelete(NOTES, "3")
    assert [each.key for each in await store.asearch(NOTES, filter={"odd": 1})] == ["1"]


def older(store: BaseStore, user: str, namespace: tuple[str, ...], key: str) -> None:
    """Put an item where an earlier version did."""
    store.batch([PutOp((user, *namespace), key, {"of": user})])


@pytest.mark.parametrize("user", ["ann", "ann.lee"])
async def test_items_of_an_earlier_version_are_found_and_replaced(shared: BaseStore, user: str) -> None:
    store = StoreOfUser(shared, user)
    for number in range(3):
        older(shared, "anna", NOTES, f"annas {number}")
        older(shared, user, NOTES, str(number))
    older(shared, user, DEEP, "deep")
    for number in range(20):
        await StoreOfUser(shared, "anna").aput(NOTES, f"annas new {number}", {})
        await store.aput(("new",), str(number), {})
    item = await store.aget(NOTES, "1")
    assert item is not None
    assert (item.namespace, item.value) == (NOTES, {"of": user})
    assert sorted(each.key for each in await store.asearch(NOTES)) == ["0", "1", "2"]
    assert [each.key for each in await store.asearch(DEEP)] == ["deep"]
    found = await store.asearch((), limit=100)
    assert {each.key for each in found if each.namespace == NOTES} == {"0", "1", "2"}
    assert not any("anna" in each.key for each in found)
    assert {*await store.alist_namespaces()} >= {("new",), NOTES}
    await store.aput(NOTES, "1", {"of": "now"})
    await store.adelete(NOTES, "2")
    assert {each.key: each.value["of"] for each in await store.asearch(NOTES)} == {"0": user, "1": "now"}
    await store.adelete(NOTES, "1")
    assert await store.aget(NOTES, "1") is None


async def test_items_that_may_be_of_a_longer_id_are_not_found() -> None:
    shared = TextStore()
    older(shared, "ann.lee", NOTES, "of ann.lee")
    store = StoreOfUser(shared, "ann")
    assert await store.asearch(()) == []
    assert await store.alist_namespaces() == []


def test_label_begins_no_other_and_is_plain_for_text_search() -> None:
    labels = [label_of(user) for user in ALIKE]
    assert label_of("Ann.Lee") == "=41nn=2e=4cee!"
    assert all(a == b or not b.startswith(a) for a in labels for b in labels)
    assert {*"._%"}.isdisjoint("".join(labels))
    assert all(each == each.lower() for each in labels)
