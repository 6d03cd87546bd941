"""A stored request that this version cannot read: it is dropped, and its user is told."""

from dataclasses import replace
from typing import Any

import pytest

from backend.domain.errors import NotOpen
from backend.travel.stored_requests import DROPPED, SAY_IT_AGAIN
from tests.agents.ann import ROME, TOKYO, Ann

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("OLD-DATA-FILES")]

UNREADABLE = [
    {"understanding": {"agents": ["flight"], "flight": 7}},
    {"understanding": "flights"},
    {"asked": 1},
]


@pytest.fixture(params=UNREADABLE, ids=["of another form", "no object", "of another graph"])
async def ann(request: pytest.FixtureRequest):
    """Ann, whose requests are all unreadable once `make_unreadable` was called."""
    ann = Ann()
    ann.unreadable = request.param
    await ann.parts.open()
    yield ann
    await ann.parts.close()


def make_unreadable(ann: Any) -> None:
    """Let memory be dropped and read back from a store whose requests are of an earlier version."""
    ann.parts.runner.conversations.clear()
    for user in ann.disk.kept._users.values():
        for turn, task in user.tasks.items():
            user.tasks[turn] = replace(task, request=ann.unreadable)
        for turn, left in user.contexts.items():
            user.contexts[turn] = replace(left, request=ann.unreadable)


async def test_the_next_message_is_read_by_itself_and_its_user_is_told(ann) -> None:
    await ann.say(TOKYO, then_wait_s=2)
    await ann.say(ROME, then_wait_s=9)
    make_unreadable(ann)
    task_id = await ann.say("Find flights from Oslo to Rome on 14 December", then_wait_s=9)
    assert "from Oslo to Rome" in await ann.reply()
    assert (await ann.parts.task(task_id)).status == "completed"
    said = await ann.parts.history()
    assert [text for role, text in said if role == "system"][-1] == DROPPED
    await ann.say("make it 15 December", then_wait_s=9)
    assert "15 December" in await ann.reply()
    assert [text for _, text in await ann.parts.history()].count(DROPPED) == 1


async def test_a_message_that_needs_the_request_before_it_asks_for_what_is_missing(ann) -> None:
    await ann.say(TOKYO, then_wait_s=9)
    make_unreadable(ann)
    await ann.say("make it Osaka", then_wait_s=1)
    said = [text for _, text in await ann.parts.history()]
    assert said[-2] == DROPPED
    assert said[-1].endswith("?") or "Please" in said[-1] or "tell me" in said[-1]


async def test_an_earlier_request_that_can_be_read_is_still_taken_up_again(ann) -> None:
    await ann.say(TOKYO, then_wait_s=9)
    make_unreadable(ann)
    await ann.say(ROME, then_wait_s=9)
    await ann.say("Find flights from Madrid to Lima on 20 December", then_wait_s=9)
    await ann.say("go back to the Rome flights", then_wait_s=9)
    assert "from Paris to Rome" in await ann.reply()


async def test_an_answer_to_a_question_about_it_is_refused_with_a_sentence(ann) -> None:
    await ann.say("Find flights to Tokyo on 10 December", then_wait_s=1)
    make_unreadable(ann)
    [request] = (await ann.parts.store.standing("ann")).inputs
    with pytest.raises(NotOpen, match=SAY_IT_AGAIN):
        await ann.parts.runner.answer("ann", request.request_id, answer={"origin": "Berlin"})
    await ann.say(ROME, then_wait_s=9)
    assert "from Paris to Rome" in await ann.reply()


async def test_a_message_that_was_lost_is_read_again(ann) -> None:
    await ann.say(TOKYO, then_wait_s=1)
    ann.disk.lose_process()
    await ann.parts.die()
    make_unreadable(ann)
    again = Ann()
    again.disk = ann.disk
    again.parts = type(ann.parts)(workflow=again.workflow, store=ann.disk, new_id=ann.parts.new_id)
    await again.parts.open()
    assert "from Berlin to Tokyo" in await again.reply()
    assert DROPPED not in [text for _, text in await again.parts.history()]
    await again.parts.close()
