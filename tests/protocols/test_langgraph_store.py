"""Items of LangGraph's Store by its SDKs: what clients put graphs see, and nobody sees another person's."""

import itertools
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langgraph_sdk import get_client
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError

from tests.api.issuer import Issuer
from tests.api.live import base_url, running, serving
from tests.protocols.sdk_streams import human

pytestmark = pytest.mark.asyncio(loop_scope="module")

REMEMBERING = "tests.protocols.remembering_graph:graph"
THREAD = "Detour-Thread"
_numbers = itertools.count(1)


@pytest_asyncio.fixture(loop_scope="module")
async def sdk(live_servers):
    server = await live_servers(graph=REMEMBERING)
    async with get_client(url=base_url(server.port), api_key=None) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="module")
async def thread(sdk):
    return (await sdk.threads.create())["thread_id"]


@pytest.fixture
def place() -> list[str]:
    """A namespace of this test alone."""
    return ["places", f"n{next(_numbers)}"]


async def told(sdk: Any, thread: str, text: str) -> str:
    values = await sdk.runs.wait(thread, "agent", input=human(text))
    return values["messages"][-1]["content"]


async def keys(sdk: Any, *prefix: str, **more: Any) -> list[str]:
    return [each["key"] for each in (await sdk.store.search_items([*prefix], **more))["items"]]


async def test_item_is_put_read_replaced_searched_listed_and_deleted(sdk, place) -> None:
    assert await sdk.store.get_item(place, "a") is None
    await sdk.store.put_item(place, "a", {"size": 1})
    first = await sdk.store.get_item(place, "a")
    assert (first["namespace"], first["key"], first["value"]) == (place, "a", {"size": 1})
    await sdk.store.put_item(place, "b", {"size": 2}, index=False)
    await sdk.store.put_item(place, "a", {"size": 3})
    second = await sdk.store.get_item(place, "a")
    assert second["value"] == {"size": 3}
    assert second["updated_at"] > first["updated_at"]
    assert await keys(sdk, *place) == ["a", "b"]  # changed last first
    assert await keys(sdk, *place, limit=1, offset=1) == ["b"]
    assert await keys(sdk, *place, filter={"size": 2}) == ["b"]
    assert await keys(sdk, *place, filter={"size": {"$gte": 3}}) == ["a"]
    await sdk.store.put_item([*place, "within"], "c", {})
    assert await keys(sdk, *place) == ["c", "a", "b"]
    listed = await sdk.store.list_namespaces(prefix=place)
    assert listed == {"namespaces": [place, [*place, "within"]]}
    assert await sdk.store.list_namespaces(prefix=place, suffix=["within"]) == {
        "namespaces": [[*place, "within"]]
    }
    assert await sdk.store.list_namespaces(prefix=place, max_depth=2) == {"namespaces": [place]}
    await sdk.store.delete_item(place, "a")
    assert await sdk.store.get_item(place, "a") is None


async def test_javascript_client_puts_reads_searches_lists_and_deletes(
    node, sdk, thread, live_servers
) -> None:
    url = base_url((await live_servers(graph=REMEMBERING)).port)
    js = await node("langgraph")

    async def call(method: str, *args: Any) -> Any:
        return await js.call("call", url=url, headers={THREAD: thread}, of="store", method=method, args=args)

    await call("putItem", ["memories"], "coffee", {"by": "page"})
    assert (await call("getItem", ["memories"], "coffee"))["value"] == {"by": "page"}
    assert [each["key"] for each in (await call("searchItems", ["memories"]))["items"]] == ["coffee"]
    assert ["memories"] in (await call("listNamespaces"))["namespaces"]
    assert await told(sdk, thread, "tell") == "coffee=page"
    await call("deleteItem", ["memories"], "coffee")
    assert await told(sdk, thread, "tell") == "nothing"


