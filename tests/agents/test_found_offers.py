"""Which of a conversation's requests are read for what the current one has found."""

from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any

import orjson

from backend.domain.encoding import encode
from backend.domain.partials import ShownResults
from backend.travel.agents.found.found_offers import read_found
from backend.travel.spoken_of import NOTHING
from backend.travel.stored_requests import UnderstoodRequest
from tests.agents.test_found_questions import FOUND_FLIGHTS, FOUND_HOTELS
from tests.understanding.conversation import told

FLIGHTS, HOTELS = orjson.loads(encode(FOUND_FLIGHTS)), orjson.loads(encode(FOUND_HOTELS))
BOTH = told("Flights and hotels from Berlin to Tokyo from 10 to 14 December")
ROME = told("Hotels in Rome from 10 to 14 December")


class Requests:
    """The requests of a conversation, the current one first, and how many of them have been read."""

    def __init__(self, *found: tuple[Any, dict[str, Any]]) -> None:
        self._found = found
        self.read = 0

    async def shown(self) -> AsyncGenerator[ShownResults]:
        """Read them one after the other."""
        for understanding, results in self._found:
            self.read += 1
            request = UnderstoodRequest(understanding)
            yield ShownResults(task_id=str(self.read), request=request, results=results, agents={})


async def kinds_found(requests: Requests) -> list[str]:
    run: Any = SimpleNamespace(context=requests, understanding=BOTH, spoken_of=NOTHING)
    return list((await read_found(run)).kinds)


async def test_only_the_current_request_is_read_where_it_has_found_all_that_is_wanted() -> None:
    requests = Requests((BOTH, {"flight": FLIGHTS, "hotel": HOTELS}), (BOTH, {"flight": FLIGHTS}))
    assert (await kinds_found(requests), requests.read) == (["flight", "hotel"], 1)


async def test_what_the_current_request_lacks_is_that_of_the_last_which_has_found_it() -> None:
    others: list[tuple[Any, dict[str, Any]]] = [(BOTH, {"flight": FLIGHTS})] * 9
    requests = Requests((BOTH, {}), *others, (BOTH, {"hotel": HOTELS}), (BOTH, {"hotel": HOTELS}))
    assert (await kinds_found(requests), requests.read) == (["flight", "hotel"], 11)


async def test_hotels_of_another_city_are_not_what_the_current_request_has_found() -> None:
    requests = Requests((BOTH, {"flight": FLIGHTS}), (ROME, {"hotel": HOTELS}))
    assert (await kinds_found(requests), requests.read) == (["flight"], 2)
