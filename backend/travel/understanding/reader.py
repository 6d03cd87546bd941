"""Who reads messages, and what a reader is told: the seam at which a language, or a model, is put in."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from ..values.travel import City
from .message import Message
from .result import Agent, Alternative
from .slot_table import SLOTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """What is known when a message arrives, as far as its words are read by it.

    After the day `after` people go on in days, and `since` is the first day of a period that was left open.
    `offered` are the agents that there are.
    `asked` are the slots that the assistant asked for, `counts` those that a bare number may be for,
    `counted` the counts that were told, and `days` the days that the request before holds. `running` are its
    agents: if only a hotel was spoken of, to leave is to check out, unless the message brings in flights.
    `filled` are the slots that it holds. `is_hotel_named` tells whether a hotel has been named before, and
    `hotels` all names of hotels that the conversation knows, also as put forward. `stay` is the city to stay
    in, if known. `open_readings` are those that an earlier message left open.
    """

    today: date
    after: date | None = None
    since: date | None = None
    offered: Collection[Agent] = tuple(SLOTS)
    asked: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()
    days: Collection[date] = ()
    running: tuple[Agent, ...] = ()
    filled: Collection[str] = ()
    is_hotel_named: bool = False
    hotels: tuple[str, ...] = ()
    stay: City | None = None
    open_readings: tuple[Alternative, ...] = ()


class Reader(Protocol):
    """Reads single messages. It never raises, whatever the message, and holds no state of a conversation."""

    def __call__(self, message: str, background: Background) -> Message:
        """Return what a message says."""
        ...
