"""Interrupts agents while a small real model answers them, one answer at a time, and counts.

`python -m checks.interruptions.real_model --llama PYTHON`, with the interpreter of an environment that has
what `requirements-model.txt` names. Each interruption is the POST of the conversation's next message, at a
random moment after the model's one slot began to answer. Ends with 1 if Detour lost one, or kept too little,
or gave the model a conversation that is not valid.
"""

import argparse
import asyncio
import itertools
import os
import platform
import random
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from backend.travel.models.history import openai_faults
from checks.interruptions.figures import Closing, lost, markdown, percentiles
from checks.interruptions.llama import Llama, Recorder, Request, serve_llama
from checks.interruptions.real_servers import GRAPHS, Server, serve_detour, serve_langgraph

MOMENT_S = 2.5
"""An interruption comes within so many seconds after the slot began: some before the first token."""
LOST_S = 2.0
"""An interruption is lost if the stream runs to its end, which takes 10 s and more, or resists so long."""
TOO_LATE_S = 0.25
"""An answer that ends by itself until so long after the POST was not interrupted, and does not count. This
model fills in some objects within a second. A lost answer ends later: it is the goal for p99."""
SHOWN_S = 0.5
"""What the model had sent so long before the POST, a user had been shown: it must be kept."""
MOST_TRIES = 3
"""Messages for each interruption that counts, at most."""
TOGETHER = 10
"""Interruptions in one conversation, which the model's context has to hold."""
BOUND_S = 60.0
"""How long anything may take: a lost answer of 400 tokens included."""
UNTEXTED = {"node_structured"}
"""The graphs whose model says nothing that is shown: an object that is being filled in is no reply."""


@dataclass(frozen=True, slots=True)
class Interruption:
    """What came of one: seconds from the POST to the closed stream, and to the slot's next answer.

    `resisted_s` are seconds from when it could end to the closed stream: a thread that waits for the first
    token cannot end before. `kept` is whether what had been shown is kept, None where nothing had; `faults`
    are what is wrong with the next conversation that the model was given.
    """

    closed_s: Closing
    next_answer_s: float
    resisted_s: Closing
    kept: bool | None
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """A server of agents and the model behind it."""

    server: Server
    llama: Llama
    recorder: Recorder


async def play(stage: Stage, graph: str, *, times: int, chance: random.Random) -> list[Interruption]:
    """Interrupt one graph so many times."""
    found: list[Interruption] = []
    conversations = (f"{graph}-{number}" for number in itertools.count())
    while len(found) < times:
        count = min(TOGETHER, times - len(found))
        found += await _converse(stage, graph, next(conversations), count=count, chance=chance)
    return found


async def _converse(
    stage: Stage, graph: str, conversation: str, *, count: int, chance: random.Random
) -> list[Interruption]:
    found: list[Interruption] = []
    message = f"Tell me a long story about a river. ({conversation}, 0)"
    request, _ = await _next_answer(stage, conversation, graph, message)
    for number in range(1, MOST_TRIES * count + 1):
        if len(found) == count:
            break
        await asyncio.sleep(chance.uniform(0, MOMENT_S))
        posted_at = asyncio.get_running_loop().time()
        following = f"No, tell me a long story about a lake. ({conversation}, {number})"
        new, began_at = await _next_answer(stage, conversation, graph, following)
        await _ended(request)
        if request.done_at is not None and request.done_at < posted_at + TOO_LATE_S:
            request, message = new, following
            continue
        shown = "" if graph in UNTEXTED else request.text(before=posted_at - SHOWN_S)
        kept = await stage.server.kept(conversation, message)
        found.append(
            Interruption(
                closed_s=_closed(request, after=posted_at),
                resisted_s=_closed(request, after=max([posted_at, *(at for at, _ in request.sent[:1])])),
                next_answer_s=began_at - posted_at,
                kept=_is_kept(kept, shown, request.text()) if shown else None,
                faults=tuple(_faults(new, told=kept if shown else "", message=following)),
            )
        )
        request, message = new, following
    await stage.server.stop(conversation)
    await _ended(request)  # or it would be counted against the next conversation
    return found


async def _next_answer(stage: Stage, conversation: str, graph: str, message: str) -> tuple[Request, float]:
    """Send a message; return its request to the model, and when the slot began to answer it."""
    async with asyncio.timeout(BOUND_S):
        await stage.server.send(conversation, graph, message)
        request = await stage.recorder.asked(message)
        return request, await stage.llama.begins(after=request.at)


