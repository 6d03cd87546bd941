"""A message that the rules make nothing of is shown to the model first: it may well ask for something."""

import asyncio

import pytest

from tests.fakes import Gate
from tests.interruption.parts import Parts, started
from tests.models.journeys import FLIGHTS, offers, parts
from tests.models.scripted_model import BROKEN, Piece, ScriptedModel, search_flights, understand

pytestmark = pytest.mark.virtual_time

FOREIGN = "Hallo, lieber nach Tokio bitte"
RIDDLE = "get us over to the land of the rising sun"
TRIP = {"origin": "Berlin", "destination": "Tokyo", "departure_date": "2026-12-10"}


def a_model(*readings: list[Piece], flight: list[list[Piece]] | None = None) -> ScriptedModel:
    searches = flight if flight is not None else [[search_flights()], ["Done."]] * 3
    return ScriptedModel({"reading": list(readings), "flight": searches, "reply": [["There."]] * 3})


async def at_work(core: Parts) -> str:
    """Post a request whose search goes on for ever, and return its task once it does."""
    task_id = await core.post(FLIGHTS)
    await core.bus.published.until(lambda event: event["type"] == "partial_result")
    return task_id


@pytest.mark.parametrize("said", [RIDDLE, FOREIGN])
async def test_what_the_model_takes_for_a_request_interrupts_as_one(said: str) -> None:
    model = a_model([understand("flight")], [understand("flight", flight=TRIP)], [understand("flight")])
    async with started(parts(model, offers(flights="hang"))) as core:
        first = await at_work(core)
        accepted = await core.runner.handle_user_message("ann", said)
        assert (accepted.relation, accepted.interrupted_task_id) == ("refine", first)
        await core.settled(first)
        assert (await core.task(first)).reason == "superseded"
        await core.runner.stop("ann")
        await core.settled(accepted.task_id)


@pytest.mark.requirement("RULES-STAND-IN-FOR-MODELS")
@pytest.mark.parametrize(
    "reading", [[understand()], [BROKEN], ["Hm."], [Gate()]], ids=["nothing", "broken", "mute", "slow"]
)
async def test_what_nobody_takes_for_a_request_interrupts_nothing(reading: list[Piece]) -> None:
    model = a_model([understand("flight")], reading)
    async with started(parts(model, offers(flights="hang"))) as core:
        first = await at_work(core)
        accepted = await core.runner.handle_user_message("ann", RIDDLE)
        assert (accepted.relation, accepted.interrupted_task_id) == ("other", None)
        await core.settled(accepted.task_id)
        assert (await core.task(first)).status == "running"
        await core.runner.stop("ann")
        await core.settled(first)


async def test_the_model_is_not_asked_what_the_rules_know() -> None:
    model = a_model()
    async with started(parts(model)) as core:
        for message in ("hello", "thanks", "stop"):
            await core.settled(await core.post(message))
    assert "reading" not in [role for role, _ in model.asked]


async def test_a_stop_does_not_wait_for_the_model_and_later_messages_keep_their_order() -> None:
    model = a_model([understand("flight")], [Gate()], [understand("flight")])
    async with started(parts(model, offers(flights="hang"))) as core:
        first = await at_work(core)
        posts = [core.owner.spawn(core.post(text), name=text) for text in (RIDDLE, FLIGHTS)]
        await asyncio.sleep(0.1)
        before = core.clock()
        await core.runner.stop("ann")
        await core.settled(first)
        assert (core.clock() - before).total_seconds() < 1
        riddle, flights = [await post for post in posts]
        assert (await core.task(riddle)).turn < (await core.task(flights)).turn
        await core.runner.stop("ann")
        await core.settled(riddle, flights)
