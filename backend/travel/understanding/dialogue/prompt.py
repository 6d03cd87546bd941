"""What a message comes into: the requests before it, and what the assistant said last.

Where the assistant is ours its questions are known as names of slots (`asking`). Those of others, which stand
in labelled conversations alone, are read where these are replayed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from ..found import FoundQuestion
from ..message import Act
from ..result import Agent, Place, Understanding
from ..slot_table import ROWS, SLOTS, Link
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


@dataclass(frozen=True, slots=True)
class Situation:
    """What a message comes into.

    `prompt` is what another assistant said in between; without one it was ours, which asked for what was
    missing. `recent` are requests that were interrupted, latest first, and `alike` others about the same
    places; an index is into both, the `earlier` ones. Of these, `history` are the indexes of all that came
    before `previous`, latest first, and `redo_to` is what came after it where that was taken back. With
    `deciding` the user is being asked to allow what `previous` books; `unfinished` tells that its task has
    not ended. `answered` is the question that was answered last, to which "only those" refers. `offered` are
    the agents that the assistant has; others are other services.
    """

    previous: Understanding | None
    today: date
    prompt: Prompt | None = None
    recent: Sequence[Understanding] = ()
    alike: Sequence[Understanding] = ()
    history: Sequence[int] = ()
    redo_to: int | None = None
    deciding: bool = False
    unfinished: bool = False
    answered: FoundQuestion | None = None
    offered: Collection[Agent] = tuple(SLOTS)

    @property
    def earlier(self) -> tuple[Understanding, ...]:
        """The requests before `previous` that a message may take up again."""
        return (*self.recent, *self.alike)

    @property
    def is_open(self) -> bool:
        """Whether what `previous` books is not booked yet."""
        return self.deciding or self.unfinished
