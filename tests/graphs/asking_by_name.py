"""A graph that asks at each message, and replies with what it was answered."""

from langgraph.types import interrupt

from tests.graphs.building import State, chain


class Odd:
    """A type that JSON knows nothing of."""


class OddState(State, total=False):
    odd: Odd


async def ask(state: OddState) -> OddState:
    return {"answer": f"{state['message']}: {interrupt('Really?')}"}


graph = chain(ask, state=OddState)
