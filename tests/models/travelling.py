"""What the model says in the conversations of these tests, told apart by what it is asked as."""

from typing import Any

from tests.fakes.model_script import Step, Text
from tests.fakes.model_server import ModelServer, Request
from tests.models.scripted_model import reading

FLIGHTS = "Find flights from Berlin to Tokyo on 10 December"


def reads(request: Request) -> bool:
    """Asked to read a message."""
    body = request.body
    wanted = (
        body.get("response_format"),
        (body.get("output_config") or {}).get("format"),
        body.get("format"),
    )
    return any(wanted)


def searches(request: Request) -> bool:
    """Asked as the flight agent."""
    return "search_flights" in request.tools


def replies(request: Request) -> bool:
    """Asked to say the reply."""
    return not request.tools and not reads(request)


def understands(models: ModelServer, *agents: str, always: bool = False, **more: Any) -> None:
    """Have the next message (or every one) read so."""
    models.script(Text(reading(*agents, **more)), when=reads, always=always)


DONE: Step = Text("I have searched.")
