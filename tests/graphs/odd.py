"""A graph that finds what no page expects: nothings, half offers, and markup wherever there is text."""

from langgraph.config import get_stream_writer
from langgraph.types import interrupt

from tests.graphs.building import State, chain

MARKUP = '<img src="x" onerror="document.title = 1">'
PRICE = {"amount": "100.00", "currency": "EUR"}
HALF_OFFERS = [
    None,
    7,
    "text",
    {"price_total": PRICE, "slices": [None]},
    {"price_total": PRICE, "slices": [{"segments": "none"}]},
    {"price_total": PRICE, "check_in": "some day", "name": MARKUP},
    {"price_total": PRICE, "legs": [None], "stays": None},
    {"title": MARKUP, "__proto__": {"found": True}},
]
SCHEMA = {
    "type": "object",
    "properties": {
        "constructor": {"type": "string", "title": MARKUP},
        "__proto__": {"anyOf": [True, {"const": 1, "title": MARKUP}]},
        "any": True,
        "choice": {"enum": [[1, 2], {"x": 1}, None]},
        "share": {"type": "number"},
    },
    "required": ["constructor"],
}


async def constructor(state: State) -> State:
    for item in HALF_OFFERS:
        get_stream_writer()({"agent": "__proto__", "items": [item], "source": MARKUP})
    return {}


async def ask(state: State) -> State:
    answer = interrupt({"prompt": MARKUP, "schema": SCHEMA, "defaults": {"share": 3}})
    return {"answer": f"{MARKUP} {answer['constructor']}"}


graph = chain(constructor, ask)
