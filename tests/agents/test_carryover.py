"""What an interrupted task hands to the next one, and earlier requests that are taken up again."""

import asyncio
from dataclasses import replace
from datetime import date

import pytest

from backend.domain.errors import NotOpen
from backend.travel.providers.demo.cars import find_cars
from backend.travel.stored_requests import DROPPED, SAY_IT_AGAIN
from backend.travel.understanding.codec import from_json
from backend.travel.values.travel import CarQuery
from tests.agents.ann import ROME, TOKYO, Ann, opened
from tests.agents.sources import TODAY, Source
from tests.interruption.disk import DiskStore
from tests.records import ANN
from tests.stored import now, rewrite_tasks

pytestmark = pytest.mark.virtual_time

TOKYO_IN_FULL = "Go back to the flights from Berlin, DE to Tokyo, JP on 10 December."
BACK = "Back to your earlier request. I found 4 flights from Berlin to Tokyo"


@pytest.mark.requirement("CARRYOVER-IS-TRUE")
@pytest.mark.parametrize(
    ("message", "carried", "dropped"),
    [
        ("and a hotel there for 3 nights", {"flight": 2}, []),
        ("make it 12 December", {}, ["partial_results.flight"]),
        ("actually make it Osaka", {}, ["partial_results.flight"]),
    ],
)
async def test_results_that_still_answer_are_carried_and_others_dropped(ann, message, carried, dropped):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    told = await ann.transfer(await ann.say(message))
    assert told["from_task_id"] == first
    assert told["carried"]["partial_results"] == carried
    assert [each for each in told["dropped"] if each.startswith("partial_results")] == dropped


@pytest.mark.requirement("CARRYOVER-IS-TRUE")
async def test_search_for_cars_is_adopted_while_it_answers_the_request():
    query = CarQuery(city="Rome", country="IT", pick_up=date(2027, 5, 3), drop_off=date(2027, 5, 6))
    cars = Source(
        "rentals", *([car] for car in find_cars(query, market="rental chains", today=TODAY, seed=1)[:6])
    )
    async with opened(Ann(cars=(cars,), store=DiskStore())) as ann:
        await ann.say("a rental car in Rome from 3 May to 6 May", then_wait_s=2.5)
        told = await ann.transfer(await ann.say("and a hotel there"))
        assert told["carried"]["partial_results"] == {"car": 2}
        assert "4 hotels" in await ann.reply()
        await ann.say("make the car automatic")
        assert len(cars.asked) == 1  # what was found is narrowed
        await ann.say("the car from 4 May instead")
        assert len(cars.asked) == 2


async def test_search_of_a_part_that_is_dropped_is_not_told(ann):
    await ann.say(TOKYO)
    await ann.say("and a hotel there for 3 nights", then_wait_s=1.5)
    await ann.say("I don't need the hotel any longer")
    assert "hotel" not in await ann.reply()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("nonstop, and then Osaka", "I search for one city at a time, and left out Osaka."),
        ("Osaka or Nagoya", '"Nagoya instead" searches there.'),
    ],
)
async def test_note_of_an_interrupted_message_is_told_with_the_next_reply(ann, said, told):
    await ann.say(TOKYO, then_wait_s=0.5)
    await ann.say(said, then_wait_s=0.5)
    assert told in await ann.ask("for 3 people")
    assert told not in await ann.ask("for 4 people")


async def test_note_that_no_longer_holds_is_not_told(ann):
    await ann.say(TOKYO, then_wait_s=0.5)
    await ann.say("nonstop, and then Osaka", then_wait_s=0.5)
    assert "left out" not in await ann.ask("make it Osaka")


async def test_unanswered_question_is_handed_on(ann):
    await ann.say("Find me a flight to Tokyo")
    told = await ann.transfer(await ann.say("Find a hotel in Rome on 12 December for 2 nights"))
    [asked] = told["carried"]["questions"]
    assert "fly from" in asked


@pytest.mark.requirement("EARLIER-REQUESTS-RETURN")
@pytest.mark.parametrize(
    ("then", "back"),
    [(ROME, "go back to the Tokyo flights"), ("make it 12 December", TOKYO_IN_FULL)],
    ids=["another place", "another day"],
)
async def test_interrupted_request_is_taken_up_again_with_its_results(ann, then, back):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say(then, then_wait_s=1.5)
    told = await ann.transfer(await ann.say(back))
    assert told["from_task_id"] == first
    assert told["carried"]["partial_results"] == {"flight": 2}
    assert (await ann.reply()).startswith(BACK)


@pytest.mark.requirement("EARLIER-REQUESTS-RETURN")
async def test_answered_request_is_taken_up_again(ann):
    await ann.say(TOKYO)
    await ann.say(ROME, then_wait_s=1.5)
    assert (await ann.ask("go back to the Tokyo flights")).startswith(BACK)


