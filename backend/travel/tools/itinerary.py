"""The itinerary planner: the cheapest order, days and flights of a trip through several cities.

It searches in a process of its own (`TourProgram`), which is ended when the call is cancelled. Each plan
that is better than those before is published at once, so that a search that is cut short has a best one.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast

import orjson
import structlog

from ...domain.errors import NotOnSale, ProviderError
from ...tasks.ledger.base import Report, ToolResult
from ...tasks.ledger.processes import Command, SubprocessTool
from ...tasks.task_owner import TaskOwner
from ..providers.base import TourProgram
from ..values.travel import Money, Tour, fault_of

PLAN_ITINERARY = "plan_itinerary"
"""The tool's name."""

FRESH_S = 300.0
"""Seconds for which a repeated wish is answered with the same plan, as for a search."""

PLANNER = "itinerary planner"
"""What people call the source of the plans."""

_NO_ANSWER = "The itinerary planner ended without an answer. Please try again."
_log = structlog.get_logger(__name__)


def plan_itinerary(program: TourProgram, *, owner: TaskOwner) -> SubprocessTool[Tour]:
    """Return the tool that plans tours with a program; it changes and reads nothing outside.

    The value of its result has the best `plan` (or None), `proven` (no plan is cheaper), `plans` (how many
    were published), and `done` of `orders` (how many orders of the cities were searched, of how many).
    """

    def talk(tour: Tour, report: Report) -> _Talk:
        fault = fault_of(tour)
        if fault:
            raise NotOnSale(fault)
        return _Talk(program.request(tour), report)

    command = Command(program.command, program.environment)
    return SubprocessTool(PLAN_ITINERARY, command, talk, owner=owner, fresh_s=FRESH_S)


class _Talk:
    """One search: publishes the plans, and keeps the best one and the program's last words."""

    def __init__(self, request: bytes, report: Report) -> None:
        self.request = request
        self._report = report
        self._best: Mapping[str, Any] | None = None
        self._end: Mapping[str, Any] | None = None
        self._refusal = ""

    def heard(self, line: str) -> None:
        """Read one line of the program; a line that is no JSON object is logged and ignored."""
        said = _object(line)
        if said is None:  # a warning of an imported library, say: no reason to lose the plans
            _log.warning("the itinerary planner printed what is no answer", line=line[:200])
        elif isinstance(plan := said.get("plan"), dict):
            self._best = cast("Mapping[str, Any]", plan)
            self._report.found([plan], source=PLANNER)
        elif isinstance(progress := said.get("progress"), dict):
            told = cast("Mapping[str, Any]", progress)
            self._report.progress(str(told["detail"]), done=int(told["done"]), total=int(told["total"]))
        elif isinstance(end := said.get("end"), dict):
            self._end = cast("Mapping[str, Any]", end)
        elif isinstance(error := said.get("error"), dict):
            self._refusal = str(cast("Mapping[str, Any]", error).get("message", ""))

    def result(self, exit_code: int) -> ToolResult:
        """Return the search's result. Raises `NotOnSale` or `ProviderError` if it has none."""
        if self._refusal:
            raise NotOnSale(self._refusal)
        # An exit code of 0 is not enough: a program that was cut off in the middle of a line has no end.
        if exit_code != 0 or self._end is None:
            raise ProviderError(_NO_ANSWER)
        value = {**self._end, "plan": self._best}
        return ToolResult(_summary(self._best, self._end), value, whole=bool(self._end["proven"]))


def _object(line: str) -> Mapping[str, Any] | None:
    try:
        said: Any = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return cast("Mapping[str, Any]", said) if isinstance(said, dict) else None


def _summary(best: Mapping[str, Any] | None, end: Mapping[str, Any]) -> str:
    """Return in a few words what was found: "€275.50, the cheapest of 6 orders"."""
    orders = f"{end['orders']:,} orders" if end["orders"] > 1 else "all ways in that order"
    if best is None:
        return f"no plan in {orders}" if end["proven"] else f"no plan yet, {end['done']:,} of {orders} tried"
    total = best["price_total"]
    price = Money(amount=Decimal(total["amount"]), currency=total["currency"])
    if end["proven"]:
        return f"{price}, the cheapest of {orders}"
    return f"{price}, the cheapest so far, {end['done']:,} of {orders} tried"
