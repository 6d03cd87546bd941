"""Runs of a server of which the examples in the OpenAPI document are taken, word for word.

`python -m scripts.record_examples` writes them; `test_examples` runs them again and compares.
"""

import asyncio
import re
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx2

from backend.domain.encoding import Clock
from backend.main import Detour
from tests.agents.booking_guest import FLIGHTS, a_house
from tests.api.live import BOUND_S, LocalClient, base_url, settings

Examples = dict[str, Any]

FIRST = {"user_id": "ada", "message": "Lisbon", "client_id": "3f1c9d52", "policy": "interrupt", "priority": 5}
SECOND = {"user_id": "ada", "message": "Porto"}


async def recorded(folder: Path, *, clock: Clock) -> Examples:
    """Return an example of everything that any graph's server is sent, and answers."""
    detour = Detour(settings(folder, graph="examples.rooms:graph", protocols=()), clock=clock)
    transport = httpx2.ASGITransport(app=detour.app)
    async with detour.life(), httpx2.AsyncClient(transport=transport, base_url=base_url(8000)) as http:
        api = LocalClient(http, detour)
        told: Examples = {"USER_ID": FIRST["user_id"], "ChatRequest": FIRST}
        told["ChatAnswer"] = await call(api, "POST", "/chat", FIRST)
        told["TASK_ID"] = first = told["ChatAnswer"]["task_id"]
        await until(detour, '"type":"partial_result"')
        await call(api, "POST", "/chat", SECOND)
        await until(detour, '"type":"input_request"')
        told["StatusAnswer"] = asked = await api.status("ada")
        told["PartialResultsAnswer"] = await call(api, "GET", "/partial-results/ada")
        told["HistoryAnswer"] = await call(api, "GET", "/history/ada")
        told["StateView"] = await call(api, "GET", "/threads/ada/state")
        told["StateHistoryAnswer"] = await call(api, "GET", "/threads/ada/history?limit=2")
        told["ReceiptAnswer"] = await call(api, "GET", f"/receipts/ada/{first}")
        request_id = asked["input_request"]["request_id"]
        told["AnswerRequest"] = {"request_id": request_id, "decision": "allow", "note": "Near the river."}
        told["AnsweredAnswer"] = await call(api, "POST", "/answer/ada", told["AnswerRequest"])
        await until(detour, '"tool":"book_room"')
        told["CallsAnswer"] = await call(api, "GET", f"/calls/ada/{asked['task_id']}")
        told["StoppingAnswer"] = await call(api, "POST", "/stop/ada", {})
        third = await call(api, "POST", "/chat", {"user_id": "ada", "message": "Faro"})
        await until(detour, '"type":"partial_result"')
        told["StopRequest"] = {"task_id": third["task_id"], "agent": "agent"}
        told["StoppedAgentAnswer"] = await call(api, "POST", "/stop/ada", told["StopRequest"])
        told["HealthAnswer"] = await call(api, "GET", "/health")
        told["ReadyAnswer"] = await call(api, "GET", "/ready")
        told["EVENTS_ANSWER"] = await first_event(detour, of="agent_update")
        told["METRICS_ANSWER"] = about_ended((await api.call("GET", "/metrics")).text)
        return told


async def operating_recorded(folder: Path, *, clock: Clock) -> Examples:
    """Return an example of everything that the operator's view of any graph's server answers."""
    detour = Detour(settings(folder, graph="examples.rooms:graph", protocols=()), clock=clock)
    transport = httpx2.ASGITransport(app=detour.app)
    async with detour.life(), httpx2.AsyncClient(transport=transport, base_url=base_url(8000)) as http:
        api = LocalClient(http, detour)
        task_id = (await call(api, "POST", "/chat", FIRST))["task_id"]
        await until(detour, '"type":"partial_result"')
        told: Examples = {"OperateAnswer": await call(api, "GET", "/operate/tasks")}
        path = f"/operate/tasks/{task_id}"
        told["StoppedTaskAnswer"] = await call(api, "POST", f"{path}/stop?user_id=ada")
        told["TaskTimelineAnswer"] = await call(api, "GET", f"{path}?user_id=ada")
        told["ServingAnswer"] = await call(api, "POST", "/operate/drain")
        return told


