"""The itinerary planner with its real worker process: improving plans, and a best one whenever it ends.

Planted bugs that were found here, each by the test named: a worker that does not watch its input (its input
is closed), one that keeps its plans until the end (the search is cancelled), and one that is given the
server's secrets (worker environment).
"""

import asyncio
import sys
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import pairwise

import orjson
import pytest
from structlog.testing import capture_logs

from backend.domain.errors import NotOnSale, ProviderError
from backend.travel.providers.base import TourProgram
from backend.travel.providers.demo.inventory import open_inventory
from backend.travel.providers.demo.tours import Request, demo_tour_program, plan_tour
from backend.travel.tools.itinerary import PLANNER, plan_itinerary
from backend.travel.values.travel import MOST_STOPS
from tests.providers.tours import BY_LABEL, a_tour
from tests.workers.conftest import BOUND_S
from tests.workers.programs import ENVIRONMENT
from tests.workers.reports import RecordingReport

TODAY = date(2026, 11, 20)
SEED = 7
TRIP = a_tour("Berlin, DE", "Rome, IT", "Athens, GR", "Lisbon, PT", nights=(2, 3), days=20)


@pytest.fixture(scope="session")
def inventory(tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "inventory.sqlite"
    open_inventory(path, seed=SEED).close()
    return path


@pytest.fixture
def program(inventory):
    def make(**options):
        return demo_tour_program(
            options.pop("inventory", inventory), today=lambda: TODAY, seed=SEED, **{"pace": 0, **options}
        )

    return make


async def run(tool, tour, report):
    async with asyncio.timeout(BOUND_S):
        return await tool.run(tour, report)


def shown(report):
    assert {source for source, _ in report.items.entries} == {PLANNER}
    return [plan for _, plan in report.items.entries]


def total(plan):
    return Decimal(plan["price_total"]["amount"])


async def test_plans_are_shown_as_they_improve_and_the_last_is_proven(owner, program):
    report = RecordingReport()
    result = await run(plan_itinerary(program(), owner=owner), TRIP, report)
    plans = shown(report)
    assert len(plans) > 1
    assert all(total(one) > total(other) for one, other in pairwise(plans))
    assert result.value == {
        "plan": plans[-1], "proven": True, "plans": len(plans), "done": 24, "orders": 24,
    }  # fmt: skip
    assert result.summary == f"€{total(plans[-1])}, the cheapest of 24 orders"
    assert result.whole
    assert report.told[-1] == ("24 of 24 orders", 24, 24)


@pytest.mark.requirement("A-BEST-SO-FAR")
async def test_best_plan_so_far_is_kept_when_the_search_is_cancelled(owner, program):
    report = RecordingReport()
    call = owner.spawn(run(plan_itinerary(program(pace=60), owner=owner), TRIP, report), name="call")
    async with asyncio.timeout(BOUND_S):
        await report.items.until(lambda _: True)
    call.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    assert call.cancelled()
    assert len(shown(report)) == 1


async def test_search_out_of_time_has_an_unproven_plan(owner, program):
    eight = [city.label for city in BY_LABEL.values() if city.tier == 1 and city.airports][:MOST_STOPS]
    report = RecordingReport()
    tool = plan_itinerary(program(search_s=0), owner=owner)
    result = await run(tool, a_tour(*eight, nights=(2, 3), days=40), report)
    assert (result.value["proven"], result.value["done"], result.value["orders"]) == (False, 0, 40_320)
    assert not result.whole, "searching on may find a better one"
    assert result.value["plan"] == shown(report)[-1]
    assert result.summary.endswith(", the cheapest so far, 0 of 40,320 orders tried")


async def test_tour_that_nobody_flies_has_no_plan(owner, program):
    near = a_tour("Amsterdam, NL", "Rotterdam, NL")
    result = await run(plan_itinerary(program(), owner=owner), near, RecordingReport())
    assert (result.value["plan"], result.value["proven"]) == (None, True)
    assert result.summary == "no plan in 2 orders"


@pytest.mark.parametrize(
    ("tour", "sentence"),
    [
        (a_tour("Rome, IT"), "through 2 to 8 cities"),
        (replace(TRIP, earliest=date(2026, 11, 19), latest=date(2026, 12, 9)), "19 November 2026 has passed"),
        (replace(TRIP, passengers=10), "1 to 9 passengers"),
    ],
)
async def test_tour_that_cannot_be_planned_is_refused_in_a_sentence(owner, program, tour, sentence):
    with capture_logs(), pytest.raises(NotOnSale, match=sentence):
        await run(plan_itinerary(program(), owner=owner), tour, RecordingReport())


@pytest.mark.parametrize(
    "request_line",
    [b"\n", b"not json\n", b"[]\n", b"{}\n", b'{"tour": 3}\n', b"\xff\xfe\n", b"[" * 70_000 + b"\n"],
)
async def test_unreadable_request_is_answered_with_one_error(program, request_line):
    worker = program()
    process = await asyncio.create_subprocess_exec(
        *worker.command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=worker.environment,
    )
    async with asyncio.timeout(BOUND_S):
        process.stdin.write(request_line)
        said = await process.stdout.read()
        process.stdin.close()
        code = await process.wait()
    (line,) = said.splitlines()
    assert orjson.loads(line)["error"]["message"].startswith("The request to plan a tour cannot be read")
    assert code == 2


async def test_worker_ends_when_its_input_is_closed(program):
    worker = program(pace=60)
    process = await asyncio.create_subprocess_exec(
        *worker.command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=worker.environment,
    )
    async with asyncio.timeout(BOUND_S):
        process.stdin.write(worker.request(TRIP))
        assert "plan" in orjson.loads(await process.stdout.readline())
        process.stdin.close()
        said = await process.stdout.read()
        assert (await process.wait(), b'{"end":' in said) == (1, False)


async def test_missing_inventory_fails_with_a_sentence(owner, program, tmp_path):
    tool = plan_itinerary(program(inventory=tmp_path / "none.sqlite"), owner=owner)
    with capture_logs(), pytest.raises(ProviderError, match="inventory is not there"):
        await run(tool, TRIP, RecordingReport())
    assert not (tmp_path / "none.sqlite").exists()


@pytest.mark.parametrize(
    "source",
    [
        "pass",
        "print('garbage'); print('[1]'); print('{\"plan\": 3}')",
        'print(\'{"end": {"proven": true, "orders": 1, "done": 1}}\'); raise SystemExit(1)',
    ],
)
async def test_worker_without_an_answer_has_failed(owner, source):
    program = TourProgram(
        command=(sys.executable, "-c", source), environment=ENVIRONMENT, request=lambda _: b"\n"
    )
    with capture_logs(), pytest.raises(ProviderError, match="ended without an answer"):
        await run(plan_itinerary(program, owner=owner), TRIP, RecordingReport())


def test_worker_environment_has_no_secret_and_no_setting(program, monkeypatch):
    monkeypatch.setenv("DETOUR_TOKEN", "secret")
    monkeypatch.setenv("SOME_API_KEY", "secret")
    environment = program().environment
    assert not {name for name in environment if name.startswith("DETOUR_") or "KEY" in name}
    assert "secret" not in environment.values()


def test_pause_after_each_plan_takes_no_search_time(inventory):
    waited, said = [], []
    opened = open_inventory(inventory, seed=SEED)
    request = Request(inventory=str(inventory), seed=SEED, today=TODAY, pace=0.5, budget_s=0.4, tour=TRIP)
    plan_tour(request, opened, said.append, now=lambda: sum(waited), wait=waited.append)
    opened.close()
    plans = [each for each in said if "plan" in each]
    assert waited == [0.5] * len(plans)
    assert said[-1]["end"]["proven"]
