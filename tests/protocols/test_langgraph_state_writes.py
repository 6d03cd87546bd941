"""States that clients write over the LangGraph API: with LangGraph's SDKs, as their users do."""

import uuid
from typing import Any

import pytest
import pytest_asyncio
from langgraph_sdk.errors import ConflictError, NotFoundError
from langgraph_sdk.errors import UnprocessableEntityError as Unprocessable

from backend.domain.errors import StoreUnavailable
from backend.protocols.langgraph.state_writes import MOST_UPDATES
from tests.api.frames import check_frame
from tests.api.live import running
from tests.protocols.choosing import CHOOSING
from tests.protocols.conftest import TALKING
from tests.protocols.langgraph_calls import RUNS, THREAD, state_of
from tests.protocols.langgraph_calls import human as human_body
from tests.protocols.langgraph_pages import sdk as js_sdk
from tests.protocols.sdk_streams import begun, human, said, sdk, thread
from tests.protocols.test_tool_calls import CALLING, until_running

__all__ = ["sdk", "thread"]  # fixtures

pytestmark = pytest.mark.asyncio(loop_scope="module")

STATE = f"/threads/{THREAD}/state"


@pytest_asyncio.fixture(loop_scope="module")
async def js(node):
    return await node("langgraph")


async def heard(sdk: Any, thread: str) -> str:
    """What the user has said, as the graph has it in its own state."""
    return said(await sdk.runs.wait(thread, "agent", input=human("recall")))[-1][1]


# --- update_state --------------------------------------------------------------------------------------


async def test_state_that_a_client_writes_is_the_threads_newest(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("hello"))
    before = await sdk.threads.get_state(thread)
    written = await sdk.threads.update_state(thread, {"place": "Rome", "partial_results": {}})
    state = await sdk.threads.get_state(thread)
    assert state["checkpoint"] == written["checkpoint"]
    assert state["parent_checkpoint"] == before["checkpoint"]
    assert (state["values"]["place"], state["metadata"]["source"], state["next"]) == ("Rome", "update", [])
    assert state["values"]["messages"] == before["values"]["messages"]
    newest, previous, *_ = await sdk.threads.get_history(thread)
    assert (newest["checkpoint"], previous["checkpoint"]) == (state["checkpoint"], before["checkpoint"])
    assert len(await sdk.runs.list(thread)) == 1
    assert (await sdk.threads.get(thread))["values"]["place"] == "Rome"


async def test_state_written_with_messages_adds_changes_and_removes_them(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("hello", "one"))
    reply = (await sdk.threads.get_state(thread))["values"]["messages"][-1]
    new = {"role": "user", "content": "new", "id": "new"}
    await sdk.threads.update_state(
        thread,
        {
            "messages": [
                {"type": "human", "id": "one", "content": "edited"},
                {**reply, "content": "Yes."},
                new,
            ]
        },
        as_node="finish",
    )
    state = await sdk.threads.get_state(thread)
    assert said(state["values"]) == [("human", "edited"), ("ai", "Yes."), ("human", "new")]
    assert [each["id"] for each in state["values"]["messages"]] == ["one", reply["id"], "new"]
    conversation = (await sdk.http.get(f"/history/{thread}"))["messages"]
    assert [each["text"] for each in conversation] == ["hello", "You said: hello", "new"]
    assert conversation[-1]["client_id"] == "new"
    assert await heard(sdk, thread) == "edited / new / recall"
    await sdk.threads.update_state(thread, {"messages": [{"type": "remove", "id": "new"}]}, as_node="finish")
    assert await heard(sdk, thread) == "edited / recall / recall"
    everything = {"messages": [{"type": "remove", "id": "__remove_all__"}, new]}
    await sdk.threads.update_state(thread, everything, as_node="finish")
    assert said((await sdk.threads.get_state(thread))["values"]) == [("human", "new")]


