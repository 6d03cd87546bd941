"""A graph that asks at each message, and replies with what it was answered."""

from langgraph.types import interrupt

from tests.graphs.building import State, chain


async def ask(state: State) -> State:
    return {"answer": f"{state['message']}: {interrupt('Really?')}"}


graph = chain(ask)
