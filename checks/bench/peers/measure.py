"""Measures one server: `python checks/bench/peers/measure.py NAME BIN_FOLDER [--runs N]`. See README.md."""

import argparse
import asyncio
import contextlib
import json
import random
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from peers import PEERS, Detour, Peer

FIRST_TEXT_S, NEW_TEXT_S, CLEAN_S, RERUN_S = 10.0, 10.0, 30.0, 90.0
LOOK_AFTER_S = 1.5
"""How long after the second message's first text the runs that work are counted."""


def nodes(peer: Peer, message: str, what: str) -> dict[str, float]:
    return {
        line["node"]: line["at"]
        for line in peer.lines()
        if (line["message"], line["what"]) == (message, what)
    }


async def seen(peer: Peer, user: str, mark: str, within: float) -> float | None:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        for at, text in peer.seen[user]:
            if mark in text:
                return at
        await asyncio.sleep(0.002)
    return None


async def logged(peer: Peer, message: str, what: str, node: str, within: float) -> float | None:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if (at := nodes(peer, message, what).get(node)) is not None:
            return at
        await asyncio.sleep(0.01)
    return None


def where(kept: dict[str, str], mark: str) -> str:
    return ", ".join(name for name, text in kept.items() if mark in text) or "nothing"


async def settle(peer: Peer, message: str) -> None:
    """Wait until no node's code of the message works any more."""
    deadline = time.monotonic() + CLEAN_S
    while time.monotonic() < deadline:
        left = nodes(peer, message, "ended") | nodes(peer, message, "cut")
        if nodes(peer, message, "began").keys() <= left.keys():
            return
        await asyncio.sleep(0.05)


async def change_of_mind(peer: Peer, nth: int, *, stop_first: bool) -> dict[str, Any]:
    """One user, two messages: the second while the first streams text and its slow search runs."""
    user, old, new = (
        f"user{nth}-{int(stop_first)}",
        f"first{nth}-{int(stop_first)}",
        f"second{nth}-{int(stop_first)}",
    )
    await peer.open(user)
    await peer.post(user, old)
    if await seen(peer, user, f"{old}#6", FIRST_TEXT_S) is None:
        raise RuntimeError(f"no text: {peer.seen[user][-3:]}")
    await logged(peer, old, "ended", "fast", 5)
    await asyncio.sleep(random.uniform(0, 0.3))
    posted = time.monotonic()
    if stop_first:
        await peer.stop(user)
    await peer.post(user, new)
    first = await seen(peer, user, f"{new}#", NEW_TEXT_S)
    await asyncio.sleep(LOOK_AFTER_S)
    cut = nodes(peer, old, "cut")
    working = [m for m in (old, new) if not (nodes(peer, m, "cut") | nodes(peer, m, "ended")).get("writer")]
    late = [at for at, text in peer.seen[user] if f"{old}#" in text and first is not None and at > first]
    kept = await peer.kept(user)
    got = [line for line in peer.lines() if line["message"] == new and line["what"] in ("got", "chat")]
    result = {
        "alive after": len(working),
        "old code ended by cancelling": len(cut) == 2,
        "old code's end ms": (max(cut.values()) - posted) * 1000 if cut else None,
        "new text ms": (first - posted) * 1000 if first is not None else None,
        "events of the old run after the new one's first": len(late),
        "text can be looked up in": where(kept, f"{old}#5"),
        "result can be looked up in": where(kept, f"{old}#fast"),
        "next run is given the text": f"{old}#5" in json.dumps(got),
        "next run is given the result": f"{old}#fast" in json.dumps(got),
    }
    await settle(peer, old)
    await settle(peer, new)
    await asyncio.sleep(0.3)
    kept = await peer.kept(user)
    at_the_end = where({name: text for name, text in kept.items() if name != "stream"}, f"{old}#fast")
    result["old writer ran to its end"] = "writer" in nodes(peer, old, "ended")
    return result | {"result at the end in": at_the_end, "statuses": kept.get("statuses", "")}