async def test_state_written_at_an_earlier_checkpoint_begins_a_branch(sdk, thread) -> None:
    for words in ("one", "two"):
        await sdk.runs.wait(thread, "agent", input=human(words))
    _, _, first, *_ = await sdk.threads.get_history(thread)
    await sdk.threads.update_state(thread, {"place": "Oslo"}, checkpoint=first["checkpoint"])
    state = await sdk.threads.get_state(thread)
    assert said(state["values"])[:1] == [("human", "one")]
    assert (len(state["values"]["messages"]), state["values"]["place"]) == (2, "Oslo")
    assert state["parent_checkpoint"] == first["checkpoint"]
    assert await heard(sdk, thread) == "one / recall"


async def test_state_written_while_a_run_is_alive_is_refused(sdk, thread) -> None:
    run, heard_so_far = await begun(sdk, thread, "slow")
    with pytest.raises(ConflictError):
        await sdk.threads.update_state(thread, {"place": "Rome"})
    await sdk.runs.cancel(thread, run, wait=True)
    await heard_so_far.end()
    await sdk.threads.update_state(thread, {"place": "Rome"})
    assert (await sdk.threads.get_state(thread))["values"]["place"] == "Rome"


async def test_messages_of_a_stopped_thread_are_written_back_as_they_are(sdk, thread) -> None:
    """So pages edit a message: they write the whole list, with what the server shows beside the graph's."""
    run, heard_so_far = await begun(sdk, thread, "slow")
    await sdk.runs.cancel(thread, run, wait=True)
    await heard_so_far.end()
    shown = (await sdk.threads.get_state(thread))["values"]["messages"]
    assert [each for each in shown if each["additional_kwargs"].get("detour", {}).get("kind")]
    await sdk.threads.update_state(thread, {"messages": shown}, as_node="finish")
    state = await sdk.http.get(f"/threads/{thread}/state?graph=graph")
    assert [each["content"] for each in state["values"]["messages"]].count(shown[-1]["content"]) == 1
    now = (await sdk.threads.get_state(thread))["values"]["messages"]
    assert [each["content"] for each in now] == [each["content"] for each in shown]


async def test_state_written_while_the_graph_asks_withdraws_the_question(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("ask"))
    await sdk.threads.update_state(thread, {"place": "Rome"}, as_node="ask")
    state = await sdk.threads.get_state(thread)
    assert (state["interrupts"], state["next"]) == ([], ["finish"])
    values = await sdk.runs.wait(thread, "agent", input=None)
    assert said(values)[-1] == ("ai", "Then we go to Rome.")
    assert [text for kind, text in said(values) if kind == "human"] == ["ask"]
    with pytest.raises(Exception, match="422"):
        await sdk.runs.wait(thread, "agent", input=None)


@pytest.mark.parametrize(
    ("wrong", "error", "told"),
    [
        (
            {"values": {"place": "x"}, "as_node": "nobody"},
            Unprocessable,
            "as_node: the graph",
        ),
        ({"values": "x"}, Unprocessable, "values: it should be an object"),
        (
            {"values": {"messages": [{"role": "x", "content": ""}]}},
            Unprocessable,
            "values: the graph",
        ),
        ({"values": {}, "checkpoint_id": str(uuid.uuid4())}, NotFoundError, "There is no checkpoint"),
        (
            {"values": {}, "checkpoint": {"checkpoint_ns": "plan:1"}},
            Unprocessable,
            "checkpoint.checkpoint_ns",
        ),
    ],
    ids=["unknown node", "no object", "no message", "unknown checkpoint", "graph within"],
)
async def test_state_that_cannot_be_written_is_refused_by_its_field(sdk, thread, wrong, error, told) -> None:
    await sdk.runs.wait(thread, "agent", input=human("hello"))
    before = await sdk.threads.get_state(thread)
    with pytest.raises(error, match=told):
        await sdk.threads.update_state(thread, **wrong)
    assert await sdk.threads.get_state(thread) == before


async def test_state_of_an_unknown_thread_cannot_be_written(sdk) -> None:
    with pytest.raises(NotFoundError):
        await sdk.threads.update_state(str(uuid.uuid4()), {"place": "Rome"})


