"""An MCP server whose only tool finds one book and then waits; files tell what became of the call.

`python -m tests.graphs.mcp_library FOLDER` serves it over stdio.
"""

import asyncio
import sys
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer


def library(folder: Path) -> MCPServer:
    """Return the server; the file `cancelled` is there once a call of its tool was cancelled."""
    server = MCPServer("library")

    @server.tool()
    async def find_books(subject: str, context: Context) -> str:
        """Find books."""
        await context.report_progress(1, 2, f"A history of {subject}")
        if subject == "maps":
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                (folder / "cancelled").touch()
        return f"Only a history of {subject}"

    return server


if __name__ == "__main__":
    library(Path(sys.argv[1])).run()
