"""`make demo`: six interruptions, played against a real server and told in the terminal with their times.

Each scenario says what a user says, shows what comes back, and checks that it was as promised. The exit code
is 0 only if everything was. `--pace` sets the seconds between batches of a simulated source.
"""

import argparse
import asyncio
import os
import re
import signal
import statistics
import sys
import textwrap
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta

from .client import Posted, SurpriseError, User, connected, own_server

MOST_S = 45.0
"""How long all scenarios may take together."""

_RAPID = ("Paris", "Rome", "Madrid", "Vienna", "Prague", "Dublin", "Oslo", "Athens", "Warsaw", "Lisbon")
_WIDTH = 100
_BOLD, _DIM, _GREEN, _RED, _CYAN = "1", "2", "32", "31", "36"


class Story:
    """Tells what happens, and keeps count of what did not go as told."""

    def __init__(self, *, coloured: bool) -> None:
        self.wrong = 0
        self._coloured = coloured

    def begin(self, title: str) -> None:
        """Begin a scenario."""
        print(f"\n{self._in(_BOLD, title)}", flush=True)

    def user(self, text: str) -> None:
        """Tell what the user says."""
        print(f"  {self._in(_CYAN, '> ' + text)}", flush=True)

    def reply(self, text: str) -> None:
        """Tell what is answered."""
        lines = textwrap.wrap("< " + text, width=_WIDTH, initial_indent="  ", subsequent_indent="    ")
        print("\n".join(self._in(_DIM, line) for line in lines), flush=True)

    def tell(self, text: str) -> None:
        """Tell something else."""
        print(f"    {text}", flush=True)

    def measured(self, what: str, seconds: float) -> None:
        """Tell a time."""
        print(f"    {what:<46}{seconds * 1000:8.1f} ms", flush=True)

    def check(self, holds: bool, promise: str) -> None:
        """Tell whether something is as promised."""
        if holds:
            print(f"    {self._in(_GREEN, 'ok')}  {promise}", flush=True)
        else:
            self.wrong += 1
            print(f"    {self._in(_RED, 'NOT SO')}  {promise}", flush=True)

    def _in(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self._coloured else text


Scenario = Callable[[User, Story], Awaitable[None]]


async def during_a_flight_search(user: User, story: Story) -> None:
    """Basic interruption: another destination, while flights arrive."""
    first = await _say(user, story, f"Find flights from Berlin to Tokyo on {_day()}")
    await user.until("partial_result", first.task_id, times=2)
    story.tell(f"{_counted(user.found(first.task_id))} have arrived; the search goes on")

    second = await _say(user, story, "Actually, make it Osaka")
    await _tell_times(user, story, first, second)
    await _check_kept(user, story, first, reason="superseded")
    await _check_answered(user, story, second, naming="Osaka")


async def rapid_fire(user: User, story: Story) -> None:
    """Rapid-fire changes: each message follows the 202 of the one before it."""
    story.user(f"Find flights from Berlin to {_RAPID[0]} on {_day()}")
    for city in _RAPID[1:]:
        story.user(f"Sorry, to {city}")
    posted = [await user.post(f"Find flights from Berlin to {_RAPID[0]} on {_day()}")]
    posted += [await user.post(f"Sorry, to {city}") for city in _RAPID[1:]]
    *interrupted, last = posted

    told = [await user.until("status_update", one.task_id, status="interrupted") for one in interrupted]
    accepting = [one.accepted_s - one.at_s for one in posted]
    ending = [heard.at_s - newer.at_s for heard, newer in zip(told, posted[1:], strict=True)]
    story.measured("POST to 202, median", statistics.median(accepting))
    story.measured("POST to 202, worst", max(accepting))
    story.measured("POST to old task told interrupted, median", statistics.median(ending))
    story.measured("POST to old task told interrupted, worst", max(ending))
    story.check(
        all(heard.frame["reason"] == "superseded" for heard in told),
        f"{len(interrupted)} tasks are interrupted, each superseded by the next",
    )
    await _check_answered(user, story, last, naming=_RAPID[-1])
    history = await user.get("history")
    said = [message["task_id"] for message in history["messages"] if message["role"] == "user"]
    story.check(said == [one.task_id for one in posted], "all ten messages are in the history, in order")
    replies = [message["task_id"] for message in history["messages"] if message["role"] == "assistant"]
    story.check(replies == [last.task_id], "only the last one was answered")


async def between_related_requests(user: User, story: Story) -> None:
    """Context transfer: "and hotels there" needs the city, the day and the number of people."""
    first = await _say(user, story, f"Find flights from Berlin to Tokyo on {_day()} for 2 people")
    await user.until("partial_result", first.task_id)

    second = await _say(user, story, "and hotels there")
    await _tell_times(user, story, first, second)
    carried = (await user.until("context_transfer", second.task_id)).frame["carried"]
    story.tell(f"carried over: {', '.join(carried['slots'])}")
    story.check(
        {"flight.origin", "hotel.city", "hotel.check_in", "hotel.guests"} <= set(carried["slots"]),
        "city, day and number of people go over to the hotels",
    )
    story.check(carried["partial_results"] == user.found(first.task_id), "so does what was found")
    await user.until("partial_result", second.task_id, agent="flight")

    third = await _say(user, story, "Forget the flights, only hotels with at least 4 stars")
    await _tell_times(user, story, second, third)
    flights = user.found(second.task_id)["flight"]
    await _check_answered(user, story, third, naming=f"I had found {flights} flight")
    story.check("flight" not in user.found(third.task_id), "no more flights are searched")


async def both_agents_at_work(user: User, story: Story) -> None:
    """Two agents: both searches end with the task, by a message and by a stop."""
    first = await _say(user, story, f"Flights from Paris to Rome on {_day()} and a hotel there for 3 nights")
    for agent in ("flight", "hotel"):
        await user.until("partial_result", first.task_id, agent=agent)
    story.tell(f"{_counted(user.found(first.task_id))} have arrived; both searches go on")

    second = await _say(user, story, "Actually, to Lisbon instead")
    await _tell_times(user, story, first, second)
    await _check_kept(user, story, first, reason="superseded")
    for agent in ("flight", "hotel"):
        await user.until("partial_result", second.task_id, agent=agent)

    story.user("(presses stop)")
    at_s = time.perf_counter()
    receipt = await user.stop()
    story.measured("POST /stop to its receipt", time.perf_counter() - at_s)
    story.check(receipt["task_id"] == second.task_id, "the receipt is that of the task that was at work")
    await _check_kept(user, story, second, reason="stopped")
    story.check(await user.stop() == receipt, "stopping again changes nothing and tells the same")


async def a_search_still_wanted(user: User, story: Story) -> None:
    """Adoption: another hotel is wanted, so the flight search goes on under the new task."""
    first = await _say(
        user, story, f"Flights from Berlin to Lisbon on {_day()} and a hotel there for 3 nights"
    )
    for agent in ("flight", "hotel"):
        await user.until("partial_result", first.task_id, agent=agent)
    story.tell(f"{_counted(user.found(first.task_id))} have arrived; both searches go on")

    second = await _say(user, story, "Make the hotel five stars")
    await _tell_times(user, story, first, second)
    receipt = (await user.until("receipt", first.task_id)).frame["receipt"]
    outcomes = {call["tool"]: call["outcome"] for call in receipt["tool_calls"]}
    story.tell(f"receipt: {', '.join(f'{tool} {outcome}' for tool, outcome in outcomes.items())}")
    story.check(
        outcomes == {"search_flights": "adopted", "search_hotels": "cancelled"},
        "the flight search was taken over, the hotel search was cut short",
    )
    story.check(receipt["adopted_by"] == second.task_id, "the receipt names the task that took it over")
    transfer = (await user.until("context_transfer", second.task_id)).frame
    flights = next(call["call_id"] for call in receipt["tool_calls"] if call["outcome"] == "adopted")
    story.check(transfer["adopted"] == [flights], "the new task says which call it took over")
    await _check_answered(user, story, second, naming="at least 5 stars")
    shown = user.events("partial_result", second.task_id, agent="flight")
    ids = [item["offer_id"] for heard in shown for item in heard.frame["items"]]
    story.check(len(set(ids)) == len(ids), f"its {len(ids)} flights are shown there, none of them twice")
    ended = user.events("tool_update", second.task_id, tool="search_flights")[-1].frame
    story.check(
        (ended["call_id"], ended["state"]) == (flights, "completed"),
        "it was one and the same search, to its end",
    )


async def in_the_middle_of_a_booking(user: User, story: Story) -> None:
    """A write: once it has begun it finishes, whatever is said meanwhile, and is never made twice."""
    first = await _say(user, story, f"Flights from Berlin to Lisbon on {_day()}")
    await user.until("status_update", first.task_id, status="completed")
    booking = await _say(user, story, "Book the cheapest flight")
    asked = (await user.until("input_request", booking.task_id)).frame
    story.reply(asked["prompt"])
    for title, fact in asked["facts"].items():
        story.tell(f"{title}: {fact}")
    story.user("(presses Allow)")
    allowed_s = await user.decide(asked["request_id"], "allow")
    began = await user.until("tool_update", booking.task_id, tool="book_flight", state="running")
    story.measured("POST /answer to the booking's beginning", began.at_s - allowed_s)

    second = await _say(user, story, f"Find a hotel in Lisbon on {_day()} for 2 nights")
    held = await user.until("status_update", booking.task_id, status="cancelling")
    story.measured("POST to old task told cancelling", held.at_s - second.at_s)
    first_hotel = await user.until("partial_result", second.task_id)
    story.measured("POST to first result of the new task", first_hotel.at_s - second.at_s)
    receipt = (await user.until("receipt", booking.task_id)).frame["receipt"]
    booked = next(call for call in receipt["tool_calls"] if call["tool"] == "book_flight")
    story.tell(f"receipt: book_flight {booked['outcome']}: {booked['summary']}")
    story.check(booked["outcome"] == "completed_after_interrupt", "what had begun was finished")
    story.check(
        user.events("partial_result", second.task_id)[0].frame["seq"]
        < user.events("receipt", booking.task_id)[0].frame["seq"],
        "the new task did not wait for it",
    )
    await _check_answered(user, story, second, naming="went through before you changed your mind")

    third = await _say(user, story, "What have I booked?")
    await _check_answered(user, story, third, naming="Your booking: DEMO-")
    reply: str = user.events("message", third.task_id, role="assistant")[-1].frame["text"]
    references = re.findall(r"DEMO-\w+", reply)
    story.check(
        len(references) == 1 and references[0] in booked["summary"], "there is exactly one booking, that one"
    )


SCENARIOS: Mapping[str, Scenario] = {
    "Interrupted in the middle of a flight search": during_a_flight_search,
    "Ten changes of mind, as fast as the server takes them": rapid_fire,
    "What is known goes over to a related request": between_related_requests,
    "Interrupted with both agents at work, then stopped": both_agents_at_work,
    "A search that is still wanted goes on": a_search_still_wanted,
    "Interrupted in the middle of a booking": in_the_middle_of_a_booking,
}


async def _say(user: User, story: Story, text: str) -> Posted:
    story.user(text)
    return await user.post(text)


async def _tell_times(user: User, story: Story, old: Posted, new: Posted) -> None:
    """Tell how fast a message took the place of the one before it."""
    started = await user.until("status_update", new.task_id, status="running")
    told = await user.until("status_update", old.task_id, status="interrupted")
    story.measured("POST to 202", new.accepted_s - new.at_s)
    story.measured("POST to first event of the new task", started.at_s - new.at_s)
    story.measured("POST to old task told interrupted", told.at_s - new.at_s)
    first = await user.until("partial_result", new.task_id)
    story.measured("POST to first result of the new task", first.at_s - new.at_s)
    story.check(new.answer["interrupted_task_id"] == old.task_id, "the 202 names the task it interrupted")


async def _check_kept(user: User, story: Story, task: Posted, *, reason: str) -> None:
    """Check that what an interrupted task had shown is kept and truly told, and nothing came after."""
    receipt = (await user.until("receipt", task.task_id)).frame["receipt"]
    counted = {agent: count for agent, count in receipt["partial_results"].items() if count}
    shown = user.found(task.task_id)
    calls = ", ".join(f"{call['tool']} {call['outcome']}" for call in receipt["tool_calls"])
    story.tell(f"receipt: {receipt['reason']}; {calls}; {_counted(counted)} kept")
    story.check(receipt["reason"] == reason, f"it ended as {reason}")
    story.check(counted == shown, "the receipt counts exactly what was shown")
    left = next(
        (one for one in (await user.get("partial-results"))["interrupted"] if one["task_id"] == task.task_id),
        None,
    )
    kept = {agent: len(items) for agent, items in left["partial_results"].items()} if left else None
    story.check(kept == shown, "all of it can still be fetched")
    ended = (await user.until("status_update", task.task_id, status="interrupted")).frame["seq"]
    late = [one for one in user.events("partial_result", task.task_id) if one.frame["seq"] > ended]
    story.check(not late, "nothing of it came after it was told interrupted")


async def _check_answered(user: User, story: Story, task: Posted, *, naming: str) -> None:
    """Check that a task completes, and that its reply has these words."""
    await user.until("status_update", task.task_id, status="completed")
    reply: str = user.events("message", task.task_id, role="assistant")[-1].frame["text"]
    story.reply(reply)
    story.check(naming in reply, f'the last message is answered: "{naming}"')


def _counted(found: dict[str, int]) -> str:
    counts = (f"{count} {agent}{'' if count == 1 else 's'}" for agent, count in sorted(found.items()))
    return " and ".join(counts) or "nothing"


def _day() -> str:
    """Return a day three weeks ahead, which is on sale whenever the demo is run."""
    return f"{datetime.now(UTC) + timedelta(weeks=3):%-d %B %Y}"


async def play(*, pace: float, story: Story, scenarios: Mapping[str, Scenario] = SCENARIOS) -> None:
    """Play scenarios against a server of their own; it is ended whatever happens.

    Raises `SurpriseError` where it does not start, `TimeoutError` where all takes longer than `MOST_S`.
    """
    started_s = time.perf_counter()
    async with own_server(pace=pace) as port:
        ready_s = time.perf_counter() - started_s
        print(f"A server of its own is at http://127.0.0.1:{port} (ready after {ready_s:.1f} s).")
        print(
            "Times are taken here, in the client: from sending a POST to an answer or an event.", flush=True
        )
        async with asyncio.timeout(MOST_S):
            for number, (title, scenario) in enumerate(scenarios.items(), 1):
                story.begin(f"{number}. {title}")
                async with connected(port, f"demo-{number}") as user:
                    try:
                        await scenario(user, story)
                    except SurpriseError as surprise:
                        story.check(False, str(surprise))


def main() -> None:
    """Play the demo and exit: 0 where everything was as told, 1 where not, 130 where broken off."""
    parser = argparse.ArgumentParser(prog="make demo", description="Watch requests being interrupted.")
    parser.add_argument(
        "--pace", type=float, default=0.6, help="seconds between batches of a simulated source (default 0.6)"
    )
    pace: float = parser.parse_args().pace
    story = Story(coloured=sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    # Ended by another program as by Ctrl-C, so that the server is ended in either case.
    signal.signal(signal.SIGTERM, lambda _signal, _frame: signal.raise_signal(signal.SIGINT))
    try:
        asyncio.run(play(pace=pace, story=story))
    except SurpriseError as surprise:
        story.check(False, str(surprise))
    except TimeoutError:
        story.check(False, f"all of it should take less than {MOST_S:.0f} s")
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    print("\nEverything was as told." if story.wrong == 0 else f"\nNot as told: {story.wrong}.", flush=True)
    raise SystemExit(1 if story.wrong else 0)


if __name__ == "__main__":
    main()
