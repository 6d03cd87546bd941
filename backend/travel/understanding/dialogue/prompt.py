"""What the assistant said last, as far as it bears on what an answer means.

Where the assistant is ours its questions are known as names of slots (`asking`). Those of others, which stand
in labelled conversations alone, are read where these are replayed.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from ..message import Act
from ..result import Agent, Place
from ..slot_table import ROWS, Link
from .slots import NO_SLOTS, Slots, overlay

_COUNTS = ("flight.passengers", "hotel.rooms", "hotel.guests", "hotel.nights")
_KIND_OF_LINKS: Mapping[Link | None, str] = {"first_day": "day", "last_day": "day", "people": "people"}
_KINDS = {
    **{slot.name: kind for slot in ROWS.values() if (kind := _KIND_OF_LINKS.get(slot.link))},
    **{slot.name: "place" for slot in ROWS.values() if slot.type is Place},
    "hotel.nights": "day",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What the assistant asked for, and what it put forward.

    `asked` are names of slots, in the order of asking. What is `proposed` is known once it is agreed to:
    "You leave on 1 March?", "Two rooms, is that right?". Of a result that is `offered` only what names it is
    taken along with it: the airline, or the hotel. `about` are the agents it speaks of. With
    `asks_details` it asks for something of the request that is no slot: the traveller's name, a part of town,
    a range of prices. With `is_elsewhere` it speaks of something that is neither flight nor hotel.
    """

    asked: tuple[str, ...] = ()
    proposed: Slots = NO_SLOTS
    offered: Slots = NO_SLOTS
    about: tuple[Agent, ...] = ()
    asks_details: bool = False
    is_elsewhere: bool = False

    @property
    def is_question(self) -> bool:
        """Whether there is anything in it to answer to."""
        return bool(self.asked or self.proposed.filled or self.asks_details)

    @property
    def counts(self) -> tuple[str, ...]:
        """What a bare number in an answer may count: what was asked for, else what was proposed."""
        proposed = self.proposed.filled
        return (*self.asked, *(slot for slot in _COUNTS if slot in proposed))

    @property
    def is_reply(self) -> bool:
        """Whether it shows a result, rather than asks."""
        return not self.asked

    def is_answered_by(self, said: Slots) -> bool:
        """Return whether what is said is of a kind that was asked for: a place, a day, a number of people."""
        kinds = {_KINDS.get(slot, slot) for slot in (*self.asked, *self.proposed.filled)}
        return any(_KINDS.get(slot, slot) in kinds for slot in said.filled)

    def agreed(self, acts: Collection[Act]) -> Slots:
        """Return what becomes known by an answer: nothing unless it accepts.

        Whoever asks on about an offer has not taken it.
        """
        if Act.ACCEPT not in acts:
            return NO_SLOTS
        agreed = self.proposed if Act.ASK_ON in acts else overlay(self.offered, self.proposed)
        return replace(agreed, alternatives=())


def asking(*slots: str) -> Prompt:
    """Return the prompt of an assistant that asks for these slots and nothing else."""
    return Prompt(asked=slots)