async def _ended(request: Request) -> None:
    async with asyncio.timeout(BOUND_S):
        await request.exchange.ended.wait()


def _closed(request: Request, *, after: float) -> Closing:
    """Return how long after a time the client closed a stream, None if it ran to its end."""
    return None if request.exchange.cut_at is None else request.exchange.cut_at - after


def _is_kept(kept: str, shown: str, sent: str) -> bool:
    """Tell whether what is kept is what was sent, and all of it that had been shown."""
    text = kept.strip()
    return sent.strip().startswith(text) and len(text) >= len(shown.strip())


def _faults(request: Request, *, told: str, message: str) -> list[str]:
    """Return what is wrong with a conversation that the model was given after an interruption."""
    faults = list(openai_faults(request.messages))
    *before, last = request.messages
    if last.get("role") != "user" or last.get("content") != message:
        faults.append("the last message is not the user's new one")
    if told and not any(str(each.get("content")).startswith(told.strip()) for each in before[-1:]):
        faults.append("the model is not told what it had said")
    return faults


async def measure(
    given: argparse.Namespace, serve: Callable[[str], AbstractAsyncContextManager[Server]], llama: Llama
) -> tuple[str, dict[str, list[Interruption]]]:
    """Interrupt each graph of a server; return its name, and what came of it."""
    found: dict[str, list[Interruption]] = {}
    async with Recorder(llama.address) as recorder, serve(recorder.url) as server:
        stage = Stage(server, llama, recorder)
        for graph in given.graph:
            chance = random.Random(f"{given.seed}-{graph}")
            found[graph] = await play(stage, graph, times=given.times, chance=chance)
            print("\t".join([server.name, graph, *_cells(found[graph])]), file=sys.stderr, flush=True)
        return server.name, found


def _cells(several: Sequence[Interruption]) -> list[str]:
    """Return the cells of a row."""
    kept = [each.kept for each in several if each.kept is not None]
    return [
        f"{lost((each.resisted_s for each in several), after_s=LOST_S)} of {len(several)}",
        *percentiles([each.closed_s for each in several]),
        *percentiles([each.next_answer_s for each in several]),
        f"{sum(kept)} of {len(kept)}" if kept else "-",
        f"{sum(not each.faults for each in several)} of {len(several)}",
    ]


HEAD = ["graph", "lost", "closed p50 ms", "p99 ms", "next answer p50 ms", "p99 ms", "text kept", "valid"]


async def run(given: argparse.Namespace) -> list[tuple[str, dict[str, list[Interruption]]]]:
    """Measure Detour, and `langgraph dev` if its command is named."""
    servers: list[Callable[[str], AbstractAsyncContextManager[Server]]] = [serve_detour]
    if given.langgraph_dev:
        servers.append(partial(serve_langgraph, command=str(given.langgraph_dev.absolute())))
    async with asyncio.timeout(given.within), serve_llama(given.llama) as llama:
        return [await measure(given, serve, llama) for serve in servers]


def main() -> int:
    """Print a table for each server; return 0 where all is well with Detour, else 1."""
    parser = argparse.ArgumentParser(prog="python -m checks.interruptions.real_model", description=__doc__)
    parser.add_argument("--llama", type=Path, required=True, help="the interpreter that has xllamacpp")
    parser.add_argument("--graph", action="append", choices=list(GRAPHS), help="all by default")
    parser.add_argument("--times", type=int, default=40, help="interruptions of each graph")
    parser.add_argument("--within", type=float, default=1800, help="seconds after which it gives up")
    parser.add_argument("--seed", type=int, default=1, help="decides the moments")
    parser.add_argument("--langgraph-dev", type=Path, metavar="COMMAND", help="play `langgraph dev`, too")
    given = parser.parse_args()
    given.graph = given.graph or list(GRAPHS)
    played = asyncio.run(run(given))
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores")
    for name, found in played:
        rows = [[GRAPHS[graph], *_cells(several)] for graph, several in found.items()]
        print(f"\n{name}\n\n{markdown(HEAD, rows)}")
        for fault in dict.fromkeys(fault for each in found.values() for one in each for fault in one.faults):
            print(f"- not valid: {fault}")
    of_detour = [each for several in played[0][1].values() for each in several]
    is_lost = lost((each.resisted_s for each in of_detour), after_s=LOST_S)
    return 1 if is_lost or any(each.kept is False or each.faults for each in of_detour) else 0


if __name__ == "__main__":
    sys.exit(main())
