"""Graphs whose models and tools draw from a seed what they do and how long it takes, on virtual time.

The `Desk` notes each prompt as the model got it: what was really said to a model is told by nothing else.
"""

import asyncio
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt
from pydantic import Field

from backend.graphs.hosted_calls import NODE_CONTEXT
from tests.contract.steering import loop_of
from tests.graphs.scripted_chat import ScriptedChat, check
from tests.virtual_time import virtual_clock

NAMED = re.compile(r"\bm\d+\b")
"""The name that a message of a user has in its text."""

MOST_CALLS = 4
"""Steps with tool calls of a run, one after the other; then the model answers."""

TOOLS: Mapping[str, int] = {"look": 12, "dig": 3, "ask": 2, "fail": 1, "hang": 1}
"""How often a model calls which tool, of all its calls."""

SECONDS = [0.0, 0.01, 0.1, 0.1, 0.5, 1.0]


@dataclass(frozen=True)
class Prompt:
    """What a model was asked with in the run of a task, and when."""

    user: str
    task_id: str
    at: datetime
    said: Sequence[tuple[str, str]]

    @property
    def names(self) -> list[str]:
        """The messages of users that it holds, in their order."""
        return [name for kind, text in self.said if kind == "human" for name in NAMED.findall(text)]

    def text_of(self, name: str) -> str:
        """Return the message of that name, as the model got it."""
        return next(text for kind, text in self.said if kind == "human" and name in NAMED.findall(text))


class Desk:
    """What the models and tools of one server's graph share: chance, and a note of what they were given."""

    def __init__(self, random: Random, *, tools: Mapping[str, int] = TOOLS) -> None:
        self.random = random
        self.prompts: list[Prompt] = []
        self.wrong: list[str] = []
        self._tools = tools
        self._ids = itertools.count(1)
        self._clock = virtual_clock()

    def asked(self, messages: Sequence[BaseMessage]) -> None:
        """Note what a model is asked with."""
        running = NODE_CONTEXT.get()
        if running is None:
            self.wrong.append("a model was asked outside a run")
            return
        said = [(each.type, each.text) for each in messages]
        task = running.task
        if task.closed:
            self.wrong.append(f"a model was asked for {task.task_id} after its end")
        self.prompts.append(Prompt(task.user_id, task.task_id, self._clock(), said))
        try:
            check(messages)
        except ValueError as error:
            self.wrong.append(f"{task.task_id}: {error}")

    def line(self, messages: Sequence[BaseMessage], *, calls: bool) -> AIMessage:
        """Draw what a model says: tool calls, or an answer."""
        latest = itertools.takewhile(
            lambda each: each.type == "tool" or bool(getattr(each, "tool_calls", ())), reversed(messages)
        )
        made = sum(each.type == "ai" for each in latest)
        if calls and made < MOST_CALLS and self.random.random() < 0.6:
            names = self.random.choices(
                [*self._tools], [*self._tools.values()], k=self.random.choice([1, 1, 2])
            )
            return AIMessage(
                "", tool_calls=[{"name": name, "args": {}, "id": f"c{next(self._ids)}"} for name in names]
            )
        return AIMessage(" ".join(["well"] * self.random.randrange(3) + [f"done {next(self._ids)}"]))

    async def use(self, name: str) -> str:
        """Do what a tool does."""
        await asyncio.sleep(self.random.choice(SECONDS))
        match name:
            case "dig":
                await asyncio.sleep(3)
            case "hang":
                await asyncio.get_running_loop().create_future()
            case "fail":
                raise OSError("the tool is out of order")
            case "ask":
                return str(interrupt({"prompt": "Which seat?", "schema": SEAT}))
            case _:
                pass
        return "seen"


SEAT = {
    "type": "object",
    "properties": {"seat": {"type": "string", "enum": ["aisle", "window"]}},
    "required": ["seat"],
}


class DrawingChat(ScriptedChat):
    """A model that draws what it says; with `calls`, tool calls too."""

    script: list[Any] = Field(default_factory=list)
    desk: Any
    calls: bool = True

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        self.desk.asked(messages)
        return self.desk.line(messages, calls=self.calls)


class Checking(AgentMiddleware):
    """Runs a node of its own after each answer, which asks no model."""

    async def aafter_model(self, state: Any, runtime: Any) -> None:
        await asyncio.sleep(0.1)


def _loop(desk: Desk, *, breaks: Sequence[str] = ()) -> Any:
    async def use_tools(state: MessagesState) -> Any:
        last: Any = state["messages"][-1]
        found = [(each["id"], await desk.use(each["name"])) for each in last.tool_calls]
        return {"messages": [ToolMessage(text, tool_call_id=call_id) for call_id, text in found]}

    graph = loop_of(DrawingChat(desk=desk, pause_s=0.1), tools=use_tools)
    graph.interrupt_before_nodes = [*breaks]
    return graph


def _stopping(desk: Desk) -> Any:
    return _loop(desk, breaks=["tools"])


def _agent(desk: Desk) -> Any:
    def named(name: str) -> Any:
        async def use() -> str:
            return await desk.use(name)

        return tool(name, description="Do it.")(use)

    return create_agent(
        DrawingChat(desk=desk, pause_s=0.1), [named(name) for name in TOOLS], middleware=[Checking()]
    )


def _row(desk: Desk) -> Any:
    chat = DrawingChat(desk=desk, pause_s=0.1, calls=False)

    async def think(state: MessagesState) -> Any:
        return {"messages": [await chat.ainvoke(state["messages"])]}

    builder = StateGraph(MessagesState)
    builder.add_sequence([(name, think) for name in ("plan", "draft", "reply")])
    builder.add_edge(START, "plan")
    return builder.compile()


def within(desk: Desk) -> Any:
    """Such a loop within another graph, whose thread gets what was said when the loop has ended."""
    builder = StateGraph(MessagesState)
    builder.add_node("helper", _loop(desk))
    builder.add_edge(START, "helper")
    return builder.compile()


GRAPHS: Sequence[Callable[[Desk], Any]] = (_loop, _loop, _agent, _row, _stopping, within)
"""A model and its tools, twice; the prebuilt agent; a row of models; a stop before tools; a loop within."""
