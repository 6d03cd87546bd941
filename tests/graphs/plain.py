"""A graph whose only node is a plain function, which streams a piece of its reply from its thread."""

from backend.graphs.hosted_tools import say
from tests.graphs.building import State, chain


def speak(state: State) -> State:
    say("Well")
    return {"answer": "Well, no."}


graph = chain(speak)
