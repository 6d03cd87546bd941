"""Graphs with a real model behind the default `ChatOpenAI`; they import nothing of Detour.

One for each way in which ordinary graphs call their model. `INTERRUPTIONS_MODEL` is where it is served.
"""

import os
from typing import Any

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import BaseModel, SecretStr

model = ChatOpenAI(
    model="SmolLM2-135M-Instruct",
    base_url=f"{os.environ['INTERRUPTIONS_MODEL']}/v1",
    api_key=SecretStr("none"),
)


class Story(BaseModel):
    """A long story."""

    title: str
    beginning: str
    middle: str
    end: str


async def ainvoke(state: MessagesState) -> dict[str, Any]:
    """Call the model at once."""
    return {"messages": [await model.ainvoke(state["messages"])]}


async def astream(state: MessagesState) -> dict[str, Any]:
    """Read the model's stream, and return all of it."""
    pieces = [piece.text async for piece in model.astream(state["messages"])]
    return {"messages": [{"role": "assistant", "content": "".join(pieces)}]}


def invoke(state: MessagesState) -> dict[str, Any]:
    """Call the model in a plain function, which runs in a thread."""
    return {"messages": [model.invoke(state["messages"])]}


async def structured(state: MessagesState) -> dict[str, Any]:
    """Have the model fill in a schema."""
    story: Any = await model.with_structured_output(Story).ainvoke(state["messages"])
    return {"messages": [{"role": "assistant", "content": f"{story.title}: {story.beginning}"}]}


async def briefly(state: MessagesState) -> dict[str, Any]:
    """Call the model for one sentence or two."""
    wanted = {"role": "user", "content": "Go on with one sentence."}
    return {"messages": [await model.bind(max_tokens=40).ainvoke([*state["messages"], wanted])]}


def _graph(node: Any) -> Any:
    return StateGraph(MessagesState).add_node("say", node).add_edge(START, "say").compile()


agent = create_agent(model)
node_ainvoke = _graph(ainvoke)
node_astream = _graph(astream)
node_invoke = _graph(invoke)
node_structured = _graph(structured)
three_nodes = (
    StateGraph(MessagesState)
    .add_sequence([("plan", briefly), ("draft", briefly), ("reply", briefly)])
    .add_edge(START, "plan")
    .compile()
)