async def booking(peer: Peer, nth: int, *, declared: bool, stop_first: bool) -> dict[str, Any]:
    """The second message comes while a booking has begun and not ended."""
    user, old, new = f"booker{nth}", f"book{nth}", f"other{nth}"
    await peer.open(user)
    await peer.post(user, old)
    if declared:
        await seen(peer, user, "permission", 10)
        await peer.post(user, "yes")
    began = await logged(peer, old, "began", "booking", 10)
    await asyncio.sleep(0.3)
    if stop_first:
        await peer.stop(user)
    await peer.post(user, new)
    await asyncio.sleep(3)
    counts: dict[str, Any] = {
        what: sum(line["message"] == old and line["what"] == what for line in peer.lines())
        for what in ("began", "booked", "cut")
    }
    reports = [text for _, text in peer.seen[user] if "tool_calls" in text and "booking" not in text]
    await settle(peer, new)
    counts["statuses"] = (await peer.kept(user)).get("statuses", "")
    return {"began": began is not None, **counts, "report": reports[-1:] if declared else []}


async def killed(peer: Peer) -> dict[str, Any]:
    """SIGKILL in mid-run, then a start with the same data."""
    await peer.open("killed")
    await peer.post("killed", "crash")
    await seen(peer, "killed", "crash#6", FIRST_TEXT_S)
    await asyncio.sleep(0.5)
    peer.kill()
    at = time.monotonic()
    await peer.start()
    up = time.monotonic()
    kept = await peer.kept("killed")
    await logged(peer, "crash", "ended", "writer", RERUN_S)
    await settle(peer, "crash")
    await asyncio.sleep(1)
    began = [
        x["at"] - up for x in peer.lines() if x["node"] == "writer" and x["what"] == "began" and x["at"] > at
    ]
    return {
        "result can be looked up in": where(kept, "crash#fast"),
        "text can be looked up in": where(kept, "crash#5"),
        "runs again, s after the server is up": began,
        "finished": bool(nodes(peer, "crash", "ended").get("writer")),
        "searches begun": Counter(
            line["node"] for line in peer.lines() if (line["message"], line["what"]) == ("crash", "began")
        ),
    }


def summary(samples: list[dict[str, Any]]) -> dict[str, Any]:
    """Medians and ranges of times, counts of everything else."""
    told: dict[str, Any] = {}
    for key in samples[0]:
        values = [sample[key] for sample in samples if sample[key] is not None]
        if key.endswith("ms") and values:
            median, least, most = statistics.median(values), min(values), max(values)
            each = " ".join(f"{value:.0f}" for value in values)
            told[key] = f"median {median:.0f} [{least:.0f}-{most:.0f}] of {len(values)}: {each}"
        elif key.endswith("ms"):
            told[key] = None
        else:
            told[key] = Counter(map(str, values))
    return told


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=PEERS)
    parser.add_argument("bin", type=Path)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--bookings", type=int, default=3)
    parser.add_argument("--kill", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="peers-") as folder, contextlib.ExitStack() as stack:
        peer = PEERS[args.name](args.bin, Path(folder))
        await peer.start()
        stack.callback(lambda: peer.kill())
        for stop_first in (False, True) if args.name == "chainlit" else (False,):
            minds = [await change_of_mind(peer, nth, stop_first=stop_first) for nth in range(args.runs + 1)][
                1:
            ]
            print(
                json.dumps({"name": args.name, "stop first": stop_first, "minds": summary(minds)}, indent=1)
            )
            books = [
                await booking(peer, nth + 100 * stop_first, declared=False, stop_first=stop_first)
                for nth in range(args.bookings)
            ]
            print(json.dumps({"bookings": books}))
        if args.kill:
            print(json.dumps({"killed": await killed(peer)}))
    if args.name == "detour":
        with tempfile.TemporaryDirectory(prefix="peers-") as folder:
            peer = Detour(args.bin, Path(folder))
            peer.graph = "checks.bench.peers.detour_booking:graph"
            await peer.start()
            books = [
                await booking(peer, nth, declared=True, stop_first=False) for nth in range(args.bookings)
            ]
            print(json.dumps({"declared bookings": books}))
            peer.kill()


asyncio.run(main())
