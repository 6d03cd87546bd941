"""Chooses what the server serves: the graph that `DETOUR_GRAPH` names, or the travel assistant.

Both plug in through `serving.plugin`. The travel package is imported by name and only when it is used, so
that the server runs without it.
"""

import importlib
import importlib.util
from typing import Any

from .errors import DetourError
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
        graph = load_graph(settings.graph)
        return Plugin(workflow=HostedGraph(graph, ledger=host.ledger, owner=host.owner))
    if not _is_travel_installed():
        raise NoGraphError("DETOUR_GRAPH must name a graph (module:attribute): no other is installed.")
    return _travel().load_travel(settings, host)


def _is_travel_installed() -> bool:
    return importlib.util.find_spec(".travel", __package__) is not None


def _travel() -> Any:
    return importlib.import_module(_TRAVEL, __package__)
