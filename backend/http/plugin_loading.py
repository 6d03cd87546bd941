"""Loads the graphs that `DETOUR_GRAPH` names, or the travel assistant.

Both plug in through `http.plugin`. The travel package is imported by name and only when it is used, so
that the server runs without it.
"""

import contextlib
import functools
import importlib
import importlib.util
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from typing import Any

import structlog

from ..domain.errors import DetourError
from ..graphs.graph_options import GraphNotFoundError, GraphOptions
from ..graphs.hosted_graph import HostedGraph
from ..graphs.loading import GraphSource, NamedGraph, named_graphs
from ..graphs.several_graphs import GraphView, SeveralGraphs, schemas_of, view_of
from ..graphs.state.state_history import StateHistory
from ..graphs.state.user_stores import UserStores
from ..graphs.support import log_start
from .plugin import Host, Plugin, ServedGraphs
from .settings import Settings, TravelSettings

_TRAVEL = "..travel.plugin"

_log = structlog.get_logger(__name__)


class NoGraphError(DetourError):
    """There is nothing to serve: no graph is named, and the travel package is not installed."""

    code = "no_graph"


def settings_class() -> type[Settings]:
    """Return the settings to read: with those of the travel assistant where it is installed."""
    return TravelSettings if _is_travel_installed() else Settings


def load_plugin(settings: Settings, host: Host) -> Plugin:
    """Return the plugin that the settings name.

    Raises `GraphNotFoundError` for a graph that cannot be served, `NoGraphError` where there is none.
    """
    if settings.graph:
        return _hosted(settings, host)
    if not _is_travel_installed():
        raise NoGraphError("DETOUR_GRAPH must name a graph (module:attribute): no other is installed.")
    return importlib.import_module(_TRAVEL, __package__).load_travel(settings, host)


def graph_options(settings: Settings, *, several: bool = False) -> GraphOptions:
    """Return the settings of the graphs, beside their names."""
    return GraphOptions(
        context=settings.graph_context,
        input_field=settings.graph_input,
        reply_key=settings.graph_reply,
        shares_store=settings.graph_store == "shared",
        start_s=settings.graph_start_s,
        several=several,
    )


def default_graph(settings: Settings, graphs: Sequence[NamedGraph]) -> str:
    """Return the name of the graph that is spoken to at first. Raises `GraphNotFoundError`."""
    names = [each.name for each in graphs]
    if settings.graph_default in names:
        return settings.graph_default
    if settings.graph_default:
        raise GraphNotFoundError(
            f"DETOUR_GRAPH_DEFAULT={settings.graph_default} is none of the graphs: {', '.join(names)}"
        )
    return names[0]


def check_used(settings: Settings, used: Iterable[GraphOptions]) -> None:
    """Raise `GraphNotFoundError` for a setting that fits none of several graphs: it would do nothing."""
    used = list(used)
    for name, value, own in (
        ("INPUT", settings.graph_input, [each.input_field for each in used]),
        ("REPLY", settings.graph_reply, [each.reply_key for each in used]),
    ):
        if value and not any(own):
            raise GraphNotFoundError(f"DETOUR_GRAPH_{name}={value} is a field of none of the graphs")


def _hosted(settings: Settings, host: Host) -> Plugin:
    named = named_graphs(settings.graph)
    default, several = default_graph(settings, named), len(named) > 1
    options = graph_options(settings, several=several)
    sources = [GraphSource(each, options) for each in named]
    stores = UserStores(are_shared=settings.postgres is not None)
    # The first graph takes over the threads of a server that had one graph: the file's first was served.
    graphs = {
        each.name: HostedGraph(
            ledger=host.ledger,
            owner=host.owner,
            name=each.name if several else "",
            continues=[""] if several and each is named[0] else [],
            stores=stores,
        )
        for each in named
    }

    @contextlib.asynccontextmanager
    async def life() -> AsyncGenerator[None]:
        async with contextlib.AsyncExitStack() as opened:
            for note in dict.fromkeys(note for each in named for note in each.notes):
                _log.info("a project of graphs", note=note)
            for source in sources:
                interface = await opened.enter_async_context(source.opened())
                graphs[source.named.name].serve(interface)
                log_start(source.named.name, interface)
            if several:
                check_used(settings, [source.options for source in sources])
            yield

    @functools.cache
    def views() -> Sequence[GraphView]:
        return [view_of(each.name, each.description, graphs[each.name]) for each in named]

    @functools.cache
    def schemas(name: str) -> Mapping[str, Mapping[str, Any] | None]:
        return schemas_of(name, graphs[name].graph)

    workflow = SeveralGraphs(graphs, default)
    served = ServedGraphs(
        names=[*graphs],
        default=default,
        views=views,
        of=workflow.name_of,
        states={name: StateHistory(host.store, graph) for name, graph in graphs.items()},
        drawn=lambda name: graphs[name].graph.get_graph().to_json(),
        schemas=schemas,
        module="" if named[0].place else named[0].setting.partition(":")[0].rpartition(".")[2],
    )
    return Plugin(workflow=workflow, graphs=served, life=life, use_items=workflow.use_items)


def _is_travel_installed() -> bool:
    return importlib.util.find_spec("..travel", __package__) is not None
