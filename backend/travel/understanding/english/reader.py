"""The reader of English: takes a message apart, and tells what it says without its words."""

from ..message import HotelName, Message
from ..reader import Background
from .details.bare import is_of_a_stay
from .details.choices import find_choices
from .details.hotel_names import same_hotels
from .details.returning import find_return
from .details.slot_readers import agent_of
from .dialogue_acts import acts_of
from .reading import Reading, take_apart
from .topics.words import FLIES_BACK


def read_message(message: str, background: Background) -> Message:
    """Return what a message says. The `Reader` of English."""
    return _message(take_apart(message, background))


def _message(reading: Reading) -> Message:
    """What was read, without its words."""
    text = reading.whole
    goals = [one.place for one in reading.places if one.place and one.role in ("destination", "stay", "")]
    hotels = [one.name for one in reading.hotel_names]
    return Message(
        parts=reading.parts,
        agents=reading.topic.agents,
        acts=acts_of(text),
        is_trip=reading.topic.is_trip,
        is_loose=reading.topic.is_loose,
        is_elsewhere=reading.topic.is_elsewhere,
        is_bare=reading.is_bare,
        is_of_stay=is_of_a_stay(text),
        is_of_another_place=reading.is_of_another_place,
        flies_back=any(part.end for part in reading.parts) and text.has(FLIES_BACK),
        hotel_names=tuple(
            HotelName(name=one.name, is_rejected=one.is_rejected) for one in reading.hotel_names
        ),
        same_hotels=same_hotels((*hotels, *reading.background.hotels)),
        goal=goals[-1] if goals else None,
        waived=reading.waived,
        removed=frozenset(slot for removal in reading.removals for slot in removal.slots),
        not_wanted=tuple(mention.place for mention in reading.not_wanted if mention.place),
        shift=reading.shift.told(text) if reading.shift else None,
        slots={name: value for one in reading.mentions for name, value in one.slots.items()},
        choices=find_choices(text, reading.background.open_readings, reading.gazetteer),
        returns_to=find_return(text, reading.gazetteer),
        wished_of=tuple(
            dict.fromkeys((*map(agent_of, reading.mentions), *(one.agent for one in reading.wishes)))
        ),
        refused=tuple(reading.refused),
    )
