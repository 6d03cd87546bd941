"""`tests.scripted_graph`, whose messages may also say `say WORDS`: a model then says them, word by word."""

from typing import TypedDict

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph

from tests import scripted_graph


class State(TypedDict, total=False):
    message: str
    answer: str


async def speaker(state: State) -> State:
    first, _, rest = state["message"].partition(",")
    said = first.partition("say ")[2]
    if not said:
        return {}
    model = GenericFakeChatModel(messages=iter([AIMessage(said)]))
    answer = await model.ainvoke(said)
    return {"message": rest.strip(), "answer": str(answer.content)}


async def worker(state: State) -> State:
    if "answer" in state and not state["message"]:
        return {}
    answer = await scripted_graph.worker({"message": state["message"]})
    return {} if "answer" in state else {"answer": answer["answer"]}


def graph():
    builder = StateGraph(State)
    builder.add_node("speaker", speaker)
    builder.add_node("worker", worker)
    builder.add_edge(START, "speaker")
    builder.add_edge("speaker", "worker")
    builder.add_edge("worker", END)
    return builder.compile()
