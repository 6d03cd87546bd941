"""Graphs of many kinds, as their users write them with LangGraph 1.2 and LangChain 1.4, on a scripted model.

The model repeats all that it was given. It calls the tools that the user's last message names, once each. The
tool `look` notes each call in a file, shows that it has begun, and waits for ever if it is told to, or until
a pipe is closed whose name it is given.
"""

import asyncio
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langchain.agents import AgentState, create_agent
from langchain.agents import middleware as ready
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.cache.memory import InMemoryCache
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.runtime import Runtime
from langgraph.types import CachePolicy, Command, RetryPolicy, Send, interrupt
from pydantic import BaseModel, Field

from tests.graphs.scripted_chat import ScriptedChat, check

CALLS = Path("calls.txt")
"""In the folder of the server: what was looked up, a line each."""


class Model(ScriptedChat):
    """Calls the tools that the last message of the user names, then repeats what it was given."""

    tools: dict[str, Any] = Field(default_factory=dict)

    def bind_tools(self, tools: Sequence[Any], **_options: Any) -> "Model":
        schemas = [convert_to_openai_tool(each)["function"] for each in tools]
        return Model(tools={each["name"]: each["parameters"]["properties"] for each in schemas})

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        check(messages)
        begin = max((at for at, each in enumerate(messages) if isinstance(each, HumanMessage)), default=0)
        asked = messages[begin].text if messages else ""
        since = messages[begin:]
        known = "I know: " + " | ".join(each.text for each in messages if each.text)
        called = {call["name"] for each in since if isinstance(each, AIMessage) for call in each.tool_calls}
        named = [name for name in self.tools if name not in called and name in asked]
        last = [name for name in self.tools if name == "Answer" and name not in called]
        texts = asked if named else known
        if names := named or last:
            calls = [
                # An id of its own: told apart by the length of the conversation.
                {"name": name, "args": _filled(self.tools[name], texts), "id": f"{len(messages)}-{name}"}
                for name in names
            ]
            return AIMessage("", tool_calls=calls)
        return AIMessage(known)


def _filled(properties: dict[str, Any], text: str) -> dict[str, Any]:
    values: dict[str, Any] = {"string": text, "array": [], "integer": 1, "boolean": True, "object": {}}
    return {name: values[each.get("type", "string")] for name, each in properties.items()}


def note(what: str) -> None:
    with CALLS.open("a") as file:
        file.write(f"{what}\n")


async def look_up(what: str) -> str:
    await asyncio.to_thread(note, what)
    get_stream_writer()({"begun": what})
    if "hold" in what:
        pipe = Path(next(each for each in what.split() if each.startswith("kind_")))
        await asyncio.to_thread(pipe.read_bytes)
    if "wait" in what:
        await asyncio.get_running_loop().create_future()
    return f"found {what.upper()}"


@tool
async def look(what: str) -> str:
    """Look something up."""
    return await look_up(what)


def agent(*middleware: Any, tools: Sequence[Any] = (look,), **options: Any) -> Any:
    return create_agent(Model(), [*tools], middleware=middleware, **options)


def loop(state: Any = MessagesState, *, tools: Sequence[Any] = (look,), **options: Any) -> StateGraph[Any]:
    """Return an agent built by hand of a model and a `ToolNode`."""
    bound = Model().bind_tools(tools)

    async def model(given: Any) -> Any:
        messages = given["messages"] if isinstance(given, dict) else given.messages
        return {"messages": [await bound.ainvoke(messages)]}

    builder = StateGraph(state)
    builder.add_node("model", model, **options)
    builder.add_node("tools", ToolNode([*tools]))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    return builder


MADE: dict[str, Callable[[], Any]] = {}


