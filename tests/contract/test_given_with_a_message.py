"""What a message may bring for a graph beside its text: more input, a context, values of `configurable`."""

from dataclasses import dataclass
from typing import Any, NotRequired

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict

from backend.domain.errors import BadInput
from backend.graphs.graph_options import GraphOptions
from backend.graphs.hosted_graph import HostedGraph
from tests.graphs.building import chain
from tests.interruption.parts import Parts, started

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")]


class Wants(TypedDict, total=False):
    message: str
    depth: int
    answer: str


class Context(BaseModel):
    user_id: str = ""
    tone: str = "plain"
    model: str = "small"


async def tell(state: Wants, runtime: Runtime[Context], config: RunnableConfig) -> Any:
    given: Any = config["configurable"]
    if state["message"] == "ask":
        interrupt("What?")
    return {
        "answer": f"{state.get('depth')} {runtime.context.tone} {runtime.context.user_id} {given.get('k')}"
    }


GRAPH = chain(tell, state=Wants, schemas={"context_schema": Context})


def parts_of(graph: Any = GRAPH, **options: Any) -> Parts:
    given = GraphOptions(**options)
    return Parts(workflow=lambda ledger, owner: HostedGraph(graph, ledger=ledger, owner=owner, options=given))


async def reply(parts: Parts, message: str = "hi", **given: Any) -> str:
    await parts.settled(await parts.post(message, given=given))
    return (await parts.history())[-1][1]


async def test_a_run_gets_what_its_message_brings_and_the_next_one_does_not() -> None:
    async with started(parts_of(graph_that_forgets())) as parts:
        given = {"input": {"depth": 3}, "context": {"tone": "warm"}, "configurable": {"k": [1]}}
        assert await reply(parts, **given) == "3 warm ann [1]"
        assert await reply(parts) == "None plain ann None"


def graph_that_forgets() -> Any:
    return chain(tell, state=Wants, schemas={"context_schema": Context}, checkpointer=False)


async def test_a_run_that_asks_has_it_again_after_the_answer() -> None:
    async with started(parts_of()) as parts:
        task = await parts.post("ask", given={"context": {"tone": "warm"}})
        await parts.settled(task)
        await parts.post("this")
        await parts.settled(task)
        assert (await parts.history())[-1][1] == "None warm ann None"


class Wanted(TypedDict):
    tone: str
    note: NotRequired[str]


@dataclass
class WantedClass:
    tone: str


class WantedModel(BaseModel):
    tone: str


async def tell_tone(state: Wants, runtime: Runtime[Any]) -> Any:
    if state["message"] == "ask":
        return {"answer": interrupt("What?")}
    context: Any = runtime.context
    return {"answer": context["tone"] if isinstance(context, dict) else context.tone}


@pytest.mark.parametrize("schema", [Wanted, WantedClass, WantedModel])
async def test_a_message_without_a_part_that_the_context_needs_is_refused_by_its_name(schema: Any) -> None:
    graph = chain(tell_tone, state=Wants, schemas={"context_schema": schema})
    async with started(parts_of(graph)) as parts:
        for given in ({}, {"context": {}}, {"input": {"depth": 1}}):
            with pytest.raises(BadInput) as refused:
                await parts.post("hi", given=given)
            assert refused.value.message == (
                "context.tone: the graph needs it; send it with the message, or set it for all in "
                "DETOUR_GRAPH_CONTEXT."
            )
        assert await parts.events() == []
        assert await reply(parts, context={"tone": "warm"}) == "warm"
        task = await parts.post("ask", given={"context": {"tone": "warm"}})
        await parts.settled(task)
        await parts.post("an answer brings none")
        await parts.settled(task)
        assert (await parts.history())[-1][1] == "an answer brings none"
    async with started(parts_of(graph, context={"tone": "cold"})) as parts:
        assert await reply(parts) == "cold"


WRONG = {
    "input.width: it is no field that a message may bring; those are: depth.": {"input": {"width": 1}},
    "input.message: it is no field that a message may bring": {"input": {"message": "x"}},
    "input.depth: Input should be a valid integer": {"input": {"depth": "deep"}},
    "context.size: it is no field that a message may bring; those are: model, tone.": {
        "context": {"size": 1}
    },
    "context.user_id: it is no field": {"context": {"user_id": "bob"}},
    "context.tone: Input should be a valid string": {"context": {"tone": 3}},
    "context.model: the server's setting gives it.": {"context": {"model": "large"}},
    "configurable.thread_id: the server sets it.": {"configurable": {"thread_id": "bob"}},
    "configurable.user_id: the server sets it.": {"configurable": {"user_id": "bob"}},
    "configurable.checkpoint_ns: the server sets it.": {"configurable": {"checkpoint_ns": ""}},
    "configurable.__pregel_read: the server sets it.": {"configurable": {"__pregel_read": 1}},
}


@pytest.mark.parametrize("said", WRONG)
async def test_what_does_not_fit_is_refused_by_name_and_interrupts_nothing(said: str) -> None:
    async with started(parts_of(context={"model": "small"})) as parts:
        with pytest.raises(BadInput) as refused:
            await parts.post("hi", given=WRONG[said])
        assert refused.value.message.startswith(said)
        assert await parts.events() == []