async def test_state_is_written_and_patched_by_the_javascript_client(js, talking, sdk, thread) -> None:
    await js_sdk(
        js, talking.url, "threads", "updateState", thread, {"values": {"place": "Rome"}, "asNode": "ask"}
    )
    state = await js_sdk(js, talking.url, "threads", "getState", thread)
    assert (state["values"]["place"], state["next"]) == ("Rome", ["finish"])
    await js_sdk(js, talking.url, "threads", "patchState", thread, {"title": "Trip"})
    assert (await sdk.threads.get(thread))["metadata"]["title"] == "Trip"


async def test_metadata_patched_at_the_state_is_the_threads(api) -> None:
    assert (await api.call("PATCH", STATE, json={"metadata": {"title": "Trip"}})).status_code == 204
    assert (await api.call("GET", f"/threads/{THREAD}")).json()["metadata"]["title"] == "Trip"


async def test_state_is_not_written_while_a_run_waits_for_its_time(api) -> None:
    later = human_body("later", after_seconds=3600)
    run = (await api.call("POST", RUNS, json=later)).json()["run_id"]
    refused = await api.call("POST", STATE, json={"values": {"place": "Rome"}})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "task_active")
    await api.call("POST", f"{RUNS}/{run}/cancel?wait=1")
    assert (await api.call("POST", STATE, json={"values": {"place": "Rome"}})).status_code == 200


@pytest.mark.requirement("FLOODS-ARE-REFUSED")
async def test_written_state_counts_as_a_message(servers, ann) -> None:
    client = await servers(messages_per_minute=1)
    await client.call("POST", "/threads", json={"thread_id": ann})
    path = f"/threads/{ann}/state"
    told = [await client.call("POST", path, json={"values": {"place": "Rome"}}) for _ in range(2)]
    assert [each.status_code for each in told] == [200, 429]


async def test_write_of_a_node_that_is_not_clear_is_refused_by_as_node(servers, ann) -> None:
    client = await servers(graph="tests.protocols.pair_graph:graph")
    runs = f"/threads/{ann}/runs/wait"
    asked = await client.call("POST", runs, json=human_body("hi", if_not_exists="create"))
    answers = {each["id"]: "here" for each in asked.json()["__interrupt__"]}
    told = await client.call("POST", runs, json={"assistant_id": "agent", "command": {"resume": answers}})
    assert (told.json()["left"], told.json()["right"]) == ("here", "here")
    refused = await client.call("POST", f"/threads/{ann}/state", json={"values": {"left": "there"}})
    assert (refused.status_code, refused.json()["detail"].partition(":")[0]) == (422, "as_node")


async def test_graph_that_takes_too_long_to_take_values_is_told_in_words(servers, ann, monkeypatch) -> None:
    monkeypatch.setattr("backend.graphs.state.client_writes.WITHIN_S", 0.01)
    client = await servers(graph=CHOOSING)
    await client.call("POST", "/threads", json={"thread_id": ann})
    body = {"values": {"messages": [["user", "wait"]]}, "as_node": "__start__"}
    refused = await client.call("POST", f"/threads/{ann}/state", json=body)
    assert (refused.status_code, "took longer than" in refused.json()["detail"]) == (422, True)


async def test_write_that_the_store_does_not_take_leaves_the_question_open(tmp_path) -> None:
    async with running(tmp_path, graph=TALKING) as api:
        await api.call("POST", "/threads", json={"thread_id": THREAD})
        await api.call("POST", f"{RUNS}/wait", json=human_body("ask"))
        commit = api.detour.store.commit

        def refuse(*_: Any) -> Any:
            raise StoreUnavailable("The store is full.")

        api.detour.store.commit = refuse
        assert (await api.call("POST", STATE, json={"values": {"place": "Rome"}})).status_code == 503
        api.detour.store.commit = commit
        told = human_body("Oslo")
        values = (await api.call("POST", f"{RUNS}/wait", json=told)).json()
        assert said(values)[-1] == ("ai", "Then we go to Oslo.")
        assert (await api.status(THREAD))["status"] == "completed"


# --- commands ------------------------------------------------------------------------------------------


