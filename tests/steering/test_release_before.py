"""A release that knows no steering runs what is stored of a steered message as one that was enqueued."""

import orjson
import pytest

from backend.domain.task import TaskStatus
from backend.store.codec import message_from_json, task_from_json, to_json
from tests.contract.serving import hosting
from tests.contract.steering import CARD, asked, chat_of, loop_of, seconds, steer
from tests.graphs.scripted_chat import calling
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started
from tests.records import ANN
from tests.stored import rewrite_tasks

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("STEERED-ONCE")]

NEW_FIELDS = {"steer", "taken_in_by", "revision", "took_in"}


def without_new_fields(stored: bytes) -> bytes:
    """Return a stored record as a release reads it that passes over what it does not know."""
    return orjson.dumps({name: each for name, each in orjson.loads(stored).items() if name not in NEW_FIELDS})


async def test_pending_message_is_queued_by_the_release_before():
    store = DiskStore()
    chat = chat_of(calling("look"), "Booked.", *["With the card."] * 3)
    first = Parts(store, workflow=hosting(loop_of(chat)))
    await first.open()
    await first.post("book it")
    await seconds(0.5)
    message_id = (await steer(first)).message_id
    store.lose_process()
    await first.die()
    rewrite_tasks(store.kept, lambda task: task_from_json(without_new_fields(to_json(task))))
    said = await store.kept.get_messages("ann", limit=100)
    await store.kept.commit(ANN, *(message_from_json(without_new_fields(to_json(each))) for each in said))
    own = message_id.rpartition(".")[0]
    waiting = await store.kept.get_task_metadata("ann", own)
    assert (waiting.status, waiting.policy, waiting.aside) == (TaskStatus.QUEUED, "enqueue", False)
    standing = await store.kept.standing("ann")
    assert (standing.queued, standing.pending) == ((own,), ())
    ids = iter(f"u{number}" for number in range(99)).__next__
    async with started(Parts(store, workflow=hosting(loop_of(chat)), new_id=ids)) as second:
        await second.quiet()
        assert (await second.task(own)).status == "completed"
        assert [text for kind, text in asked(chat)[-1] if kind == "human"] == ["book it", CARD]
        assert [text for role, text in await second.history() if role == "user"] == ["book it", CARD]
