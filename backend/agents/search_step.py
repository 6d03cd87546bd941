"""What the flight and the hotel agent have in common: search, or say why not."""

from typing import Any, TypeVar

from backend.agents.state import AgentOutcome, TravelRun
from backend.tools.search import SearchTool
from backend.understanding.result import Agent

Q = TypeVar("Q")


async def search_step(agent: Agent, run: TravelRun, tool: SearchTool[Q], query: Q | None) -> dict[str, Any]:
    """Run an agent's search and tell how it ended; without a query there is nothing it could search for.

    When cancelled, the call goes on until the ledger ends it, and what it finds until then is kept.
    """
    if query is None:
        run.task.progress(agent, "done", detail="needs to know more")
        return {"outcomes": {agent: AgentOutcome(state="needs_facts", detail="")}}
    call = await run.ledger.call(run.task, agent, tool, query)
    now = run.task.agents[agent]
    if call.outcome == "completed":
        run.task.progress(agent, "done", detail=call.summary, done=now.total, total=now.total)
        return {"outcomes": {agent: AgentOutcome(state="done", detail=call.summary)}}
    run.task.progress(agent, "failed", detail=call.summary, done=now.done, total=now.total)
    return {"outcomes": {agent: AgentOutcome(state="failed", detail=call.summary)}}
