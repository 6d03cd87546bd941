"""A user's first message may come between two looks at the store: the socket must miss nothing of it."""

from contextlib import aclosing

import orjson
import pytest

from backend.http.wire.feed import Start, feed
from tests.api.live import running


class WritesInBetween:
    """A store to which a new user's first message comes right after it was asked for a snapshot."""

    def __init__(self, store, write):
        self._store = store
        self._write = write

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def snapshot(self, user_id, *, history):
        found = await self._store.snapshot(user_id, history=history)
        await self._write()
        return found


@pytest.mark.requirement("REPLAY-WITHOUT-HOLES")
async def test_a_first_message_between_snapshot_and_position_is_not_skipped(tmp_path):
    async with running(tmp_path) as api:
        services = api.detour._services

        async def write():
            await services.conversations.handle_user_message("ada", "find 1")

        services.store = WritesInBetween(services.store, write)
        numbers = []
        async with aclosing(feed(services, "ada", Start())) as batches:
            async for batch in batches:
                frames = [orjson.loads(event.frame) for event in batch]
                numbers += [frame["seq"] for frame in frames if frame["type"] not in ("hello", "snapshot")]
                if numbers:
                    break
        assert numbers[0] == 1
