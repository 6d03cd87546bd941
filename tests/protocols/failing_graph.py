"""Graphs of two nodes; the second fails until a file is there. `calling` asks for a tool in the first."""

from pathlib import Path
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages


class State(TypedDict, total=False):
    messages: Annotated[list[Any], add_messages]
    looked: int


async def look(state: State) -> dict[str, Any]:
    """Count how often this has run."""
    return {"looked": state.get("looked", 0) + 1}


async def tell(state: State) -> dict[str, Any]:
    """Tell it, once the file that the user has named is there."""
    if not Path(state["messages"][-1].text).exists():  # noqa: ASYNC240
        raise RuntimeError("not yet")
    return {"messages": [{"role": "assistant", "content": f"Looked {state['looked']} times."}]}


_builder = StateGraph(State)
_builder.add_node("look", look)
_builder.add_node("tell", tell)
_builder.add_edge(START, "look")
_builder.add_edge("look", "tell")
_builder.add_edge("tell", END)
graph = _builder.compile()


async def ask(state: State) -> dict[str, Any]:
    """Ask for the tool, as a model does."""
    call = {"name": "look", "args": {"where": "here"}, "id": "call-1"}
    return {"messages": [AIMessage("Let me look.", tool_calls=[call])]}


async def call(state: State) -> dict[str, Any]:
    """Answer the call, once the file that the user has named is there."""
    if not Path(state["messages"][0].text).exists():  # noqa: ASYNC240
        raise RuntimeError("not yet")
    return {"messages": [ToolMessage("It is there.", name="look", tool_call_id="call-1"), AIMessage("Done.")]}


_builder = StateGraph(State)
_builder.add_node("ask", ask)
_builder.add_node("call", call)
_builder.add_edge(START, "ask")
_builder.add_edge("ask", "call")
_builder.add_edge("call", END)
calling = _builder.compile()
