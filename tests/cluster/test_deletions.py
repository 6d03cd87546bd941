"""A deletion whose answer does not arrive: it is repeated, and what nobody knows is read again."""

import pytest

from backend.domain.errors import StoreUnavailable
from tests.cluster.conftest import ended
from tests.cluster.losing import losing_answers

pytestmark = [pytest.mark.postgres, pytest.mark.requirement("DELETE-FORGETS")]

DELETION = "detour.delete_user("


async def said(parts):
    return [text for role, text in await parts.history() if role == "user"]


async def test_deletion_without_an_answer_is_repeated_once(new_replica, monkeypatch):
    here = await new_replica("here")
    await ended(here, "ann", await here.post("find"))
    left = losing_answers(monkeypatch, DELETION, times=1)
    await here.runner.delete_user("ann")
    assert left() == 0
    assert await here.store.position("ann") is None


async def test_user_begins_anew_after_a_doubtful_deletion(new_replica, monkeypatch):
    here = await new_replica("here")
    await ended(here, "ann", await here.post("find"))
    epoch = await here.runner.epoch("ann")
    losing_answers(monkeypatch, DELETION, times=2)
    with pytest.raises(StoreUnavailable):
        await here.runner.delete_user("ann")
    accepted = await here.runner.handle_user_message("ann", "say")
    assert (await ended(here, "ann", accepted.task_id)).turn == 1
    position = await here.store.position("ann")
    assert position is not None
    assert position.epoch == accepted.epoch != epoch
    assert await said(here) == ["say"]


async def test_queue_of_a_doubtful_deletion_is_not_run(new_replica, monkeypatch):
    here = await new_replica("here")
    await here.post("find gate")
    queued = await here.post("find", policy="enqueue")
    losing_answers(monkeypatch, DELETION, times=2)
    with pytest.raises(StoreUnavailable):
        await here.runner.delete_user("ann")
    await here.quiet()
    assert await here.store.get_task_metadata("ann", queued) is None
    await ended(here, "ann", await here.post("say"))
    assert await said(here) == ["say"]
