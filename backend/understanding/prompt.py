"""What the assistant said last, as far as it bears on what an answer means.

Where the assistant is ours its questions are known as names of slots (`asking`); out of somebody else's words
they are read by `assistant`.
"""

from dataclasses import dataclass

from backend.understanding.assent import Assent
from backend.understanding.result import Agent
from backend.understanding.slots import Slots, overlay

NOTHING = Slots()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What the assistant asked for, and what it put forward.

    `asked` are names of slots, in the order of asking. What is `proposed` is known once it is agreed to:
    "You leave on 1 March?", "Two rooms, is that right?". Of a result that is `offered` only what names it is
    taken along with it: the airline, or the hotel. `about` are the agents it speaks of; with
    `is_elsewhere` it speaks of something that is neither flight nor hotel.
    """

    asked: tuple[str, ...] = ()
    proposed: Slots = NOTHING
    offered: Slots = NOTHING
    about: tuple[Agent, ...] = ()
    is_elsewhere: bool = False

    @property
    def is_question(self) -> bool:
        """Whether there is anything in it to answer to."""
        return bool(self.asked or self.proposed.filled)

    def agreed(self, answer: Assent) -> Slots:
        """Return what becomes known by an answer that agrees or declines."""
        return overlay(self.offered, self.proposed) if answer == "yes" else NOTHING


def asking(*slots: str) -> Prompt:
    """Return the prompt of an assistant that asks for these slots and nothing else."""
    return Prompt(asked=slots)
