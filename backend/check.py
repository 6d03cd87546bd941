"""Loads graphs exactly as the server does, and prints which parts of each are supported.

`detour check module:attribute`, or the path of a `langgraph.json`; by default what `DETOUR_GRAPH` says. The
server's other settings count as well, and those of graphs are flags, too. Each line begins with `yes`, `no`,
or `note` for a limit; the last line counts several graphs. The exit code is 0 if the server would start with
the graphs, and 1 if it would refuse one, with its sentence.
"""

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .graphs.graph_options import GraphNotFoundError, GraphOptions
from .graphs.loading import GraphSource, NamedGraph, as_setting, named_graphs, picking
from .graphs.support import Support, support_of
from .http.plugin_loading import check_used, default_graph, graph_options, settings_class
from .http.settings import Settings, WrongSettingsError, read_flags, read_settings

ABOUT = "Prints what of a graph is supported. The exit code is 1 if the server would refuse it."


async def check(named: NamedGraph, options: GraphOptions) -> tuple[list[Support], GraphOptions]:
    """Return a line for each part of a graph, and the settings that hold for it.

    A context manager that makes the graph is entered and exited. Raises `GraphNotFoundError`.
    """
    source = GraphSource(named, options)
    async with source.opened() as interface:
        notes = [Support("note", "loading", each) for each in source.notes]
        return [*notes, *support_of(interface)], interface.options


def print_support(settings: Settings) -> bool:
    """Print the supported parts of each graph, or its refusal; return whether the server would start.

    Raises `GraphNotFoundError` for a fault of no single graph.
    """
    graphs = named_graphs(settings.graph)
    default, options = default_graph(settings, graphs), graph_options(settings, several=len(graphs) > 1)
    used: dict[str, GraphOptions] = {}
    for each in graphs:
        if options.several:
            print(f"graph {each.name}{', the default' if each.name == default else ''}")
        try:
            # Without the hint on how to serve the others, which follows at the end.
            lines, own = asyncio.run(check(replace(each, others=""), options))
        except GraphNotFoundError as error:
            print(error.message)
            continue
        used[each.name] = own
        for line in lines:
            print(f"{line.verdict:<4}  {line.part + ':':<16} {line.text}")
    if options.several:
        if len(used) == len(graphs):
            check_used(settings, used.values())
        print(_summary(graphs, [*used]))
    return len(used) == len(graphs)


def _summary(graphs: Sequence[NamedGraph], served: Sequence[str]) -> str:
    """Return the last line: how many of several graphs can be served, and how to serve these alone."""
    if len(served) == len(graphs):
        return f"all {len(graphs)} graphs can be served"
    if not served:
        return f"none of the {len(graphs)} graphs can be served"
    alone = as_setting(picking(graphs[0].place, served))
    return f"{len(served)} of {len(graphs)} graphs can be served, without the others: {alone}"


def main(arguments: Sequence[str]) -> int:
    """Print the supported parts of a graph, or its refusal; return the exit code."""
    kind = settings_class()
    flags = read_flags(
        arguments, kind, program="detour check", about=ABOUT, takes=lambda name: name.startswith("graph")
    )
    try:
        settings = read_settings(kind, flags)
    except WrongSettingsError as error:
        print(error)
        return 1
    if not settings.graph:
        print("Name a graph: detour check module:attribute, or the path of a langgraph.json")
        return 1
    sys.path.insert(0, os.fspath(Path.cwd()))  # as the server does
    try:
        return 0 if print_support(settings) else 1
    except GraphNotFoundError as error:
        print(error.message)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
