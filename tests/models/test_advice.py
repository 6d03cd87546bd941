"""A message that the rules make nothing of is read by the model against the stored request before it."""

from typing import Any

import pytest

from backend.tasks.workflow import Situation
from backend.travel.spoken_of import NOTHING, Order, to_stored
from backend.travel.stored_requests import UnderstoodRequest
from backend.travel.workflow import TravelWorkflow
from tests.agents.sources import TODAY, Provider, Travel
from tests.models.scripted_model import ScriptedModel, understand
from tests.understanding.conversation import told

FLIGHTS = told("flights from Berlin to Rome on 10 December")
IN_ESTONIAN = "Leti Berliinist Oslosse kümnendal detsembril"


async def advice(request: Any) -> Any:
    """The request that a model makes of a message in Estonian, after the stored one."""
    flight = {"origin": "Berlin", "destination": "Oslo", "departure_date": "2026-12-10"}
    model = ScriptedModel({"reading": [[understand("flight", flight=flight)]]})
    provider: Any = Provider([])
    workflow = TravelWorkflow(provider, Travel(provider).ledger, today=lambda: TODAY, model=model)
    reading = await workflow.advise(IN_ESTONIAN, Situation(previous=request))
    assert reading is not None
    return reading.request


async def test_the_order_of_the_list_outlives_a_message_that_the_model_reads() -> None:
    fastest_first = to_stored(NOTHING.in_order("flight", Order(by="duration")))
    advised = await advice(UnderstoodRequest(FLIGHTS, **fastest_first))
    assert advised["understanding"]["flight"]["destination"]["city"]["name"] == "Oslo"
    assert advised["spoken_of"]["orders"] == fastest_first["spoken_of"]["orders"]


async def test_a_request_of_an_earlier_version_is_read_on_with_what_it_left_out() -> None:
    stored = dict(UnderstoodRequest(FLIGHTS)["understanding"])
    for added_later in ("wanted", "about", "searched", "refused"):
        del stored[added_later]
    assert (await advice({"understanding": stored}))["understanding"]["relation"] == "refine"


@pytest.mark.requirement("OLD-DATA-FILES")
async def test_a_request_that_cannot_be_read_is_told_to_be_dropped() -> None:
    assert (await advice({"understanding": "flights"}))["drops_previous"]
