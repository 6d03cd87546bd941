"""What a graph takes and gives, read off it once: its input, its context and its reply."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from .graph_input import GraphInput
from .graph_options import Graph, GraphOptions
from .graph_reply import GraphReply
from .reach import NodeReach, reach_of
from .run_context import RunContext
from .steerable import reads_pending, why_not_steered


class GraphInterface:
    """A graph with its input, reply and context, under the options that hold for it.

    `fault` says why the graph cannot be served with these options; None if it can.
    """

    def __init__(self, graph: Graph, options: GraphOptions) -> None:
        self.graph = graph
        self.options = _of_one(graph, options)
        self.takes = GraphInput(graph, self.options.input_field)
        self.reply = GraphReply(graph, self.options.reply_key)
        self.context = RunContext(graph.context_schema, options.context, lenient=options.several)
        self.fault = self.context.fault or self.takes.fault or self.reply.fault

    @cached_property
    def reach(self) -> Sequence[NodeReach]:
        """The nodes of which callbacks do not follow everything, or that block the event loop."""
        return reach_of(self.graph)

    @cached_property
    def not_steered(self) -> str:
        """Why its runs can take no messages in; "" if they can."""
        return why_not_steered(self.graph, self.takes)

    @cached_property
    def reads_pending(self) -> bool:
        """Whether its nodes take messages in by themselves."""
        return reads_pending(self.graph)


def _of_one(graph: Graph, options: GraphOptions) -> GraphOptions:
    """Return the settings of several graphs as they hold for one: without fields that it does not have."""
    if not options.several:
        return options
    return replace(
        options,
        input_field=options.input_field if options.input_field in GraphInput(graph).fields else "",
        reply_key=options.reply_key if options.reply_key in GraphReply(graph).keys else "",
    )
