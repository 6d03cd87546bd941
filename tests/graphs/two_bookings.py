"""Graphs of every make that do the same: a model books twice for each message, one step after the other.

Each is a function of a model and its tool. The model decides by the conversation alone, as a real one does,
so it goes on from whatever a lost process has left.
"""

import asyncio
import operator
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from langchain import agents
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, tool
from langgraph.channels import DeltaChannel
from langgraph.func import entrypoint
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import Field
from typing_extensions import TypedDict

PLACES = ("first model", "first tool", "beside it", "second model", "second tool", "third model")
"""Where a run can be held: in a call of its model, or of its tool after that has had its effect."""


class Gate:
    """Holds a run for ever when it gets to a place, once; `held` is set then."""

    def __init__(self, place: str = "") -> None:
        self.place = place
        self.held = asyncio.Event()
        self.effects: list[str] = []

    async def reach(self, place: str) -> None:
        if place == self.place:
            self.place = ""
            self.held.set()
            await asyncio.get_running_loop().create_future()


class Planner(BaseChatModel):
    """Asks to book in two cities, then in one, then says so; names its calls alike if it has one name."""

    gate: Any
    name_of_calls: Callable[[int], str]
    asked: list[list[BaseMessage]] = Field(default_factory=list[list[BaseMessage]])

    @property
    def _llm_type(self) -> str:
        return "planner"

    def bind_tools(self, tools: Sequence[Any], **_options: Any) -> "Planner":
        return self

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.asked.append([*messages])
        begin = max(at for at, each in enumerate(messages) if isinstance(each, HumanMessage))
        steps = sum(isinstance(each, AIMessage) and bool(each.tool_calls) for each in messages[begin:])
        await self.gate.reach(("first model", "second model", "third model")[steps])
        wish = messages[begin].text
        wanted = {0: (f"{wish} 1", f"{wish} 2"), 1: (f"{wish} 3",)}.get(steps, ())
        calls: Any = [
            {"name": "book", "args": {"city": city}, "id": self.name_of_calls(number)}
            for number, city in enumerate(wanted)
        ]
        said = AIMessage("" if calls else f"{wish}: all done.", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=said)])


def booking(gate: Gate) -> BaseTool:
    """A tool with an effect, which is held after it has had that."""

    @tool
    async def book(city: str) -> str:
        """Book."""
        gate.effects.append(city)
        await gate.reach({"1": "beside it", "2": "first tool", "3": "second tool"}[city[-1]])
        return f"{city} is booked"

    return book


def agent(model: Planner, book: BaseTool) -> Any:
    library: Any = agents
    return library.create_agent(model, [book])


async def _route(state: Any) -> Literal["tools", "__end__"]:
    return tools_condition(state)


def _loop(state: Any, model: Planner, tools: Any) -> Any:
    async def ask(state: Any) -> Any:
        return {"messages": [await model.ainvoke(state["messages"])]}

    builder = StateGraph(state)
    builder.add_node("model", ask)
    builder.add_node("tools", tools)
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", _route)
    builder.add_edge("tools", "model")
    return builder.compile()


def tool_node(model: Planner, book: BaseTool) -> Any:
    return _loop(MessagesState, model, ToolNode([book]))


class Added(TypedDict):
    messages: Annotated[list[AnyMessage], operator.add]


def added(model: Planner, book: BaseTool) -> Any:
    """A conversation whose reducer replaces nothing."""
    return _loop(Added, model, ToolNode([book]))


def _joined(kept: list[Any], new: list[Any]) -> list[Any]:
    return [*kept, *add_messages([], new)]


class Own(TypedDict):
    messages: Annotated[list[AnyMessage], _joined]


def own_reducer(model: Planner, book: BaseTool) -> Any:
    return _loop(Own, model, ToolNode([book]))


def _extended(kept: Any, writes: Sequence[Any]) -> Any:
    return [*kept, *(each for write in writes for each in write)]


class InPieces(TypedDict):
    messages: Annotated[list[AnyMessage], DeltaChannel(_extended)]


def in_pieces(model: Planner, book: BaseTool) -> Any:
    """A conversation that LangGraph stores in pieces."""
    return _loop(InPieces, model, ToolNode([book]))


def own_loop(model: Planner, book: BaseTool) -> Any:
    """A node that calls the tools of the last answer itself."""

    async def tools(state: MessagesState) -> Any:
        last = state["messages"][-1]
        calls = last.tool_calls if isinstance(last, AIMessage) else []
        return {
            "messages": await asyncio.gather(*(book.ainvoke({**each, "type": "tool_call"}) for each in calls))
        }

    return _loop(MessagesState, model, tools)


def guarded(model: Planner, book: BaseTool) -> Any:
    """A graph that takes nothing but a message of the user, by what is last in the conversation."""

    async def is_question(state: MessagesState) -> str:
        return "ask" if isinstance(state["messages"][-1], HumanMessage) else END

    async def after(state: MessagesState) -> str:
        last = state["messages"][-1]
        return "tools" if isinstance(last, AIMessage) and last.tool_calls else END

    async def ask(state: Any) -> Any:
        return {"messages": [await model.ainvoke(state["messages"])]}

    async def again(state: Any) -> Any:
        assert isinstance(state["messages"][-1], ToolMessage)
        return await ask(state)

    builder = StateGraph(MessagesState)
    builder.add_node("ask", ask)
    builder.add_node("again", again)
    builder.add_node("tools", ToolNode([book]))
    builder.add_conditional_edges(START, is_question, ["ask", END])
    builder.add_conditional_edges("ask", after, ["tools", END])
    builder.add_conditional_edges("again", after, ["tools", END])
    builder.add_edge("tools", "again")
    return builder.compile()


def within(model: Planner, book: BaseTool) -> Any:
    """An agent as a node: what it had done in a step of its own is not kept if its node is cut off."""
    builder = StateGraph(MessagesState)
    builder.add_node("agent", agent(model, book))
    builder.add_edge(START, "agent")
    builder.add_edge("agent", END)
    return builder.compile()


def remembering(model: Planner, book: BaseTool) -> Any:
    """An agent as a node that keeps a conversation of its own from message to message."""
    library: Any = agents
    builder = StateGraph(MessagesState)
    builder.add_node("agent", library.create_agent(model, [book], checkpointer=True))
    builder.add_edge(START, "agent")
    builder.add_edge("agent", END)
    return builder.compile()


def functional(model: Planner, book: BaseTool) -> Any:
    """A function that keeps its conversation itself."""

    @entrypoint()
    async def run(messages: list[AnyMessage], *, previous: Any = None) -> Any:
        given: Any = messages
        said: Any = add_messages(previous or [], given)
        while True:
            answer = await model.ainvoke(said)
            said = add_messages(said, answer)
            if not answer.tool_calls:
                return entrypoint.final(value=answer, save=said)
            said = add_messages(
                said, [await book.ainvoke({**each, "type": "tool_call"}) for each in answer.tool_calls]
            )

    return run  # pyright: ignore[reportUnknownVariableType]


MAKES = (agent, tool_node, added, own_reducer, in_pieces, own_loop, guarded, within, remembering, functional)
