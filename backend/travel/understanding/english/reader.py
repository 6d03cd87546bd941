"""The reader of English: takes a message apart, and tells what it says without its words."""

from dataclasses import replace
from functools import partial
from typing import Any

from ..message import HotelName, Message, Part
from ..reader import Background
from ..result import Agent
from ..slot_table import ROWS, searching
from .dates.dates import last_nights
from .details.airlines import names_further
from .details.answers import bare_amount, find_choices, is_of_a_stay
from .details.hotels import same_hotels
from .details.prices import scope_told
from .details.removals import allowed_again
from .details.shifts import find_return
from .details.wishes import agent_of, values_of
from .dialogue_acts import acts_of
from .language.tables import phrases_of
from .places.finder import PlaceMention
from .places.goals import open_goal
from .reading import Reading, take_apart
from .talk.undoing import find_right
from .topics.topics import named_in
from .unread import find_hint, find_unread

_TOPICS_SAID = phrases_of("topics")

_SOUND_LIKE_ACTS = frozenset(
    {"hotel.free_cancellation", "flight.refundable", "flight.max_total", "hotel.max_total"}
)


def read_message(message: str, background: Background) -> Message:
    """Return what a message says. The `Reader` of English."""

    def read(words: str) -> Message:
        return _message(take_apart(words, background))

    reading = take_apart(message, background)
    told = _message(reading)
    if background.running and not reading.refused:
        told = replace(told, hinted=partial(find_hint, reading.whole, reading.places, background.stay, read))
    if not (told.says_something or told.agents or told.wished_of or told.hotel_names):
        return told
    if told.amount is not None:  # all words of such a message are accounted for
        return told
    return replace(told, unread=partial(find_unread, reading.whole, reading.read, told, read))


def _message(reading: Reading) -> Message:
    """What was read, without its words."""
    text = reading.whole
    goals = [one.place for one in reading.places if one.place and one.role in ("destination", "stay", "")]
    hotels = [one.name for one in reading.hotel_names]
    nights = last_nights(text)
    parts = tuple(_in_bed(part) for part in reading.parts) if nights else reading.parts
    return Message(
        parts=parts,
        agents=searching({agent for part in parts for agent in part.agents}),
        last_nights=nights,
        acts=acts_of(text.without(_no_acts(reading))),
        is_trip=reading.topic.is_trip,
        is_loose=reading.topic.is_loose,
        is_elsewhere=reading.topic.is_elsewhere,
        is_bare=reading.is_bare,
        is_of_stay=is_of_a_stay(text),
        is_of_another_place=reading.is_of_another_place,
        flies_back=any(part.end for part in reading.parts) and text.has(_TOPICS_SAID.flies_back),
        hotel_names=tuple(
            HotelName(name=one.name, is_rejected=one.is_rejected) for one in reading.hotel_names
        ),
        same_hotels=same_hotels((*hotels, *reading.background.hotels)),
        goal=goals[-1] if goals else None,
        waived=reading.waived,
        removed=frozenset(
            (*(slot for removal in reading.removals for slot in removal.slots), *allowed_again(text))
        ),
        not_wanted=tuple(mention.place for mention in reading.not_wanted if mention.place),
        open_goal=open_goal(text),
        also_airlines=names_further(text, reading.airlines),
        shift=reading.shift.told(text) if reading.shift else None,
        scope=scope_told(text),
        slots=_slots(reading),
        choices=tuple(find_choices(text, reading.background.open_readings, reading.gazetteer)),
        amount=bare_amount(text),
        right=find_right(text),
        returns_to=find_return(text, reading.gazetteer),
        wished_of=_wished_of(reading),
        refused=tuple(reading.refused),
    )


def _in_bed(part: Part) -> Part:
    """The part, which is about a hotel if it names nobody: "the last night in Geneva"."""
    return part if part.agents else replace(part, agents=("hotel",))


def _wished_of(reading: Reading) -> tuple[Agent, ...]:
    """The agents that wishes are for; in an opening message, those that it names."""
    spoken_of = {*reading.background.running, *named_in(reading.whole, reading.background)}
    airports: tuple[Agent, ...] = ("flight",) if any(map(_is_airport, reading.not_wanted)) else ()
    wished: tuple[Agent, ...] = (
        *map(agent_of, reading.mentions),
        *(one.agent for one in reading.wishes),
        *airports,
    )
    return tuple(dict.fromkeys(agent for agent in wished if agent in spoken_of))


def _is_airport(mention: PlaceMention) -> bool:
    return mention.place is not None and mention.place.airport != ""


def _no_acts(reading: Reading) -> set[int]:
    """Words that sound like acts: to "cancel for free" stops nothing, and "for everything" takes no leave."""
    return reading.returned | {
        at
        for one in reading.mentions
        if not _SOUND_LIKE_ACTS.isdisjoint(one.slots)
        for at in range(one.first, one.after)
    }


def _slots(reading: Reading) -> dict[str, Any]:
    """What the message tells of slots by their names, beside its parts."""
    unwanted = {
        "flight.not_airlines": tuple(name for removal in reading.removals for name in removal.airlines),
        "flight.avoided": tuple(one.place for one in reading.not_wanted if _is_airport(one)),
        "hotel.not_names": tuple(one.name for one in reading.hotel_names if one.is_rejected),
    }
    spoken_of = {*reading.background.running, *reading.topic.agents} or {"flight"}
    return values_of(reading.mentions) | {
        name: values for name, values in unwanted.items() if values and ROWS[name].agent in spoken_of
    }
