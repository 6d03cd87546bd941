"""Assistants that people make, by LangGraph's SDKs: changed, versioned, run, and nobody else's."""

import uuid
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langgraph_sdk import get_client
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError

from tests.api.issuer import Issuer
from tests.api.live import base_url, running, serving
from tests.protocols.sdk_streams import human

pytestmark = pytest.mark.asyncio(loop_scope="module")

GIVING = "tests.protocols.giving_graph:graph"


@pytest_asyncio.fixture(loop_scope="module")
async def sdk(live_servers):
    server = await live_servers(graph=GIVING)
    async with get_client(url=base_url(server.port), api_key=None) as client:
        yield client


@pytest.fixture
def mark() -> dict[str, Any]:
    """Metadata of this test's assistants alone."""
    return {"mark": uuid.uuid4().hex}


async def said(sdk: Any, assistant_id: str, text: str = "hi", **options: Any) -> str:
    values = await sdk.runs.wait(None, assistant_id, input=human(text), **options)
    return values["messages"][-1]["content"]


async def test_run_has_what_its_assistant_brings_below_what_it_brings_itself(sdk) -> None:
    config: Any = {"configurable": {"k": 1}, "recursion_limit": 50}
    made = await sdk.assistants.create("agent", config, context={"tone": "warm"}, name="Warm")
    assert (made["graph_id"], made["name"], made["version"]) == ("giving_graph", "Warm", 1)
    assert (made["config"], made["context"]) == (config, {"tone": "warm"})
    assistant_id = made["assistant_id"]
    assert await said(sdk, assistant_id) == "None warm 1 None"
    assert await said(sdk, assistant_id, context={"tone": "cold"}) == "None cold 1 None"
    assert await said(sdk, assistant_id, config={"configurable": {"k": 2}}) == "None warm 2 None"
    assert await said(sdk, "agent") == "None None None None"


async def test_run_and_thread_name_the_assistant(sdk) -> None:
    made = await sdk.assistants.create("agent")
    thread = (await sdk.threads.create())["thread_id"]
    run = await sdk.runs.create(thread, made["assistant_id"], input=human("hi"))
    assert run["assistant_id"] == made["assistant_id"]
    assert (await sdk.runs.get(thread, run["run_id"]))["assistant_id"] == made["assistant_id"]
    [found] = await sdk.threads.search(metadata={"assistant_id": made["assistant_id"]})
    assert (found["thread_id"], found["metadata"]["graph_id"]) == (thread, "giving_graph")
    await sdk.runs.join(thread, run["run_id"])
    await sdk.assistants.delete(made["assistant_id"], delete_threads=True)
    with pytest.raises(NotFoundError):
        await sdk.threads.get(thread)


async def test_recursion_limit_of_the_assistant_bounds_its_runs(live_servers) -> None:
    server = await live_servers(graph="tests.protocols.talking_graph:graph")
    async with get_client(url=base_url(server.port), api_key=None) as sdk:
        made = await sdk.assistants.create("agent", {"recursion_limit": 1})
        failed = await sdk.runs.wait(None, made["assistant_id"], input=human("ask"), raise_error=False)
        assert failed["__error__"]["message"] == "The graph went on for more steps than it is allowed."
        asked = await sdk.runs.wait(
            None, made["assistant_id"], input=human("ask"), config={"recursion_limit": 9}
        )
        assert "__interrupt__" in asked


async def test_change_makes_a_version_and_any_version_may_be_the_latest(sdk) -> None:
    made = await sdk.assistants.create("agent", context={"tone": "one"}, metadata={"a": 1})
    assistant_id = made["assistant_id"]
    changed = await sdk.assistants.update(
        assistant_id, context={"tone": "two"}, metadata={"b": 2}, name="Two", description="The second"
    )
    assert (changed["version"], changed["name"], changed["description"]) == (2, "Two", "The second")
    assert changed["metadata"] == {"a": 1, "b": 2}
    assert changed["created_at"] == made["created_at"]
    assert await said(sdk, assistant_id) == "None two None None"
    kept = await sdk.assistants.update(assistant_id, name="Three")
    assert (kept["version"], kept["context"]) == (3, {"tone": "two"})
    versions = await sdk.assistants.get_versions(assistant_id)
    assert [(each["version"], each["name"]) for each in versions] == [
        (3, "Three"),
        (2, "Two"),
        (1, "Untitled"),
    ]
    assert [each["version"] for each in await sdk.assistants.get_versions(assistant_id, {"b": 2})] == [3, 2]
    first = await sdk.assistants.set_latest(assistant_id, 1)
    assert (first["version"], first["context"], first["name"]) == (1, {"tone": "one"}, "Untitled")
    assert (await sdk.assistants.get(assistant_id))["version"] == 1
    assert await said(sdk, assistant_id) == "None one None None"
    assert (await sdk.assistants.update(assistant_id, name="Four"))["version"] == 4
    with pytest.raises(NotFoundError):
        await sdk.assistants.set_latest(assistant_id, 9)


