"""A tour planned by the running server: better and better plans, the best kept however its search ends."""

from decimal import Decimal
from itertools import pairwise

import psutil
import pytest

from tests.api.frames import State, ends, receive, receive_until
from tests.api.live import BOUND_S
from tests.e2e.server_process import ServerProcess

TOUR = "Berlin, Rome, Athens and Lisbon in any order in May, cheapest"
SLOW = 30
"""A pace at which a worker waits after its first plan for as long as it may."""


def total(plan):
    return Decimal(plan["price_total"]["amount"])


def worker_of(server):
    """Return the process that plans for a server."""
    (worker,) = psutil.Process(server.process.pid).children(recursive=True)
    assert "backend.travel.providers.demo.tours" in worker.cmdline()
    return worker


def gone(process):
    assert psutil.wait_procs([process], timeout=BOUND_S)[1] == []


async def test_tour_is_planned_with_plans_that_get_better_and_a_reply_that_names_the_cheapest(process):
    server: ServerProcess = process()
    await server.start()
    async with server.socket("ada") as socket:
        state = State()
        await receive(socket)
        state.take(await receive(socket))
        accepted = await server.chat("ada", TOUR)
        for event in await receive_until(socket, ends(accepted["task_id"])):
            state.take(event)
    plans = state.tasks[accepted["task_id"]]["found"]["planner"]
    assert len(plans) > 1
    assert all(total(one) > total(other) for one, other in pairwise(plans))
    best = plans[-1]
    assert not any(leg["live"] for leg in best["legs"])
    reply = (await server.history("ada"))["messages"][-1]["text"]
    first, *others = best["stays"]
    assert f"The cheapest of all 24 orders is {first['city']} ({first['nights']} nights), " in reply
    assert all(f"{stay['city']} ({stay['nights']})" in reply for stay in others)
    assert f"for €{total(best):,}; no other order or day is cheaper." in reply
    assert "Demo: all invented." in reply
    assert psutil.Process(server.process.pid).children() == []


@pytest.mark.requirement("A-BEST-SO-FAR")
async def test_tour_that_is_stopped_keeps_the_best_plan_so_far_and_leaves_no_worker(process):
    server: ServerProcess = process(demo_pace=SLOW)
    await server.start()
    await server.chat("ada", TOUR)
    found = await server.until_found("ada", 1, "planner")
    worker = worker_of(server)
    receipt = await server.stop("ada")
    (call,) = receipt["tool_calls"]
    assert (call["tool"], call["effect"], call["outcome"]) == ("plan_itinerary", "none", "cancelled")
    assert receipt["partial_results"] == {"planner": 1}
    gone(worker)
    kept = await server.partial_results("ada")
    assert kept["interrupted"][0]["partial_results"] == found["partial_results"]


@pytest.mark.requirement("NO-PROCESS-IS-LEFT")
@pytest.mark.parametrize("how", ["kill", "terminate"])
async def test_server_that_ends_in_the_middle_leaves_no_worker_and_plans_to_the_end_when_it_is_back(
    process, how
):
    server: ServerProcess = process(demo_pace=SLOW)
    await server.start()
    await server.chat("ada", TOUR)
    before = (await server.until_found("ada", 1, "planner"))["partial_results"]["planner"]
    worker = worker_of(server)
    await getattr(server, how)()
    gone(worker)
    server.settings["demo_pace"] = 0
    await server.start()
    await server.until_ended("ada", (await server.status("ada"))["task_id"])
    plans = (await server.partial_results("ada"))["partial_results"]["planner"]
    assert min(map(total, plans)) <= total(before[0])
    said = (await server.history("ada"))["messages"][-1]["text"]
    assert f"for €{min(map(total, plans)):,}; no other order or day is cheaper." in said
