"""Steers a graph of three nodes with a small real model, at random moments, and counts what became of it.

`python -m checks.interruptions.steered --llama PYTHON`, as `checks.interruptions.real_model`. Ends with 1 if
a message was lost, was given to the model twice, or was told otherwise than the model's own requests show.
"""

import argparse
import asyncio
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from backend.clients.api import Api
from backend.travel.models.history import openai_faults
from checks.interruptions.llama import Recorder, Request, serve_llama
from checks.interruptions.real_servers import Detour, serve_detour

GRAPH = "three_nodes"
NODES = 3
BOUND_S = 60.0
MOMENT_S = 4.0
"""A message comes within so many seconds after the first: three answers take about 4 s."""


def faults_of(fate: str, text: str, requests: list[Request]) -> list[str]:
    """Return what is wrong with the requests of one conversation, in which this text was sent to steer."""
    faults = [fault for each in requests for fault in openai_faults(each.messages)]
    counts = [sum(said.get("content") == text for said in each.messages) for each in requests]
    if any(count > 1 for count in counts):
        faults.append("the model was given it twice")
    if counts != sorted(counts) or counts[-1:] != [1]:
        faults.append("the model was not given it from one request on")
    # What is a task of its own is read by the nodes of that; what is taken in by the later ones of the run.
    read, expected = sum(counts), {"taken_in": range(1, NODES + 1), "own_task": range(NODES, NODES + 1)}
    if read not in expected.get(fate, ()):
        faults.append(f"it was told as {fate}, and {read} requests had it")
    return faults


async def steer(api: Api, recorder: Recorder, number: int, chance: random.Random) -> tuple[str, list[str]]:
    """Steer one run; return what the message became, and what is wrong."""
    first, text = f"Tell me of a river, number {number}.", f"It flows to the north, number {number}."
    await api.send(first, graph=GRAPH)
    await asyncio.sleep(chance.uniform(0, MOMENT_S))
    accepted: Any = await api.send(text, graph=GRAPH, policy="steer")
    async with asyncio.timeout(BOUND_S):
        while True:
            status = await api.status()
            is_over = status["status"] in ("completed", "failed", "interrupted")
            if is_over and not status["queued"] and not status.get("pending"):
                break
            await asyncio.sleep(0.05)
    said = (await api.history())["messages"]
    sent = [each for each in said if each["text"] == text]
    fate = str(sent[0].get("steer", "own_task")) if len(sent) == 1 else f"{len(sent)} messages"
    began_late = accepted["steer"] == "own_task"  # the run had ended before
    requests = [each for each in recorder.requests if first in str(each.messages)]
    return fate if not began_late else "own_task", faults_of(fate, text, requests)


async def run(llama: Path, times: int, seed: int) -> int:
    """Steer so many runs; return how many faults there were."""
    chance = random.Random(seed)
    fates: Counter[str] = Counter()
    wrong = 0
    async with (
        serve_llama(llama) as model,
        Recorder(model.address) as recorder,
        serve_detour(recorder.url) as server,
    ):
        assert isinstance(server, Detour)
        for number in range(times):
            fate, faults = await steer(server.calls(f"steered-{number}"), recorder, number, chance)
            fates[fate] += 1
            wrong += bool(faults)
            for fault in faults:
                print(f"{number}: {fault}", file=sys.stderr)
    print(f"{times} messages: {dict(fates)}, {wrong} wrong")
    return wrong


def main() -> int:
    """Print what became of the messages; return 0 where all is well, else 1."""
    parser = argparse.ArgumentParser(prog="python -m checks.interruptions.steered", description=__doc__)
    parser.add_argument("--llama", type=Path, required=True, help="the interpreter that has xllamacpp")
    parser.add_argument("--times", type=int, default=30, help="runs")
    parser.add_argument("--seed", type=int, default=1, help="decides the moments")
    given = parser.parse_args()
    return min(1, asyncio.run(run(given.llama, given.times, given.seed)))


if __name__ == "__main__":
    raise SystemExit(main())