def kind(name: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    def add(make: Callable[[], Any]) -> Callable[[], Any]:
        MADE[name] = make
        return make

    return add


kind("create_agent")(lambda: agent())
kind("SummarizationMiddleware")(
    lambda: agent(ready.SummarizationMiddleware(Model(), trigger=("messages", 40), keep=("messages", 20)))
)
kind("PIIMiddleware")(lambda: agent(ready.PIIMiddleware("email", strategy="redact", apply_to_output=True)))
kind("ToolRetryMiddleware")(lambda: agent(ready.ToolRetryMiddleware(max_retries=2)))
kind("ModelRetryMiddleware")(lambda: agent(ready.ModelRetryMiddleware(max_retries=2)))
kind("ModelFallbackMiddleware")(lambda: agent(ready.ModelFallbackMiddleware(Model())))
kind("ContextEditingMiddleware")(
    lambda: agent(ready.ContextEditingMiddleware(edits=[ready.ClearToolUsesEdit(trigger=100_000)]))
)
kind("TodoListMiddleware")(lambda: agent(ready.TodoListMiddleware()))
kind("call limits")(
    lambda: agent(ready.ToolCallLimitMiddleware(run_limit=5), ready.ModelCallLimitMiddleware(run_limit=9))
)


@kind("middleware of one's own")
def _own_middleware() -> Any:
    @ready.before_model
    async def before(state: Any, runtime: Any) -> None:
        get_stream_writer()({"before": len(state["messages"])})

    @ready.wrap_tool_call
    async def around(request: Any, handler: Any) -> Any:
        return await handler(request)

    @ready.wrap_model_call
    async def model(request: Any, handler: Any) -> Any:
        return await handler(request)

    return agent(before, around, model)


@kind("tools chosen at run time")
def _dynamic_tools() -> Any:
    @ready.wrap_model_call
    async def choose(request: Any, handler: Any) -> Any:
        return await handler(request.override(tools=[each for each in request.tools if each.name == "look"]))

    return agent(choose, tools=[look, _other])


@tool("never_offered")
async def _other(what: str) -> str:
    """Never."""
    return what


class Answer(BaseModel):
    """The answer."""

    text: str


kind("structured response by a tool")(lambda: agent(response_format=ToolStrategy(Answer)))


@kind("tools that return Command and use ToolRuntime")
def _commands() -> Any:
    class State(AgentState[Any]):
        looked: str

    @tool("look")
    async def look_and_keep(what: str, runtime: ToolRuntime) -> Any:
        """Look something up, and keep it in the state."""
        found = await look_up(what)
        message = ToolMessage(found, tool_call_id=runtime.tool_call_id)
        return Command(update={"looked": found, "messages": [message]})

    return agent(tools=[look_and_keep], state_schema=State)


@kind("Store used by a tool")
def _store() -> Any:
    @tool("look")
    async def look_and_remember(what: str, runtime: ToolRuntime) -> str:
        """Look something up, and remember it for the user."""
        assert runtime.store is not None
        await runtime.store.aput(("looked",), "last", {"what": what})
        return await look_up(what)

    return agent(tools=[look_and_remember])


@kind("context_schema")
def _context() -> Any:
    @dataclass
    class Context:
        user_id: str
        tone: str = "plain"

    @ready.dynamic_prompt
    def prompt(request: Any) -> str:
        return f"tone {request.runtime.context.tone} for {request.runtime.context.user_id}"

    return agent(prompt, context_schema=Context)


@kind("an agent as the tool of an agent")
def _agent_as_tool() -> Any:
    inner = agent()

    @tool
    async def delegate(what: str) -> str:
        """Have another agent look something up."""
        return (await inner.ainvoke({"messages": [HumanMessage(what)]}))["messages"][-1].text

    return agent(tools=[delegate])


@kind("handoff between agents by Command")
def _handoff() -> Any:
    @tool
    async def hand_over(runtime: ToolRuntime) -> Any:
        """Hand over to the second agent."""
        done = ToolMessage("handed over", tool_call_id=runtime.tool_call_id)
        update = {"messages": [*runtime.state["messages"], done]}
        return Command(goto="second", graph=Command.PARENT, update=update)

    builder = StateGraph(MessagesState)
    builder.add_node("first", agent(tools=[hand_over], name="first"), destinations=("second", END))
    builder.add_node("second", agent(name="second"))
    builder.add_edge(START, "first")
    return builder.compile()


kind("model and ToolNode by hand")(lambda: loop().compile())


def all_added(messages: Any, added: Sequence[Any]) -> Any:
    return reduce(add_messages, added, messages)


class Delta(TypedDict):
    messages: Annotated[list[AnyMessage], DeltaChannel(all_added)]


kind("messages in a DeltaChannel")(lambda: loop(Delta).compile())


class Checked(BaseModel):
    messages: Annotated[list[AnyMessage], add_messages] = []


kind("pydantic state")(lambda: loop(Checked).compile())
kind("RetryPolicy and a node's time-out")(
    lambda: loop(retry_policy=RetryPolicy(max_attempts=3), timeout=600).compile()
)
kind("a checkpointer of its own")(lambda: loop().compile(checkpointer=InMemorySaver()))


@kind("subgraph streamed within a node")
def _streamed() -> Any:
    inner = loop().compile()

    async def node(state: MessagesState) -> Any:
        states = [each async for each in inner.astream(state, stream_mode="values")]
        return {"messages": states[-1]["messages"]}

    builder = StateGraph(MessagesState)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    return builder.compile()


class Mapped(MessagesState):
    found: Annotated[list[str], operator.add]


@kind("Send, a deferred node and a cached one")
def _mapped() -> Any:
    async def split(state: Mapped) -> Any:
        return {"found": []}

    async def part(state: dict[str, Any]) -> Any:
        return {"found": [await look.ainvoke({"what": f"{state['text']} {state['number']}"})]}

    def parts(state: Mapped) -> list[Send]:
        text = state["messages"][-1].text
        return [Send("part", {"text": text, "number": number}) for number in range(3)]

    async def join(state: Mapped) -> Any:
        found = AIMessage(str(state["found"][-3:]))
        return {"messages": [await Model().ainvoke([*state["messages"], found])]}

    builder = StateGraph(Mapped)
    builder.add_node("split", split)
    builder.add_node("part", part)
    builder.add_node("aside", split, cache_policy=CachePolicy(ttl=60))
    builder.add_node("join", join, defer=True)
    builder.add_edge(START, "split")
    builder.add_edge("split", "aside")
    builder.add_conditional_edges("split", parts, ["part"])
    builder.add_edge("part", "join")
    builder.add_edge("aside", "join")
    builder.add_edge("join", END)
    return builder.compile(cache=InMemoryCache())


@kind("a node with an error handler")
def _handled() -> Any:
    async def fails(state: MessagesState) -> Any:
        if "fail" in state["messages"][-1].text:
            raise ValueError("failed")
        return {}

    async def handler(state: MessagesState) -> Any:
        return {}

    builder = loop()
    builder.add_node("fails", fails, error_handler=handler)
    builder.add_edge(START, "fails")
    return builder.compile()


@kind("functional, with tasks and what it saved")
def _functional() -> Any:
    bound = Model().bind_tools([look])

    @task
    async def say(messages: list[BaseMessage]) -> AIMessage:
        return await bound.ainvoke(messages)

    @task
    async def run(call: Any) -> ToolMessage:
        return await look.ainvoke(call)

    @entrypoint()
    async def whole(messages: list[AnyMessage], *, previous: Any = None) -> Any:
        messages = [*(previous or []), *messages]
        while (said := await say(messages)).tool_calls:
            messages += [said, *await asyncio.gather(*(run(each) for each in said.tool_calls))]
        messages.append(said)
        return entrypoint.final(value=said, save=messages)

    return whole


@kind("HumanInTheLoopMiddleware")
def _approved() -> Any:
    return agent(ready.HumanInTheLoopMiddleware(interrupt_on={"look": True}))


@kind("interrupt() in a tool")
def _asking() -> Any:
    @tool("look")
    async def ask_and_look(what: str) -> str:
        """Ask, then look something up."""
        said = interrupt("Sure?")
        return f"{await look_up(what)} {said}"

    return agent(tools=[ask_and_look])


@kind("Runtime, with a stream writer and a Store")
def _runtime() -> Any:
    async def node(state: MessagesState, runtime: Runtime) -> Any:
        runtime.stream_writer({"noted": 1})
        assert runtime.store is not None
        await runtime.store.aput(("seen",), "last", {"text": state["messages"][-1].text})
        return {}

    builder = loop()
    builder.add_node("note", node)
    builder.add_edge(START, "note")
    return builder.compile()


MESSAGES = {
    "an agent as the tool of an agent": "delegate look",
    "handoff between agents by Command": "hand_over look",
}
"""What has a kind look something up; else "look" does."""

ASKING = {"HumanInTheLoopMiddleware": {"decision": "allow"}, "interrupt() in a tool": {"answer": "yes"}}
"""The kinds that ask before they look something up, and the answer."""

KINDS = {name: f"kind_{at}" for at, name in enumerate(MADE)}
"""By the name of each kind, that of its graph in this module."""

globals().update({KINDS[name]: make() for name, make in MADE.items()})
