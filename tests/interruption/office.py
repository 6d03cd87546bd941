"""Whoever books for everyone, as the servers meet it: it outlives them, and remembers all that reached it.

How it answers is the first thing that is to be booked. It is no kinder than a real one: what it was sent is
carried out even where whoever sent it has died since, and what it was asked about and has not done, it
refuses from then on. What should never have reached it is `wrong`.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any

from backend.domain.errors import BookingRefused, OutcomeUnknown, ProviderError, QuoteChanged
from backend.domain.tool_call import ToolCall, call_key
from backend.tasks.ledger.base import Quote, ToolResult
from tests.stored import now
from tests.virtual_time import virtual_clock

BOOK = "book"
DONE_AFTER_S = 0.3
SILENT_S = 7.0
"""How long it does not say what it has done, where it did not answer."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a call is answered: `after_s` its arrival, how it ends then, and whether it is done."""

    after_s: float = 0.6
    ends: str = "answers"
    done: bool = True
    done_after_s: float = DONE_AFTER_S


MANNERS = {
    "book": Manner(),
    "booktoo": Manner(),
    "bookslow": Manner(25.0, done_after_s=22.0),
    "booknever": Manner(1.0, "times out"),
    "booklate": Manner(1.0, "times out", done_after_s=4.0),
    "booklost": Manner(1.0, "times out", done=False),
    "bookno": Manner(0.3, "refuses", done=False),
    "bookdear": Manner(0.3, "costs more", done=False),
    "bookbroken": Manner(ends="breaks"),
    "bookodd": Manner(ends="answers oddly"),
}


@dataclass(frozen=True, slots=True)
class Effect:
    """What was done for a user, and which attempt at which message wanted it."""

    user_id: str
    call_id: str
    message_of: str
    purpose: str


class Office:
    """`effects` is what was done, by call id; `cut_off` are the calls that have not come to their end."""

    def __init__(self, kept: Any) -> None:
        """`kept` is what of the servers is durable: what is not intended there must not come."""
        self._kept = kept
        self._now = virtual_clock()
        self.sent: list[str] = []
        self.effects: dict[str, Effect] = {}
        self.wrong: list[str] = []
        self.cut_off: set[str] = set()
        self._under_way: set[str] = set()
        self._silent_until_s: dict[str, float] = {}
        self._refused: set[str] = set()
        self._price: Counter[str] = Counter()

    def price(self, user_id: str, what: str) -> int:
        """Return what something costs at this moment."""
        return 100 + self._price[user_id] if what == "bookdear" else 100

    async def book(self, user_id: str, call_id: str, what: str, price: int) -> str:
        """Book something; see `MANNERS`."""
        await asyncio.sleep(0.001)
        manner = MANNERS[what]
        effect = self._arrived(user_id, call_id, what, price)
        if manner.ends == "costs more" and price % 2 == 0:
            self._price[user_id] += 1
            raise QuoteChanged("It costs more now.")
        loop = asyncio.get_running_loop()
        if manner.done or manner.ends == "costs more":
            self._under_way.add(call_id)
            self._do_later(manner.done_after_s, effect)
        if manner.ends == "times out":
            self._silent_until_s[call_id] = loop.time() + SILENT_S
        await asyncio.sleep(manner.after_s)
        match manner.ends:
            case "times out":
                raise OutcomeUnknown("No answer came.")
            case "refuses":
                raise BookingRefused("The card was declined.")
            case "breaks":
                raise ZeroDivisionError
            case _:
                return f"DEMO-{call_id}"

    async def outcome_of(self, call_id: str) -> str | None:
        """Tell what became of a call."""
        await asyncio.sleep(0.001)
        silent_until_s = self._silent_until_s.get(call_id, 0.0)
        if call_id in self._under_way or asyncio.get_running_loop().time() < silent_until_s:
            raise ProviderError("That cannot be told yet.")
        if call_id in self.effects:
            return f"DEMO-{call_id}"
        self._refused.add(call_id)
        return None

    def _do_later(self, seconds: float, effect: Effect) -> None:
        asyncio.get_running_loop().call_later(seconds, self._done, effect)

    def _done(self, effect: Effect) -> None:
        self._under_way.discard(effect.call_id)
        if any(self._same(effect, other) for other in self.effects.values()):
            self.wrong.append(f"twice for one message: {effect}")
        self.effects[effect.call_id] = effect

    def _same(self, one: Effect, other: Effect) -> bool:
        return (one.message_of, one.purpose) == (other.message_of, other.purpose)

    def _arrived(self, user_id: str, call_id: str, what: str, price: int) -> Effect:
        """Look up who wants this, and whether it was allowed; as it is durable at this moment."""
        if call_id in self.sent or call_id in self._refused:
            self.wrong.append(f"sent again: {call_id}")
        self.sent.append(call_id)
        rows = [row for row in now(self._kept.unsettled_tool_calls(user_id)) if row.call_id == call_id]
        intent = next((row for row in rows if row.state == "running" and row.unsettled), None)
        task = intent and now(self._kept.get_task_metadata(user_id, intent.task_id))
        if intent is None or task is None:
            self.wrong.append(f"not known to be under way: {call_id}")
            return Effect(user_id, call_id, call_id, call_id)
        arguments = {"what": what, "price": price}
        if (intent.arguments, intent.key) != (arguments, call_key(BOOK, arguments)):
            self.wrong.append(f"sent with other arguments: {call_id}")
        if not self._allowed(intent):
            self.wrong.append(f"nobody has allowed this: {call_id}")
        return Effect(user_id, call_id, task.asked_in or task.task_id, intent.purpose)

    def _allowed(self, intent: ToolCall) -> bool:
        """Whether just this was allowed by its user, in time."""
        allowed = intent.instead_of or intent.call_id
        return any(
            (asked.permission.tool, asked.permission.key) == (BOOK, intent.key)
            and asked.resolution == "allowed"
            and intent.started_at is not None
            and intent.started_at < asked.expires_at
            for turn in range(1, intent.turn + 1)
            for asked in now(self._kept.get_inputs(intent.user_id, turn))
            if asked.permission is not None and asked.permission.call_id == allowed
        )


class Book:
    """The tool of one server that books there."""

    name = BOOK

    def __init__(self, office: Office) -> None:
        self._office = office
        self._at_work: set[str] = set()

    async def quote(self, user_id: str, arguments: Any) -> Quote:
        await asyncio.sleep(0)
        what = arguments["what"]
        if what == "booknothing":
            raise ProviderError("There is nothing to book.")
        price = self._office.price(user_id, what)
        return Quote({"what": what, "price": price}, f"{what} for {price}?", {"Total": price})

    async def run(self, arguments: Any, report: Any) -> ToolResult:
        if report.user_id in self._at_work:
            self._office.wrong.append(f"two at once for {report.user_id}")
        self._at_work.add(report.user_id)
        self._office.cut_off.add(report.call_id)
        try:
            reference = await self._office.book(report.user_id, report.call_id, **arguments)
        except Exception:
            self._office.cut_off.discard(report.call_id)
            raise
        finally:
            self._at_work.discard(report.user_id)
        self._office.cut_off.discard(report.call_id)
        odd = MANNERS[arguments["what"]].ends == "answers oddly"
        return ToolResult(f"{reference} is booked", object() if odd else reference)

    async def outcome_of(self, _user_id: str, call_id: str) -> ToolResult | None:
        reference = await self._office.outcome_of(call_id)
        return None if reference is None else ToolResult(f"{reference} is booked", reference)
