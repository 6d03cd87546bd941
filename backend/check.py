"""Loads a graph exactly as the server does, and prints what of it is supported.

`python -m backend.check module:attribute`, or the path of a `langgraph.json`; by default what `DETOUR_GRAPH`
says. The server's other settings count as well. Each line begins with `yes`, `no`, or `note` for a limit.
The exit code is 0 if the server would start with the graph, and 1 if it would refuse it, with its sentence.
"""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .graph_workflow import graph_options, settings_class
from .graphs.graph_options import GraphNotFoundError
from .graphs.loading import GraphSource, load_graph
from .graphs.support import Support, support_of
from .serving.settings import Settings


async def check(source: GraphSource, settings: Settings) -> list[Support]:
    """Return a line for each part of a graph. Raises `GraphNotFoundError` if its factory fails.

    A context manager that makes the graph is entered and exited.
    """
    async with source.opened() as graph:
        notes = [Support("note", "loading", each) for each in source.notes]
        return [*notes, *support_of(graph, graph_options(settings))]


def main(arguments: Sequence[str]) -> int:
    """Print what of a graph is supported, or why it is refused; return the exit code."""
    try:
        named: Any = {"graph": arguments[0]} if arguments else {}
        settings = settings_class()(**named)
    except ValidationError as error:
        for each in error.errors():
            print(f"DETOUR_{each['loc'][0]}".upper() + f": {each['msg']}")
        return 1
    if not settings.graph or len(arguments) > 1:
        print("usage: python -m backend.check module:attribute | path of a langgraph.json")
        return 1
    sys.path.insert(0, os.fspath(Path.cwd()))  # as the server does
    try:
        lines = asyncio.run(check(load_graph(settings.graph, graph_options(settings)), settings))
    except GraphNotFoundError as error:
        print(error.message)
        return 1
    for line in lines:
        print(f"{line.verdict:<4}  {line.part + ':':<16} {line.text}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
