"""Two graphs: one tells what it has been sent, block by block; the other takes text alone."""

from typing import Any, TypedDict

from langchain_core.messages import HumanMessage
from langgraph.graph import END, START, MessagesState, StateGraph


async def see(state: MessagesState) -> dict[str, Any]:
    """Tell the kinds of blocks of each message of the user, as LangChain reads them."""
    sent = [each for each in state["messages"] if isinstance(each, HumanMessage)]
    told = [" ".join(_kind(block) for block in each.content_blocks) for each in sent]
    return {"messages": [{"role": "assistant", "content": " | ".join(told)}]}


def _kind(block: Any) -> str:
    return block["text"] if block["type"] == "text" else f"[{block['type']} {block.get('mime_type', '')}]"


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
