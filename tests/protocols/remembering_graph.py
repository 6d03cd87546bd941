"""A graph that remembers in LangGraph's Store what it is told, and another with a store of its own."""

from typing import Any

from langchain_core.messages import AIMessage
from langgraph.config import get_store
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

MEMORIES = ("memories",)


async def remember(state: MessagesState) -> Any:
    """`keep <key>` and `drop <key>` change an item; the reply has the keys of all, with what they hold."""
    store = get_store()
    do, _, key = state["messages"][-1].text.partition(" ")
    if do == "keep":
        await store.aput(MEMORIES, key, {"by": "graph"})
    elif do == "drop":
        await store.adelete(MEMORIES, key)
    found = await store.asearch(MEMORIES)
    told = " ".join(sorted(f"{each.key}={each.value['by']}" for each in found))
    return {"messages": [AIMessage(told or "nothing")]}


_builder = StateGraph(MessagesState)
_builder.add_node("remember", remember)
_builder.add_edge(START, "remember")
_builder.add_edge("remember", END)
graph = _builder.compile()
own = _builder.compile(store=InMemoryStore())
