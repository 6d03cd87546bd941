"""Tools of the page with the published clients: AG-UI's `HttpAgent` and CopilotKit's core, unchanged."""

from typing import Any

import pytest
import pytest_asyncio

from tests.api.live import base_url
from tests.protocols import page_graph
from tests.protocols.ag_ui_pages import Page, texts
from tests.protocols.test_ai_sdk_pages import Page as UseChat
from tests.protocols.test_page_tools import CONFIRM, GRAPHS, SHOW

pytestmark = pytest.mark.asyncio(loop_scope="module")

DECLARED = {"tools": [CONFIRM, SHOW]}


@pytest_asyncio.fixture(loop_scope="module", params=["graph", "plain", "copilot"])
async def server(live_servers, request):
    page_graph.ASKED.clear()
    return await live_servers(graph=f"{GRAPHS}:{request.param}")


@pytest_asyncio.fixture(loop_scope="module", params=["1.0.0", "0.0.59"])
async def agent(node, server, ann, request):
    page = Page(await node("ag_ui"), ann)
    await page.do("open", version=request.param, url=f"{base_url(server.port)}/agui", threadId=ann)
    return page


@pytest_asyncio.fixture(loop_scope="module", params=["rest", "single"])
async def copilot(node, server, ann, request):
    page = Page(await node("copilotkit"), ann)
    where = {"agentId": "default", "threadId": ann, "runtimeUrl": f"{base_url(server.port)}/copilotkit"}
    await page.do("open", runtimeTransport=request.param, headers={}, **where)
    return page


async def roles(page: Page) -> list[tuple[str, str]]:
    """Return what a page shows; of a call its tool."""
    shown: list[tuple[str, str]] = []
    for each in (await page.look())["messages"]:
        calls = [call["function"]["name"] for call in each.get("toolCalls", ())]
        shown.append((each["role"], " ".join([each.get("content") or "", *calls])))
    return shown


async def add_result(page: Page, call: dict[str, Any], text: str) -> None:
    message = {"id": f"told-{call['id']}", "role": "tool", "toolCallId": call["id"], "content": text}
    await page.do("add", message=message)


class TestHttpAgent:
    async def test_executes_a_call_and_sends_its_result_with_the_next_run(self, agent: Page) -> None:
        result = await agent.say("ask confirm", **DECLARED)
        assert result["result"] == {"status": "waiting_for_page"}
        assert agent.outcomes == ["success"]
        (asked,) = [each for each in result["newMessages"] if each["role"] == "assistant"]
        (call,) = asked["toolCalls"]
        assert call["function"] == {"name": "confirm", "arguments": '{"what":"ask confirm"}'}
        await add_result(agent, call, "yes")
        result = await agent.run(**DECLARED)
        assert texts(result["newMessages"]) == ["It says: yes"]
        assert await roles(agent) == [
            ("user", "ask confirm"),
            ("assistant", "Let me see. confirm"),
            ("tool", "yes"),
            ("assistant", "It says: yes"),
        ]

    async def test_changes_its_mind_in_place_of_the_result(self, agent: Page) -> None:
        await agent.say("ask confirm", **DECLARED)
        result = await agent.say("never mind", **DECLARED)
        assert texts(result["newMessages"]) == ["You said: never mind"]
        assert await roles(agent) == [
            ("user", "ask confirm"),
            ("assistant", "Let me see. confirm"),
            ("tool", "Not known: the page has told no result."),
            ("user", "never mind"),
            ("assistant", "You said: never mind"),
        ]


