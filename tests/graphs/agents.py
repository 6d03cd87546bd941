"""An agent as its users write it, behind a server process: an ordinary model, an ordinary blocking tool."""

from pathlib import Path

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from tests.graphs.scripted_chat import ScriptedChat, calling, check

BOOKED, BEGUN, RELEASED = Path("booked.txt"), Path("begun"), Path("released")
"""In the folder of the server process: what was booked, a line each, and two named pipes.

The tool writes to the first as it begins, which waits for a reader; it ends once it has read from the second.
"""


@tool
def book_hotel(city: str) -> str:
    """Book a hotel; blocks its thread until it is released."""
    with BOOKED.open("a") as file:
        file.write(f"{city}\n")
    BEGUN.write_text(city)
    RELEASED.read_text()
    return f"a room in {city}"


class Model(ScriptedChat):
    """Books where it is asked to, repeats the result of a tool, and else the first message."""

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        check(messages)
        last = messages[-1]
        if isinstance(last, ToolMessage):
            return AIMessage(f"The hotel: {last.text}")
        if last.text.startswith("Book "):
            return calling("book_hotel", call_id=f"call-{len(messages)}", city=last.text.split()[1])
        told = [each.text for each in messages if isinstance(each, ToolMessage)]
        first = next(each.text for each in messages if isinstance(each, HumanMessage))
        return AIMessage(f"First you said: {first} The hotel told me: {told}")


graph = create_agent(Model(), [book_hotel])