async def test_thread_in_the_header_is_the_user_whose_items_are_meant(sdk, thread) -> None:
    assert await told(sdk, thread, "keep tea") == "tea=graph"
    of_thread: Any = {"headers": {THREAD: thread}}
    assert await keys(sdk, "memories", **of_thread) == ["tea"]
    assert await keys(sdk, "memories") == []
    await sdk.store.put_item(["memories"], "milk", {"by": "client"}, **of_thread)
    assert await told(sdk, thread, "tell") == "milk=client tea=graph"
    await sdk.store.delete_item(["memories"], "tea", **of_thread)
    assert await told(sdk, thread, "tell") == "milk=client"
    other = (await sdk.threads.create())["thread_id"]
    assert await told(sdk, other, "tell") == "nothing"


async def test_thread_in_the_namespace_is_the_user_whose_items_are_meant(sdk, thread) -> None:
    await sdk.store.put_item([thread, "profile"], "name", {"is": "Ann"})
    of_thread: Any = {"headers": {THREAD: thread}}
    assert await keys(sdk, thread, "profile", **of_thread) == ["name"]
    assert await keys(sdk, thread) == ["name"]
    assert await sdk.store.list_namespaces(suffix=[thread, "profile"]) == {
        "namespaces": [[thread, "profile"]]
    }
    await sdk.threads.delete(thread)
    assert await keys(sdk, thread) == []


async def test_item_of_no_thread_lies_beneath_those_of_all_threads(sdk, thread) -> None:
    await sdk.store.put_item(["memories"], "house", {"by": "all"})
    other = (await sdk.threads.create())["thread_id"]
    try:
        assert await told(sdk, thread, "tell") == "house=all"
        assert await told(sdk, thread, "keep house") == "house=graph"
        assert await told(sdk, other, "tell") == "house=all"
        assert await told(sdk, other, "drop house") == "nothing"
        assert await told(sdk, other, "tell") == "nothing"
        assert (await sdk.store.get_item(["memories"], "house"))["value"] == {"by": "all"}
        of_thread: Any = {"headers": {THREAD: other}}
        assert await sdk.store.get_item(["memories"], "house", **of_thread) is None
    finally:
        await sdk.store.delete_item(["memories"], "house")
    assert await told(sdk, thread, "tell") == "house=graph"


async def test_item_outlives_a_restart(tmp_path: Path) -> None:
    for _ in range(2):
        async with running(tmp_path, graph=REMEMBERING, store="sqlite") as api:
            item = {"namespace": ["memories"], "key": "kept", "value": {"by": "all"}}
            found = await api.call("GET", "/store/items?namespace=memories&key=kept")
            if found.json() is None:
                await api.call("PUT", "/store/items", json=item)
    assert found.json()["value"] == {"by": "all"}


async def test_item_put_while_a_run_is_at_work_is_not_lost_with_the_runs_own(sdk, thread) -> None:
    of_thread: Any = {"headers": {THREAD: thread}}
    for number in range(5):
        run = await sdk.runs.create(thread, "agent", input=human(f"keep g{number}"))
        await sdk.store.put_item(["memories"], f"c{number}", {"by": "client"}, **of_thread)
        await sdk.runs.join(thread, run["run_id"])
    wanted = {f"{by}{number}" for by in "gc" for number in range(5)}
    assert set(await keys(sdk, "memories", limit=100, **of_thread)) == wanted


@pytest.mark.requirement("NOBODY-REACHES-OTHERS")
async def test_person_reaches_no_item_of_another(tmp_path_factory) -> None:
    issuer = Issuer()
    folder = tmp_path_factory.mktemp("persons")
    async with serving(folder, graph=REMEMBERING, **issuer.settings()) as server:
        ann, bob = (
            get_client(url=base_url(server.port), api_key=issuer.token(each)) for each in ("ann", "bob")
        )
        async with ann, bob:
            thread = (await ann.threads.create())["thread_id"]
            await ann.store.put_item(["memories"], "of all", {"by": "ann"})
            await ann.store.put_item([thread], "of the thread", {"by": "ann"})
            assert await told(ann, thread, "tell") == "of all=ann"
            assert await keys(ann, "memories") == ["of all"]
            assert await keys(ann, thread) == ["of the thread"]
            assert await keys(bob, "memories") == await keys(bob, thread) == []
            for_bob = (await bob.threads.create())["thread_id"]
            assert await told(bob, for_bob, "tell") == "nothing"
            of_ann: Any = {"headers": {THREAD: thread}}
            with pytest.raises(NotFoundError):
                await bob.store.search_items(["memories"], **of_ann)
            with pytest.raises(NotFoundError):
                await bob.store.put_item(["memories"], "x", {}, **of_ann)
            await bob.store.put_item([thread], "mine", {})
            assert await keys(ann, thread) == ["of the thread"]


