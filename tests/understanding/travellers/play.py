"""Plays the travellers' conversations against a server of its own, and writes what it answered.

`python -m tests.understanding.travellers.play FOLDER` starts the server with its default settings and its
data in FOLDER, plays each conversation of `conversations.jsonl` as a user of its own over HTTP, and writes
`FOLDER/transcript.jsonl`: one line a turn, with what a judge needs beside what was said and expected. Names
after the folder play only those conversations.
"""

import argparse
import asyncio
import json
from collections import Counter
from contextlib import aclosing
from pathlib import Path
from typing import Literal, NotRequired, TypedDict, cast

import httpx2

from backend.clients.api import TIMEOUT_S, Api, Connection, Frame, Json, Position, Refused, User, follow
from backend.clients.server import ServerProcess

CONVERSATIONS = Path(__file__).with_name("conversations.jsonl")
SIDE_BY_SIDE = 3
"""Conversations played at once: more would slow the searches that a turn is sent into."""
INTO_THE_SEARCH_S = 1.0
POLL_S = 0.25
PATIENCE_S = 60.0
"""How long the end of a turn is waited for; one that takes longer is written down as `unsettled`."""
OFFERS_SHOWN = 8

ENDED = {"completed", "failed", "interrupted"}
BUSY = {"working"}
"""Not `waiting`: an agent may wait for what another one asks for."""


class Turn(TypedDict):
    """What a traveller types, when, and what a demanding one expects of it."""

    say: str
    when: Literal["after", "mid"]
    expects: str


class Conversation(TypedDict):
    """The turns of one traveller, in order."""

    id: str
    turns: list[Turn]


class Played(TypedDict):
    """One turn as it went. `history` has the conversation's messages since the turn before."""

    id: str
    turn: int
    say: str
    when: str
    expects: str
    ack: Json
    settled: bool
    history: list[Json]
    status: Json
    offers: dict[str, list[Json]]
    booked: list[Json]
    receipt: NotRequired[Json]
    events: NotRequired[dict[str, int]]


def read_conversations(path: Path = CONVERSATIONS) -> list[Conversation]:
    """Return the conversations of a file."""
    return [cast("Conversation", json.loads(line)) for line in path.read_text("utf-8").splitlines()]


