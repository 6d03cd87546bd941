"""What the models of these tests are asked."""

from collections.abc import Iterator
from typing import Any

from backend.travel.models.base import Question, ToolSpec

PROVIDERS = ("openai", "anthropic", "ollama")
SEARCH = ToolSpec(
    "search_flights",
    "Searches flights.",
    {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
)


def hello(*tools: ToolSpec) -> Question:
    return Question(
        messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        tools=tools,
    )


def with_calls(*call_ids: str) -> Iterator[dict[str, Any]]:
    """Yield a conversation in which the assistant has made calls, all answered."""
    yield {"role": "user", "content": "Flights to Rome and Athens"}
    yield {"role": "assistant", "content": "", "tool_calls": [call(one) for one in call_ids]}
    yield from ({"role": "tool", "tool_call_id": one, "content": "2 flights"} for one in call_ids)


def call(call_id: str, arguments: str = '{"to": "Rome"}') -> dict[str, Any]:
    function = {"name": "search_flights", "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}
