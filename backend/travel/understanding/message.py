"""What a message says, taken apart, before it is known what it is an answer to."""

from dataclasses import dataclass, replace
from datetime import date

from .details.facts import Facts
from .details.hotel_names import HotelName
from .details.shifts import Shift
from .language.text import Text
from .places.district_finder import DistrictMention
from .result import Agent, Period, Place, Refused
from .slot_mentions import SlotMention
from .topics.topics import Topic
from .topics.words import FLIES_BACK

_NO_FACTS = Facts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """What else a part could have meant: `what` is "origin", "destination", "named", "start" or "end".

    The other fields are those of `Alternative`.
    """

    what: str
    taken: str
    others: tuple[str, ...]
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one part of a message says, and whom it is about (`agents`, () if that is open).

    `named` is a place that is named without a word that says what it is to the journey. Of `period` the day
    is still to be said; of a region among the `others`, the city. With `is_leaving` the start is a day on
    which somebody leaves. Nights that are `nights_in_hotel` are told of a bed, and not of the whole journey.
    """

    agents: tuple[Agent, ...] = ()
    origin: Place | None = None
    destination: Place | None = None
    named: Place | None = None
    start: date | None = None
    end: date | None = None
    nights: int | None = None
    nights_in_hotel: bool = False
    period: Period | None = None
    is_leaving: bool = False
    district: DistrictMention | None = None
    facts: Facts = _NO_FACTS
    others: tuple[Other, ...] = ()
    has_unknown_goal: bool = False
    """Whether it names a place to go to, or to stay in, that nobody knows."""

    @property
    def says_something(self) -> bool:
        """Whether there is anything in it that could fill a slot."""
        is_empty = (
            replace(self, agents=(), others=(), nights_in_hotel=False, has_unknown_goal=False) == Part()
        )
        return not is_empty or any(not one.taken for one in self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message taken apart. `text` is what the readers of single words look at.

    `refused` is what could not be read; `not_wanted` are places it speaks against. `removed` are slots
    that it empties, `shift` is a change told by how much it changes.
    """

    text: Text
    topic: Topic
    parts: tuple[Part, ...]
    hotel_names: tuple[HotelName, ...] = ()
    is_bare: bool = False
    """Whether it says when, how long and for how many, and nothing else."""
    goal: Place | None = None
    """The last place it names that is not one to come from."""
    refused: tuple[Refused, ...] = ()
    not_wanted: tuple[Place, ...] = ()
    removed: frozenset[str] = frozenset()
    shift: Shift | None = None
    mentions: tuple[SlotMention, ...] = ()
    """What it says of slots that tell by themselves whom they are for."""
    wished_of: tuple[Agent, ...] = ()
    """The agents for which it has such mentions, or wishes that no search takes."""

    @property
    def says_something(self) -> bool:
        """Whether any part could fill a slot, or change one."""
        return bool(self.removed) or self.shift is not None or self.parts_say_something

    @property
    def parts_say_something(self) -> bool:
        """Whether any part could fill a slot."""
        return any(part.says_something for part in self.parts)

    @property
    def flies_back(self) -> bool:
        """Whether it tells the day of the journey back."""
        return any(part.end for part in self.parts) and self.text.has(FLIES_BACK)

    def unnamed(self) -> "Message":
        """The same as if it named nobody: what it says is for those who are spoken to."""
        parts = tuple(replace(part, agents=()) for part in self.parts)
        return replace(self, topic=self.topic.unnamed(), parts=parts)
