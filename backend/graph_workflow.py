"""Chooses what the server serves: the graph that `DETOUR_GRAPH` names, or the travel assistant.

Both plug in through `serving.plugin`. The travel package is imported by name and only when it is used, so
that the server runs without it.
"""

import contextlib
import importlib
import importlib.util
from collections.abc import AsyncGenerator
from typing import Any

from .errors import DetourError
from .graphs.graph_options import GraphOptions
from .graphs.hosted_graph import HostedGraph
from .graphs.loading import load_graph
from .serving.plugin import Host, Plugin
from .serving.settings import Settings

_TRAVEL = ".travel.plugin"


class NoGraphError(DetourError):
    """There is nothing to serve: no graph is named, and the travel package is not installed."""

    code = "no_graph"


def settings_class() -> type[Settings]:
    """Return the settings to read: with those of the travel assistant where it is installed."""
    return _travel().TravelSettings if _is_travel_installed() else Settings


def load_plugin(settings: Settings, host: Host) -> Plugin:
    """Return what the settings say is to be served.

    Raises `GraphNotFoundError` for a graph that cannot be served, `NoGraphError` where there is none.
    """
    if settings.graph:
        return _hosted(settings, host)
    if not _is_travel_installed():
        raise NoGraphError("DETOUR_GRAPH must name a graph (module:attribute): no other is installed.")
    return _travel().load_travel(settings, host)


def graph_options(settings: Settings) -> GraphOptions:
    """Return what the settings say about the graph, beside its name."""
    return GraphOptions(
        context=settings.graph_context, input_field=settings.graph_input, reply_key=settings.graph_reply
    )


def _hosted(settings: Settings, host: Host) -> Plugin:
    options = graph_options(settings)
    source = load_graph(settings.graph, options)
    workflow = HostedGraph(ledger=host.ledger, owner=host.owner, options=options)

    @contextlib.asynccontextmanager
    async def life() -> AsyncGenerator[None]:
        async with source.opened() as graph:
            workflow.serve(graph)
            yield

    return Plugin(workflow=workflow, life=life)


def _is_travel_installed() -> bool:
    return importlib.util.find_spec(".travel", __package__) is not None


def _travel() -> Any:
    return importlib.import_module(_TRAVEL, __package__)