class Traveller:
    """Plays one conversation as a user of its own."""

    def __init__(self, conversation: Conversation, url: str, http: httpx2.AsyncClient) -> None:
        self._conversation = conversation
        self._user = User(url=url, user_id=conversation["id"])
        self._api = Api(self._user, http)
        self._read = 0

    async def play(self) -> list[Played]:
        """Return all turns as they went. Raises `Unreachable` if the server is gone."""
        turns = self._conversation["turns"]
        played: list[Played] = []
        for number, turn in enumerate(turns, 1):
            ack = await self._say(turn["say"])
            next_is_mid = number < len(turns) and turns[number]["when"] == "mid"
            if next_is_mid:
                await asyncio.sleep(INTO_THE_SEARCH_S)
            settled = not next_is_mid and await self._settles(ack.get("task_id"))
            played.append(await self._what_became(number, turn, ack, settled=settled))
        await self._add_what_is_known_at_the_end(played)
        return played

    async def _say(self, message: str) -> Json:
        try:
            return await self._api.send(message)
        except Refused as refused:
            return {"refused": str(refused), "code": refused.code}

    async def _settles(self, task_id: str | None) -> bool:
        """Wait until all has ended or waits for the user; return False if that takes too long."""
        quiet = 0
        try:
            async with asyncio.timeout(PATIENCE_S):
                while quiet < 2:  # twice: an answer resumes its task an instant after the 202
                    await asyncio.sleep(POLL_S)
                    quiet = quiet + 1 if await self._is_quiet(task_id) else 0
        except TimeoutError:
            return False
        return True

    async def _is_quiet(self, task_id: str | None) -> bool:
        status = await self._api.status()
        if status["status"] == "input_required":
            return not any(agent["state"] in BUSY for agent in status["agents"].values())
        return status["status"] in ENDED and (task_id is None or await self._receipt(task_id) is not None)

    async def _receipt(self, task_id: str) -> Json | None:
        try:
            return await self._api.receipt(task_id)
        except Refused:
            return None  # its task has not ended

    async def _what_became(self, number: int, turn: Turn, ack: Json, *, settled: bool) -> Played:
        status, found, bookings = await asyncio.gather(
            self._api.status(), self._api.partial_results(), self._api.bookings()
        )
        return {
            "id": self._conversation["id"],
            "turn": number,
            "say": turn["say"],
            "when": turn["when"],
            "expects": turn["expects"],
            "ack": ack,
            "settled": settled,
            "history": await self._new_messages(),
            "status": _without_what_is_long(status),
            "offers": _first_offers(found),
            "booked": bookings["bookings"],
        }

    async def _new_messages(self) -> list[Json]:
        messages: list[Json] = (await self._api.history(limit=1000))["messages"]
        new, self._read = messages[self._read :], len(messages)
        return new

    async def _add_what_is_known_at_the_end(self, played: list[Played]) -> None:
        frames = await self._all_events()
        ends = [turn["ack"].get("seq", 0) for turn in played[1:]]
        for turn, end in zip(played, [*ends, float("inf")], strict=True):
            if task_id := turn["ack"].get("task_id"):
                turn["receipt"] = await self._receipt(task_id) or {}
            begin = turn["ack"].get("seq", 0)
            turn["events"] = dict(Counter(f["type"] for f in frames if begin < f.get("seq", 0) <= end))

    async def _all_events(self) -> list[Frame]:
        frames: list[Frame] = []
        last = 0
        async with aclosing(follow(self._user, Position(0))) as arriving:
            async for frame in arriving:
                if isinstance(frame, Connection):
                    continue
                if frame["type"] == "hello":
                    last = frame["seq"]
                    continue
                frames.append(frame)
                if frame.get("seq", 0) >= last:
                    break
        return frames


def _without_what_is_long(status: Json) -> Json:
    agents = {
        name: {key: agent.get(key) for key in ("state", "detail", "count", "request")}
        for name, agent in status["agents"].items()
    }
    asked = [
        {key: asks.get(key) for key in ("kind", "agent", "prompt", "facts")}
        for asks in status["input_requests"]
    ]
    return {"status": status["status"], "task_id": status["task_id"], "agents": agents, "asked": asked}


def _first_offers(found: Json) -> dict[str, list[Json]]:
    return {agent: items[:OFFERS_SHOWN] for agent, items in found["partial_results"].items()}


async def play(folder: Path, names: list[str]) -> list[Played]:
    """Play the conversations with these names, or all, on a server whose data is in `folder`."""
    chosen = [each for each in read_conversations() if not names or each["id"] in names]
    at_once = asyncio.Semaphore(SIDE_BY_SIDE)
    async with (
        ServerProcess(folder, log=folder / "server.log") as server,
        httpx2.AsyncClient(timeout=TIMEOUT_S, trust_env=False) as http,
    ):

        async def one(conversation: Conversation) -> list[Played]:
            async with at_once:
                print(conversation["id"])
                return await Traveller(conversation, server.url, http).play()

        conversations = await asyncio.gather(*map(one, chosen))
    return [turn for turns in conversations for turn in turns]


def main() -> None:
    """Play what the command line names."""
    parser = argparse.ArgumentParser(description="Play the travellers' conversations.")
    parser.add_argument("folder", type=Path, help="where the server's data and the transcript are written")
    parser.add_argument("names", nargs="*", help="conversations to play; all unless named")
    arguments = parser.parse_args()
    folder: Path = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    played = asyncio.run(play(folder, arguments.names))
    lines = [json.dumps(turn, ensure_ascii=False) for turn in played]
    (folder / "transcript.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    print(f"{len(played)} turns played")


if __name__ == "__main__":
    main()
