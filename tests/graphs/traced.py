"""An agent whose model and tool are traced, and a graph that looks for the trace that it runs in."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import LangSmithParams
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from opentelemetry.trace import format_span_id, format_trace_id, get_current_span


@tool
async def look_up(city: str) -> str:
    """Look a city up."""
    return f"{city} is a city"


class Model(BaseChatModel):
    """Looks up the first message, and repeats the result of the tool."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _get_ls_params(self, stop: Any = None, **_options: Any) -> LangSmithParams:
        return LangSmithParams(ls_provider="scripted", ls_model_name="scripted-1", ls_model_type="chat")

    def bind_tools(self, tools: Any, **_options: Any) -> "Model":
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        usage: Any = {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
        last = messages[-1]
        if isinstance(last, ToolMessage):
            answer = AIMessage(last.text, usage_metadata=usage)
        else:
            call: Any = {"name": "look_up", "args": {"city": last.text}, "id": "c1"}
            answer = AIMessage("", tool_calls=[call], usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=answer)])

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return self._generate(messages)


async def look(_state: MessagesState) -> MessagesState:
    here = get_current_span().get_span_context()
    return {"messages": [AIMessage(f"{format_trace_id(here.trace_id)} {format_span_id(here.span_id)}")]}


graph = create_agent(Model(), [look_up])
own = StateGraph(MessagesState).add_node("look", look).add_edge(START, "look").compile()
