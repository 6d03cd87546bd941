"""The example's graph at the MCP server that a test names in `LIBRARY_URL` or `LIBRARY_FOLDER`."""

import os
import sys

from mcp import StdioServerParameters

from examples.mcp_tools import graph_of
from tests.conventions import ROOT


def graph():
    folder = os.environ.get("LIBRARY_FOLDER", "")
    at = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tests.graphs.mcp_library", folder],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
    )
    return graph_of(os.environ.get("LIBRARY_URL") or at)
