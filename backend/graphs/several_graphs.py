"""The workflow of a server that serves graphs: it passes each message and each task to one of them.

A message goes to the graph that it names, else to the one that its user has spoken to last, at first to the
default. The name is stored with the task (`Task.request`), so that its answers, its retries and a process
that recovers it lead to the same graph. Nothing is named while a server has one graph only.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import structlog
from pydantic import create_model
from typing_extensions import TypedDict

from ..domain.encoding import encode
from ..domain.errors import BadInput, GraphFailedError
from ..domain.questions import InputRequest
from ..domain.task import Policy
from ..store.base import StateStore
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Reading, Situation, StateWrite, WrittenState
from .graph_options import Graph, describe_error, schema_of
from .hosted_graph import GraphWorkflow, HostedGraph
from .state.store_operations import Operation
from .state.user_stores import StoreUse

# --- graph view ----------------------------------------------------------------------------------------
# The graphs as clients see them: their names, and the fields that a message may bring for each.


class GraphView(TypedDict):
    """One graph; `input` and `context` are JSON Schemas of what a message may bring in these fields."""

    name: str
    description: str
    input: Mapping[str, Any]
    context: Mapping[str, Any]


class GraphsAnswer(TypedDict):
    """The graphs of a server; `graph` is the one that the user's next message goes to if it names none."""

    graphs: Sequence[GraphView]
    default: str
    graph: str


def view_of(name: str, description: str, graph: HostedGraph) -> GraphView:
    """Return the contract's form of a graph that has been loaded."""
    return {
        "name": name,
        "description": description,
        # Nodes fill most of a state by themselves, so that no field of it has to be sent.
        "input": schema_of(graph.takes.open_fields, required=()),
        "context": schema_of(graph.contexts.open_fields, required=graph.contexts.asked_of_messages),
    }


def unknown_graph(name: str, served: Iterable[str]) -> BadInput:
    """Return the refusal of what names a graph that is not served."""
    return BadInput(f"graph: there is no graph {name}; the graphs are: {', '.join(served)}.")


# --- several graphs ------------------------------------------------------------------------------------


GRAPH = "graph"
"""The key of a message's fields, and of a task's request, that holds the name of a graph."""


class SeveralGraphs(GraphWorkflow):
    """Runs each message with one of `graphs`, by name: `default` if neither it nor its user chose one."""

    def __init__(self, graphs: Mapping[str, HostedGraph], default: str) -> None:
        self._graphs = graphs
        self._default = default
        self._first = next(iter(graphs))

    def name_of(self, request: Mapping[str, Any] | None) -> str:
        """Return the graph of the request that a message comes after: the default if it is the first message.

        Also if the graph is not served any more. A request without a name is of a server that had one graph,
        and so of the first, which takes over its threads.
        """
        name: str = self._default if request is None else request.get(GRAPH) or self._first
        return name if name in self._graphs else self._default

    def read(self, message: str, situation: Situation) -> Reading:
        """Read a message for the graph that its user has spoken to last; raises as its own method does."""
        name = self.name_of(situation.last_request)
        return self._named(name, self._graphs[name].read(message, situation))

    def read_with_values(self, message: str, given: Mapping[str, Any], situation: Situation) -> Reading:
        """Read a message that names its graph, or brings values for it.

        One that only names the graph that asks may be its answer. Raises `BadInput` for an unknown graph, and
        as the graph's own method does.
        """
        current = self.name_of(situation.last_request)
        name = given.get(GRAPH, current)
        if name not in self._graphs:
            raise unknown_graph(name, self._graphs)
        graph, rest = self._graphs[name], {key: value for key, value in given.items() if key != GRAPH}
        if name != current:
            situation = Situation()  # what another graph has asked is not for this one to answer
        reading = graph.read_with_values(message, rest, situation) if rest else graph.read(message, situation)
        return self._named(name, reading)

    def steer_policy(self, request: Mapping[str, Any] | None) -> Policy:
        """Return the policy that `steer` becomes for a message of this request's graph."""
        return self._graphs[self.name_of(request or {})].steer_policy(request)

    async def check_stored(self, store: StateStore, user_id: str, request: Mapping[str, Any] | None) -> None:
        """Raise `NotFound` if a message names a step that the thread of its graph does not have."""
        await self._graphs[self.name_of(request or {})].check_stored(store, user_id, request)

    async def write_state(self, write: StateWrite) -> WrittenState:
        """Write to the thread of the graph that the write names; raises as its own method does."""
        return await self._graphs[self.name_of(write.task.request or {})].write_state(write)

    def read_answer(
        self,
        answer: Mapping[str, Any],
        question: InputRequest,
        previous: Mapping[str, Any] | None,
        *,
        asked: Sequence[InputRequest],
    ) -> Reading:
        """Return the answer unchanged, for the graph that asked."""
        return self._graphs[self.name_of(previous or {})].read_answer(answer, question, previous, asked=asked)

    async def use_items(self, use: StoreUse, turn: int, operations: Sequence[Operation]) -> list[Any]:
        """Carry out a client's operations on the items that the default graph sees; raises as it does."""
        return await self._graphs[self._default].use_items(use, turn, operations)

    async def forget(self, user_id: str, *, aged: bool = False) -> None:
        """Store nothing of a user any more."""
        for graph in self._graphs.values():
            await graph.forget(user_id, aged=aged)

    async def run(self, context: TaskContext) -> str | None:
        """Run the graph of the task; raises, and is cancelled, as its own method is.

        Raises `GraphFailedError` for a task of an earlier process whose graph is not served any more.
        """
        name = context.task.graph or self._first
        if name not in self._graphs:
            raise GraphFailedError(f"The graph {name}, which this was for, is not served any more.")
        return await self._graphs[name].run(context)

    def _named(self, name: str, reading: Reading) -> Reading:
        if len(self._graphs) == 1 or reading.manner == "answer":
            return reading  # an answer's request is that of the task which asked, its graph's name included
        return replace(reading, request={GRAPH: name, **(reading.request or {})})


# --- graph schemas -------------------------------------------------------------------------------------
# The JSON Schemas of a graph, as LangGraph's own server has them.


Schema = Mapping[str, Any]

_log = structlog.get_logger(__name__)


def schemas_of(name: str, graph: Graph) -> Mapping[str, Schema | None]:
    """Return the schemas of a graph's input, output, state and context; None for one that cannot be made.

    Takes some 10 ms for each that holds messages.
    """
    make: Mapping[str, Callable[[], Schema | None]] = {
        "input_schema": graph.get_input_jsonschema,
        "output_schema": graph.get_output_jsonschema,
        "state_schema": lambda: _state_schema(graph),
        "context_schema": graph.get_context_jsonschema,
    }
    return {kind: _made(name, kind, each) for kind, each in make.items()}


def _made(name: str, kind: str, make: Callable[[], Schema | None]) -> Schema | None:
    try:
        schema = make()
        encode(schema)
    except Exception as error:  # noqa: BLE001 - the types are any code, and none has to have a schema
        _log.warning("a graph has no JSON Schema", graph=name, schema=kind, reason=describe_error(error))
        return None
    return schema


def _state_schema(graph: Graph) -> Schema:
    channels: Mapping[str, Any] = cast("Any", graph).channels
    fields: Any = {each: (channels[each].UpdateType, None) for each in graph.stream_channels_list}
    return create_model(graph.get_name("State"), **fields).model_json_schema()
