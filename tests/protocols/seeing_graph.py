"""Graphs that tell what they have been sent, block by block; and one that takes text alone.

`listing` has its messages in a list without a reducer.
"""

from typing import Any, TypedDict

from langchain_core.messages import HumanMessage, convert_to_messages
from langgraph.graph import END, START, MessagesState, StateGraph


async def see(state: MessagesState) -> dict[str, Any]:
    """Tell the kinds of blocks of each message of the user, as LangChain reads them."""
    sent = [each for each in state["messages"] if isinstance(each, HumanMessage)]
    told = [" ".join(_kind(block) for block in each.content_blocks) for each in sent]
    return {"messages": [{"role": "assistant", "content": " | ".join(told)}]}


def _kind(block: Any) -> str:
    return block["text"] if block["type"] == "text" else f"[{block['type']} {block.get('mime_type', '')}]"


class Listed(TypedDict):
    messages: list[Any]


async def see_all(state: Listed) -> Listed:
    """Tell the kinds of blocks of all messages that there are, and keep them."""
    told = await see(MessagesState(messages=convert_to_messages(state["messages"])))
    return {"messages": [*state["messages"], *told["messages"]]}


class Words(TypedDict, total=False):
    message: str
    answer: str


async def read(state: Words) -> Words:
    """Answer a text."""
    return {"answer": f"You said: {state.get('message', '')}"}


_builder = StateGraph(MessagesState)
_builder.add_node("see", see)
_builder.add_edge(START, "see")
_builder.add_edge("see", END)
graph = _builder.compile()

_words = StateGraph(Words)
_words.add_node("read", read)
_words.add_edge(START, "read")
_words.add_edge("read", END)
reading = _words.compile()

_listed = StateGraph(Listed)
_listed.add_node("see", see_all)
_listed.add_edge(START, "see")
_listed.add_edge("see", END)
listing = _listed.compile()
