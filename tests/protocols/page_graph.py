"""Agents that call tools of the page: with a `ToolNode`, within another graph, and in CopilotKit's manner.

The model says which calls it makes: `ask confirm, confirm` asks for two of the page's tools at once, and
`weather Rome` for one of the server's. It then says what they came to.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import ModelRequest, ModelResponse, wrap_model_call
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from typing_extensions import TypedDict

from backend.tools import page_tools

ASKED: list[list[str]] = []
"""The messages of each request to the model, in short; tests clear it."""


OFFERED: list[set[str]] = []
"""The names of the tools in each request to the model."""

LOOKED_UP: list[str] = []
"""The cities of all calls of `weather`; tests clear it."""


@tool
async def weather(city: str) -> str:
    """Look up the weather of a city."""
    LOOKED_UP.append(city)
    return f"Sunny in {city}"


class Model(BaseChatModel):
    """Refuses, as model services do, a conversation in which a call has no result right behind it."""

    tools: Sequence[str] = ()

    @property
    def _llm_type(self) -> str:
        return "paged"

    def bind_tools(self, tools: Sequence[Any], **_kwargs: Any) -> Any:
        return Model(tools=[_name(each) for each in tools])

    def _generate(self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any) -> ChatResult:
        _check(messages)
        OFFERED.append({*self.tools})
        ASKED.append([_short(each) for each in messages])
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        results = []
        for each in reversed(messages):
            if not isinstance(each, ToolMessage):
                break
            results.append(str(each.content))
        if results == ["once more"] and len(messages) < 6:
            return AIMessage("", tool_calls=[{"name": "confirm", "args": {"what": "more"}, "id": "call"}])
        if results:
            return AIMessage(f"It says: {', '.join(results[::-1])}")
        said = str(messages[-1].text)
        if said == "which tools":
            return AIMessage(", ".join(self.tools))
        if said == "same confirm":
            return AIMessage("", tool_calls=[{"name": "confirm", "args": {"what": said}, "id": "call"}])
        wanted = re.findall(r"(ask|weather) (\w+)", said)
        calls: list[Any] = [
            {"name": name, "args": {"what": said}, "id": f"call-{len(messages)}-{number}"}
            if verb == "ask"
            else {"name": "weather", "args": {"city": name}, "id": f"call-{len(messages)}-{number}"}
            for number, (verb, name) in enumerate(wanted, 1)
        ]
        assert all(each["name"] in self.tools for each in calls), (calls, self.tools)
        return AIMessage("Let me see." if calls else f"You said: {said}", tool_calls=calls)


def _name(declared: Any) -> str:
    if isinstance(declared, dict):
        return declared.get("function", declared)["name"]
    return declared.name


def _short(message: BaseMessage) -> str:
    calls = [each["name"] for each in getattr(message, "tool_calls", ())]
    return f"{message.type}: {' '.join([str(message.text), *calls])}"


def _check(messages: list[BaseMessage]) -> None:
    open_now: set[str] = set()
    for each in messages:
        if isinstance(each, ToolMessage):
            assert each.tool_call_id in open_now, messages
            open_now.remove(each.tool_call_id)
        else:
            assert not open_now, messages
        if isinstance(each, AIMessage):
            open_now = {str(call["id"]) for call in each.tool_calls}
    assert not open_now, messages


@wrap_model_call
async def offer_page_tools(
    request: ModelRequest[None], handler: Callable[[ModelRequest[None]], Awaitable[ModelResponse]]
) -> ModelResponse:
    """Offer the page's tools beside the agent's own."""
    return await handler(request.override(tools=[*request.tools, *page_tools()]))


graph = create_agent(Model(), [weather], middleware=[offer_page_tools])

_team = StateGraph(MessagesState).add_node("agent", graph)
team = _team.add_edge(START, "agent").add_edge("agent", END).compile()


async def _ask(state: MessagesState) -> dict[str, Any]:
    model = Model().bind_tools([weather, *page_tools()])
    return {"messages": [await model.ainvoke(state["messages"])]}


_plain = StateGraph(MessagesState).add_node("model", _ask).add_node("tools", ToolNode([weather]))
_plain.add_edge(START, "model").add_conditional_edges("model", tools_condition).add_edge("tools", "model")
plain = _plain.compile()


class Copilot(TypedDict):
    """What CopilotKit's adapter puts under `copilotkit`."""

    actions: list[Any]
    context: list[Any]


class CopilotState(MessagesState):
    """As CopilotKit's own state."""

    copilotkit: Copilot


async def _chat(state: CopilotState, config: RunnableConfig) -> dict[str, Any]:
    copilot = state["copilotkit"]
    model = Model().bind_tools([*copilot["actions"], weather])
    known = [HumanMessage(f"Context: {each['value']}") for each in copilot["context"]]
    return {"messages": [await model.ainvoke([*known, *state["messages"]], config)]}


def _next(state: CopilotState) -> str:
    last = state["messages"][-1]
    assert isinstance(last, AIMessage)
    actions = {each["name"] for each in state["copilotkit"]["actions"]}
    own = [each for each in last.tool_calls if each["name"] not in actions]
    return "tools" if own else END


_copilot = StateGraph(CopilotState).add_node("chat", _chat).add_node("tools", ToolNode([weather]))
_copilot.add_edge(START, "chat").add_conditional_edges("chat", _next, ["tools", END]).add_edge(
    "tools", "chat"
)
copilot = _copilot.compile()
