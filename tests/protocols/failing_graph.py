"""A graph of two nodes; the second fails until a file is there."""

from pathlib import Path
from typing import Annotated, Any, TypedDict

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
