"""The Model Context Protocol at `/mcp`: each agent is a tool, which any client of MCP calls.

The extra `mcp` brings the protocol's types (`mcp-types`, of the official SDK). A conversation is a thread of
`../thread`; nothing of a session or a call is kept in memory that another replica would need.
"""
