"""The planner agent: the best plan is told, with what is proven of it, and plans are kept however it ends."""

import asyncio
from dataclasses import replace
from datetime import date

import orjson
import pytest

from backend.domain.context import InterruptedContext
from backend.domain.encoding import encode
from backend.domain.errors import NotOnSale
from backend.domain.task import InterruptReason
from backend.domain.tool_call import call_key
from backend.tasks.ledger.base import ToolResult
from backend.travel.agents.response import DEMO, STOPPED
from backend.travel.values.travel import Stop, Tour, TourCity
from backend.travel.workflow import TravelWorkflow
from tests.agents.sources import AT, TODAY, Provider, Travel, a_flight
from tests.interruption.parts import Parts, started
from tests.models.scripted_model import ScriptedModel

TOUR = "Berlin, Rome, Athens and Lisbon in any order in May, cheapest"
pytestmark = pytest.mark.virtual_time
LEGS = orjson.loads(encode([a_flight("900.00"), a_flight("375.50")]))


def a_plan(amount="1275.50", *, start=None, nights=3, returns=False, passengers=1):
    return {
        "offer_id": "demo-tour-1",
        "live": False,
        "start": start,
        "order": ["Athens", "Rome", "Lisbon"],
        "stays": [
            {"city": "Athens", "nights": nights},
            {"city": "Rome", "nights": 2},
            {"city": "Lisbon", "nights": 4},
        ],
        "returns": returns,
        "first_day": "2027-05-19",
        "last_day": "2027-05-30",
        "legs": [{}] * (2 + bool(start) + returns),
        "passengers": passengers,
        "price_total": {"amount": amount, "currency": "EUR"},
        "price_per_person": {"amount": "637.75", "currency": "EUR"},
    }


def city(name, country, *airports):
    return TourCity(name=name, country=country, airports=airports)


class Planning:
    """A planner that shows a plan, then ends with a result, fails, or goes on for ever."""

    name = "plan_itinerary"
    effect = "none"
    fresh_s = 0.0

    def __init__(self, then, *, shown=None):
        self.asked = []
        self._then, self._shown = then, shown or a_plan("1400.00")

    async def run(self, tour, report):
        self.asked.append(tour)
        report.progress("0 of 24 orders", done=0, total=24)
        report.found([self._shown], source="planner")
        if isinstance(self._then, Exception):
            raise self._then
        if self._then is None:
            await asyncio.Event().wait()
        return ToolResult("a plan", self._then)


class TravelWithPlanner(Travel):
    def __init__(self, then):
        super().__init__(Provider([]))
        self.planning = Planning(then)
        self.workflow = TravelWorkflow(
            Provider([]), self.ledger, today=lambda: TODAY, plan_itinerary=self.planning
        )


def a_result(plan, *, proven=True, done=24):
    return {"plan": plan, "proven": proven, "plans": 2, "done": done, "orders": 24}


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (
            a_result(a_plan()),
            "The cheapest of all 24 orders is Athens (3 nights), Rome (2) and Lisbon (4), "
            "from Wed 19 May 2027 to Sun 30 May 2027, with 2 flights for €1,275.50; "
            "no other order or day is cheaper.",
        ),
        (
            a_result(a_plan(start="Vienna", returns=True, passengers=2), proven=False, done=7),
            "The best that I found is Vienna, Athens (3 nights), Rome (2), Lisbon (4) and back to Vienna, "
            "from Wed 19 May 2027 to Sun 30 May 2027, with 4 flights for €1,275.50 (€637.75 each); "
            "it may not be the cheapest, as I had looked through 7 of 24 orders when time was up.",
        ),
        (a_result(None), "I found no way to fly that tour in those days, in any order."),
        (
            a_result(None, proven=False, done=3),
            "I found no way to fly that tour in those days; "
            "I had looked through 3 of 24 orders when time was up.",
        ),
    ],
)
async def test_best_plan_is_told_with_what_is_proven_of_it(result, told):
    reply, context = await TravelWithPlanner(result).reply(TOUR)
    assert told in reply
    assert DEMO in reply
    assert context.agents["planner"].state == "done"


async def test_plan_is_told_in_the_words_of_the_rules_beside_a_model_too():
    model = ScriptedModel({"reply": [["Athens comes first."]]})
    planning = Planning(a_result(a_plan()))

    def workflow(ledger, _owner):
        return TravelWorkflow(Provider([]), ledger, today=lambda: TODAY, plan_itinerary=planning, model=model)

    async with started(Parts(workflow=workflow)) as core:
        task_id = await core.post(TOUR)
        await core.settled(task_id)
        assert (await core.task(task_id)).status == "completed"
        assert (await core.history())[-1][1].startswith(
            "The cheapest of all 24 orders is Athens (3 nights), Rome (2) and Lisbon (4)"
        )
    assert model.asked == []


async def test_tour_is_planned_as_understood_under_a_key_known_before():
    travel = TravelWithPlanner(a_result(a_plan()))
    context = travel.context(TOUR)
    keys = travel.workflow.read_keys(context.task.request)
    await travel.workflow.run(context)
    (tour,) = travel.planning.asked
    assert [stop.city.name for stop in tour.stops] == ["Athens", "Berlin", "Lisbon", "Rome"]
    assert (tour.earliest.month, tour.latest.month, tour.returns) == (5, 5, False)
    assert list(keys) == [call_key("plan_itinerary", tour)]


