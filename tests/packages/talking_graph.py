"""`tests.scripted_graph`, whose messages may begin with `say WORDS`: a model then says them, word by word."""

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph

from tests.scripted_graph import State
from tests.scripted_graph import worker as scripted_worker


async def worker(state: State) -> State:
    first, _, rest = state["message"].partition(",")
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
