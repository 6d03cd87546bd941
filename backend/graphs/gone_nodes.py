"""Finds questions whose node an upgrade has renamed or removed: LangGraph resumes nothing, in silence."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from .graph_options import Graph
from .langgraph_internals import interrupts_among, node_of_branch, node_of_path


async def gone_nodes(
    graph: Graph, configuration: Any, saver: InMemorySaver, pauses: Iterable[str]
) -> Mapping[str, str]:
    """Return the nodes that are gone, by the id of the pause in which they asked; "" for an unknown name.

    `saver` holds the checkpoints that the graph would resume from. A graph that a node starts by itself, and
    that LangGraph does not find in it, cannot be looked into.
    """
    snapshot = await graph.aget_state(configuration, subgraphs=True)
    tasks = dict(_tasks_of("", snapshot))
    gone: dict[str, str] = {}
    wanted = {*pauses}
    for (_, namespace, _), writes in saver.writes.items():
        for (task_id, _), (_, channel, value, path) in writes.items():
            asked = {each.id for each in interrupts_among([(channel, saver.serde.loads_typed(value))])}
            if namespace in tasks and task_id not in tasks[namespace]:
                gone |= dict.fromkeys(asked & wanted, node_of_path(path))
    return gone


def _tasks_of(namespace: str, snapshot: Any) -> Iterator[tuple[str, set[str]]]:
    """Yield the ids of the tasks that are next, by the namespace of their graph."""
    yield namespace, {each.id for each in snapshot.tasks}
    for each in snapshot.tasks:
        inner = each.state
        if inner is not None and hasattr(inner, "tasks"):
            yield from _tasks_of(inner.config["configurable"]["checkpoint_ns"], inner)


def gone_stops(graph: Graph, configuration: Any, saver: InMemorySaver) -> list[str]:
    """Return the nodes before which a graph, or one within it, had stopped, and that are gone."""
    outermost: Any = graph
    graphs: dict[str, Any] = {"": graph, **dict(outermost.get_subgraphs(recurse=True))}
    thread_id = configuration["configurable"]["thread_id"]
    gone: list[str] = []
    for namespace in saver.storage[thread_id]:
        held = saver.get_tuple({"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace}})
        within = graphs.get("|".join(each.partition(":")[0] for each in namespace.split("|")))
        if held is not None and within is not None:
            next_ones = (node_of_branch(each) for each in held.checkpoint["channel_values"])
            gone += [name for name in next_ones if name and name not in within.nodes]
    return gone