async def test_run_that_goes_to_the_end_leaves_nothing_asked_and_nothing_to_run(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("ask"))
    command = {"goto": "__end__", "update": {"place": "Paris"}}
    parts = [part async for part in sdk.runs.stream(thread, "agent", command=command, stream_mode="values")]
    assert [parts[0].event, parts[-1].event] == ["metadata", "end"]
    assert parts[-1].data["status"] == "success"
    state = await sdk.threads.get_state(thread)
    assert (state["interrupts"], state["next"], state["values"]["place"]) == ([], [], "Paris")
    assert (await sdk.threads.get(thread))["status"] == "idle"


async def test_run_that_goes_to_a_node_runs_it_with_the_update(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("hello"))
    command = {"goto": "finish", "update": {"place": "Oslo"}}
    values = await sdk.runs.wait(thread, "agent", command=command)
    assert said(values) == [("human", "hello"), ("ai", "You said: hello"), ("ai", "Then we go to Oslo.")]
    assert values["place"] == "Oslo"


async def test_node_that_a_client_sends_to_gets_the_input(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("hello"))
    command = {"goto": {"node": "finish", "input": {"place": "Bern", "messages": []}}}
    values = await sdk.runs.wait(thread, "agent", command=command)
    assert said(values)[-1] == ("ai", "Then we go to Bern.")


# --- supersteps ----------------------------------------------------------------------------------------


async def test_thread_created_with_supersteps_has_their_state(sdk) -> None:
    talk = [
        ("__start__", {"role": "user", "content": "hi"}),
        ("plan", {"role": "assistant", "content": "Hello."}),
    ]
    steps = [{"updates": [{"values": {"messages": [each]}, "as_node": node}]} for node, each in talk]
    made = await sdk.threads.create(supersteps=steps, graph_id="talking_graph")
    assert said(made["values"]) == [("human", "hi"), ("ai", "Hello.")]
    assert await heard(sdk, made["thread_id"]) == "hi / recall"


@pytest.mark.parametrize(
    ("steps", "field"),
    [
        ([{"updates": [{"values": {}}]}], "supersteps[0].updates[0].as_node"),
        ([{"updates": []}], "supersteps[0].updates"),
        ([{"updates": [{"values": {}, "as_node": "nobody"}]}], "as_node"),
        ({"updates": []}, "supersteps"),
        (
            [{"updates": [{"as_node": "plan", "command": {"resume": "Rome"}}]}],
            "supersteps[0].updates[0].command.resume",
        ),
        ([{"updates": [{"values": {}, "as_node": "plan"}] * (MOST_UPDATES + 1)}], "supersteps"),
    ],
    ids=["no node", "no update", "unknown node", "no list", "an answer", "too many"],
)
async def test_thread_is_not_created_with_supersteps_that_are_refused(servers, steps, field) -> None:
    client = await servers()
    body = {"thread_id": THREAD, "supersteps": steps}
    refused = await client.call("POST", "/threads", json=body)
    assert (refused.status_code, refused.json()["detail"].startswith(f"{field}:")) == (422, True)
    assert (await client.call("GET", f"/threads/{THREAD}")).status_code == 404


# --- everybody else ------------------------------------------------------------------------------------


async def test_written_state_is_told_by_an_event_and_is_in_the_conversation(api) -> None:
    values = {"messages": [["user", "hi"], ["assistant", "Yes."]]}
    written = await api.call("POST", STATE, json={"values": values, "as_node": "finish"})
    assert written.status_code == 200, written.text
    stored = await api.detour.store.events_after(THREAD, 0, limit=100)
    events = [check_frame(each.frame) for each in stored.events]
    (told,) = [each for each in events if each["type"] == "state_written"]
    assert told["checkpoint_id"] == written.json()["checkpoint"]["checkpoint_id"]
    assert (told["parent"], told["as_node"], told["channels"]) == (None, "finish", ["messages"])
    assert [each["content"] for each in told["messages"]] == ["hi", "Yes."]
    conversation = (await api.history(THREAD))["messages"]
    assert [(each["role"], each["text"]) for each in conversation] == [("user", "hi"), ("assistant", "Yes.")]
    assert (await api.call("GET", f"/status/{THREAD}")).json()["status"] == "completed"
    nothing = {"messages": [{"type": "remove", "id": "__remove_all__"}]}
    assert (await api.call("POST", STATE, json={"values": nothing, "as_node": "finish"})).status_code == 200
    stored = await api.detour.store.events_after(THREAD, 0, limit=100)
    frames = [check_frame(each.frame) for each in stored.events]
    *_, told = [each for each in frames if each["type"] == "state_written"]
    assert (told["messages"], told["removed"]) == ([], ["__remove_all__"])


