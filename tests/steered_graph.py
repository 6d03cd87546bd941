"""A graph with a model and tools, whose first message decides where it waits until a test says "on".

`tools`: the model calls a tool, which asks "Go on?" until the answer is "on"; then the model replies.
`reply`: the model asks that before it replies, and calls nothing: no step follows.
Any other message is replied to at once. A reply tells what the model read since its last one.
"""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

GO_ON = {
    "prompt": "Go on?",
    "schema": {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": ["on"]}},
        "required": ["answer"],
        "additionalProperties": False,
    },
}


class Reader(BaseChatModel):
    """Calls a tool for `tools`, and else says what it read."""

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        replies = [place for place, each in enumerate(messages) if each.type == "ai" and not each.tool_calls]
        new = messages[replies[-1] + 1 if replies else 0 :]
        read = [each.text for each in new if each.type == "human"]
        said = AIMessage(f"Read: {' | '.join(read)}")
        if read[0] == "tools" and new[-1].type == "human" and len(new) == 1:
            said = AIMessage("", tool_calls=[{"id": f"call{len(messages)}", "name": "wait", "args": {}}])
        return ChatResult(generations=[ChatGeneration(message=said)])

    @property
    def _llm_type(self) -> str:
        return "reader"


async def agent(state: MessagesState) -> Any:
    if state["messages"][-1].text == "reply":
        interrupt(GO_ON)
    return {"messages": [await Reader().ainvoke(state["messages"])]}


async def tools(state: MessagesState) -> Any:
    (call,) = state["messages"][-1].tool_calls
    interrupt(GO_ON)
    return {"messages": [ToolMessage("on", tool_call_id=call["id"])]}


async def onwards(state: MessagesState) -> str:
    return "tools" if state["messages"][-1].tool_calls else END


def graph():
    builder = StateGraph(MessagesState)
    builder.add_node("agent", agent)
    builder.add_node("tools", tools)
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", onwards, ["tools", END])
    builder.add_edge("tools", "agent")
    return builder.compile()