def test_tour_key_is_that_of_plans_stored_by_earlier_versions():
    vienna = Stop(city=city("Vienna", "AT", "VIE"), least_nights=2, most_nights=3)
    rome = Stop(city=city("Rome", "IT", "FCO", "CIA"), least_nights=2, most_nights=2)
    tour = Tour(
        start=city("Berlin", "DE", "BER"),
        stops=(vienna, rome),
        earliest=date(2026, 12, 1),
        latest=date(2026, 12, 14),
        returns=True,
        passengers=2,
    )
    assert call_key("plan_itinerary", tour) == "plan_itinerary:0904b4468fb1509ae95416f8"
    others = [
        replace(tour, ordered=True),
        replace(tour, begins=date(2026, 12, 2)),
        replace(tour, stops=(vienna, replace(rome, on=date(2026, 12, 5)))),
        replace(tour, stops=(vienna, rome), ordered=True),
    ]
    assert len({call_key("plan_itinerary", each) for each in [tour, *others]}) == 5


async def test_failed_planner_keeps_the_plans_that_had_arrived():
    reply, context = await TravelWithPlanner(NotOnSale("Nothing is on sale yet.")).reply(TOUR)
    why = "nothing is on sale yet. 1 plan had arrived before."
    assert f"The planning of the tour did not work: {why}" in reply
    assert context.agents["planner"].state == "failed"
    assert context.partial_results.counts() == {"planner": 1}


async def test_plans_of_an_abandoned_tour_are_reported_as_kept():
    travel = TravelWithPlanner(a_result(a_plan()))
    before = travel.context(TOUR)
    before.publish("planner", [a_plan()])
    left = InterruptedContext(
        user_id="ann",
        task_id="before",
        turn=1,
        message=TOUR,
        request=before.task.request,
        reason=InterruptReason.SUPERSEDED,
        at=AT,
        partial_results=before.partial_results.encoded(),
        counts={"planner": 1},
    )
    reply, _ = await travel.reply("Vienna, Prague and Oslo in any order in June", after=before, previous=left)
    assert "Kept from before: 1 plan (for €1,275.50)." in reply
    reply, _ = await travel.reply(TOUR, after=before, previous=left)
    assert "Before you changed your mind" not in reply
    two = replace(left, partial_results=encode({"planner": [a_plan("1400.00"), a_plan()]}))
    reply, _ = await travel.reply("stop", after=before, previous=two)
    assert reply.startswith(f"{STOPPED} Kept: 2 plans (the best of them for €1,275.50).")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            "what does it cost in total?",
            "for 2 flights: €900.00 from Athens to Rome and",
        ),
        ("what would it cost us in all, per person?", "That is €637.75 each. No hotel is counted"),
        ("what have you got so far?", "In all for 2 people it is €1,275.50 for 2 flights"),
        ("how long is the first flight?", "The flight from Athens to Rome, Aurora Demo at"),
        ("when do I land in Lisbon?", "The flight from Rome to Lisbon, Aurora Demo at"),
        ("can I bring my skis?", "do not tell anything about sports gear"),
        ("what would it cost in business class?", "The tour is as it was."),
        ("book it", "A tour is not booked as a whole"),
        ("no hotels", "by its flights alone"),
        ("which order is the cheapest?", "I went through the orders of these cities"),
        ("leave out Athens, Berlin and Rome", "A tour has two cities at least"),
    ],
)
async def test_tour_is_asked_about(asked, told):
    planning = Planning(a_result(a_plan()), shown=a_plan(passengers=2) | {"legs": LEGS})

    def workflow(ledger, _owner):
        return TravelWorkflow(Provider([]), ledger, today=lambda: TODAY, plan_itinerary=planning)

    async with started(Parts(workflow=workflow)) as core:
        await core.settled(await core.post(TOUR))
        await core.settled(await core.post(asked))
        assert told in (await core.history())[-1][1]


class InTheirOrder(Planning):
    """Plans a tour as it is told, dearer the later Athens comes."""

    async def run(self, tour, report):
        order = [stop.city.name for stop in tour.stops]
        amount = f"{1000 + 100 * order.index('Athens')}.00"
        self._shown = a_plan(amount) | {"stays": [{"city": name, "nights": 2} for name in order]}
        self._then = a_result(self._shown) | {"orders": 1}
        return await super().run(tour, report)


async def test_orders_that_were_planned_are_compared():
    def workflow(ledger, _owner):
        planning = InTheirOrder(None)
        return TravelWorkflow(Provider([]), ledger, today=lambda: TODAY, plan_itinerary=planning)

    first = "Athens, then Rome, then Lisbon from 3 May, 2 nights each"
    said = [first, "which order is cheaper?", "Rome first", "no hotels", "which order is cheaper overall?"]
    async with started(Parts(workflow=workflow)) as core:
        for message in said:
            await core.settled(await core.post(message))
        told = [text for author, text in await core.history() if author == "assistant"]
    assert 'Say "in any order"' in told[1]
    assert told[-1] == (
        "Athens, Rome, Lisbon is the cheapest order of those planned, for €1,000.00; "
        "Rome, Athens, Lisbon costs €1,100.00."
    )
