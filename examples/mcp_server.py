"""A library as an MCP server, over stdio: it finds books slowly, and reports each one as progress."""

import asyncio

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("library")


@server.tool()
async def find_books(subject: str, context: Context) -> str:
    """Find books on a subject, one by one."""
    found: list[str] = []
    for number, title in enumerate(("A history of", "Letters on", "A guide to"), 1):
        await asyncio.sleep(1)
        found.append(f"{title} {subject}")
        await context.report_progress(number, 3, found[-1])
    return "\n".join(found)


if __name__ == "__main__":
    server.run()
