"""State graphs that take the message, and reply, in a field of their own; shapes of published graphs."""

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, NotRequired, Optional

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime
from langgraph.types import Command
from pydantic import BaseModel
from typing_extensions import TypedDict

from tests.graphs.building import chain


@dataclass(kw_only=True)
class Research:
    research_topic: str = field(default=None)  # pyright: ignore[reportArgumentType]
    search_query: str = field(default=None)  # pyright: ignore[reportArgumentType]
    running_summary: str = field(default=None)  # pyright: ignore[reportArgumentType]


@dataclass(kw_only=True)
class ResearchInput:
    research_topic: str = field(default=None)  # pyright: ignore[reportArgumentType]


@dataclass(kw_only=True)
class ResearchOutput:
    running_summary: str = field(default=None)  # pyright: ignore[reportArgumentType]


async def summarize(state: Research) -> dict[str, Any]:
    return {"search_query": "query", "running_summary": f"All about {state.research_topic}"}


research = chain(
    summarize, state=Research, schemas={"input_schema": ResearchInput, "output_schema": ResearchOutput}
)


@dataclass
class Starter:
    changeme: str = "example"


async def rewrite(state: Starter) -> dict[str, Any]:
    return {"changeme": f"{state.changeme} again"}


starter = chain(rewrite, state=Starter)


class Plan(TypedDict):
    input: str
    plan: list[str]
    past_steps: Annotated[list[Any], operator.add]
    response: str


async def plan(state: Plan) -> dict[str, Any]:
    return {"plan": ["one"], "response": f"I did {state['input']}"}


plan_and_execute = chain(plan, state=Plan)


class Report(BaseModel):
    question: str
    tone: Optional[str] = None  # noqa: UP045 - as many graphs have it
    final_report: str = ""


async def write(state: Report) -> dict[str, Any]:
    return {"final_report": f"On {state.question}"}


report = chain(write, state=Report)


class Chat(TypedDict):
    conversation: Annotated[list[Any], add_messages]
    title: str
    note: NotRequired[str]
    output: NotRequired[Any]


async def chat(state: Chat) -> dict[str, Any]:
    said = [each.content for each in state["conversation"]]
    return {"title": "Trips", "note": "kept", "output": AIMessage(" | ".join(said))}


conversation = chain(chat, state=Chat)


class Email(TypedDict):
    email_input: dict[str, Any]
    classification: str
    draft: str


async def triage(state: Email) -> dict[str, Any]:
    return {"classification": f"ignore: {state['draft']}"}


email = chain(triage, state=Email)


class Nothing(TypedDict):
    answer: str


async def tick(state: Nothing) -> dict[str, Any]:
    return {"answer": "tick"}


clock = chain(tick, state=Nothing)


async def researcher(state: MessagesState) -> Command[Any]:
    found = HumanMessage("The chart is ready.", name="chart_generator")
    return Command(update={"messages": [AIMessage("I ask the chart generator."), found]}, goto=END)


network = (
    StateGraph(MessagesState)
    .add_node("researcher", researcher, destinations=(END,))
    .add_edge(START, "researcher")
    .compile()
)


class Wanted(TypedDict):
    model: str
    user_id: str
    tone: NotRequired[str]


@dataclass
class WantedClass:
    model: str
    user_id: str
    tone: str = "kind"


class WantedModel(BaseModel):
    model: str
    user_id: str
    tone: str = "kind"


class Talk(TypedDict, total=False):
    message: str
    answer: str


async def with_context(state: Talk, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
    context: Any = runtime.context
    got = dict(context) if isinstance(context, Mapping) else vars(context)
    configured = config.get("configurable", {})
    return {"answer": f"{sorted(got.items())} {configured['model']} {configured['user_id']}"}


wanting_dict = chain(with_context, state=Talk, schemas={"context_schema": Wanted})
wanting_class = chain(with_context, state=Talk, schemas={"context_schema": WantedClass})
wanting_model = chain(with_context, state=Talk, schemas={"context_schema": WantedModel})


class Numbered(BaseModel):
    user_id: int


numbered = chain(with_context, state=Talk, schemas={"context_schema": Numbered})