async def test_assistants_are_searched_sorted_counted_and_deleted(sdk, mark) -> None:
    made = [await sdk.assistants.create("agent", metadata=mark, name=each) for each in ("Beta", "Alpha")]
    found = await sdk.assistants.search(metadata=mark)
    assert [each["name"] for each in found] == ["Alpha", "Beta"]
    by_name = await sdk.assistants.search(metadata=mark, sort_by="name", sort_order="desc")
    assert [each["name"] for each in by_name] == ["Beta", "Alpha"]
    assert await sdk.assistants.search(metadata=mark, name="alph", select=["name"]) == [{"name": "Alpha"}]
    page = await sdk.assistants.search(metadata=mark, limit=1, response_format="object")
    assert page["next"] == "1"
    assert await sdk.assistants.count(metadata=mark) == 2
    await sdk.assistants.delete(made[0]["assistant_id"])
    assert await sdk.assistants.count(metadata=mark) == 1
    for call in (
        sdk.assistants.get,
        sdk.assistants.get_versions,
        sdk.assistants.delete,
        sdk.assistants.get_graph,
    ):
        with pytest.raises(NotFoundError):
            await call(made[0]["assistant_id"])
    with pytest.raises(NotFoundError):
        await sdk.runs.create(None, made[0]["assistant_id"], input=human("hi"))


async def test_id_may_be_chosen_and_counts_once(sdk, mark) -> None:
    own = str(uuid.uuid4())
    await sdk.assistants.create("agent", assistant_id=own, name="First", metadata=mark)
    with pytest.raises(ConflictError):
        await sdk.assistants.create("agent", assistant_id=own)
    again = await sdk.assistants.create("agent", assistant_id=own, if_exists="do_nothing", name="Second")
    assert again["name"] == "First"
    with pytest.raises(NotFoundError):
        await sdk.assistants.create("nothing")


async def test_schemas_and_graph_of_an_assistant_are_its_graphs(sdk) -> None:
    made = (await sdk.assistants.create("agent"))["assistant_id"]
    assert await sdk.assistants.get_schemas(made) == await sdk.assistants.get_schemas("agent")
    assert await sdk.assistants.get_graph(made) == await sdk.assistants.get_graph("agent")
    assert await sdk.assistants.get_subgraphs(made) == {}


async def test_graph_of_the_server_is_an_assistant_that_stays_as_it_is(sdk) -> None:
    [served] = await sdk.assistants.search(metadata={"created_by": "system"})
    assert [each["version"] for each in await sdk.assistants.get_versions(served["assistant_id"])] == [1]
    for call in (
        sdk.assistants.update(served["assistant_id"], name="Mine"),
        sdk.assistants.delete("agent"),
        sdk.assistants.set_latest("agent", 1),
    ):
        with pytest.raises(ConflictError):
            await call


async def test_javascript_client_makes_changes_and_deletes(node, sdk, live_servers, mark) -> None:
    url = base_url((await live_servers(graph=GIVING)).port)
    js = await node("langgraph")

    async def call(method: str, *args: Any) -> Any:
        return await js.call("call", url=url, of="assistants", method=method, args=args)

    made = await call("create", {"graphId": "agent", "context": {"tone": "js"}, "metadata": mark})
    assistant_id = made["assistant_id"]
    assert await said(sdk, assistant_id) == "None js None None"
    await call("update", assistant_id, {"graphId": "agent", "context": {"tone": "later"}})
    assert [each["version"] for each in await call("getVersions", assistant_id)] == [2, 1]
    assert (await call("setLatest", assistant_id, 1))["context"] == {"tone": "js"}
    assert [each["assistant_id"] for each in await call("search", {"metadata": mark})] == [assistant_id]
    assert await call("count", {"metadata": mark}) == 1
    await call("delete", assistant_id)
    assert await call("search", {"metadata": mark}) == []