async def travel_recorded(folder: Path) -> Examples:
    """Return an example of everything that the travel assistant's own routes answer."""
    async with a_house(folder) as house:
        codes = "BER,HND"
        told: Examples = {"AIRPORT_CODES": codes}
        told["AirportsAnswer"] = await call(house, "GET", f"/airports?codes={codes}")
        told["PLACE_TEXT"] = "lisb"
        told["PlacesAnswer"] = await call(house, "GET", f"/places?text={told['PLACE_TEXT']}")
        land = await call(house, "GET", "/land")
        told["LandAnswer"] = {**land, "rows": land["rows"][:1]}
        query = "origins=BER&destinations=HND&departure_date=2026-12-10&days=1"
        told["FaresAnswer"] = await call(house, "GET", f"/fares?{query}")
        await house.say("ada", FLIGHTS)
        await house.book("ada", "hold the cheapest flight")
        told["BookingsAnswer"] = await call(house, "GET", "/bookings/ada")
        told["KeptRequestsAnswer"] = kept = await call(house, "GET", "/requests/ada")
        path = f"/requests/ada/{kept['requests'][0]['task_id']}"
        offers = await call(house, "GET", path)
        ada = {
            "title": "ms", "given_name": "Ada", "family_name": "Byron", "gender": "f",
            "born_on": "1987-07-24", "email": "ada@example.com", "phone": "+442080160509",
        }  # fmt: skip
        told["TravellersAnswer"] = await call(house, "PUT", "/travellers/ada", {"travellers": [ada]})
        told["KeptOffersAnswer"] = {**offers, "offers": {"flight": offers["offers"]["flight"][:1]}}
        return told


async def until(detour: Detour, words: str) -> None:
    """Wait for the next event with these words; the loop's time passes only while everything waits."""
    position = await detour.store.position("ada")
    assert position is not None
    async with (
        asyncio.timeout(BOUND_S),
        aclosing(detour._log.follow("ada", position.seq, epoch=position.epoch)) as events,
    ):
        async for batch in events:
            if any(words.encode() in event.frame for event in batch):
                return


async def call(api: LocalClient, method: str, path: str, body: Any = None) -> Any:
    """Return the JSON of an answer."""
    response = await api.call(method, path, **({} if body is None else {"json": body}))
    assert response.is_success, response.text
    return response.json()


async def first_event(detour: Detour, *, of: str) -> str:
    """Return the first event of a type, as it is sent to a client that is behind."""
    sent: list[bytes] = []
    wanted = b'"type":"%b"' % of.encode()
    enough = asyncio.Event()

    async def receive() -> dict[str, Any]:
        await enough.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.extend(each for each in message.get("body", b"").split(b"\n\n") if wanted in each)
        if sent:
            enough.set()

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/events/ada",
        "query_string": b"since=0",
        "server": ("127.0.0.1", 8000),
        "headers": [(b"host", b"127.0.0.1:8000")],
    }
    async with asyncio.timeout(BOUND_S):
        await detour.app(scope, receive, send)
    return f"{sent[0].decode()}\n\n"


def about_ended(metrics: str) -> str:
    """Return what the figures say about tasks that were interrupted by a newer message."""
    lines = [line for line in metrics.splitlines() if "detour_tasks_ended_total" in line]
    return "".join(f"{line}\n" for line in lines if line.startswith("#") or 'reason="superseded"' in line)


_VARYING = [
    (re.compile(r"\b[0-9a-hjkmnp-tv-z]{26}\b"), "an id"),
    (re.compile(r"\bDEMO-\w{6}\b"), "a reference"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"), "a time"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "a checkpoint"),
    (re.compile(r"\b[0-9a-f]{8}\b"), "an epoch"),
]


def without_what_varies(value: Any) -> Any:
    """Return an example with every id and time replaced by a word."""
    if isinstance(value, dict):
        return {name: without_what_varies(each) for name, each in value.items()}
    if isinstance(value, list):
        return [without_what_varies(each) for each in value]
    if isinstance(value, str):
        for pattern, word in _VARYING:
            value = pattern.sub(word, value)
    return value