async def test_written_state_has_the_outcome_of_a_call_that_was_cut(tmp_path) -> None:
    async with running(tmp_path, graph=CALLING) as api:
        await api.chat(THREAD, f"weather {tmp_path / 'Rome'}")
        await until_running(api, THREAD)
        await api.stop(THREAD)
        noted = {"values": {"messages": [["assistant", "Noted."]]}, "as_node": "model"}
        assert (await api.call("POST", STATE, json=noted)).status_code == 200
        newest = (await api.call("GET", f"/threads/{THREAD}/history")).json()["states"][0]
    kinds = [each["type"] for each in newest["values"]["messages"]]
    assert kinds == ["human", "ai", "tool", "ai"]


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_written_state_is_the_same_after_a_restart(tmp_path) -> None:
    graph = {"graph": "tests.protocols.talking_graph:graph", "store": "sqlite"}
    async with running(tmp_path, **graph) as api:
        await api.call("POST", "/threads", json={"thread_id": THREAD})
        await api.call("POST", f"{RUNS}/wait", json=human_body("hello"))
        body = {"values": {"messages": [{"role": "user", "content": "new", "id": "n"}], "place": "Rome"}}
        assert (await api.call("POST", STATE, json=body)).status_code == 200
        before = await state_of(api)
    async with running(tmp_path, **graph) as api:
        assert await state_of(api) == before
        values = (await api.call("POST", f"{RUNS}/wait", json=human_body("recall"))).json()
    assert said(values)[-1] == ("ai", "hello / new / recall")
    assert values["place"] == "Rome"


async def test_travel_has_no_state_to_write(tmp_path) -> None:
    async with running(tmp_path, graph="", demo_pace=0.01) as api:
        await api.call("POST", "/threads", json={"thread_id": THREAD})
        refused = await api.call("POST", STATE, json={"values": {"place": "Rome"}})
        assert (refused.status_code, "the travel assistant has no state" in refused.json()["detail"]) == (
            422,
            True,
        )
        goes = {"assistant_id": "agent", "command": {"goto": "flight"}}
        assert (await api.call("POST", RUNS, json=goes)).status_code == 422


# --- again -----------------------------------------------------------------------------------------------


async def test_message_sent_again_after_a_state_that_was_written_gets_another_answer(sdk, thread) -> None:
    """So CopilotKit regenerates: it forks the state before the message, and sends that once more."""
    await sdk.runs.wait(thread, "agent", input=human("one", "first"))
    await sdk.runs.wait(thread, "agent", input=human("recall", "second"))
    _, _, before, *_ = await sdk.threads.get_history(thread)
    fork = await sdk.threads.update_state(
        thread, {"place": "x"}, checkpoint_id=before["checkpoint"]["checkpoint_id"]
    )
    at = fork["checkpoint"]["checkpoint_id"]
    values = await sdk.runs.wait(thread, "agent", input=human("recall", "second"), checkpoint_id=at)
    assert said(values)[-2:] == [("human", "recall"), ("ai", "one / recall")]
    assert len(await sdk.runs.list(thread)) == 3
    again = await sdk.runs.wait(thread, "agent", checkpoint_id=at)
    assert said(again)[-2:] == [("human", "recall"), ("ai", "one / recall")]
    assert len(await sdk.runs.list(thread)) == 4


async def test_state_written_after_a_rollback_is_without_what_was_rolled_back(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("one"))
    gone = await sdk.runs.create(thread, "agent", input=human("two"))
    await sdk.runs.join(thread, gone["run_id"])
    await sdk.runs.delete(thread, gone["run_id"])
    await sdk.threads.update_state(thread, {"place": "Rome"})
    assert await heard(sdk, thread) == "one / recall"
