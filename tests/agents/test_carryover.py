"""What an interrupted task hands to the one after it, and earlier requests that are taken up again."""

import asyncio

import pytest

from backend.domain.context import KEPT_CONTEXTS
from backend.travel import stored_requests
from backend.travel.understanding.codec import from_json
from tests.agents.ann import ROME, TOKYO, Ann
from tests.interruption.parts import Parts

pytestmark = pytest.mark.virtual_time


@pytest.mark.requirement("CARRYOVER-IS-TRUE")
async def test_what_still_answers_the_new_request_is_carried_over(ann):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    told = await ann.transfer(await ann.say("and a hotel there for 3 nights"))
    assert told["from_task_id"] == first
    assert told["carried"]["partial_results"] == {"flight": 2}
    assert told["dropped"] == []


@pytest.mark.requirement("CARRYOVER-IS-TRUE")
@pytest.mark.parametrize("message", ["make it 12 December", "actually make it Osaka"])
async def test_what_does_not_answer_it_any_more_is_told_as_dropped(ann, message):
    await ann.say(TOKYO, then_wait_s=2.5)
    told = await ann.transfer(await ann.say(message))
    assert told["carried"]["partial_results"] == {}
    assert "partial_results.flight" in told["dropped"]


async def test_what_was_asked_and_not_answered_is_handed_on_in_words(ann):
    await ann.say("Find me a flight to Tokyo", then_wait_s=1)
    told = await ann.transfer(await ann.say("Find a hotel in Rome on 12 December for 2 nights"))
    [asked] = told["carried"]["questions"]
    assert "fly from" in asked


@pytest.mark.requirement("EARLIER-REQUESTS-RETURN")
async def test_an_interrupted_request_is_taken_up_again_with_what_had_been_found_for_it(ann):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say(ROME, then_wait_s=1.5)
    third = await ann.say("go back to the Tokyo flights")
    told = await ann.transfer(third)
    assert told["from_task_id"] == first
    assert told["carried"]["partial_results"] == {"flight": 2}
    assert (await ann.reply()).startswith(
        "Back to your earlier request. I found 4 flights from Berlin to Tokyo"
    )


@pytest.mark.requirement("EARLIER-REQUESTS-RETURN")
async def test_a_request_that_was_answered_is_taken_up_again_too(ann):
    await ann.say(TOKYO)
    await ann.parts.quiet()
    await ann.say(ROME, then_wait_s=1.5)
    await ann.say("go back to the Tokyo flights")
    assert (await ann.reply()).startswith(
        "Back to your earlier request. I found 4 flights from Berlin to Tokyo"
    )


async def test_so_it_is_after_the_process_was_lost(ann):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say(ROME)
    await ann.parts.quiet()
    ann.disk.lose_process()
    await ann.parts.die()
    ann.parts = Parts(workflow=ann.workflow, store=ann.disk)
    await ann.parts.open()
    told = await ann.transfer(await ann.say("go back to the Tokyo flights"))
    assert told["from_task_id"] == first
    assert told["carried"]["partial_results"] == {"flight": 2}


async def test_one_that_was_taken_up_and_lost_with_its_process_still_has_what_had_been_found_for_it(ann):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say(ROME, then_wait_s=1.5)
    await ann.say("go back to the Tokyo flights", then_wait_s=0.1)
    ann.disk.lose_process()
    await ann.parts.die()
    ann.parts = Parts(workflow=ann.workflow, store=ann.disk)
    await ann.parts.open()
    await asyncio.sleep(0.5)
    again = (await ann.parts.store.standing("ann")).task
    told = await ann.transfer(again.task_id)
    assert (told["from_task_id"], told["carried"]["partial_results"]) == (first, {"flight": 2})


async def test_one_that_waits_its_turn_gets_what_had_been_found_when_it_starts(ann):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say(ROME, then_wait_s=1.5)
    third = (
        await ann.parts.runner.handle_user_message("ann", "go back to the Tokyo flights", policy="enqueue")
    ).task_id
    await ann.parts.quiet()
    assert (await ann.transfer(third))["from_task_id"] == first


async def test_the_last_few_requests_are_remembered_each_once(ann):
    cities = ["Rome", "Oslo", "Lisbon", "Vienna", "Madrid", "Athens", "Dublin"]
    for city in [*cities, "Rome"]:
        await ann.say(f"Find flights from Berlin to {city} on 10 December")
    conversation = ann.parts.runner.conversations.get("ann")
    known = [from_json(each.request["understanding"]) for each in conversation.requests.past]
    assert [one.flight.destination.city.name for one in known] == cities[: -KEPT_CONTEXTS - 1 : -1]


async def test_a_request_that_only_the_day_was_changed_of_is_taken_up_where_it_is_told_in_full(ann):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say("make it 12 December", then_wait_s=1.5)
    third = await ann.say("Go back to the flights from Berlin, DE to Tokyo, JP on 10 December 2026.")
    told = await ann.transfer(third)
    assert told["from_task_id"] == first
    assert told["carried"]["partial_results"] == {"flight": 2}
    assert (await ann.reply()).startswith(
        "Back to your earlier request. I found 4 flights from Berlin to Tokyo on Thu 10 December 2026"
    )


async def test_so_it_is_after_the_process_was_lost_meanwhile(ann):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say("make it 12 December")
    await ann.parts.quiet()
    ann.disk.lose_process()
    await ann.parts.die()
    ann.parts = Parts(workflow=ann.workflow, store=ann.disk)
    await ann.parts.open()
    told = await ann.transfer(
        await ann.say("Go back to the flights from Berlin, DE to Tokyo, JP on 10 December 2026.")
    )
    assert told["from_task_id"] == first


async def test_of_one_subject_the_last_few_requests_are_remembered_beside_the_last_few_subjects(ann):
    for city in ("Rome", "Oslo", "Lisbon", "Vienna", "Madrid", "Athens"):
        await ann.say(f"Find flights from Berlin to {city} on 10 December")
    for day in range(11, 20):
        await ann.say(f"make it {day} December")
    conversation = ann.parts.runner.conversations.get("ann")
    assert [each.subject for each in conversation.requests.past] == [
        "Madrid, ES",
        "Vienna, AT",
        "Lisbon, PT",
        "Oslo, NO",
        "Rome, IT",
    ]
    days = [
        from_json(each.request["understanding"]).flight.departure_date.day
        for each in conversation.requests.alike
    ]
    assert days == [18, 17, 16, 15, 14]


async def test_a_request_is_decoded_by_nobody_while_it_is_in_memory(monkeypatch):
    ann, decoded = Ann(), []
    await ann.parts.open()
    monkeypatch.setattr(stored_requests, "from_json", lambda stored: decoded.append(stored))
    await ann.say(TOKYO, then_wait_s=2)
    await ann.say("make it Osaka", then_wait_s=9)
    assert "Osaka" in await ann.reply()
    assert decoded == []
    await ann.parts.close()
