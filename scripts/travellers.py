"""Play a set of travellers' conversations, and hold what became of each turn against the record.

`make travellers DATA=directory` plays `conversations.jsonl` of that directory on a server in this process,
each conversation as a user of its own, with the clock at noon of its `today`. Of each turn the record
(`tests/understanding/travellers/record.jsonl`) has what was searched for, asked, booked and told, by the
turn's id and a hash of its message: no messages. The command prints each turn that differs, and fails if
there is one; `ARGS=--record` writes the record anew, and a change of it is reviewed by reading. With
`MODEL=openai:name` a model reads and writes, and nothing is held against the record. Both print how many
turns searched for what was expected.
"""

import argparse
import asyncio
import contextlib
import hashlib
import itertools
import json
import re
import sys
import tempfile
from collections.abc import AsyncGenerator, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import httpx2

from backend.http.settings import TravelSettings
from backend.main import Detour

RECORD = Path(__file__).parents[1] / "tests/understanding/travellers/record.jsonl"
PACE_S = 0.06
"""Between the batches of a source; a tenth of the default. Messages in mid-search follow the first offers."""
AT_ONCE = 4
POLL_S = 0.05
QUIET_POLLS = 40
PATIENCE_S = 60.0
WITH_MODEL_S = 180.0
PLACES = {"origin", "destination", "city"}
ENDED = {"completed", "failed", "interrupted"}
_COUNTED_BEFORE = re.compile(r"\b[Kk]ept\b|cut short|found so far|from \d+ of \d+ sources")
"""In a sentence about what a search had found at a moment."""
_REFERENCE = re.compile(r"\bDEMO-\w+|\b[Tt]he \d+ (?:flights?|hotels?|rental cars?)\b")
"""Told anew each time, or by how far a search had come."""
_FACT = re.compile(r"\d[\d.,:]*\d|\d|(?<=[^.?!:] )[A-Z][\w'\u2019-]+")

Turn = Mapping[str, Any]


class Traveller:
    """Plays one conversation."""

    def __init__(self, turns: list[Turn], http: httpx2.AsyncClient, *, patience_s: float) -> None:
        self._turns, self._http, self._patience_s = turns, http, patience_s
        self._user = turns[0]["conversation"]
        self._seen = set[str]()

    async def play(self) -> list[dict[str, Any]]:
        """Return what became of each turn. Raises `TimeoutError` if one does not come to rest."""
        played: list[dict[str, Any]] = []
        for turn, behind in zip(self._turns, [*self._turns[1:], None], strict=True):
            body = {"user_id": self._user, "message": turn["message"]}
            ack = (await self._http.post("/chat", json=body)).json()
            is_mid = behind is not None and behind["when"] != "done"
            await self._rests(or_is_searching=is_mid)
            new = await self._new_replies()
            self._seen |= {one["message_id"] for one in new}
            played.append(await self._became(turn, ack, [one["text"] for one in new], is_at_rest=not is_mid))
        return played

    async def _get(self, path: str, **query: Any) -> dict[str, Any]:
        return (await self._http.get(f"/{path}/{self._user}", params=query)).json()

    async def _new_replies(self) -> list[dict[str, Any]]:
        messages = (await self._get("history", limit=1000))["messages"]
        return [one for one in messages if one["role"] == "assistant" and one["message_id"] not in self._seen]

    async def _rests(self, *, or_is_searching: bool) -> None:
        """Wait until all has ended or waits for the user, and is told; or until offers arrive."""
        quiet = 0
        async with asyncio.timeout(self._patience_s):
            while True:
                await asyncio.sleep(POLL_S)
                status = await self._get("status")
                working = [agent for agent in status["agents"].values() if agent["state"] == "working"]
                if or_is_searching and any(agent["count"] and agent.get("request") for agent in working):
                    return
                is_told = bool(await self._new_replies())
                waits = status["status"] == "input_required" and not working
                quiet = quiet + 1 if waits or status["status"] in ENDED else 0
                # An answer resumes its task an instant after it was accepted; a form may be all that is told.
                if quiet > (1 if is_told else QUIET_POLLS):
                    return

    async def _became(
        self, turn: Turn, ack: dict[str, Any], replies: list[str], *, is_at_rest: bool
    ) -> dict[str, Any]:
        status, bookings = await self._get("status"), await self._get("bookings")
        words = set(re.findall(r"\w+", turn["message"].lower()))
        facts = {
            fact
            for reply in replies
            if "So far, with" not in reply
            for sentence in re.split(r"(?<=[.!?]) ", reply)
            if not _COUNTED_BEFORE.search(sentence)
            for fact in _FACT.findall(_REFERENCE.sub("", sentence))
            if fact.lower() not in words
        }
        read = {
            "relation": ack.get("relation") or ack.get("status"),
            "searched": {name: _told(agent.get("request")) for name, agent in status["agents"].items()},
            "asked": [f"{asks['kind']} {asks['agent']}" for asks in status["input_requests"]],
            "booked": [one["kind"] for one in bookings["bookings"]],
        }
        became = {"id": turn["id"], "message": _hash(turn["message"]), "read": read}
        return became | {"told": sorted(facts) if is_at_rest else None, "replies": replies}


