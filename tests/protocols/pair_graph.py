"""A graph whose two nodes ask at the same time."""

from typing import TypedDict

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


class State(TypedDict, total=False):
    message: str
    left: str
    right: str


async def left(_state: State) -> State:
    return {"left": str(interrupt({"question": "Left?"}))}


async def right(_state: State) -> State:
    return {"right": str(interrupt({"question": "Right?"}))}


_builder = StateGraph(State).add_node("left", left).add_node("right", right)
graph = _builder.add_edge(START, "left").add_edge(START, "right").compile()
