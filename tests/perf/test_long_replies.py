"""A reply takes as long for each of its tokens, however long it is."""

import time
from uuid import uuid4

import pytest

from backend.graphs.followed_models import FollowedModels, ReplyingNodes
from backend.graphs.told_messages import ToldMessages
from tests.contract.hosting import Hosting
from tests.contract.test_followed_models import asks, speaking
from tests.graphs.building import pipeline

TOKENS = 2_000
LONGER = 16
MOST_TIMES = 2 * LONGER
"""How many times as long a reply with `LONGER` times the tokens may take; measured: 11 to 16. Copying what
was said before for each token takes 130 times as long."""


def seconds(tokens: int) -> float:
    """Return the processor time in which a model says so many tokens, the shortest of several."""
    graph = pipeline(model=asks(speaking(".")))
    taken: list[float] = []
    for _ in range(3):
        hosting = Hosting(graph)
        told = ToldMessages(hosting.context, "messages", list)
        models, run_id = FollowedModels(hosting.context, ReplyingNodes(graph), told), uuid4()
        models.begin(run_id, 0, (), {"langgraph_node": "model"})
        started = time.thread_time()
        for nth in range(tokens):
            models.say(run_id, f"{nth:30} ", "m1")
        models.end(run_id, None, "", "m1", None)
        taken.append(time.thread_time() - started)
    return min(taken)


@pytest.mark.requirement("TOKENS-OF-ANY-GRAPH")
async def test_a_token_of_a_long_reply_costs_what_one_of_a_short_reply_costs() -> None:
    assert seconds(TOKENS * LONGER) < MOST_TIMES * seconds(TOKENS)