class TestCopilotKit:
    async def test_executes_calls_and_goes_on_by_itself(self, copilot: Page) -> None:
        await copilot.do("offer", tool="confirm", returns="yes")
        await copilot.do("offer", tool="show", returns={"shown": True})
        await copilot.say("ask confirm, ask show")
        executed = [each for each in copilot.told if each["kind"] == "executed"]
        assert [each["name"] for each in executed] == ["confirm", "show"]
        assert executed[0]["args"] == {"what": "ask confirm, ask show"}
        assert await roles(copilot) == [
            ("user", "ask confirm, ask show"),
            ("assistant", "Let me see. confirm show"),
            ("tool", "yes"),
            ("tool", '{"shown":true}'),
            ("assistant", 'It says: yes, {"shown":true}'),
        ]
        assert copilot.errors == []

    async def test_tool_without_a_handler_tells_an_empty_result(self, copilot: Page) -> None:
        await copilot.do("offer", tool="show")
        await copilot.say("ask show")
        assert (await roles(copilot))[-1] == ("assistant", "It says: ")

    async def test_tool_without_a_follow_up_has_its_result_with_the_next_message(self, copilot: Page) -> None:
        await copilot.do("offer", tool="confirm", returns="yes", followUp=False)
        await copilot.say("ask confirm")
        assert (await roles(copilot))[-1] == ("tool", "yes")
        await copilot.say("thanks")
        assert (await roles(copilot))[-1] == ("assistant", "You said: thanks")
        assert page_graph.ASKED[-1][-3:] == ["ai: Let me see. confirm", "tool: yes", "human: thanks"]

    async def test_reload_shows_the_call_and_its_result(self, copilot: Page, node, server) -> None:
        await copilot.do("offer", tool="confirm", returns="yes")
        await copilot.say("ask confirm")
        again = Page(await node("copilotkit"), copilot.thread_id)
        where = {"agentId": "default", "threadId": copilot.thread_id}
        await again.do("open", runtimeUrl=f"{base_url(server.port)}/copilotkit", headers={}, **where)
        await again.do("connect")
        assert await roles(again) == await roles(copilot)


class TestUseChat:
    @pytest_asyncio.fixture(loop_scope="module")
    async def chat(self, node, server, ann):
        where = {"server": base_url(server.port), "chat": ann, **DECLARED}
        async with UseChat(await node("ai_sdk"), ann, **where) as page:
            yield page

    async def test_executes_a_call_and_goes_on_in_the_same_message(self, chat: UseChat) -> None:
        seen = await chat.ask("ask confirm")
        assert [each["toolName"] for each in seen["called"]] == ["confirm"]
        assert seen["finishes"][-1]["finishReason"] == "tool-calls"
        (call,) = tool_parts(seen)
        assert (call["state"], call["input"]) == ("input-available", {"what": "ask confirm"})
        assert not [part for part in seen["messages"][-1]["parts"] if part["type"] == "data-question"]
        await chat.do("tell", tool="confirm", toolCallId=call["toolCallId"], output={"ok": True})
        seen = await chat.do("until", status="ready", text='It says: {"ok":true}', count=2)
        (call,) = tool_parts(seen)
        assert (call["state"], call["output"]) == ("output-available", {"ok": True})

    async def test_reload_has_the_call_and_its_result(self, chat: UseChat, node) -> None:
        seen = await chat.ask("ask confirm")
        load = {"server": chat.server, "chat": chat.chat}
        loaded = await chat.client.call("load", **load)
        (waiting,) = tool_parts({"messages": loaded})
        assert waiting["state"] == "input-available"
        assert "providerExecuted" not in waiting
        await chat.do("tell", tool="confirm", toolCallId=waiting["toolCallId"], output="yes")
        seen = await chat.do("until", status="ready", text="It says: yes")
        loaded = await chat.client.call("load", **load)
        (answered,) = tool_parts({"messages": loaded})
        assert (answered["state"], answered["output"]) == ("output-available", "yes")
        assert [each["role"] for each in loaded] == ["user", "assistant", "assistant"]
        assert seen["errors"] == []

    async def test_failure_of_a_tool_is_told_to_the_model(self, chat: UseChat) -> None:
        (call,) = tool_parts(await chat.ask("ask confirm"))
        failed = {"toolCallId": call["toolCallId"], "state": "output-error", "errorText": "no way"}
        await chat.do("tell", tool="confirm", **failed)
        await chat.do("until", status="ready", text="It says: no way")

    async def test_change_of_mind_closes_the_call(self, chat: UseChat) -> None:
        await chat.ask("ask confirm")
        seen = await chat.ask("never mind")
        assert seen["texts"][-1] == "assistant: You said: never mind"
        loaded = await chat.client.call("load", server=chat.server, chat=chat.chat)
        (closed,) = tool_parts({"messages": loaded})
        assert closed["errorText"] == "Not known: the page has told no result."


def tool_parts(seen: dict[str, Any]) -> list[dict[str, Any]]:
    parts = [part for each in seen["messages"] for part in each["parts"]]
    return [part for part in parts if part["type"].startswith("tool-")]
