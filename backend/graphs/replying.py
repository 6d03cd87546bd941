"""Tells which nodes of a graph speak to the user: those whose text may be the end of the run.

A graph does not say which of its models writes the reply. A node whose outgoing edges include the end writes
it; what a model says in any other node, a planner's for one, is work. The rule is read off the drawn graph,
once, for each graph within it as well.
"""

from collections.abc import Set
from typing import Any

from .graph_options import Graph
from .langgraph_internals import graphs_within

_END = "__end__"
HOOKS = (".before_agent", ".before_model", ".after_model", ".after_agent", "post_model_hook")
"""How `create_agent` names the nodes of its middleware, which run before and after its model.

And `create_react_agent`, before it, the one that runs after.
"""

PREPARING = "pre_model_hook"
"""How `create_react_agent` names the node that may make its model's prompt of the conversation."""

_AGENT = "agent"
"""How it names the node of its model."""


class ReplyingNodes:
    """The nodes of a graph, and of the graphs within it, from which a run may end."""

    def __init__(self, graph: Graph) -> None:
        self._by_place: dict[tuple[str, ...], Set[str]] = {
            (): _before_the_end(graph),
            **{
                tuple(place.split("|")): _before_the_end(each) for place, each in graphs_within(graph).items()
            },
        }

    def include(self, path: tuple[str, ...]) -> bool:
        """Tell whether a node replies, given the names of the nodes from the outermost one to it.

        Of a graph that a node starts by itself nothing is known: its text is that of the node.
        """
        if path[-1:] == (PREPARING,):
            path = (*path[:-1], _AGENT)
        return all(
            name in self._by_place[path[:depth]]
            for depth, name in enumerate(path)
            if self._by_place.get(path[:depth])
        )


def _before_the_end(graph: Any) -> Set[str]:
    """Return the nodes with an edge to the end; middleware is passed through on the way there."""
    sources: dict[str, set[str]] = {}
    try:
        edges = graph.get_graph().edges
    except UnboundLocalError:  # LangGraph 1.2.22 cannot draw a graph that ends in its first step
        return set()
    for edge in edges:
        sources.setdefault(edge.target, set()).add(edge.source)
    found: set[str] = set()
    to_visit = [*sources.get(_END, ())]
    while to_visit:
        name = to_visit.pop()
        if name not in found:
            found.add(name)
            if name.endswith(HOOKS):
                to_visit += sources.get(name, ())
    return found
