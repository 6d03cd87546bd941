"""A network that is cut just before an answer of the database arrives."""

from collections.abc import Callable
from typing import Any

import pytest

from backend.store.postgres.database import Lane


def losing_answers(monkeypatch: pytest.MonkeyPatch, statement: str, *, times: int) -> Callable[[], int]:
    """Lose the first answers to statements that contain this; return how many are still to be lost."""
    do, left = Lane._do, [times]

    class Losing:
        def __init__(self, connection: Any) -> None:
            self._connection = connection

        def __getattr__(self, name: str) -> Any:
            return getattr(self._connection, name)

        async def execute(self, query: str, *values: Any) -> Any:
            done = await self._connection.execute(query, *values)
            if statement in query and left[0]:
                left[0] -= 1
                raise ConnectionResetError("the network was cut")
            return done

    async def lossy(lane: Lane, job: Any) -> Any:
        return await do(lane, lambda connection: job(Losing(connection)))

    monkeypatch.setattr(Lane, "_do", lossy)
    return lambda: left[0]
