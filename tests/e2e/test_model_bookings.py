"""A model that books: it can only ask, the user decides, and an interruption finds the truth."""

from decimal import Decimal
from typing import Any

import pytest

from tests.e2e.model_server_process import (
    DAY,
    FLIGHTS,
    models,
    receipt_of,
    script_search,
    start,
)
from tests.fakes.model_script import Call, Text
from tests.models.travelling import DONE, search_for, searches, tool_results, understands

__all__ = ["models", "start"]


def books(request) -> bool:
    """Asked as the booking agent."""
    return "book_flight" in request.tools


async def asked_to_allow(start, models) -> tuple[Any, dict[str, Any], str]:
    """Return a server whose user is asked to allow what a model wants to book, the request, and the task."""
    script_search(models, reply=[Text("There are some.")])
    server = await start()
    await server.chat_to_end("ada", FLIGHTS)
    found = (await server.partial_results("ada"))["partial_results"]["flight"]
    cheapest = min(found, key=lambda each: Decimal(each["price_total"]["amount"]))
    understands(models, "flight", booking={"action": "book", "kind": "flight", "pick": "cheapest"})
    models.script(search_for(DAY.isoformat()), when=searches)
    models.script(DONE, when=searches)
    models.script(Call("book_flight", {"offer": cheapest["offer_id"]}), when=books)
    task = await server.chat("ada", "book the cheapest flight")
    request = (await server.until_asked("ada"))["input_request"]
    assert request["kind"] == "permission"
    return server, request, task["task_id"]


async def decide(server, request, decision: str) -> Any:
    body = {"request_id": request["request_id"], "decision": decision}
    return await server.call("POST", "/answer/ada", json=body)


def outcomes(receipt) -> dict[str, str]:
    return {call["tool"]: call["outcome"] for call in receipt["tool_calls"]}


@pytest.mark.requirement("MODELS-ARE-NOT-TRUSTED")
@pytest.mark.parametrize(("decision", "outcome"), [("allow", "completed"), ("deny", "denied")])
async def test_booking_of_a_model_needs_its_users_permission(start, models, decision, outcome):
    server, request, task_id = await asked_to_allow(start, models)
    models.script(Text("That is all."), when=books)
    models.script(Text("So be it."), when=lambda each: not each.tools)
    assert (await decide(server, request, decision)).status_code == 202
    assert (await server.until_ended("ada", task_id))["status"] == "completed"
    assert outcomes(await receipt_of(server, "ada", task_id))["book_flight"] == outcome
    told = tool_results(await models.asked(2, when=books))
    assert ("did not allow" in told[0]) is (decision == "deny")
    assert ("DEMO-" in told[0]) is (decision == "allow")
    assert [each.faults for each in models.requests if each.faults] == []


async def test_permission_that_waits_while_the_server_is_killed_is_still_the_users_to_give(start, models):
    server, request, task_id = await asked_to_allow(start, models)
    await server.kill()
    await server.start()
    models.script(Text("That is all."), when=books)
    models.script(Text("So be it."), when=lambda each: not each.tools)
    assert (await decide(server, request, "allow")).status_code == 202
    assert (await server.until_ended("ada", task_id))["status"] == "completed"
    assert outcomes(await receipt_of(server, "ada", task_id))["book_flight"] == "completed"
    assert len([each for each in models.requests if books(each)]) == 2
