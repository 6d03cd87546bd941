"""`detour demo`: six interruptions, played against a real server and shown in the terminal with their times.

Each scenario shows the user's messages and the server's events, and checks the promises. The exit code
is 0 only if everything was. `--pace` sets the seconds between batches of a simulated source.
"""

import argparse
import asyncio
import os
import re
import signal
import statistics
import sys
import tempfile
import textwrap
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2

from ..api import Api, Connection, Frame, Refused, Unreachable, User, follow
from ..server import NotStarted, ServerProcess, read_command_line
from ..wire import ChatAnswer

# --- visitor -------------------------------------------------------------------------------------------
# A user of the demo: sends messages, and records when each event arrives.


PATIENCE_S = 10.0
"""How long an event is waited for."""


class SurpriseError(Exception):
    """The server broke a promise; the message says which."""


@dataclass(frozen=True, slots=True)
class Heard:
    """An event, and when it arrived: seconds of `time.perf_counter`."""

    at_s: float
    frame: Frame


@dataclass(frozen=True, slots=True)
class Posted:
    """An accepted message: when it was sent, and when the 202 came."""

    at_s: float
    accepted_s: float
    answer: ChatAnswer

    @property
    def task_id(self) -> str:
        """The task of the message."""
        return self.answer["task_id"]


class Visitor(Api):
    """Calls the server over HTTP, and hears all events over a WebSocket."""

    def __init__(self, user: User, http: httpx2.AsyncClient) -> None:
        super().__init__(user, http)
        self.heard: list[Heard] = []
        self._news = asyncio.Event()

    async def post(self, message: str) -> Posted:
        """Send a message."""
        at_s = time.perf_counter()
        answer = await self.send(message)
        return Posted(at_s, time.perf_counter(), answer)

    async def until(self, kind: str, task_id: str, *, times: int = 1, **fields: str) -> Heard:
        """Wait until events of this type and task, with these fields, have arrived so many times.

        Returns the last of them. Raises `SurpriseError` after `PATIENCE_S`.
        """
        try:
            async with asyncio.timeout(PATIENCE_S):
                while len(found := self.events(kind, task_id, **fields)) < times:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            wanted = ", ".join([kind, *(f"{name}={value}" for name, value in fields.items())])
            raise SurpriseError(f"waited {PATIENCE_S:.0f} s in vain for {wanted}") from None
        return found[times - 1]

    def events(self, kind: str, task_id: str, **fields: str) -> list[Heard]:
        """Return the events of this type and task, with these fields, that have arrived."""
        wanted = {"type": kind, "task_id": task_id, **fields}
        return [
            heard
            for heard in self.heard
            if all(heard.frame.get(name) == value for name, value in wanted.items())
        ]

    def found(self, task_id: str) -> dict[str, int]:
        """Return how many partial results of a task have arrived, by agent."""
        counts: dict[str, int] = {}
        for heard in self.events("partial_result", task_id):
            agent = heard.frame["agent"]
            counts[agent] = counts.get(agent, 0) + len(heard.frame["items"])
        return counts

    async def listen(self, ready: asyncio.Event) -> None:
        """Hear the events until cancelled; set `ready` once the server sends them."""
        async with aclosing(follow(self.user)) as events:
            async for heard in events:
                if isinstance(heard, Connection):
                    continue
                self.heard.append(Heard(time.perf_counter(), heard))
                self._news.set()
                if heard["type"] == "snapshot":
                    ready.set()


@asynccontextmanager
async def visiting(url: str, user_id: str) -> AsyncGenerator[Visitor, None]:
    """Yield a visitor who hears the events already."""
    user = User(url=url, user_id=user_id)
    async with httpx2.AsyncClient(timeout=PATIENCE_S, trust_env=False) as http, asyncio.TaskGroup() as group:
        visitor, ready = Visitor(user, http), asyncio.Event()
        listening = group.create_task(visitor.listen(ready))
        try:
            await ready.wait()
            yield visitor
        finally:
            listening.cancel()


# --- interruption --------------------------------------------------------------------------------------


MOST_S = 45.0
"""How long all scenarios may take together."""