async def test_graph_with_its_own_store_has_the_items_of_named_threads(live_servers) -> None:
    server = await live_servers(graph="tests.protocols.remembering_graph:own")
    async with get_client(url=base_url(server.port), api_key=None) as sdk:
        thread = (await sdk.threads.create())["thread_id"]
        await told(sdk, thread, "keep tea")
        of_thread: Any = {"headers": {THREAD: thread}}
        assert await keys(sdk, "memories", **of_thread) == ["tea"]
        await sdk.store.put_item(["memories"], "milk", {"by": "client"}, **of_thread)
        assert await told(sdk, thread, "tell") == "milk=client tea=graph"
        with pytest.raises(UnprocessableEntityError, match="name the thread"):
            await sdk.store.search_items(["memories"])


@pytest.mark.parametrize(
    ("method", "path", "body", "begins"),
    [
        ("PUT", "items", {"namespace": [], "key": "a", "value": {}}, "namespace: "),
        ("PUT", "items", {"namespace": ["a.b"], "key": "a", "value": {}}, "namespace: "),
        ("PUT", "items", {"namespace": "a", "key": "a", "value": {}}, "namespace: "),
        ("PUT", "items", {"namespace": ["langgraph"], "key": "a", "value": {}}, "namespace: "),
        ("PUT", "items", {"namespace": ["a"] * 21, "key": "a", "value": {}}, "namespace: "),
        ("PUT", "items", {"namespace": ["a"], "key": "", "value": {}}, "key: "),
        ("PUT", "items", {"namespace": ["a"], "key": "a"}, "value: "),
        ("PUT", "items", {"namespace": ["a"], "key": "a", "value": {}, "ttl": 5}, "ttl: "),
        ("PUT", "items", {"namespace": ["a"], "key": "a", "value": {}, "index": 5}, "index: "),
        ("PUT", "items", {"namespace": ["a"], "key": "a", "value": {"a": "x" * 2**20}}, "value: The store"),
        ("GET", "items?namespace=a", None, "key: "),
        ("DELETE", "items", {"key": "a"}, "namespace: "),
        ("POST", "items/search", {"namespace_prefix": "a"}, "namespace_prefix: "),
        ("POST", "items/search", {"filter": 5}, "filter: "),
        ("POST", "items/search", {"limit": -1}, "limit: "),
        ("POST", "namespaces", {"prefix": [1]}, "prefix: "),
    ],
)
async def test_bad_request_is_refused_by_its_field(servers, method, path, body, begins) -> None:
    api = await servers(graph=REMEMBERING)
    response = await api.call(method, f"/store/{path}", json=body)
    assert (response.status_code, response.json()["detail"][: len(begins)]) == (422, begins)


async def test_filter_that_compares_what_cannot_be_compared_is_refused(sdk, place) -> None:
    await sdk.store.put_item(place, "a", {"size": "big"})
    with pytest.raises(UnprocessableEntityError, match="filter: "):
        await sdk.store.search_items(place, filter={"size": {"$gt": 5}})


async def test_header_with_an_unknown_thread_is_not_found(sdk) -> None:
    with pytest.raises(NotFoundError):
        await sdk.store.search_items(["memories"], headers={THREAD: "nobody"})


async def test_change_of_an_item_of_no_thread_is_seen_by_threads_with_items_of_their_own(sdk, thread) -> None:
    await sdk.store.put_item(["memories"], "house", {"by": "all"})
    assert await told(sdk, thread, "keep tea") == "house=all tea=graph"
    await sdk.store.put_item(["memories"], "house", {"by": "others"})
    assert await told(sdk, thread, "tell") == "house=others tea=graph"
    await sdk.store.delete_item(["memories"], "house")
    assert await told(sdk, thread, "tell") == "tea=graph"
