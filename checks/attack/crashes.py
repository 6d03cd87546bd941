"""The crash loop: a server is killed again and again under load, and a model says what must be there.

The model knows nothing of the server: it is what each client was told. Messages were accepted once and in
that order, the numbers that a follower saw have no hole, and a seat that was booked was booked once.
"""

import asyncio
import contextlib
import random
from collections import Counter

import httpx

from checks.attack.graph import BOOKINGS
from checks.attack.target import Report, Target, attacked
from checks.cluster.load import User, follow, write

USERS = 6
BOOKERS = 3


async def crashes(seconds: float) -> Report:
    """Kill the server every second or so, while users write, follow and book."""
    report = Report()
    async with attacked(messages_per_minute=0, address_requests_per_minute=0) as target:
        users = [User(f"user{number}") for number in range(USERS)]
        bookers = [User(f"booker{number}") for number in range(BOOKERS)]
        kills = 0
        over = asyncio.Event()
        async with httpx.AsyncClient(timeout=10, trust_env=False) as client, asyncio.TaskGroup() as group:
            followers = [group.create_task(follow(client, user, lambda _: target.url)) for user in users]
            working = [group.create_task(_write_on(client, user, target, over)) for user in users]
            working += [group.create_task(_book_on(client, user, target, over)) for user in bookers]
            until = asyncio.get_running_loop().time() + seconds
            while asyncio.get_running_loop().time() < until:
                await asyncio.sleep(random.uniform(0.3, 1.5))
                await target.process.kill()
                await target.process.start()
                kills += 1
            over.set()
            await asyncio.wait(working)
            await _until_quiet(client, target, [*users, *bookers])
            for user in (*users, *bookers):
                await _judge(client, target, user, report)
            for each in followers:
                each.cancel()
        _judge_bookings(target, report)
        report.figures["kills"] = str(kills)
        report.figures["accepted"] = str(sum(len(user.accepted) for user in (*users, *bookers)))
        report.check(kills > 0, "the server was never killed")
    return report


async def _write_on(client: httpx.AsyncClient, user: User, target: Target, over: asyncio.Event) -> None:
    number = 0
    while not over.is_set():
        await write(client, user, f"find {number} of {user.name}", lambda _: target.url)
        number += 1
        await asyncio.sleep(random.uniform(0, 0.15))


async def _book_on(client: httpx.AsyncClient, user: User, target: Target, over: asyncio.Event) -> None:
    """Book one seat after the other, allowing each as soon as it is asked for."""
    number = 0
    while not over.is_set():
        await write(client, user, f"book {number} of {user.name}", lambda _: target.url)
        number += 1
        with contextlib.suppress(httpx.HTTPError, TimeoutError):
            async with asyncio.timeout(5):
                await _allow(client, user, target)
        await asyncio.sleep(random.uniform(0, 0.3))


async def _allow(client: httpx.AsyncClient, user: User, target: Target) -> None:
    while True:
        status = (await client.get(f"{target.url}/status/{user.name}")).json()
        asked = status["input_requests"]
        if asked:
            body = {"request_id": asked[0]["request_id"], "decision": "allow"}
            await client.post(f"{target.url}/answer/{user.name}", json=body)
            return
        if status["status"] in ("completed", "failed", "interrupted"):
            return
        await asyncio.sleep(0.02)


async def _until_quiet(client: httpx.AsyncClient, target: Target, users: list[User]) -> None:
    """Wait until nobody has anything at work; questions that are still asked are denied."""
    async with asyncio.timeout(60):
        for user in users:
            while True:
                status = (await client.get(f"{target.url}/status/{user.name}")).json()
                if status["status"] in ("completed", "failed", "interrupted"):
                    break
                for asked in status["input_requests"]:
                    body = {"request_id": asked["request_id"], "decision": "deny"}
                    await client.post(f"{target.url}/answer/{user.name}", json=body)
                await asyncio.sleep(0.1)


async def _judge(client: httpx.AsyncClient, target: Target, user: User, report: Report) -> None:
    messages: list[dict[str, str]] = []
    query: dict[str, str | int] = {"limit": 1000}
    while True:
        page = (await client.get(f"{target.url}/history/{user.name}", params=query)).json()["messages"]
        if not page:
            break
        messages[:0] = page
        query["before"] = page[0]["message_id"]
    # What was answered to a question stands there too, once for each booking, in the server's words.
    own = f" of {user.name}"
    written = [each["text"] for each in messages if each["role"] == "user" and each["text"].endswith(own)]
    for text, count in Counter(written).items():
        report.check(count == 1, f"{text!r} is there {count} times")
    gone = len(set(user.accepted) - set(written))
    in_order = [text for text in written if text in set(user.accepted)] == user.accepted
    report.check(in_order, f"of {user.name} {gone} accepted messages are gone, or some are out of order")
    report.check(not user.holes, f"a follower of {user.name} has holes: {user.holes[:3]}")
    report.check(not user.resets, f"the log of {user.name} began anew")


def _judge_bookings(target: Target, report: Report) -> None:
    book = target.process.folder / BOOKINGS
    made = [line.split(maxsplit=1) for line in book.read_text().splitlines()] if book.exists() else []
    for what, seats in (("call", [each[0] for each in made]), ("message", [each[1] for each in made])):
        for key, count in Counter(seats).items():
            report.check(count == 1, f"the {what} {key!r} has booked {count} seats")
    report.figures["booked"] = str(len(made))
    report.check(bool(made), "nothing was ever booked")
