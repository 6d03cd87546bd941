"""Going back along the requests of a conversation: undo, redo, what was right, start over, continue."""

import pytest

from backend.travel.agents.response import STARTED_OVER
from backend.travel.understanding.codec import from_json
from backend.travel.understanding.english.talk.small_talk import NOTHING_TO_UNDO
from tests.agents.ann import TOKYO
from tests.understanding.conversation import flight, hotel

pytestmark = pytest.mark.virtual_time

OSLO = "flights from Paris to Oslo on 5 December"


async def understood(ann, task_id):
    return from_json((await ann.parts.task(task_id)).request["understanding"])


async def after(ann, *messages):
    """What the last of the messages means, all sent in turn once the one before is answered."""
    task_id = ""
    for each in messages:
        task_id = await ann.say(each)
        await ann.parts.quiet()
    return await understood(ann, task_id)


@pytest.mark.requirement("UNDO-GOES-BACK")
@pytest.mark.parametrize("said", ["undo that", "as it was before", "go back", "put it back please"])
async def test_the_last_change_is_taken_back_and_the_reply_names_what_it_is_back_to(ann, said):
    now = await after(ann, TOKYO, "make it 12 December", said)
    assert str(flight(now)["departure_date"]) == "2026-12-10"
    reply = await ann.reply()
    assert reply.startswith("Back to your earlier request.")
    assert "Tokyo" in reply
    assert "10 December" in reply
    assert "I found 4 flights" in reply


@pytest.mark.requirement("UNDO-GOES-BACK")
async def test_undo_twice_goes_two_back_and_redo_comes_forward_again(ann):
    said = [TOKYO, "make it 12 December", "for two people", "undo"]
    assert "passengers" not in flight(await after(ann, *said))
    back = await after(ann, "undo that")
    assert str(flight(back)["departure_date"]) == "2026-12-10"
    forth = await after(ann, "redo")
    assert (str(flight(forth)["departure_date"]), flight(forth).get("passengers")) == ("2026-12-12", None)
    assert flight(await after(ann, "redo"))["passengers"] == 2


@pytest.mark.requirement("UNDO-GOES-BACK")
async def test_an_agent_that_was_added_is_taken_out_again_also_while_it_searches(ann):
    await ann.say(TOKYO)
    await ann.parts.quiet()
    adding = await ann.say("and a hotel there for 3 nights", then_wait_s=1.5)
    now = await understood(ann, await ann.say("undo that"))
    assert (now.agents, hotel(now)) == (("flight",), {})
    await ann.parts.quiet()
    assert (await ann.parts.task(adding)).reason == "superseded"


@pytest.mark.requirement("UNDO-GOES-BACK")
async def test_undo_goes_back_to_another_place_and_undo_after_a_stop_takes_the_stop_back(ann):
    now = await after(ann, TOKYO, "flights from Paris to Rome on 12 December", "undo")
    assert flight(now)["destination"] == "Tokyo"
    task = await ann.say("for two people", then_wait_s=1)
    await ann.say("stop")
    assert (await ann.parts.task(task)).reason == "stopped"
    again = await after(ann, "undo that")
    assert (flight(again)["destination"], flight(again)["passengers"]) == ("Tokyo", 2)


async def test_there_may_be_nothing_to_go_back_to(ann):
    await after(ann, TOKYO, "undo that")
    assert await ann.reply() == NOTHING_TO_UNDO


@pytest.mark.requirement("UNDO-GOES-BACK")
async def test_a_value_that_was_right_is_taken_again_and_what_else_was_said_since_stays(ann):
    said = [OSLO, "I mean from Brussels, not Paris", "for two people", "ugh no, Paris was right"]
    now = await after(ann, *said)
    assert flight(now).items() >= {"origin": "Paris", "destination": "Oslo", "passengers": 2}.items()
    now = await after(ann, "make it the 7th", "no the first date was right")
    assert (str(flight(now)["departure_date"]), flight(now)["origin"]) == ("2026-12-05", "Paris")


@pytest.mark.requirement("START-OVER-FORGETS")
@pytest.mark.parametrize("said", ["start over", "let's start again from scratch", "forget everything I said"])
async def test_who_starts_over_is_told_that_all_is_forgotten(ann, said):
    await ann.say(TOKYO, then_wait_s=1.5)
    task_id = await ann.say(said)
    assert (await ann.reply()).startswith(STARTED_OVER)
    now = await understood(ann, task_id)
    assert (now.wanted, flight(now)) == ((), {})
    after_that = await after(ann, "just a hotel in Graz on Friday, one night")
    assert (hotel(after_that)["city"], flight(after_that)) == ("Graz", {})


async def test_what_was_forgotten_by_mistake_is_taken_back(ann):
    now = await after(ann, TOKYO, "start over", "undo")
    assert flight(now)["destination"] == "Tokyo"


@pytest.mark.parametrize("said", ["continue", "go on please", "actually do look, we need a bed anyway"])
async def test_what_was_stopped_goes_on(ann, said):
    await ann.say(TOKYO, then_wait_s=1.5)
    await ann.say("hold on")
    await ann.say(said)
    assert "I found 4 flights" in await ann.reply()
