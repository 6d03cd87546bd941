"""Two graphs that tell what their runs were given, and a write that must be allowed."""

from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict


class Given(MessagesState, total=False):
    depth: int


class Context(TypedDict, total=False):
    tone: str


async def tell(state: Given, config: RunnableConfig, runtime: Runtime[Context]) -> Any:
    own: Any = config.get("configurable", {})
    context: Any = runtime.context or {}
    if state["messages"][-1].content == "form":
        return {"messages": [AIMessage(str(interrupt({"prompt": "Fill in", "schema": FORM})))]}
    if state["messages"][-1].content == "inbox":
        return {"messages": [AIMessage(str(interrupt([MAIL])))]}
    if state["messages"][-1].content == "names":
        return {"messages": [AIMessage(" ".join(sorted(own)))]}
    said = f"{state.get('depth')} {context.get('tone')} {own.get('k')} {own.get('parent')}"
    return {"messages": [AIMessage(said)]}


MAIL = {
    "action_request": {"action": "send", "args": {"to": "ann"}},
    "config": {"allow_ignore": True, "allow_respond": True, "allow_edit": True, "allow_accept": True},
    "description": "Send a mail?",
}
"""What Agent Inbox shows."""

FORM = {
    "type": "object",
    "properties": {"nights": {"type": "integer"}, "place": {"type": "string"}},
    "required": ["nights"],
}

_builder = StateGraph(Given, context_schema=Context)
_builder.add_node("tell", tell)
_builder.add_edge(START, "tell")
_builder.add_edge("tell", END)
graph = _builder.compile()
