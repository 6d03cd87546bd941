"""Tool calls of an agent in every protocol: asked for piece by piece, and told with what they came to."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.api.live import BOUND_S, Client, serving
from tests.protocols.ag_ui_stream import Event, OpenRun, answer, post, run_input
from tests.protocols.langgraph_calls import RUNS, THREAD, human, ran, state_of

CALLING = "tests.protocols.calling_graph:graph"
ASKED = {"name": "weather", "args": {"city": "Rome"}, "id": "call-1", "type": "tool_call"}


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Client]:
    async with serving(tmp_path, graph=CALLING) as client:
        assert (await client.call("POST", "/threads", json={"thread_id": THREAD})).status_code == 200
        yield client


def of(found: Any, event: str) -> list[Any]:
    return [data for name, data in found if name == event]


def joined(pieces: list[dict[str, Any]]) -> tuple[str, str, dict[str, Any]]:
    """Return id, name and arguments of a call whose pieces a client has added up."""
    chunks = [each for piece in pieces for each in piece.get("tool_call_chunks", ())]
    assert {each["index"] for each in chunks} == {0}
    (call_id,) = [each["id"] for each in chunks if each["id"]]  # clients add up names, too
    (name,) = [each["name"] for each in chunks if each["name"]]
    return call_id, name, json.loads("".join(each["args"] or "" for each in chunks))


async def until_running(api: Client, user_id: str) -> None:
    """Wait until a call of the newest task is under way."""
    async with asyncio.timeout(BOUND_S):
        while True:
            status = await api.call("GET", f"/status/{user_id}")
            if status.status_code == 200:
                calls = (await api.call("GET", f"/calls/{user_id}/{status.json()['task_id']}")).json()
                if any(each["state"] == "running" for each in calls.get("calls", ())):
                    return
            await asyncio.sleep(0)


class TestLangGraph:
    async def test_values_have_the_calls_and_their_results(self, api: Client) -> None:
        found = await ran(api, human("weather Rome", stream_mode=["values"]))
        messages = of(found, "values")[-1]["messages"]
        assert [each["type"] for each in messages] == ["human", "ai", "tool", "ai"]
        asking, result = messages[1], messages[2]
        assert asking["content"].strip() == "Let me see."
        assert asking["tool_calls"] == [ASKED]
        assert (result["content"], result["tool_call_id"], result["status"]) == (
            "Sunny in Rome",
            "call-1",
            "success",
        )
        assert result["name"] == "weather"
        assert (await state_of(api))["values"]["messages"] == messages

    async def test_values_have_a_call_before_its_result_is_there(self, api: Client, tmp_path: Path) -> None:
        body = human(f"weather {tmp_path / 'Rome'}", stream_mode=["values"])
        reading = asyncio.get_running_loop().create_task(ran(api, body))
        await until_running(api, THREAD)
        messages = (await state_of(api))["values"]["messages"]
        assert [each["type"] for each in messages] == ["human", "ai"]
        assert messages[1]["tool_calls"][0]["name"] == "weather"
        (tmp_path / "Rome").touch()
        await reading

    async def test_messages_tuple_streams_calls_in_pieces_and_results_whole(self, api: Client) -> None:
        found = await ran(api, human("weather Rome", stream_mode=["messages-tuple"]))
        parts = of(found, "messages")
        asking = [
            piece for piece, about in parts if about["langgraph_node"] == "model" and piece["type"] != "tool"
        ]
        first = [each for each in asking if each["id"] == asking[0]["id"]]
        assert joined(first) == ("call-1", "weather", {"city": "Rome"})
        (result,) = [piece for piece, about in parts if about["langgraph_node"] == "tools"]
        assert (result["type"], result["content"], result["tool_call_id"]) == (
            "tool",
            "Sunny in Rome",
            "call-1",
        )

    async def test_messages_mode_has_whole_calls_and_results(self, api: Client) -> None:
        found = await ran(api, human("weather Rome", stream_mode=["messages"]))
        assert [each for [each] in of(found, "messages/partial") if each["tool_calls"] == [ASKED]]
        complete = [each for several in of(found, "messages/complete") for each in several]
        assert [each["tool_call_id"] for each in complete if each["type"] == "tool"] == ["call-1"]

    async def test_updates_have_calls_and_results_under_their_nodes(self, api: Client) -> None:
        updates = of(await ran(api, human("weather Rome", stream_mode=["updates"])), "updates")
        told = [
            (node, each["type"], [call["id"] for call in each.get("tool_calls", ())])
            for update in updates
            for node, wrote in update.items()
            for each in wrote.get("messages", ())
        ]
        assert told[:2] == [("model", "ai", ["call-1"]), ("tools", "tool", [])]
        assert [(node, kind) for node, kind, _ in told[2:]] == [("respond", "ai"), ("respond", "ai")]

    async def test_updates_of_a_run_that_resumes_are_its_own(self, api: Client) -> None:
        await ran(api, human("buy map", stream_mode=["updates"]))
        allows = {"assistant_id": "agent", "command": {"resume": {"decisions": [{"type": "approve"}]}}}
        updates = of(await ran(api, {**allows, "stream_mode": ["updates"]}), "updates")
        told = [node for update in updates for node, wrote in update.items() if wrote.get("messages")]
        assert told == ["tools", "respond"]

    async def test_review_is_the_last_update_as_the_middleware_wrote_it(self, api: Client) -> None:
        found = await ran(api, human("buy map", stream_mode=["updates", "values"]))
        updates = of(found, "updates")
        assert [*updates[-1]] == ["__interrupt__"]
        ((asked,),) = updates[-1].values()
        assert asked["value"]["action_requests"][0]["name"] == "buy"
        assert asked["value"]["review_configs"][0]["action_name"] == "buy"
        assert asked["value"]["prompt"]
        values = of(found, "values")[-1]
        assert values["__interrupt__"][0]["value"] == asked["value"]
        assert values["messages"][-1]["tool_calls"][0]["name"] == "buy"
        resume = {"decisions": [{"type": "approve"}]}
        body = {"assistant_id": "agent", "command": {"resume": resume}, "stream_mode": ["values"]}
        messages = of(await ran(api, body), "values")[-1]["messages"]
        assert [each["content"] for each in messages if each["type"] == "tool"] == ["bought map"]

    @pytest.mark.parametrize(
        ("sent", "answer"), [("buy map", {"decisions": [{"type": "reject"}]}), ("ask where", "Rome")]
    )
    async def test_result_follows_its_call_where_a_question_was_answered_in_between(
        self, api: Client, sent: str, answer: Any
    ) -> None:
        await ran(api, human(sent, stream_mode=["values"]))
        await ran(api, {"assistant_id": "agent", "command": {"resume": answer}, "stream_mode": ["values"]})
        messages = (await state_of(api))["values"]["messages"]
        assert [each["type"] for each in messages] == ["human", "ai", "tool", "ai", "human", "ai"]
        assert messages[2]["tool_call_id"] == messages[1]["tool_calls"][0]["id"]

    async def test_call_that_a_stop_cut_is_told_with_its_outcome(self, api: Client, tmp_path: Path) -> None:
        body = human(f"weather {tmp_path / 'never'}", stream_mode=["values", "messages-tuple"])
        reading = asyncio.get_running_loop().create_task(ran(api, body))
        await until_running(api, THREAD)
        runs = (await api.call("GET", RUNS)).json()
        await api.call("POST", f"{RUNS}/{runs[0]['run_id']}/cancel?wait=1")
        messages = of(await reading, "values")[-1]["messages"]
        (result,) = [each for each in messages if each["type"] == "tool"]
        assert (result["tool_call_id"], result["status"]) == ("call-1", "error")
        assert result["content"].startswith("Cancelled")
        assert (await state_of(api))["values"]["messages"] == messages

    async def test_thread_protocol_tells_blocks_and_tools(self, api: Client) -> None:
        await ran(api, human("weather Rome", stream_mode=["values"]))
        body = {"channels": ["messages", "tools", "lifecycle"]}
        events: list[dict[str, Any]] = []
        async with (
            asyncio.timeout(BOUND_S),
            api.http.stream("POST", f"/threads/{THREAD}/stream/events", json=body) as response,
        ):
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    events.append(orjson.loads(line.removeprefix("data: "))["params"]["data"])
                    if events[-1].get("event") == "completed":
                        break
        block = [each for each in events if each.get("index") == 1]
        assert block[0]["content"] == {
            "type": "tool_call_chunk",
            "id": "call-1",
            "name": "weather",
            "args": "",
        }
        pieces = [each["delta"]["args"] for each in block if each["event"] == "content-block-delta"]
        assert json.loads("".join(pieces)) == {"city": "Rome"}
        assert block[-1]["content"] == ASKED
        tools = [each for each in events if str(each.get("event")).startswith("tool-")]
        assert tools == [
            {
                "event": "tool-started",
                "tool_call_id": "call-1",
                "tool_name": "weather",
                "input": {"city": "Rome"},
            },
            {"event": "tool-finished", "tool_call_id": "call-1", "output": "Sunny in Rome"},
        ]


class TestGraphWithin:
    @pytest.fixture
    async def api(self, tmp_path: Path) -> AsyncIterator[Client]:
        async with serving(tmp_path, graph="tests.protocols.calling_graph:team") as client:
            assert (await client.call("POST", "/threads", json={"thread_id": THREAD})).status_code == 200
            yield client

    async def test_calls_are_streamed_under_their_namespace_if_asked_for(self, api: Client) -> None:
        body = human("weather Rome", stream_mode=["messages-tuple"])
        assert {event for event, _ in await ran(api, body)} == {"metadata", "messages", "end"}
        found = await ran(api, {**body, "stream_subgraphs": True})
        within = [(event, data) for event, data in found if event.startswith("messages|agent:")]
        pieces = [piece for _, (piece, about) in within if about["langgraph_node"] == "model"]
        asking = [each for each in pieces if each["id"] == pieces[0]["id"]]
        call_id, *asked = joined(asking)
        assert asked == ["weather", {"city": "Rome"}]
        (result,) = [piece for _, (piece, about) in within if about["langgraph_node"] == "tools"]
        assert result["tool_call_id"] == call_id

    async def test_values_have_calls_and_results_once_the_node_has_ended(self, api: Client) -> None:
        found = await ran(api, human("weather Rome", stream_mode=["values"]))
        messages = of(found, "values")[-1]["messages"]
        assert [each["type"] for each in messages] == ["human", "ai", "tool", "ai"]
        assert messages[1]["tool_calls"] == [ASKED]

    @pytest.mark.parametrize("is_asked_for", [False, True])
    async def test_run_that_resumes_repeats_nothing(self, api: Client, is_asked_for: bool) -> None:
        asks = human("buy map", stream_mode=["messages-tuple"], stream_subgraphs=is_asked_for)
        allows = {"assistant_id": "agent", "command": {"resume": {"decisions": [{"type": "approve"}]}}}
        options = {"stream_mode": ["messages-tuple"], "stream_subgraphs": is_asked_for}
        found = [*await ran(api, asks), *await ran(api, {**allows, **options})]
        within = [data[0] for event, data in found if event.startswith("messages")]
        asking = [piece for piece in within if piece["id"] == within[0]["id"]]
        assert "".join(piece["content"] for piece in asking) == "Let me see. "
        if is_asked_for:
            assert joined(asking)[1:] == ("buy", {"thing": "map"})

    async def test_updates_have_calls_and_results_under_the_outer_node(self, api: Client) -> None:
        updates = of(await ran(api, human("weather Rome", stream_mode=["updates"])), "updates")
        (wrote,) = [update["agent"]["messages"] for update in updates if "agent" in update]
        assert [each["type"] for each in wrote] == ["ai", "tool"]


async def test_text_of_an_agent_that_a_tool_calls_is_told_with_its_calls_where_graphs_within_are(
    tmp_path: Path,
) -> None:
    body = human("delegate weather Rome", stream_mode=["messages-tuple"])
    async with serving(tmp_path, graph="tests.protocols.calling_graph:chief") as api:
        await api.call("POST", "/threads", json={"thread_id": THREAD})
        found = await ran(api, {**body, "stream_subgraphs": True})
        within = [data[0] for event, data in found if event.startswith("messages|tools:")]
        (asking,) = {piece["id"] for piece in within if piece.get("tool_call_chunks")}
        said = [piece for piece in within if piece["type"] == "AIMessageChunk"]
        assert "".join(each["content"] for each in said if each["id"] == asking) == "Let me see. "
        reply = "".join(each["content"] for each in said if each["id"] != asking)
        assert reply.strip() == "It says: Sunny in Rome"
        assert "".join(data[0]["content"] for data in of(found, "messages")).count("Let me see. ") == 1
        alone = await ran(
            api, {**body, "input": {"messages": [{"role": "user", "content": "delegate hello"}]}}
        )
        assert {event for event, _ in alone} == {"metadata", "messages", "end"}
        pieces = [piece for piece, _ in of(alone, "messages") if piece["type"] == "AIMessageChunk"]
        assert "".join(each["content"] for each in pieces) == "Let me see. It says: You said: hello  "


class TestAgUi:
    async def test_call_is_streamed_and_has_its_result(self, api: Client) -> None:
        events = await post(api, run_input("ada", "weather Rome"))
        assert called(events) == [("call-1", "weather", {"city": "Rome"})]
        (result,) = [each for each in events if each["type"] == "TOOL_CALL_RESULT"]
        assert (result["toolCallId"], result["content"], result["role"]) == (
            "call-1",
            "Sunny in Rome",
            "tool",
        )

    async def test_snapshot_of_the_next_run_has_calls_and_results(self, api: Client) -> None:
        await post(api, run_input("ada", "buy map"))
        [request] = (await api.status("ada"))["input_requests"]
        resume = [answer(request["request_id"], {"decisions": [{"type": "approve"}]})]
        events = await post(api, run_input("ada", run_id="run-2", resume=resume))
        (first, *_) = [each["messages"] for each in events if each["type"] == "MESSAGES_SNAPSHOT"]
        (asking,) = [each for each in first if each.get("toolCalls")]
        assert asking["toolCalls"] == [
            {"id": "call-1", "type": "function", "function": {"name": "buy", "arguments": '{"thing": "map"}'}}
        ]
        results = [each["content"] for each in events if each["type"] == "TOOL_CALL_RESULT"]
        assert results == ["bought map"]

    @pytest.mark.parametrize(
        ("payload", "result"),
        [
            ({"approved": True}, "bought map"),
            ({"approved": True, "reason": "Near the river."}, "bought map"),
            ({"approved": True, "editedArgs": {"thing": "hat"}}, "bought hat"),
            ({"approved": False, "reason": "too dear"}, "too dear"),
            ({"approved": False, "editedArgs": {"thing": "hat"}}, "rejected"),
            ({"approved": "yes", "reason": "", "editedArgs": ""}, "bought map"),
            ({"decision": "deny", "note": "too dear"}, "too dear"),
        ],
    )
    async def test_decision_on_a_call_is_asked_and_taken_in_the_form_of_ag_ui(
        self, api: Client, payload: Any, result: str
    ) -> None:
        events = await post(api, run_input("ada", "buy map"))
        (asked,) = events[-1]["outcome"]["interrupts"]
        assert (asked["reason"], asked["toolCallId"]) == ("tool_call", called(events)[0][0])
        schema = asked["responseSchema"]
        types = {name: each["type"] for name, each in schema["properties"].items()}
        assert types == {"approved": "boolean", "reason": "string", "editedArgs": "object"}
        assert schema["required"] == ["approved"]
        resume = [answer(asked["id"], payload)]
        events = await post(api, run_input("ada", run_id="run-2", resume=resume))
        (told,) = [each["content"] for each in events if each["type"] == "TOOL_CALL_RESULT"]
        assert result in told

    async def test_question_of_a_tool_is_no_decision_on_its_call(self, api: Client) -> None:
        events = await post(api, run_input("ada", "ask where"))
        (asked,) = events[-1]["outcome"]["interrupts"]
        assert asked["reason"] == "input_required"
        assert "toolCallId" not in asked

    async def test_interrupted_call_has_its_outcome_before_the_end(self, api: Client, tmp_path: Path) -> None:
        async with OpenRun(api, run_input("ada", f"weather {tmp_path / 'never'}")) as run:
            await run.until("TOOL_CALL_END")
            await until_running(api, "ada")
            await api.call("POST", "/stop/ada")
            events = await run.to_end()
        (result,) = [each for each in events if each["type"] == "TOOL_CALL_RESULT"]
        assert result["content"].startswith("Cancelled")


def called(events: list[Event]) -> list[tuple[str, str, Any]]:
    """Return the calls of a stream, with the arguments that its pieces add up to."""
    found: dict[str, tuple[str, list[str]]] = {}
    for each in events:
        if each["type"] == "TOOL_CALL_START":
            found[each["toolCallId"]] = each["toolCallName"], []
        elif each["type"] == "TOOL_CALL_ARGS":
            found[each["toolCallId"]][1].append(each["delta"])
    return [(call_id, name, json.loads("".join(pieces))) for call_id, (name, pieces) in found.items()]


class TestAiSdk:
    async def test_call_is_a_tool_part_with_input_and_output(self, api: Client) -> None:
        found = await chunks(api, "weather Rome")
        parts = [each for each in found if each["type"].startswith("tool-")]
        kinds = [each["type"] for each in parts if each["type"] != "tool-input-delta"]
        assert kinds == ["tool-input-start", "tool-input-available", "tool-output-available"]
        deltas = [each["inputTextDelta"] for each in parts if each["type"] == "tool-input-delta"]
        assert json.loads("".join(deltas)) == {"city": "Rome"}
        assert parts[-2]["input"] == {"city": "Rome"}
        assert parts[-1]["output"] == "Sunny in Rome"
        assert all(each.get("providerExecuted", True) for each in parts)

    async def test_reloaded_page_has_the_call_with_input_and_output(self, api: Client) -> None:
        await chunks(api, "weather Rome")
        *_, message = (await api.call("GET", "/ai-sdk/chat/ada/messages")).json()
        (part,) = [each for each in message["parts"] if each["type"].startswith("tool-")]
        assert part == {
            "type": "tool-weather",
            "toolCallId": "call-1",
            "providerExecuted": True,
            "state": "output-available",
            "input": {"city": "Rome"},
            "output": "Sunny in Rome",
        }

    async def test_result_after_an_answer_comes_with_its_call_in_the_new_message(self, api: Client) -> None:
        await chunks(api, "buy map")
        found = await chunks(api, "Yes, allow it", "m2")
        parts = [each for each in found if each["type"].startswith("tool-")]
        assert [each["type"] for each in parts] == ["tool-input-available", "tool-output-available"]
        assert parts[-1]["output"] == "bought map"

    async def test_interrupted_call_ends_with_its_outcome(self, api: Client, tmp_path: Path) -> None:
        reading = asyncio.get_running_loop().create_task(chunks(api, f"weather {tmp_path / 'never'}"))
        await until_running(api, "ada")
        await api.call("POST", "/stop/ada")
        (failed,) = [each for each in await reading if each["type"] == "tool-output-error"]
        assert failed["errorText"].startswith("Cancelled")


async def chunks(api: Client, text: str, message_id: str = "m1") -> list[dict[str, Any]]:
    message = {"id": message_id, "role": "user", "parts": [{"type": "text", "text": text}]}
    body = {"id": "ada", "messages": [message], "trigger": "submit-message"}
    response = await api.call("POST", "/ai-sdk/chat", json=body, timeout=BOUND_S)
    assert response.status_code == 200, response.text
    lines = [each for each in response.text.split("\n\n") if each.startswith("data: {")]
    return [orjson.loads(each.removeprefix("data: ")) for each in lines]


class TestSteps:
    async def test_tasks_tell_the_beginning_and_the_end_of_each_node(self, api: Client) -> None:
        found = await ran(api, human("weather Rome", stream_mode=["tasks"]))
        tasks = of(found, "tasks")
        of_nodes = [(each["name"], "result" in each) for each in tasks if "Middleware" not in each["name"]]
        assert of_nodes == [
            ("model", False),
            ("model", True),
            ("tools", False),
            ("tools", True),
            ("model", False),
            ("model", True),
        ]
        assert tasks[0]["input"]["messages"][-1]["content"] == "weather Rome"
        assert tasks[0]["id"] == tasks[1]["id"]

    async def test_checkpoints_have_the_state_after_each_node(self, api: Client) -> None:
        found = await ran(api, human("weather Rome", stream_mode=["checkpoints", "values"]))
        last = of(found, "checkpoints")[-1]
        assert last["values"] == of(found, "values")[-1]
        assert last["config"]["configurable"]["thread_id"] == THREAD
        assert (last["next"], last["tasks"]) == ([], [])

    async def test_debug_has_all_of_these(self, api: Client) -> None:
        found = await ran(api, human("weather Rome", stream_mode=["debug"]))
        assert {each["type"] for each in of(found, "debug")} == {"task", "task_result", "checkpoint"}
