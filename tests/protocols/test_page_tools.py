"""Tools that the page executes: offered to the graph, called without a result, answered with the next run."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from backend.tools import page_tools
from tests.api.live import Client, serving
from tests.protocols import page_graph
from tests.protocols.ag_ui_stream import Event, kinds, post, run_input, text_of

GRAPHS = "tests.protocols.page_graph"
CONFIRM = {
    "name": "confirm",
    "description": "Ask whoever looks at the page.",
    "parameters": {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]},
}
SHOW = {"name": "show", "description": "Show something.", "parameters": {"type": "object"}}
TOLD_NOTHING = "Not known: the page has told no result."


async def serving_graph(tmp_path: Path, name: str) -> AsyncIterator[Client]:
    page_graph.ASKED.clear()
    page_graph.LOOKED_UP.clear()
    async with serving(tmp_path, graph=f"{GRAPHS}:{name}") as client:
        yield client


@pytest.fixture(params=["graph", "team", "plain", "copilot"])
async def each_api(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    async for client in serving_graph(tmp_path, request.param):
        yield client


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Client]:
    async for client in serving_graph(tmp_path, "plain"):
        yield client


def body(text: str, **fields: Any) -> dict[str, Any]:
    return run_input("ada", text, **{"tools": [CONFIRM, SHOW], **fields})


def messages_of(events: list[Event]) -> list[dict[str, Any]]:
    return [each["messages"] for each in events if each["type"] == "MESSAGES_SNAPSHOT"][-1]


def calls_of(events: list[Event]) -> list[str]:
    return [each["toolCallId"] for each in events if each["type"] == "TOOL_CALL_START"]


def told(messages: list[dict[str, Any]], *results: tuple[str, Any], then: str = "") -> dict[str, Any]:
    """Return what a page adds to the messages: results, and perhaps a message of the user."""
    added = [
        {"id": f"told-{call_id}", "role": "tool", "toolCallId": call_id, "content": text}
        for call_id, text in results
    ]
    said = [{"id": f"m-{then}", "role": "user", "content": then}] if then else []
    return {"messages": [*messages, *added, *said]}


async def status_of(api: Client) -> str:
    return (await api.call("GET", "/status/ada")).json()["status"]


class TestCall:
    async def test_waits_for_the_page_and_goes_on_with_its_result(self, each_api: Client) -> None:
        api = each_api
        events = await post(api, body("ask confirm"))
        called = [each for each in events if each["type"].startswith("TOOL_CALL")]
        assert kinds(called)[0] == "TOOL_CALL_START"
        assert kinds(called)[-1] == "TOOL_CALL_END"
        assert called[0]["toolCallName"] == "confirm"
        assert events[-1]["outcome"] == {"type": "success"}
        assert events[-1]["result"] == {"status": "waiting_for_page"}
        assert await status_of(api) == "input_required"

        result = told(messages_of(events), (called[0]["toolCallId"], "yes"))
        events = await post(api, body("", runId="run-2", **result))
        assert text_of(events) == "It says: yes"
        assert "TOOL_CALL_RESULT" not in kinds(events)
        assert events[-1]["result"] == {"status": "completed"}
        shown = messages_of(events)
        assert [each["role"] for each in shown][:3] == ["user", "assistant", "tool"]
        assert shown[2] == result["messages"][-1]
        history = (await api.call("GET", "/history/ada")).json()["messages"]
        assert [each["role"] for each in history] == ["user", "assistant"]
        assert await status_of(api) == "completed"

    async def test_follows_another_of_the_same_answer(self, each_api: Client) -> None:
        events = await post(each_api, body("ask confirm, ask show"))
        first, second = calls_of(events)
        result = told(messages_of(events), (first, "yes"), (second, "shown"))
        events = await post(each_api, body("", runId="run-2", **result))
        assert text_of(events) == "It says: yes, shown"
        assert [each for each in messages_of(events) if each["role"] == "tool"] == result["messages"][-2:]

    @pytest.mark.parametrize("text", ["weather Rome, ask confirm", "ask confirm, weather Rome"])
    async def test_stands_beside_calls_of_the_server(self, each_api: Client, text: str) -> None:
        events = await post(each_api, body(text))
        names = {each["toolCallName"]: each["toolCallId"] for each in events if "toolCallName" in each}
        result = told(messages_of(events), (names["confirm"], "yes"))
        events = await post(each_api, body("", runId="run-2", **result))
        assert sorted(text_of(events).removeprefix("It says: ").split(", ")) == ["Sunny in Rome", "yes"]
        assert page_graph.LOOKED_UP == ["Rome"]

    async def test_without_a_result_is_closed_by_a_change_of_mind(self, each_api: Client) -> None:
        events = await post(each_api, body("ask confirm"))
        # Words that would answer a question.
        events = await post(each_api, body("", runId="run-2", **told(messages_of(events), then="yes")))
        assert text_of(events) == "You said: yes"
        (closed,) = [each for each in events if each["type"] == "TOOL_CALL_RESULT"]
        assert closed["content"] == TOLD_NOTHING

    async def test_that_was_closed_is_told_to_the_model(self, api: Client) -> None:
        events = await post(api, body("ask confirm"))
        await post(api, body("", runId="run-2", **told(messages_of(events), then="never mind")))
        assert page_graph.ASKED[-1] == [
            "human: ask confirm",
            "ai: Let me see. confirm",
            "tool: Not known: the page was to do this, and has not told what came of it.",
            "human: never mind",
        ]

    async def test_has_the_result_that_comes_with_the_next_message(self, api: Client) -> None:
        events = await post(api, body("ask confirm"))
        (call_id,) = calls_of(events)
        result = told(messages_of(events), (call_id, "yes"), then="thanks")
        events = await post(api, body("", runId="run-2", **result))
        assert text_of(events) == "You said: thanks"
        assert page_graph.ASKED[-1][-3:] == ["ai: Let me see. confirm", "tool: yes", "human: thanks"]

    async def test_is_an_interrupt_of_langgraphs_headless_tools(self, api: Client) -> None:
        await post(api, body("ask confirm"))
        state = (await api.call("GET", "/threads/ada/state")).json()
        assert state["interrupts"][0]["value"]["tool_call"]["name"] == "confirm"


class TestResult:
    async def test_of_a_second_sending_counts_once(self, api: Client) -> None:
        events = await post(api, body("ask confirm"))
        result = told(messages_of(events), (calls_of(events)[0], "yes"))
        first = await post(api, body("", runId="run-2", **result))
        for run_id in ("run-2", "run-3"):
            again = await post(api, body("", runId=run_id, **result))
            assert text_of(again) == text_of(first) == "It says: yes"
        assert [each for each in page_graph.ASKED if "tool: yes" in each] == [page_graph.ASKED[1]]

    async def test_of_an_unknown_call_is_refused_by_its_field(self, api: Client) -> None:
        events = await post(api, body("ask confirm"))
        result = told(messages_of(events), ("call-of-nobody", "yes"))
        events = await post(api, body("", runId="run-2", **result))
        assert events[-1]["type"] == "RUN_ERROR"
        assert events[-1]["message"] == "messages.2.toolCallId: no tool call has this id."
        assert await status_of(api) == "input_required"

    async def test_that_comes_after_a_change_of_mind_is_refused(self, api: Client) -> None:
        events = await post(api, body("ask confirm"))
        messages = messages_of(events)
        await post(api, body("", runId="run-2", **told(messages, then="never mind")))
        late = told(messages, (calls_of(events)[0], "yes"))
        events = await post(api, body("", runId="run-3", **late))
        assert (events[-1]["type"], events[-1]["code"]) == ("RUN_ERROR", "not_open")
        assert events[-1]["message"].startswith("messages.2.toolCallId: ")

    async def test_that_is_no_text_is_refused_by_its_field(self, api: Client) -> None:
        events = await post(api, body("ask confirm"))
        result = told(messages_of(events), (calls_of(events)[0], {"yes": True}))
        events = await post(api, body("", runId="run-2", **result))
        assert events[-1]["message"] == "messages.2.content: should be text."

    async def test_of_one_call_of_two_tells_of_the_other_that_it_is_not_known(self, each_api: Client) -> None:
        events = await post(each_api, body("ask confirm, ask show"))
        result = told(messages_of(events), (calls_of(events)[0], "yes"))
        events = await post(each_api, body("", runId="run-2", **result))
        assert text_of(events) == "It says: yes, The page has told no result."

    async def test_survives_a_restart(self, tmp_path: Path) -> None:
        for name in ("graph", "copilot"):
            async with serving(tmp_path / name, graph=f"{GRAPHS}:{name}", store="sqlite") as client:
                events = await post(client, body("ask confirm"))
            async with serving(tmp_path / name, graph=f"{GRAPHS}:{name}", store="sqlite") as client:
                result = told(messages_of(events), (calls_of(events)[0], "yes"))
                events = await post(client, body("", runId="run-2", **result))
                assert text_of(events) == "It says: yes"

    async def test_brings_what_its_page_offers_by_then(self, each_api: Client) -> None:
        events = await post(each_api, body("ask confirm", tools=[CONFIRM]))
        result = told(messages_of(events), (calls_of(events)[0], "which tools"))
        await post(each_api, body("", runId="run-2", tools=[CONFIRM, SHOW], **result))
        assert page_graph.OFFERED[-1] == {"weather", "confirm", "show"}

    async def test_of_two_calls_with_one_id_answers_the_last(self, each_api: Client) -> None:
        events = await post(each_api, body("same confirm"))
        result = told(messages_of(events), ("call", "once more"))
        events = await post(each_api, body("", runId="run-2", **result))
        assert events[-1]["result"] == {"status": "waiting_for_page"}
        result = told(messages_of(events), ("call", "yes"))
        result["messages"][-1]["id"] = "told-again"
        events = await post(each_api, body("", runId="run-3", **result))
        assert text_of(events) == "It says: yes"


class TestOffer:
    async def test_reaches_the_model(self, each_api: Client) -> None:
        events = await post(each_api, body("which tools"))
        assert set(text_of(events).split(", ")) == {"weather", "confirm", "show"}

    async def test_of_a_name_that_the_graph_has_is_the_graphs(self, each_api: Client) -> None:
        events = await post(each_api, body("weather Rome", tools=[{**SHOW, "name": "weather"}]))
        assert text_of(events).endswith("It says: Sunny in Rome")

    async def test_has_the_context_of_the_page(self, tmp_path: Path) -> None:
        async for client in serving_graph(tmp_path, "copilot"):
            context = [{"description": "The list", "value": "milk"}]
            await post(client, body("hello", context=context))
            assert page_graph.ASKED[-1] == ["human: Context: milk", "human: hello"]
            await post(client, body("again", runId="run-2"))
            assert page_graph.ASKED[-1][0] == "human: hello"

    async def test_leaves_a_typed_answer_an_answer(self, tmp_path: Path) -> None:
        async with serving(tmp_path, graph="tests.protocols.calling_graph:graph") as client:
            await post(client, body("buy map"))
            events = await post(client, body("yes", runId="run-2"))
            assert text_of(events).strip() == "It says: bought map"

    @pytest.mark.parametrize(
        ("tools", "sentence"),
        [
            ("confirm", "tools: should be a list."),
            (["confirm"], "tools.0: should be an object."),
            ([{"description": "nameless"}], "tools.0.name: should be 1 to 64 letters, digits, _ and -."),
            ([{**SHOW, "name": "two words"}], "tools.0.name: should be 1 to 64 letters, digits, _ and -."),
            ([SHOW, SHOW], "tools.1.name: an earlier tool has this name."),
            ([{**SHOW, "description": 1}], "tools.0.description: should be text of at most 4096 characters."),
            ([{**SHOW, "parameters": "none"}], "tools.0.parameters: should be an object."),
            (
                [{**SHOW, "parameters": {"type": "string"}}],
                "tools.0.parameters: should be the JSON Schema of an object.",
            ),
            (
                [{**SHOW, "parameters": {"type": "object", "required": "all"}}],
                "tools.0.parameters: is no JSON Schema: 'all' is not of type 'array'.",
            ),
            ([{**SHOW, "name": f"show-{number}"} for number in range(129)], "tools: should be at most 128."),
            (
                [{**SHOW, "name": f"show-{n}", "description": "x" * 4000} for n in range(20)],
                "tools: should take at most 64 KiB.",
            ),
        ],
    )
    async def test_that_is_none_is_refused_by_its_field(self, api: Client, tools: Any, sentence: str) -> None:
        events = await post(api, body("hello", tools=tools))
        assert (events[-1]["type"], events[-1]["message"]) == ("RUN_ERROR", sentence)

    async def test_of_no_page_is_none(self) -> None:
        assert page_tools() == []
