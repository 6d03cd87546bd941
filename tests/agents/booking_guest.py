"""A guest of the travel assistant with the demo inventory: says something, and reads what comes back."""

import contextlib
from datetime import UTC, datetime, timedelta

import httpx2

from backend.main import Detour
from tests.api.live import ENDED, LocalClient, base_url, refusal, settings
from tests.fakes.waiting import until

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
A_WEEK_S = 7 * 24 * 3600.0

FLIGHTS = "flights from London to New York on 4 December"
HOTELS = "hotels in Tokyo from 4 to 9 December"
BOTH = f"{FLIGHTS} to 9 December and a hotel there"
NO_BOOKINGS = "You have no bookings."


def total(offer):
    assert offer["price_total"]["currency"] == "EUR"
    return f"€{float(offer['price_total']['amount']):,.2f}"


class Guests(LocalClient):
    """All guests of one assistant; `now` is what its clock says."""

    now = NOON
    known = frozenset()

    async def forget_all(self):
        """Forget everybody who has said something, and set the clock back."""
        for user_id in self.known:
            gone = await self.call("DELETE", f"/users/{user_id}")
            assert gone.status_code == 204, gone.text
        self.known, self.now = frozenset(), NOON

    async def chat(self, user_id, message, **fields):
        """Send a message."""
        self.known |= {user_id}
        return await super().chat(user_id, message, **fields)

    async def say(self, user_id, message):
        """Say something and return the reply, or what is asked for."""
        said = await self._said(user_id)
        await self.chat(user_id, message)
        return await self._reply(user_id, behind=len(said) + 1)

    async def decide(self, user_id, decision, **fields):
        """Decide what is asked to be allowed, and return what comes then."""
        said = await self._said(user_id)
        body = {"request_id": (await self.asked(user_id))["request_id"], "decision": decision, **fields}
        response = await self.call("POST", f"/answer/{user_id}", json=body)
        assert response.status_code == 202, response.text
        return await self._reply(user_id, behind=len(said))

    async def _reply(self, user_id, *, behind):
        async def look():
            status = await self.status(user_id)
            said = await self._said(user_id) if status["status"] in ENDED or status["input_request"] else []
            return said[-1] if len(said) > behind and said[-1]["role"] == "assistant" else None

        return (await until(look))["text"]

    async def _said(self, user_id):
        response = await self.call("GET", f"/history/{user_id}")
        return response.json()["messages"] if response.status_code == 200 else []

    async def asked(self, user_id):
        """The permission that a guest is asked for."""
        request = (await self.status(user_id))["input_request"]
        assert request["kind"] == "permission"
        return request

    async def found(self, user_id, agent):
        """What was found, the cheapest first, as it is shown."""
        items = (await self.partial_results(user_id))["partial_results"][agent]
        return sorted(items, key=lambda item: float(item["price_total"]["amount"]))

    async def book(self, user_id, message):
        """Have something booked or held, allow it, and return its reference."""
        await self.say(user_id, message)
        said = await self.decide(user_id, "allow")
        assert "DEMO-" in said, said
        return said.partition("DEMO-")[1] + said.partition("DEMO-")[2][:6]

    async def calls(self, user_id, task_id):
        """The tool and the outcome of each call of a task that has ended, as its receipt tells."""
        response = await self.call("GET", f"/receipts/{user_id}/{task_id}")
        assert response.status_code == 200, response.text
        return [(call["tool"], call["outcome"]) for call in response.json()["tool_calls"]]

    async def refused(self, user_id, body, status, code):
        response = await self.call("POST", f"/answer/{user_id}", json=body)
        return refusal(response, status, code)

    def later(self, **duration):
        self.now += timedelta(**duration)


@contextlib.asynccontextmanager
async def a_house(folder, **changes):
    """Yield an assistant, called over ASGI, that believes what its guests' clock says."""
    lasting = {"permission_timeout_s": A_WEEK_S, "input_timeout_s": A_WEEK_S, "messages_per_minute": 1000}
    guests = Guests.__new__(Guests)
    detour = Detour(settings(folder, graph="", **lasting, **changes), clock=lambda: guests.now)
    transport = httpx2.ASGITransport(app=detour.app)
    async with detour.life(), httpx2.AsyncClient(transport=transport, base_url=base_url(8000)) as http:
        Guests.__init__(guests, http, detour)
        yield guests
