"""What the model says in the conversations of these tests, told apart by what it is asked as."""

from typing import Any

from tests.fakes.model_script import Call, Step, Text
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


def search_for(day: str, to: str = "Tokyo", **more: Any) -> Call:
    arguments = {"origin": "Berlin", "destination": to, "departure_date": day, **more}
    return Call("search_flights", arguments)


def tool_results(request: Request) -> list[str]:
    """Return what the model is told of its calls, in whichever form the service has for it."""
    contents = [each.get("content") for each in request.messages if each["role"] in ("tool", "user")]
    whole = [each["content"] for each in request.messages if each["role"] == "tool"]
    blocks = [block for each in contents if isinstance(each, list) for block in each]
    return whole + [block["content"] for block in blocks if block.get("type") == "tool_result"]


DONE: Step = Text("I have searched.")
