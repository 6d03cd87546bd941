"""The phases that LangGraph alone has, as a graph for any server that speaks the LangGraph API.

It imports nothing of Detour, so it runs in another server's environment. Its scripts, nodes and gates are
those of `checks.conformance.graph`; what needs tools that are declared to Detour is left out. Text is
streamed by a chat model, and the answer ends up in `messages`, as these servers expect.
"""

# LangGraph fills in the keys of a state that are given, which no type says.
# pyright: reportTypedDictNotRequiredAccess=false

from collections.abc import AsyncIterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from checks.conformance import agent, nodes
from checks.conformance.agent import State
from checks.conformance.gates import wait_at


class Speaking(BaseChatModel):
    """Streams a first piece of text, and the rest past a gate."""

    user: str

    @property
    def _llm_type(self) -> str:
        return "speaking"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **__: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=AIMessageChunk(content="One, two"))
        await wait_at(self.user, "text")
        yield ChatGenerationChunk(message=AIMessageChunk(content=", three."))


async def router(state: State) -> State:
    """Find out what is wanted."""
    if state["message"] == "route":
        await wait_at(state["user_id"], "router")
    return {}


async def worker(state: State) -> State:
    """Do what is wanted, and say so."""
    match state["message"]:
        case "hold":
            await wait_at(state["user_id"], "hold")
        case "question":
            form = interrupt({"prompt": "Where to, and for how long?", "schema": nodes.FORM})
            return _answer(AIMessage(f"{form['nights']} nights in {form['city']}."))
        case _:
            pass
    return _answer(AIMessage(f"Done: {state['message']}."))


async def speaker(state: State) -> State:
    """Answer with a text that a model streams. A node of its own: no other model reads what a user adds."""
    return _answer(await Speaking(user=state["user_id"]).ainvoke(state["messages"]))


async def respond(state: State) -> State:
    """Enter in the conversation that a node of `checks.conformance.nodes` has ended."""
    return _answer(AIMessage(state.get("answer") or "Done."))


def _answer(said: AIMessage) -> State:
    return {"messages": [said], "answer": said.text}


def build() -> Any:
    """Return the compiled graph."""
    builder = StateGraph(State)
    builder.add_node("router", router)
    builder.add_node("worker", worker)
    builder.add_node("speaker", speaker)
    builder.add_node("model", agent.model)
    builder.add_node("ready", agent.ready)
    builder.add_node("tools", agent.tools)
    builder.add_node("respond", respond)
    first_of = nodes.add_nodes(builder, then="respond")

    async def where_to(state: State) -> str:
        kind, _, script = state["message"].partition(": ")
        if kind == "node":
            return first_of[script]
        return "model" if script else "speaker" if kind == "text" else "worker"

    builder.add_edge(START, "router")
    builder.add_conditional_edges("router", where_to, ["worker", "speaker", "model", *{*first_of.values()}])
    builder.add_edge("worker", END)
    builder.add_edge("speaker", END)
    builder.add_conditional_edges("model", agent.after_the_model, ["ready", END])
    builder.add_edge("ready", "tools")
    builder.add_edge("tools", "model")
    builder.add_edge("respond", END)
    return builder.compile()


graph = build()
