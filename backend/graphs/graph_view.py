"""What clients can know of the graphs that are served: their names, and what a message may bring for each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import with_config
from typing_extensions import TypedDict

from ..errors import BadInput
from .hosted_graph import HostedGraph
from .schema_fields import schema_of


class GraphView(TypedDict):
    """One graph; `input` and `context` are JSON Schemas of what a message may bring in these fields."""

    name: str
    description: str
    input: Mapping[str, Any]
    context: Mapping[str, Any]


@with_config(defer_build=True)
class GraphsAnswer(TypedDict):
    """The graphs of a server; `graph` is the one that the user's next message goes to if it names none."""

    graphs: Sequence[GraphView]
    default: str
    graph: str


EXAMPLE = GraphsAnswer(
    graphs=[
        {
            "name": "shelves",
            "description": "Looks through books and films",
            "input": {"type": "object", "properties": {"shelf": {"title": "Shelf", "type": "string"}}},
            "context": {"type": "object", "properties": {}},
        }
    ],
    default="shelves",
    graph="shelves",
)
"""An example for the OpenAPI document."""


def view_of(name: str, description: str, graph: HostedGraph) -> GraphView:
    """Return the contract's form of a graph that has been loaded."""
    return {
        "name": name,
        "description": description,
        # Nodes fill most of a state by themselves, so that no field of it has to be sent.
        "input": schema_of(graph.takes.open_fields, required=()),
        "context": schema_of(graph.contexts.open_fields, required=graph.contexts.asked_of_messages),
    }


def drawn(graph: HostedGraph) -> Mapping[str, Any]:
    """Return the nodes and edges of a graph as LangGraph draws them."""
    return graph.graph.get_graph().to_json()


def unknown_graph(name: str, served: Iterable[str]) -> BadInput:
    """Return the refusal of what names a graph that is not served."""
    return BadInput(f"graph: there is no graph {name}; the graphs are: {', '.join(served)}.")
