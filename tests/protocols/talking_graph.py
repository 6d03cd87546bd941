"""A graph as others write them: it streams a model's words, recalls what it was told, and asks if told to."""

import asyncio
from typing import Annotated, Any, TypedDict

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt

SLOW_S = 0.02
"""Seconds between two words of a slow reply: a message that begins with "slow" gets 200, or so many."""


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    place: str


class _Slow(GenericFakeChatModel):
    async def _astream(self, *args: Any, **kwargs: Any) -> Any:
        async for chunk in super()._astream(*args, **kwargs):
            await asyncio.sleep(SLOW_S)
            yield chunk


def _last(state: State) -> str:
    return str(state["messages"][-1].content)


async def plan(state: State) -> State:
    text = _last(state)
    if text.startswith("twice"):
        models = [
            GenericFakeChatModel(messages=iter([AIMessage(words)])) for words in ("Let me see.", "Done.")
        ]
        return {"messages": [await model.ainvoke(state["messages"]) for model in models]}
    if text.startswith("fail"):
        raise RuntimeError("the model is out of order")
    if text.startswith("slow"):
        count = text.removeprefix("slow").strip()
        words = " ".join(f"word{number}" for number in range(int(count) if count.isdigit() else 200))
        model = _Slow(messages=iter([AIMessage(words)]))
    elif text == "recall":
        told = " / ".join(str(each.content) for each in state["messages"] if each.type == "human")
        model = GenericFakeChatModel(messages=iter([AIMessage(told)]))
    else:
        model = GenericFakeChatModel(messages=iter([AIMessage(f"You said: {text}")]))
    return {"messages": [await model.ainvoke(state["messages"])]}


async def ask(state: State) -> State:
    return {"place": str(interrupt({"question": "Which place?"}))}


async def finish(state: State) -> State:
    model = GenericFakeChatModel(messages=iter([AIMessage(f"Then we go to {state['place']}.")]))
    return {"messages": [await model.ainvoke(state["messages"])]}


def _where(state: State) -> str:
    human = next(each for each in reversed(state["messages"]) if each.type == "human")
    return "ask" if str(human.content).startswith("ask") else END


_builder = StateGraph(State)
_builder.add_node("plan", plan)
_builder.add_node("ask", ask)
_builder.add_node("finish", finish)
_builder.add_edge(START, "plan")
_builder.add_conditional_edges("plan", _where, ["ask", END])
_builder.add_edge("ask", "finish")
_builder.add_edge("finish", END)
graph = _builder.compile()
