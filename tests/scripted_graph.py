"""A graph that does what its message says, so that a test decides how a task goes: `find 3, hold`.

`find N` finds so many things, one at a time; `big N` finds one thing of so many characters; `ask X` asks the
user and finds the answer; `field X` asks for one field of text; `hold` goes on until the task is interrupted;
`fail` raises. Then it answers.
"""

import asyncio
from typing import TypedDict

from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

FIELD = {
    "type": "object",
    "properties": {"answer": {"type": "string", "minLength": 1}},
    "required": ["answer"],
    "additionalProperties": False,
}


class State(TypedDict, total=False):
    message: str
    answer: str


async def worker(state: State) -> State:
    write = get_stream_writer()
    for step in state["message"].split(","):
        word, _, number = step.strip().partition(" ")
        match word:
            case "find":
                for each in range(int(number)):
                    write({"agent": "finder", "source": "script", "items": [{"thing": each}]})
                    await asyncio.sleep(0)
            case "big":
                write({"agent": "finder", "source": "script", "items": [{"thing": "x" * int(number)}]})
            case "ask":
                write({"agent": "finder", "source": "user", "items": [{"answer": interrupt(number)}]})
            case "field":
                write(
                    {
                        "agent": "finder",
                        "source": "user",
                        "items": [interrupt({"prompt": number, "schema": FIELD})],
                    }
                )
            case "hold":
                await asyncio.get_running_loop().create_future()
            case "fail":
                raise ValueError("as the message said")
            case _:
                pass
    return {"answer": f"Done: {state['message']}"}


def graph():
    builder = StateGraph(State)
    builder.add_node("worker", worker)
    builder.add_edge(START, "worker")
    builder.add_edge("worker", END)
    return builder.compile()
