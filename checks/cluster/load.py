"""Users who write and who follow, through whichever replica is there."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import httpx
import orjson

GIVE_UP_AFTER_S = 60.0

PASSING = (429, 502, 503, 504)
"""What is tried again: a replica refuses, or the balancer has lost it."""

ASK_EVERY = 3
"""Messages of a user of which one makes the graph ask."""


@dataclass
class User:
    """One user: what was accepted, in order, which of that were answers, and what a follower has seen."""

    name: str
    accepted: list[str] = field(default_factory=list)
    answers: set[str] = field(default_factory=set[str])
    slowest_s: float = 0.0
    refused: Counter[str] = field(default_factory=Counter[str])
    seen: list[int] = field(default_factory=list)
    resets: int = 0
    holes: list[tuple[int, int]] = field(default_factory=list)


def why(answer: httpx.Response) -> str:
    """Return why a call was refused: its code, or the status of an answer that is not a server's."""
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return str(answer.json()["error"]["code"])
    return str(answer.status_code)


Pick = Callable[[User], str]
"""Chooses the address for a user's next call."""


async def write(client: httpx.AsyncClient, user: User, text: str, pick: Pick) -> None:
    """Post a message until it is accepted; the same one, by its client id."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    body = {"user_id": user.name, "message": text, "client_id": text}
    while True:
        try:
            answer = await client.post(f"{pick(user)}/chat", json=body)
            if answer.status_code == 202:
                break
            user.refused[why(answer)] += 1
            if answer.status_code not in PASSING:
                raise RuntimeError(f"{answer.status_code}: {answer.text}")
        except httpx.TransportError as error:
            user.refused[type(error).__name__] += 1
        if loop.time() - begun > GIVE_UP_AFTER_S:
            raise RuntimeError(f"{text} was never accepted")
        await asyncio.sleep(0.05)
    user.accepted.append(text)
    user.slowest_s = max(user.slowest_s, loop.time() - begun)


async def answer(client: httpx.AsyncClient, user: User, text: str, pick: Pick) -> None:
    """Answer the question of the user's latest task, until the answer is accepted."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    # A call whose outcome was not told may have been accepted: only then is "not open" no fault.
    request_id, unsure, told_last = "", False, ""
    while loop.time() - begun < GIVE_UP_AFTER_S:
        await asyncio.sleep(0.05)
        try:
            if not request_id:
                status = await client.get(f"{pick(user)}/status/{user.name}")
                told_last = status.text
                if status.status_code in PASSING:
                    user.refused[why(status)] += 1
                    continue
                asked = status.json().get("input_requests")
                request_id = asked[0]["request_id"] if asked else ""
                continue
            body = {"request_id": request_id, "answer": text}
            told = await client.post(f"{pick(user)}/answer/{user.name}", json=body)
        except httpx.TransportError as error:
            unsure = bool(request_id)
            user.refused[type(error).__name__] += 1
            continue
        if told.status_code == 202 or (told.status_code == 409 and unsure):
            user.accepted.append(text)
            user.answers.add(text)
            return
        told_last = told.text
        if told.status_code not in PASSING:
            raise RuntimeError(f"{told.status_code}: {told.text}")
        unsure = True
        user.refused[why(told)] += 1
    said = await client.get(f"{pick(user)}/history/{user.name}", params={"limit": 3})
    raise RuntimeError(f"{text} was never accepted: {told_last} {said.text}")


async def follow(client: httpx.AsyncClient, user: User, pick: Pick) -> None:
    """Follow a user's events for ever, from where the last connection ended; note every hole."""
    position: tuple[str, int] | None = None
    while True:
        query = {} if position is None else {"epoch": position[0], "since": position[1]}
        try:
            async with client.stream("GET", f"{pick(user)}/events/{user.name}", params=query) as stream:
                async for line in stream.aiter_lines():
                    if line.startswith("data:"):
                        position = _take(user, orjson.loads(line[5:]), position)
        except httpx.TransportError:
            pass
        await asyncio.sleep(0.1)


def _take(user: User, frame: dict[str, object], position: tuple[str, int] | None) -> tuple[str, int] | None:
    match frame["type"]:
        case "hello":
            epoch = str(frame["epoch"])
            if position is not None and position[0] != epoch:
                user.resets += 1
                return epoch, 0
            return position or (epoch, 0)
        case "snapshot":
            return (position[0] if position else str(frame.get("epoch", ""))), int(str(frame["seq"]))
        case _ if "seq" in frame and position is not None:
            seq = int(str(frame["seq"]))
            # The first one may come in the middle: who begins is sent no past.
            if user.seen and seq != position[1] + 1:
                user.holes.append((position[1], seq))
            user.seen.append(seq)
            return position[0], seq
        case _:
            return position


async def storm(
    client: httpx.AsyncClient,
    users: Sequence[User],
    pick: Pick,
    *,
    per_second: float,
    seconds: float,
    label: str,
) -> None:
    """Have users write at random, each one message at a time, for so long."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    pause = len(users) / per_second

    async def one(user: User) -> None:
        number = 0
        await asyncio.sleep(random.random() * pause)
        while loop.time() < until:
            text = f"{label} {number} of {user.name}"
            if number % ASK_EVERY == 1:
                await write(client, user, f"ask {text}", pick)
                await answer(client, user, f"answer {text}", pick)
            else:
                await write(client, user, text, pick)
            number += 1
            await asyncio.sleep(random.uniform(0.5, 1.5) * pause)

    async with asyncio.TaskGroup() as group:
        for user in users:
            group.create_task(one(user))
