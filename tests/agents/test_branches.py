"""A message that is edited and sent again: the conversation goes back to where it was before."""

import pytest

from backend.domain.errors import BadInput, NotFound
from tests.agents.ann import BOTH, TOKYO
from tests.agents.test_undoing import understood
from tests.understanding.conversation import flight, hotel

pytestmark = pytest.mark.virtual_time


async def test_message_after_an_earlier_task_is_read_by_the_request_of_that(ann):
    first = await ann.say(BOTH)
    await ann.say("make it Osaka")
    await ann.say("only direct ones")
    edited = await ann.say("make it 12 December", given={"checkpoint_id": first})
    now = await understood(ann, edited)
    assert flight(now)["destination"].startswith("Tokyo")
    assert str(flight(now)["departure_date"]) == "2026-12-12"
    assert "max_stops" not in flight(now)
    assert hotel(now)["city"].startswith("Tokyo")


async def test_branch_begins_with_what_was_found_before_it(ann):
    first = await ann.say(TOKYO)
    await ann.say("make it 12 December")
    before = ann.searches
    await ann.say("only direct ones", given={"checkpoint_id": first})
    assert ann.searches == before, "what was found then is filtered, and not searched for again"
    assert (await ann.reply()).startswith("I found 4 flights, nonstop")


async def test_message_at_the_start_knows_nothing_of_before(ann):
    await ann.say("Flights from Berlin to Tokyo on 10 December for 3 people")
    edited = await ann.say("Flights from Paris to Rome on 12 December", given={"checkpoint_id": "start"})
    now = await understood(ann, edited)
    assert now.relation == "new"
    assert "passengers" not in flight(now)


async def test_task_that_is_not_remembered_is_refused_and_changes_nothing(ann):
    await ann.say(TOKYO)
    with pytest.raises(NotFound, match="too long ago"):
        await ann.say("make it Osaka", given={"checkpoint_id": "nothing"})
    with pytest.raises(BadInput, match=r"^input: the travel assistant takes nothing but the message"):
        await ann.say("make it Osaka", given={"checkpoint_id": "start", "input": {"a": 1}})
    assert [text for role, text in await ann.parts.history() if role == "user"] == [TOKYO]
