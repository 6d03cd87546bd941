"""Tools that the page of a message executes: offered to the graph, called by its model, told by the page.

A graph finds them in its state, under the keys that AG-UI's and CopilotKit's own adapters fill, or with
`page_tools()`. A call of one reaches the page from a `ToolNode`, which does not know the tool and would
answer that there is none; or from a graph that ends with the call, as CopilotKit's middleware has it.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from contextvars import ContextVar
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, convert_to_messages
from langchain_core.messages import ToolCall as Asked
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt

from ..domain.questions import PageResult, page_result, page_results
from .graph_options import Graph, SchemaField
from .langgraph_internals import answer_unknown, graphs_within

PAGE = "page"
"""The key of a task's request that holds what the page has sent with its message."""

AG_UI, COPILOTKIT, TOOLS = "ag-ui", "copilotkit", "tools"
"""The keys of a graph's state that the adapters of AG-UI and CopilotKit fill."""

NOT_TOLD = "Not known: the page was to do this, and has not told what came of it."
"""The result for the model of a call that the page has not answered."""


class PageTools:
    """What the page of one message has sent: its tools, as AG-UI has them, and its `context`.

    Without those tools that have the name of one of the graph's own.
    """

    def __init__(self, given: Mapping[str, Any] | None, *, but: Set[str]) -> None:
        sent: Sequence[Mapping[str, Any]] = (given or {}).get("tools", ())
        self.tools = [each for each in sent if each["name"] not in but]
        self.context: Sequence[Mapping[str, Any]] = (given or {}).get("context", ())
        self.names: Set[str] = {each["name"] for each in self.tools}
        self._told: dict[str, Any] = {}

    def fields(self, declared: Mapping[str, SchemaField]) -> dict[str, Any]:
        """Return the values of those keys of a graph's state that it declares for them."""
        tools, context = [dict(each) for each in self.tools], [dict(each) for each in self.context]
        values: dict[str, Any] = {
            AG_UI: {"tools": tools, "context": context},
            COPILOTKIT: {"actions": tools, "context": context},
        }
        own = declared.get(TOOLS)
        # The name is a common one: only if the page has tools, and they fit.
        if tools and own is not None and own.is_list and own.fault(tools) is None:
            values[TOOLS] = tools
        return {name: value for name, value in values.items() if name in declared}

    def call(self, asked: Asked) -> ToolMessage | None:
        """Return the result of a call of a node that does not know its tool; None if no page has it either.

        Raises `GraphInterrupt` until the page has told the result.
        """
        call_id = asked["id"] or ""
        if asked["name"] not in self.names:
            return None
        if call_id not in self._told:
            answer = interrupt(page_value(asked))
            # One answer may have the results of all calls of a step; a plain node asks one after another.
            self._told = {**(page_results(answer, call_id) or {call_id: answer})}
        # Once: many models give the calls of each answer the same ids.
        return message_of(asked, page_result({call_id: self._told.pop(call_id)}, call_id))

    def left_open(self, said: Sequence[Any]) -> list[Asked]:
        """Return the calls of the page's tools without a result since the last message of the user."""
        if not self.names:
            return []
        asked = calls_since_the_user(said)
        return [each for each in asked if each["name"] in self.names]

    def results(self, said: Sequence[Any], answers: Mapping[str, Any]) -> list[ToolMessage]:
        """Return the results of the calls that are left open, given the page's answers by call."""
        asked = [each for each in self.left_open(said) if each["id"] in answers]
        return [message_of(each, page_result(answers[each["id"] or ""], each["id"] or "")) for each in asked]


def page_value(asked: Asked) -> dict[str, Any]:
    """Return the value of the interrupt that has a page execute a call."""
    return {"type": "tool", "tool_call": {"id": asked["id"], "name": asked["name"], "args": asked["args"]}}


def message_of(asked: Asked, result: PageResult) -> ToolMessage:
    """Return the result of a call for the model."""
    return ToolMessage(result.text, tool_call_id=asked["id"] or "", name=asked["name"], id=result.message_id)


def calls_since_the_user(said: Sequence[Any]) -> list[Asked]:
    """Return the calls since the last message of the user that no result follows."""
    try:
        messages = convert_to_messages(said)
    except (ValueError, TypeError, KeyError):
        return []
    begin = max((at for at, each in enumerate(messages) if isinstance(each, HumanMessage)), default=-1)
    asked: dict[str, Asked] = {}
    for each in messages[begin + 1 :]:
        if isinstance(each, AIMessage):
            asked |= {call["id"] or "": call for call in each.tool_calls}
        elif isinstance(each, ToolMessage):
            asked.pop(each.tool_call_id, None)
    return [*asked.values()]


# --- nodes ---------------------------------------------------------------------------------------------


_PAGE: ContextVar[PageTools | None] = ContextVar("page", default=None)


def serve_page(page: PageTools) -> None:
    """Have the nodes that the present asyncio task runs from now on find the tools of this page."""
    _PAGE.set(page)


def page_tools() -> list[dict[str, Any]]:
    """Return the tools of the page whose message is answered, in the form that `bind_tools` takes.

    For nodes, and for what wraps a model. Empty if the page has none, and outside the server.
    """
    page = _PAGE.get()
    return [_function(each) for each in page.tools] if page is not None else []


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": dict(tool)}


def hand_on_calls(graph: Graph) -> Set[str]:
    """Have the `ToolNode`s of a graph, and of those within, hand calls of unknown tools to the page.

    Returns the names of the tools that they know.
    """
    nodes = _tool_nodes([graph, *graphs_within(graph).values()])
    for node in nodes:
        answer_unknown(node, _call)
    return {name for node in nodes for name in node.tools_by_name}


def _call(asked: Asked) -> ToolMessage | None:
    page = _PAGE.get()
    return page.call(asked) if page is not None else None


def _tool_nodes(graphs: Iterable[Any]) -> list[ToolNode]:
    bound = [node.bound for graph in graphs for node in graph.nodes.values()]
    return [each for each in bound if isinstance(each, ToolNode)]