def _hash(message: str) -> str:
    return hashlib.sha256(message.encode()).hexdigest()[:12]


def _told(request: dict[str, Any] | None) -> dict[str, Any] | None:
    """A request without what it does not say, and places by their labels."""
    if request is None:
        return None
    told = {
        name: value["label"] if name in PLACES and value else value
        for name, value in request.items()
        if name != "words"
    }
    return {name: value for name, value in told.items() if value not in (None, [], "", {})}


class _Clock:
    """Noon of a day, and on from there."""

    def __init__(self, today: str) -> None:
        self._noon, self._begun = datetime.fromisoformat(f"{today}T12:00").replace(tzinfo=UTC), monotonic()

    def __call__(self) -> datetime:
        return self._noon + timedelta(seconds=monotonic() - self._begun)


@contextlib.asynccontextmanager
async def _server(folder: Path, today: str, model: str) -> AsyncGenerator[httpx2.AsyncClient]:
    changes: dict[str, Any] = {
        "store": "memory",
        "data_dir": folder / today,
        "demo_pace": PACE_S,
        "graph": "",
    }
    changes |= {"address_requests_per_minute": 0, "model": model}
    detour = Detour(TravelSettings(**changes), clock=_Clock(today))
    transport = httpx2.ASGITransport(app=detour.app)
    base_url = f"http://127.0.0.1:{detour.settings.port}"
    async with detour.life(), httpx2.AsyncClient(transport=transport, base_url=base_url, timeout=60) as http:
        yield http


async def play(turns: Iterable[Turn], *, model: str) -> list[dict[str, Any]]:
    """Return what became of each turn, in order. Raises `TimeoutError` if one does not come to rest."""
    patience_s = WITH_MODEL_S if model else PATIENCE_S
    at_once = asyncio.Semaphore(1 if model else AT_ONCE)

    async def one(conversation: list[Turn], http: httpx2.AsyncClient) -> list[dict[str, Any]]:
        async with at_once:
            return await Traveller(conversation, http, patience_s=patience_s).play()

    played: list[dict[str, Any]] = []
    by_day = sorted(turns, key=lambda turn: (turn["today"], turn["id"]))
    with tempfile.TemporaryDirectory() as folder:
        for today, of_day in itertools.groupby(by_day, key=lambda turn: turn["today"]):
            conversations = [
                list(some) for _, some in itertools.groupby(of_day, key=lambda turn: turn["conversation"])
            ]
            async with _server(Path(folder), today, model) as http:
                for some in await asyncio.gather(*(one(each, http) for each in conversations)):
                    played += some
    return sorted(played, key=lambda one: one["id"])


