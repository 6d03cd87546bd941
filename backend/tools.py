"""Tools for the nodes of a graph: declared once with their effect, called with `use`.

The server accounts for each call. By the tool's effect an interruption cancels the call, hands it to the next
run or lets it finish, and the receipt has the outcome. Outside the server, in a test or on another one, `use`
only runs the tool, and a write asks with LangGraph's own `interrupt()`.
"""

from .graphs.hosted_tools import (
    EarlierCall,
    OutcomeUnknown,
    PendingMessage,
    ProviderError,
    Quote,
    QuoteChanged,
    Report,
    Result,
    ToolResult,
    earlier_calls,
    keeps_running,
    page_tools,
    pending_messages,
    program,
    tool,
    use,
)

__all__ = [
    "EarlierCall",
    "OutcomeUnknown",
    "PendingMessage",
    "ProviderError",
    "Quote",
    "QuoteChanged",
    "Report",
    "Result",
    "ToolResult",
    "earlier_calls",
    "keeps_running",
    "page_tools",
    "pending_messages",
    "program",
    "tool",
    "use",
]
