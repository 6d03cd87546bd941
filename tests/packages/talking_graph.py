"""`tests.scripted_graph`, with two words more, as the first of a message.

`say WORDS`: a model says them, word by word; `order THING`: it is ordered, if the user allows it.
"""

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph

from backend.tools import Quote, tool, use
from tests.scripted_graph import State
from tests.scripted_graph import worker as scripted_worker


@tool(effect="write", quote=lambda thing: Quote({"thing": thing}, f"Order {thing}?", {"Thing": thing}))
async def order(thing: str) -> str:
    return f"{thing} is ordered"


async def worker(state: State) -> State:
    first, _, rest = state["message"].partition(",")
    if thing := first.partition("order ")[2]:
        ordered = await use(order, thing=thing)
        return {"answer": ordered.summary if ordered.done else f"Not ordered: {ordered.outcome}"}
    words = first.partition("say ")[2]
    if not words:
        return await scripted_worker(state)
    model = GenericFakeChatModel(messages=iter([AIMessage(words)]))
    said = await model.ainvoke(words)
    await scripted_worker({"message": rest})
    return {"answer": str(said.content)}


def graph():
    builder = StateGraph(State)
    builder.add_node("worker", worker)
    builder.add_edge(START, "worker")
    builder.add_edge("worker", END)
    return builder.compile()