def differences(
    played: list[dict[str, Any]],
    record: list[dict[str, Any]],
    turns: Mapping[str, Turn],
    *,
    readings_only: bool,
) -> list[str]:
    """Return a paragraph for each turn that is not as recorded."""
    was = {one["id"]: one for one in record}
    differ: list[str] = []
    for one in played:
        before = was.get(one["id"], {})
        names = ("message", "read") if readings_only else ("message", "read", "told")
        lines = [
            f"    {name} was {json.dumps(before.get(name), ensure_ascii=False)}\n"
            f"    {name} now {json.dumps(one[name], ensure_ascii=False)}"
            for name in names
            if before.get(name) != one[name]
        ]
        if lines:
            turn = turns[one["id"]]
            replies = " | ".join(one["replies"])
            head = f"{one['id']} ({turn['satisfied']}): {turn['message']}\n    reply: {replies}"
            differ.append("\n".join([head, *lines]))
    return differ


def searched_as_expected(played: list[dict[str, Any]], turns: Mapping[str, Turn]) -> tuple[int, int]:
    """Return of how many turns with labelled slots all were searched by, and how many have labels."""
    labelled = [one for one in played if turns[one["id"]]["slots"]]
    return sum(_has_all(one["read"]["searched"], turns[one["id"]]["slots"]) for one in labelled), len(
        labelled
    )


_SEARCHED_AS = {"max_price": ("max_price", "max_price_per_night"), "nights": ()}


def _has_all(searched: Mapping[str, Any], slots: Mapping[str, Any]) -> bool:
    return all(
        _is_searched(searched.get(agent) or {}, name, one["value"])
        for agent, expected in slots.items()
        for name, one in expected.items()
        if name != "nights"
    )


def _is_searched(request: Mapping[str, Any], name: str, value: Any) -> bool:
    searched = [request[one] for one in _SEARCHED_AS.get(name, (name,)) if one in request]
    return any(_alike(one, value) for one in searched)


def _alike(searched: Any, value: Any) -> bool:
    match searched, value:
        case {"amount": str(amount)}, _:
            return float(amount) == value
        case str(), str():
            return value.lower() in searched.lower()
        case _:
            return searched == value


def main() -> int:
    """Play what the command line names; return the code to exit with."""
    parser = argparse.ArgumentParser(prog="python -m scripts.travellers", description=__doc__)
    parser.add_argument("data", type=Path, help="the directory with conversations.jsonl")
    parser.add_argument("--model", default="", help="have a model read and write: openai:name")
    parser.add_argument("--record", action="store_true", help="write the record anew")
    parser.add_argument("--readings", action="store_true", help="compare what was read, not what was told")
    parser.add_argument("--only", default="", help="conversations whose id begins so")
    parser.add_argument("--transcript", type=Path, help="write all turns with messages and replies there")
    arguments = parser.parse_args()
    lines = (arguments.data / "conversations.jsonl").read_text("utf-8").splitlines()
    turns = {turn["id"]: turn for turn in map(json.loads, lines) if turn["id"].startswith(arguments.only)}
    played = asyncio.run(play(turns.values(), model=arguments.model))
    if arguments.transcript:
        told = ({**turns[one["id"]], **one, "message": turns[one["id"]]["message"]} for one in played)
        arguments.transcript.write_text(
            "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in told), "utf-8"
        )
    right, labelled = searched_as_expected(played, turns)
    print(f"{len(played)} turns played; {right} of {labelled} with labelled slots searched by all of them")
    if arguments.model:
        return 0
    if arguments.record:
        kept = [{name: value for name, value in one.items() if name != "replies"} for one in played]
        RECORD.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in kept), "utf-8")
        return 0
    record = [json.loads(line) for line in RECORD.read_text("utf-8").splitlines()]
    differ = differences(played, record, turns, readings_only=arguments.readings)
    for one in differ:
        print(f"\n{one}")
    print(f"{len(differ)} turns are not as recorded")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