async def test_assistant_outlives_a_restart(tmp_path: Path) -> None:
    async with running(tmp_path, graph=GIVING, store="sqlite") as api:
        made = (await api.call("POST", "/assistants", json={"graph_id": "agent", "name": "Kept"})).json()
    async with running(tmp_path, graph=GIVING, store="sqlite") as api:
        assert (await api.call("GET", f"/assistants/{made['assistant_id']}")).json() == made


async def test_only_the_last_versions_are_kept(servers, monkeypatch) -> None:
    monkeypatch.setattr("backend.protocols.langgraph.assistants.MOST_VERSIONS", 3)
    api = await servers(graph=GIVING)
    made = (await api.call("POST", "/assistants", json={"graph_id": "agent"})).json()
    path = f"/assistants/{made['assistant_id']}"
    for number in range(4):
        await api.call("PATCH", path, json={"name": str(number)})
    found = (await api.call("POST", f"{path}/versions", json={})).json()
    assert [each["version"] for each in found] == [5, 4, 3]


@pytest.mark.requirement("NOBODY-REACHES-OTHERS")
async def test_person_reaches_no_assistant_of_another(tmp_path_factory) -> None:
    issuer = Issuer()
    folder = tmp_path_factory.mktemp("persons")
    async with serving(folder, graph=GIVING, **issuer.settings()) as server:
        url = base_url(server.port)
        ann, bob = (get_client(url=url, api_key=issuer.token(each)) for each in ("ann", "bob"))
        async with ann, bob:
            made = (await ann.assistants.create("agent", context={"tone": "ann's"}))["assistant_id"]
            assert await said(ann, made) == "None ann's None None"
            assert (await ann.assistants.search())[0]["assistant_id"] == made
            assert await bob.assistants.count() == 1
            for call in (
                bob.assistants.get(made),
                bob.assistants.update(made, name="Mine"),
                bob.assistants.delete(made),
                bob.runs.create(None, made, input=human("hi")),
            ):
                with pytest.raises(NotFoundError):
                    await call


@pytest.mark.parametrize(
    ("body", "status", "begins"),
    [
        ({}, 422, "graph_id: "),
        ({"graph_id": 5}, 422, "graph_id: "),
        ({"graph_id": "nothing"}, 404, "There is no assistant"),
        ({"graph_id": "agent", "assistant_id": "mine"}, 422, "assistant_id: "),
        ({"graph_id": "agent", "config": 5}, 422, "config: "),
        ({"graph_id": "agent", "config": {"configurable": 5}}, 422, "config.configurable: "),
        ({"graph_id": "agent", "config": {"recursion_limit": 0}}, 422, "config.recursion_limit: "),
        ({"graph_id": "agent", "context": []}, 422, "context: "),
        ({"graph_id": "agent", "metadata": {"a": "x" * 20_000}}, 422, "metadata: "),
        ({"graph_id": "agent", "if_exists": "replace"}, 422, "if_exists: "),
    ],
)
async def test_bad_assistant_is_refused_by_its_field(servers, body, status, begins) -> None:
    api = await servers(graph=GIVING)
    response = await api.call("POST", "/assistants", json=body)
    assert (response.status_code, response.json()["detail"][: len(begins)]) == (status, begins)


async def test_bad_sort_is_refused(sdk) -> None:
    with pytest.raises(UnprocessableEntityError, match="sort_by: "):
        await sdk.assistants.search(sort_by="size")


async def test_assistants_of_a_person_are_bounded_together(servers) -> None:
    api = await servers(graph=GIVING, title="bounded")
    body = {"graph_id": "agent", "context": {"a": "x" * 120_000}}
    for _ in range(8):
        assert (await api.call("POST", "/assistants", json=body)).status_code == 200
    refused = await api.call("POST", "/assistants", json=body)
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith("config: all assistants together")
    assert (await api.call("POST", "/assistants/count", json={})).json() == 9
