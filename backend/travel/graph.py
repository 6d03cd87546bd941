"""The travel graph: router; the agents that search in parallel, or the planner; booking agent; assembler.

    router -> flight | hotel | car, or planner -> booking, if something is to be booked -> assembler
           -> reading, beside these, if there is a model

One graph thread is one task. What is special to a task reaches the nodes through the run's context, never
through state or globals. Partial results leave through it as well, so nothing is consumed from a stream.
"""

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from .agents.booking import booking_node
from .agents.planner import planner_node
from .agents.response import response_assembler_node
from .agents.router import after_searching, chosen_agents, node_of, router_node
from .agents.searching import reading_node, searching_node
from .agents.state import AgentState, TravelRun
from .understanding.slot_table import SLOTS

Graph = CompiledStateGraph[AgentState, TravelRun, AgentState, AgentState]


def build_graph() -> Graph:
    """Return the compiled travel graph."""
    graph = StateGraph(AgentState, context_schema=TravelRun)
    graph.add_node("router_node", router_node)
    for agent in SLOTS:
        graph.add_node(node_of(agent), searching_node(agent))
    graph.add_node("reading_node", reading_node)
    graph.add_node("planner_node", planner_node)
    graph.add_node("booking_node", booking_node)
    graph.add_node("response_assembler_node", response_assembler_node)
    graph.add_edge(START, "router_node")
    # The choice is async: LangGraph runs a plain function on an edge in a thread, at every run.
    then = ["booking_node", "response_assembler_node"]
    searches = [*(node_of(agent) for agent in SLOTS), "reading_node"]
    graph.add_conditional_edges("router_node", chosen_agents, [*searches, "planner_node", *then])
    for node in searches:
        graph.add_conditional_edges(node, after_searching, then)
    graph.add_edge("planner_node", "response_assembler_node")
    graph.add_edge("booking_node", "response_assembler_node")
    graph.add_edge("response_assembler_node", END)
    return graph.compile()