_RAPID = ("Paris", "Rome", "Madrid", "Vienna", "Prague", "Dublin", "Oslo", "Athens", "Warsaw", "Lisbon")
_WIDTH = 100
_BOLD, _DIM, _GREEN, _RED, _CYAN = "1", "2", "32", "31", "36"


class Report:
    """Prints what happens, and counts broken promises."""

    def __init__(self, *, coloured: bool) -> None:
        self.wrong = 0
        self._coloured = coloured

    def begin(self, title: str) -> None:
        """Begin a scenario."""
        print(f"\n{self._in(_BOLD, title)}", flush=True)

    def user(self, text: str) -> None:
        """Print a message of the user."""
        print(f"  {self._in(_CYAN, '> ' + text)}", flush=True)

    def reply(self, text: str) -> None:
        """Print a reply."""
        lines = textwrap.wrap("< " + text, width=_WIDTH, initial_indent="  ", subsequent_indent="    ")
        print("\n".join(self._in(_DIM, line) for line in lines), flush=True)

    def tell(self, text: str) -> None:
        """Print a remark."""
        print(f"    {text}", flush=True)

    def measured(self, what: str, seconds: float) -> None:
        """Print a duration."""
        print(f"    {what:<46}{seconds * 1000:8.1f} ms", flush=True)

    def check(self, holds: bool, promise: str) -> None:
        """Print whether a promise holds."""
        if holds:
            print(f"    {self._in(_GREEN, 'ok')}  {promise}", flush=True)
        else:
            self.wrong += 1
            print(f"    {self._in(_RED, 'NOT SO')}  {promise}", flush=True)

    def _in(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self._coloured else text


Scenario = Callable[[Visitor, Report], Awaitable[None]]


async def during_a_flight_search(visitor: Visitor, report: Report) -> None:
    """Basic interruption: another destination, while flights arrive."""
    first = await _say(visitor, report, f"Find flights from Berlin to Tokyo on {_day()}")
    await visitor.until("partial_result", first.task_id, times=2)
    report.tell(f"{_counted(visitor.found(first.task_id))} have arrived; the search goes on")

    second = await _say(visitor, report, "Actually, make it Osaka")
    await _tell_times(visitor, report, first, second)
    await _check_kept(visitor, report, first, reason="superseded")
    await _check_answered(visitor, report, second, naming="Osaka")


async def rapid_fire(visitor: Visitor, report: Report) -> None:
    """Rapid-fire changes: each message follows the 202 of the one before it."""
    report.user(f"Find flights from Berlin to {_RAPID[0]} on {_day()}")
    for city in _RAPID[1:]:
        report.user(f"Sorry, to {city}")
    posted = [await visitor.post(f"Find flights from Berlin to {_RAPID[0]} on {_day()}")]
    posted += [await visitor.post(f"Sorry, to {city}") for city in _RAPID[1:]]
    *interrupted, last = posted

    told = [await visitor.until("status_update", one.task_id, status="interrupted") for one in interrupted]
    accepting = [one.accepted_s - one.at_s for one in posted]
    ending = [heard.at_s - newer.at_s for heard, newer in zip(told, posted[1:], strict=True)]
    report.measured("POST to 202, median", statistics.median(accepting))
    report.measured("POST to 202, worst", max(accepting))
    report.measured("POST to old task told interrupted, median", statistics.median(ending))
    report.measured("POST to old task told interrupted, worst", max(ending))
    report.check(
        all(heard.frame["reason"] == "superseded" for heard in told),
        f"{len(interrupted)} tasks are interrupted, each superseded by the next",
    )
    await _check_answered(visitor, report, last, naming=_RAPID[-1])
    history = await visitor.history()
    said = [message["task_id"] for message in history["messages"] if message["role"] == "user"]
    report.check(said == [one.task_id for one in posted], "all ten messages are in the history, in order")
    replies = [message["task_id"] for message in history["messages"] if message["role"] == "assistant"]
    report.check(replies == [last.task_id], "only the last one was answered")


async def between_related_requests(visitor: Visitor, report: Report) -> None:
    """Context transfer: "and hotels there" needs the city, the day and the number of people."""
    first = await _say(visitor, report, f"Find flights from Berlin to Tokyo on {_day()} for 2 people")
    await visitor.until("partial_result", first.task_id)

    second = await _say(visitor, report, "and hotels there")
    await _tell_times(visitor, report, first, second)
    carried = (await visitor.until("context_transfer", second.task_id)).frame["carried"]
    report.tell(f"carried over: {', '.join(carried['slots'])}")
    report.check(
        {"flight.origin", "hotel.city", "hotel.check_in", "hotel.guests"} <= set(carried["slots"]),
        "city, day and number of people go over to the hotels",
    )
    report.check(carried["partial_results"] == visitor.found(first.task_id), "so does what was found")
    await visitor.until("partial_result", second.task_id, agent="flight")

    third = await _say(visitor, report, "Forget the flights, only hotels with at least 4 stars")
    await _tell_times(visitor, report, second, third)
    await _check_answered(visitor, report, third, naming="at least 4 stars")
    report.check("flight" not in visitor.found(third.task_id), "no more flights are searched")


async def both_agents_at_work(visitor: Visitor, report: Report) -> None:
    """Two agents: both searches end with the task, by a message and by a stop."""
    first = await _say(
        visitor, report, f"Flights from Paris to Rome on {_day()} and a hotel there for 3 nights"
    )
    for agent in ("flight", "hotel"):
        await visitor.until("partial_result", first.task_id, agent=agent)
    report.tell(f"{_counted(visitor.found(first.task_id))} have arrived; both searches go on")

    second = await _say(visitor, report, "Actually, to Lisbon instead")
    await _tell_times(visitor, report, first, second)
    await _check_kept(visitor, report, first, reason="superseded")
    for agent in ("flight", "hotel"):
        await visitor.until("partial_result", second.task_id, agent=agent)

    report.user("(presses stop)")
    at_s = time.perf_counter()
    receipt: Any = await visitor.stop()
    report.measured("POST /stop to its receipt", time.perf_counter() - at_s)
    report.check(receipt["task_id"] == second.task_id, "the receipt is that of the task that was running")
    await _check_kept(visitor, report, second, reason="stopped")
    report.check(await visitor.stop() == receipt, "stopping again changes nothing and tells the same")


async def a_search_still_wanted(visitor: Visitor, report: Report) -> None:
    """Adoption: another hotel is wanted, so the flight search goes on under the new task."""
    first = await _say(
        visitor, report, f"Flights from Berlin to Lisbon on {_day()} and a hotel there for 3 nights"
    )
    for agent in ("flight", "hotel"):
        await visitor.until("partial_result", first.task_id, agent=agent)
    report.tell(f"{_counted(visitor.found(first.task_id))} have arrived; both searches go on")

    second = await _say(visitor, report, "Make the hotel five nights")
    await _tell_times(visitor, report, first, second)
    receipt = (await visitor.until("receipt", first.task_id)).frame["receipt"]
    outcomes = {call["tool"]: call["outcome"] for call in receipt["tool_calls"]}
    report.tell(f"receipt: {', '.join(f'{tool} {outcome}' for tool, outcome in outcomes.items())}")
    report.check(
        outcomes == {"search_flights": "adopted", "search_hotels": "cancelled"},
        "the flight search was taken over, the hotel search was cut short",
    )
    report.check(receipt["adopted_by"] == second.task_id, "the receipt names the task that took it over")
    transfer = (await visitor.until("context_transfer", second.task_id)).frame
    flights = next(call["call_id"] for call in receipt["tool_calls"] if call["outcome"] == "adopted")
    report.check(transfer["adopted"] == [flights], "the new task says which call it took over")
    await _check_answered(visitor, report, second, naming="(5 nights)")
    shown = visitor.events("partial_result", second.task_id, agent="flight")
    ids = [item["offer_id"] for heard in shown for item in heard.frame["items"]]
    report.check(len(set(ids)) == len(ids), f"its {len(ids)} flights are shown there, none of them twice")
    ended = visitor.events("tool_update", second.task_id, tool="search_flights")[-1].frame
    report.check(
        (ended["call_id"], ended["state"]) == (flights, "completed"),
        "it was one and the same search, to its end",
    )


async def in_the_middle_of_a_booking(visitor: Visitor, report: Report) -> None:
    """A write: once it has begun it finishes, whatever is said meanwhile, and is never made twice."""
    first = await _say(visitor, report, f"Flights from Berlin to Lisbon on {_day()}")
    await visitor.until("status_update", first.task_id, status="completed")
    booking = await _say(visitor, report, "Book the cheapest flight")
    asked = (await visitor.until("input_request", booking.task_id)).frame
    report.reply(asked["prompt"])
    for title, fact in asked["facts"].items():
        report.tell(f"{title}: {fact}")
    report.user("(presses Allow)")
    allowed_s = time.perf_counter()
    await visitor.decide(asked["request_id"], "allow")
    began = await visitor.until("tool_update", booking.task_id, tool="book_flight", state="running")
    report.measured("POST /answer to the booking's beginning", began.at_s - allowed_s)

    second = await _say(visitor, report, f"Find a hotel in Lisbon on {_day()} for 2 nights")
    held = await visitor.until("status_update", booking.task_id, status="cancelling")
    report.measured("POST to old task told cancelling", held.at_s - second.at_s)
    first_hotel = await visitor.until("partial_result", second.task_id)
    report.measured("POST to first result of the new task", first_hotel.at_s - second.at_s)
    receipt = (await visitor.until("receipt", booking.task_id)).frame["receipt"]
    booked = next(call for call in receipt["tool_calls"] if call["tool"] == "book_flight")
    report.tell(f"receipt: book_flight {booked['outcome']}: {booked['summary']}")
    report.check(booked["outcome"] == "completed_after_interrupt", "what had begun was finished")
    report.check(
        visitor.events("partial_result", second.task_id)[0].frame["seq"]
        < visitor.events("receipt", booking.task_id)[0].frame["seq"],
        "the new task did not wait for it",
    )
    await _check_answered(visitor, report, second, naming="went through before you changed your mind")

    third = await _say(visitor, report, "What have I booked?")
    await _check_answered(visitor, report, third, naming="Your booking: DEMO-")
    reply: str = visitor.events("message", third.task_id, role="assistant")[-1].frame["text"]
    references = re.findall(r"DEMO-\w+", reply)
    report.check(
        len(references) == 1 and references[0] in booked["summary"], "there is exactly one booking, that one"
    )


SCENARIOS: Mapping[str, Scenario] = {
    "Interrupted in the middle of a flight search": during_a_flight_search,
    "Ten changes of mind, as fast as the server takes them": rapid_fire,
    "What is known goes over to a related request": between_related_requests,
    "Interrupted while both agents run, then stopped": both_agents_at_work,
    "A search that is still wanted goes on": a_search_still_wanted,
    "Interrupted in the middle of a booking": in_the_middle_of_a_booking,
}


async def _say(visitor: Visitor, report: Report, text: str) -> Posted:
    report.user(text)
    return await visitor.post(text)


async def _tell_times(visitor: Visitor, report: Report, old: Posted, new: Posted) -> None:
    """Tell how fast a message took the place of the one before it."""
    started = await visitor.until("status_update", new.task_id, status="running")
    told = await visitor.until("status_update", old.task_id, status="interrupted")
    report.measured("POST to 202", new.accepted_s - new.at_s)
    report.measured("POST to first event of the new task", started.at_s - new.at_s)
    report.measured("POST to old task told interrupted", told.at_s - new.at_s)
    first = await visitor.until("partial_result", new.task_id)
    report.measured("POST to first result of the new task", first.at_s - new.at_s)
    report.check(new.answer["interrupted_task_id"] == old.task_id, "the 202 names the task it interrupted")


async def _check_kept(visitor: Visitor, report: Report, task: Posted, *, reason: str) -> None:
    """Check that an interrupted task's results are kept and counted, and that nothing came after."""
    receipt = (await visitor.until("receipt", task.task_id)).frame["receipt"]
    counted = {agent: count for agent, count in receipt["partial_results"].items() if count}
    shown = visitor.found(task.task_id)
    calls = ", ".join(f"{call['tool']} {call['outcome']}" for call in receipt["tool_calls"])
    report.tell(f"receipt: {receipt['reason']}; {calls}; {_counted(counted)} kept")
    report.check(receipt["reason"] == reason, f"it ended as {reason}")
    report.check(counted == shown, "the receipt counts exactly what was shown")
    left = next(
        (one for one in (await visitor.partial_results())["interrupted"] if one["task_id"] == task.task_id),
        None,
    )
    kept = {agent: len(items) for agent, items in left["partial_results"].items()} if left else None
    report.check(kept == shown, "all of it can still be fetched")
    ended = (await visitor.until("status_update", task.task_id, status="interrupted")).frame["seq"]
    late = [one for one in visitor.events("partial_result", task.task_id) if one.frame["seq"] > ended]
    report.check(not late, "nothing of it came after it was told interrupted")


async def _check_answered(visitor: Visitor, report: Report, task: Posted, *, naming: str) -> None:
    """Check that a task completes, and that its reply has these words."""
    await visitor.until("status_update", task.task_id, status="completed")
    reply: str = visitor.events("message", task.task_id, role="assistant")[-1].frame["text"]
    report.reply(reply)
    report.check(naming in reply, f'the last message is answered: "{naming}"')


def _counted(found: dict[str, int]) -> str:
    counts = (f"{count} {agent}{'' if count == 1 else 's'}" for agent, count in sorted(found.items()))
    return " and ".join(counts) or "nothing"


def _day() -> str:
    """Return a day three weeks ahead, which is on sale whenever the demo is run."""
    return f"{datetime.now(UTC) + timedelta(weeks=3):%-d %B %Y}"


async def play(*, pace: float, report: Report, scenarios: Mapping[str, Scenario] = SCENARIOS) -> None:
    """Play scenarios against a server of their own; it is ended in any case.

    Raises `NotStarted` if it does not start, and `TimeoutError` if all takes longer than `MOST_S`.
    """
    print("Starting a server of its own: its first start takes some seconds.", flush=True)
    started_s = time.perf_counter()
    # A folder of its own, so that no `.env` and no earlier data change the demo.
    folder = tempfile.TemporaryDirectory(prefix="detour-demo-", ignore_cleanup_errors=True)
    settings = {"demo_pace": pace, "log_level": "warning"}
    with folder:
        async with ServerProcess(Path(folder.name), settings=settings, log=None) as server:
            ready_s = time.perf_counter() - started_s
            print(f"A server of its own is at {server.url} (ready after {ready_s:.1f} s).")
            print(
                "Times are taken here, in the client: from sending a POST to an answer or an event.",
                flush=True,
            )
            async with asyncio.timeout(MOST_S):
                for number, (title, scenario) in enumerate(scenarios.items(), 1):
                    report.begin(f"{number}. {title}")
                    async with visiting(server.url, f"demo-{number}") as visitor:
                        try:
                            await scenario(visitor, report)
                        except Refused as refused:
                            report.check(False, f"a call was answered {refused.status}: {refused}")
                        except (SurpriseError, Unreachable) as error:
                            report.check(False, str(error))


def main(given: Sequence[str] | None = None) -> None:
    """Play the demo and exit: 0 if all promises held, 1 if not, 130 if interrupted."""
    parser = argparse.ArgumentParser(prog="detour demo", description="Watch requests being interrupted.")
    parser.add_argument(
        "--pace", type=float, default=0.6, help="seconds between batches of a simulated source (default 0.6)"
    )
    pace: float = read_command_line(parser, given).pace
    report = Report(coloured=sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    # SIGTERM acts like Ctrl-C, so that the server is ended in either case; also if a shell has started this
    # in the background, with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda _signal, _frame: signal.raise_signal(signal.SIGINT))
    try:
        asyncio.run(play(pace=pace, report=report))
    except NotStarted as error:
        report.check(False, str(error))
    except TimeoutError:
        report.check(False, f"all scenarios should take less than {MOST_S:.0f} s")
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    print(
        "\nEverything went as promised." if report.wrong == 0 else f"\nNot as promised: {report.wrong}.",
        flush=True,
    )
    raise SystemExit(1 if report.wrong else 0)


if __name__ == "__main__":
    main()
