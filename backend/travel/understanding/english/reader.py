"""The reader of English: takes a message apart, and tells what it says without its words."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..message import Act, Background, HotelName, Message, Part
from ..result import Agent, Place, Refused
from ..slot_table import ROWS, searching
from .dates.dates import nights_in_turn
from .dates.points import NIGHT_UNITS
from .details.airlines import names_further
from .details.answers import bare_amount, books, find_choices, is_of_a_stay
from .details.hotels import same_hotels
from .details.prices import scope_told
from .details.removals import allowed_again
from .details.shifts import find_return, goes_back, repeats
from .details.wishes import agent_of, has_wish, values_of
from .language.tables import phrases_of
from .language.text import Text
from .places.goals import open_goal
from .reading import Reading, take_apart
from .talk.decisions import assent, declines
from .talk.remarks import (
    asks_about,
    asks_about_what_is_found,
    asks_for_more,
    asks_for_what_is_there,
    asks_only_about,
    asks_what_a_word_means,
    decides,
    find_right,
    goes_on_to_ask,
    greets,
    is_closing,
    redoes,
    refers_back,
    starts_afresh,
    starts_over,
    tells_a_liking,
    turns,
    undoes,
    undoes_all,
    undoes_both,
)
from .talk.stops import begins_with_a_stop, breaks_off, is_only_a_stop, only_answers_later
from .topics.topics import named_in
from .unread import find_hint, find_unread

_SAID = phrases_of("english")
_TOPICS_SAID = phrases_of("topics")

_SOUND_LIKE_ACTS = frozenset(
    {"flight.bags", "hotel.free_cancellation", "flight.refundable", "flight.max_total", "hotel.max_total"}
)


def read_message(message: str, background: Background) -> Message:
    """Return what a message says. The `Reader` of English."""

    def read(words: str) -> Message:
        return _message(take_apart(words, background))

    def unread() -> tuple[Refused, ...]:
        says_something = told.says_something or told.agents or told.wished_of or told.hotel_names
        if not says_something or told.amount is not None:  # all words of an amount are accounted for
            return ()
        return find_unread(reading.whole, reading.read, told, read)

    def hinted() -> Message | None:
        if not background.running or told.refused or only_answers_later(reading.spelled):
            return None
        return find_hint(reading.whole, reading.places, background.stay, read)

    reading = take_apart(message, background)
    told = _message(reading, unread=unread, hinted=hinted)
    return told


def _message(reading: Reading, **later: Callable[[], Any]) -> Message:
    """What was read, without its words; what is found out `later` costs several readings."""
    text = reading.whole
    goals = [one.place for one in reading.places if one.place and one.role in ("destination", "stay", "")]
    hotels = [one.name for one in reading.hotel_names]
    nights = nights_in_turn(text) if not (reading.shift and reading.shift.days) else None
    is_of_bed = nights and text.norm(nights.after - 1) in NIGHT_UNITS
    is_of_bed = is_of_bed and all({*part.agents} <= {"flight"} for part in reading.parts)
    is_of_bed = is_of_bed or reading.moves_bed
    parts = tuple(map(_in_bed, reading.parts)) if is_of_bed else reading.parts
    return Message(
        parts=parts,
        agents=searching({agent for part in parts for agent in part.agents}),
        nights_in_turn=(nights.skipped, nights.nights) if nights else None,
        acts=acts_of(text.without(_no_acts(reading))),
        is_trip=reading.topic.is_trip,
        is_loose=reading.topic.is_loose,
        is_elsewhere=reading.topic.is_elsewhere,
        is_bare=reading.is_bare,
        is_of_stay=is_of_a_stay(text),
        is_of_another_place=reading.is_of_another_place,
        flies_back=any(part.end for part in reading.parts) and text.has(_TOPICS_SAID.flies_back),
        brings_along=len(reading.topic.agents) > 1 and text.has(_TOPICS_SAID.brings_along),
        stays_on=text.has(_TOPICS_SAID.stays_on),
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
        refused=reading.all_refused(),
        **later,
    )


def _in_bed(part: Part) -> Part:
    """The part, which is about a hotel if it names nobody: "the last night in Geneva"."""
    return part if part.agents else replace(part, agents=("hotel",))


def _wished_of(reading: Reading) -> tuple[Agent, ...]:
    """The agents that wishes are for; in an opening message, those that it names."""
    airports: tuple[Agent, ...] = ("flight",) if _avoided(reading) else ()
    wished: tuple[Agent, ...] = (
        *map(agent_of, reading.mentions),
        *(one.agent for one in reading.wishes),
        *airports,
    )
    if not wished:
        return ()
    spoken_of = {*reading.background.running, *named_in(reading.whole, reading.background)}
    return tuple(dict.fromkeys(agent for agent in wished if agent in spoken_of))


def _avoided(reading: Reading) -> tuple[Place, ...]:
    """Where not to change planes: airports, and cities that a running search for flights does not go to."""
    background, text = reading.background, reading.text
    ends = {background.start, background.stay}
    is_under_way = "flight" in background.running and None not in ends and not reading.places
    return tuple(
        one.place
        for one in reading.not_wanted
        if one.place
        and (
            one.place.airport
            or (is_under_way and one.place.city not in ends and text.match(_SAID.avoids, one.first - 1))
        )
    )


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
        "flight.avoided": _avoided(reading),
        "hotel.not_names": tuple(one.name for one in reading.hotel_names if one.is_rejected),
    }
    spoken_of = {*reading.background.running, *reading.topic.agents} or {"flight"}
    return values_of(reading.mentions) | {
        name: tuple(dict.fromkeys(values))
        for name, values in unwanted.items()
        if values and ROWS[name].agent in spoken_of
    }


def _accepts(text: Text) -> bool:
    return assent(text) == "yes"


_ACTS: tuple[tuple[Act, Callable[[Text], bool]], ...] = (
    (Act.ACCEPT, _accepts),
    (Act.DECLINE, declines),
    (Act.DECIDE, decides),
    (Act.CHANGE, turns),
    (Act.REFER, refers_back),
    (Act.ASK_FOR_WHAT_IS_THERE, asks_for_what_is_there),
    (Act.START_AFRESH, starts_afresh),
    (Act.START_OVER, starts_over),
    (Act.UNDO, undoes),
    (Act.UNDO_BOTH, undoes_both),
    (Act.UNDO_ALL, undoes_all),
    (Act.REDO, redoes),
    (Act.GO_BACK, goes_back),
    (Act.REPEAT, repeats),
    (Act.STOP, breaks_off),
    (Act.BEGIN_WITH_STOP, begins_with_a_stop),
    (Act.ONLY_STOP, is_only_a_stop),
    (Act.CLOSE, is_closing),
    (Act.GREET, greets),
    (Act.ASK, asks_about),
    (Act.ASK_ON, goes_on_to_ask),
    (Act.ASK_OF_SHOWN, asks_only_about),
    (Act.ASK_OF_FOUND, asks_about_what_is_found),
    (Act.ASK_FOR_MORE, asks_for_more),
    (Act.ASK_MEANING, asks_what_a_word_means),
    (Act.TELL_LIKING, tells_a_liking),
    (Act.TELL_WISH, has_wish),
    (Act.BOOK, books),
)
"""In no order: none of them looks at what another has found."""


def acts_of(text: Text) -> frozenset[Act]:
    """Return all that a message does."""
    return frozenset(act for act, is_done in _ACTS if is_done(text))
