"""Functional graphs of the shapes that LangGraph's tutorials have: agents, chats, workflows of a text."""

from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import EphemeralValue, LastValue
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.func import entrypoint, task
from langgraph.graph.message import add_messages
from langgraph.pregel import NodeBuilder, Pregel
from langgraph.types import interrupt


@task
async def call_model(messages: list[AnyMessage]) -> AIMessage:
    said = ", ".join(f"{each.type} {each.content}" for each in messages)
    return AIMessage(f"after {said}")


@task
async def search(topic: str) -> str:
    get_stream_writer()({"title": topic})
    return f"about {topic}"


@entrypoint()
async def agent(messages: list[BaseMessage]) -> AIMessage:
    """An agent from scratch: the conversation in, a message out."""
    return await call_model(messages)


@entrypoint(checkpointer=InMemorySaver())
async def untyped(messages, previous):
    """A chat that keeps more than it returns."""
    messages = add_messages(previous or [], messages)
    reply = await call_model(messages)
    return entrypoint.final(value=reply, save=add_messages(messages, reply))


@entrypoint(checkpointer=InMemorySaver())
async def multi_turn(messages, previous):
    """A chat that asks its user within one run, and returns the last of all messages."""
    messages = add_messages(previous or [], messages)
    messages = add_messages(messages, await call_model(messages))
    messages = add_messages(messages, {"role": "user", "content": interrupt("And then?")})
    return add_messages(messages, await call_model(messages))


@entrypoint()
async def chatbot(
    inputs: dict[str, list[BaseMessage]], *, previous: dict[str, list[BaseMessage]], config: RunnableConfig
):
    """A chat over a mapping, as a service of several agents calls them."""
    messages = inputs["messages"]
    if previous:
        messages = previous["messages"] + messages
    reply = await call_model(messages)
    return entrypoint.final(value={"messages": [reply]}, save={"messages": [*messages, reply]})


@entrypoint()
async def workflow(topic: str) -> dict[str, Any]:
    """A chain of prompts: a text in, the last draft out."""
    return {"draft": await search(topic), "rounds": 1}


@entrypoint()
def plain(topic: str) -> str:
    """The same in a thread."""
    return f"{topic} {search(topic).result()}"


@dataclass
class Request:
    question: str
    user_id: str = ""


@entrypoint()
async def typed(request: Request) -> list[AIMessage]:
    return [AIMessage("first"), AIMessage(f"{request.user_id} asks {request.question}")]


@entrypoint()
async def any_question(inputs) -> str:
    return f"asked {inputs['question']}"


@entrypoint()
async def numbers(count: int) -> int:
    return count + 1


def of_channels(**channels: type) -> Any:
    """Return a graph of Pregel's own parts, with one node from `message` or `text` to `out`."""
    name = next(iter(channels))
    node = NodeBuilder().subscribe_only(name).do(lambda text: f"{text}!").write_to("out")
    return Pregel(
        nodes={"shout": node},
        channels={each: EphemeralValue(kind) for each, kind in channels.items()} | {"out": LastValue(str)},
        input_channels=[*channels],
        output_channels=["out"],
    )


pregel = of_channels(text=str)
pregel_of_message = of_channels(message=str, user_id=str)