@pytest.mark.requirement("EARLIER-REQUESTS-RETURN")
@pytest.mark.parametrize(
    ("then", "back"),
    [(ROME, "go back to the Tokyo flights"), ("make it 12 December", TOKYO_IN_FULL)],
    ids=["another place", "another day"],
)
async def test_interrupted_request_is_taken_up_again_after_a_kill(ann, then, back):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say(then)
    await ann.restart_after_kill()
    assert (await ann.transfer(await ann.say(back)))["from_task_id"] == first


async def test_request_that_was_taken_up_and_killed_still_has_its_results(ann):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say(ROME, then_wait_s=1.5)
    await ann.say("go back to the Tokyo flights", then_wait_s=0.1)
    await ann.restart_after_kill()
    await asyncio.sleep(0.5)
    again = (await ann.parts.store.standing("ann")).task
    told = await ann.transfer(again.task_id)
    assert (told["from_task_id"], told["carried"]["partial_results"]) == (first, {"flight": 2})


async def test_queued_request_gets_the_earlier_results_when_it_starts(ann):
    first = await ann.say(TOKYO, then_wait_s=2.5)
    await ann.say(ROME, then_wait_s=1.5)
    third = await ann.say("go back to the Tokyo flights", policy="enqueue")
    assert (await ann.transfer(third))["from_task_id"] == first


async def test_last_requests_are_remembered_by_subject_and_within_one(ann):
    for city in ("Rome", "Oslo", "Lisbon", "Vienna", "Madrid", "Rome", "Athens"):
        await ann.say(f"Find flights from Berlin to {city} on 10 December", then_wait_s=0)
    for day in range(11, 20):
        await ann.say(f"make it {day} December", then_wait_s=0)
    requests = ann.parts.runner.conversations.get("ann").requests
    assert [each.subject for each in requests.past] == [
        "Rome, IT",
        "Madrid, ES",
        "Vienna, AT",
        "Lisbon, PT",
        "Oslo, NO",
    ]
    days = [from_json(each.request["understanding"]).flight.departure_date.day for each in requests.alike]
    assert days == [18, 17, 16, 15, 14]


@pytest.mark.requirement("OLD-DATA-FILES")
@pytest.mark.parametrize(
    "unreadable",
    [{"understanding": {"agents": ["flight"], "flight": 7}}, {"understanding": "flights"}, {"asked": 1}],
    ids=["of another form", "no object", "of another graph"],
)
class TestUnreadableRequests:
    """Stored requests that this version cannot read are dropped, and the user is told."""

    async def test_next_message_is_read_by_itself_and_the_user_is_told_once(self, ann, unreadable):
        await ann.say(TOKYO, then_wait_s=2)
        await ann.say(ROME)
        make_unreadable(ann, unreadable)
        assert "from Oslo to Rome" in await ann.ask("Find flights from Oslo to Rome on 14 December")
        assert [text for role, text in await ann.parts.history() if role == "system"][-1] == DROPPED
        assert "15 December" in await ann.ask("make it 15 December")
        assert [text for _, text in await ann.parts.history()].count(DROPPED) == 1

    async def test_message_that_needs_the_request_asks_for_what_is_missing(self, ann, unreadable):
        await ann.say(TOKYO)
        make_unreadable(ann, unreadable)
        await ann.say("make it Osaka")
        [*_, (_, dropped), (_, asked)] = await ann.parts.history()
        assert dropped == DROPPED
        assert asked.endswith("?") or "Please" in asked or "tell me" in asked

    async def test_readable_request_is_still_taken_up_again(self, ann, unreadable):
        await ann.say(TOKYO)
        make_unreadable(ann, unreadable)
        await ann.say(ROME)
        await ann.say("Find flights from Madrid to Lima on 20 December")
        assert "from Paris to Rome" in await ann.ask("go back to the Rome flights")

    async def test_answer_to_its_question_is_refused_with_a_sentence(self, ann, unreadable):
        await ann.say("Find flights to Tokyo on 10 December")
        make_unreadable(ann, unreadable)
        with pytest.raises(NotOpen, match=SAY_IT_AGAIN):
            await ann.answer(origin="Berlin")
        assert "from Paris to Rome" in await ann.ask(ROME)

    async def test_message_whose_task_was_killed_is_read_again(self, ann, unreadable):
        await ann.say(TOKYO, then_wait_s=1)
        disk = ann.parts.store
        disk.lose_process()
        await ann.parts.die()
        make_unreadable(ann, unreadable)
        ann.start(store=disk, new_id=ann.parts.new_id)
        await ann.parts.open()
        await ann.parts.quiet()
        assert "from Berlin to Tokyo" in await ann.reply()
        assert DROPPED not in [text for _, text in await ann.parts.history()]


def make_unreadable(ann, request):
    """Let memory be dropped and read back from a store whose requests are of an earlier version."""
    ann.parts.runner.conversations.clear()
    kept = ann.parts.store.kept
    rewrite_tasks(kept, lambda task: replace(task, request=request))
    for left in now(kept.get_interrupted_contexts("ann")):
        kept.commit(ANN, replace(left, request=request))
