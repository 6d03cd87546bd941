"""What an assistant's words ask for and put forward, where its questions are known as text only."""

import re
from dataclasses import dataclass, replace
from datetime import date

from ...dialogue.prompt import Prompt
from ...dialogue.slots import Slots, held_in, overlay, slots_of
from ...message import Part
from ...reader import Background
from ...result import Agent, FlightSlots, HotelSlots, Understanding
from ..details.hotels import HotelMention
from ..language.text import Text, phrases
from ..reading import take_apart
from . import words
from .asked_slots import asked_in, asks_details
from .offered_hotels import offered_hotel

_SEVERAL = 2
"""So many values have to be in a sentence that asks nothing for it to sum up what is wanted."""

_BEST_OF_MANY = phrases("the cheapest is", "the cheapest one is", "the best is", "the nearest is")
"""What tells of one result among many that are shown does not ask to take it."""

_SENTENCE_END = re.compile(r"(?<=[^\W\d_]{3}[.?!])\s+|(?<=[\d\W][.?!])\s+|(?<=\?)\s*")


def read_prompt(
    said: str, *, previous: Understanding | None, today: date, earlier: Prompt | None = None
) -> Prompt:
    """Return what the assistant's words ask for and put forward, after what was understood before them.

    What an `earlier` prompt offered still stands where nothing else is. Never raises, whatever the words.
    """
    sentences = [_sentence(one, today) for one in _SENTENCE_END.split(said) if one.strip()]
    named = {agent for one in sentences for agent in one.agents}
    about: tuple[Agent, ...] = tuple(agent for agent in ("flight", "hotel") if agent in named)
    if not about and _is_elsewhere(sentences, previous):
        return Prompt(is_elsewhere=True)
    before = previous.about if previous else ()
    goes_on = about if len(about) == 1 else before or about
    known = held_in(previous).filled
    is_confirming = any(one.text.has(words.CONFIRMING) for one in sentences)
    prompt = Prompt(about=about)
    for one in sentences:
        prompt = _with_sentence(prompt, one, goes_on, known=known, is_confirming=is_confirming)
    if earlier and not prompt.offered.filled and not (previous and previous.agents):
        return replace(prompt, offered=earlier.offered)
    return prompt


def _is_elsewhere(sentences: list["_Sentence"], previous: Understanding | None) -> bool:
    """Whether an assistant that names neither flights nor hotels speaks of something else.

    It goes on where the conversation was. From flights and hotels it leads away only by a question: an
    answer to one may speak of the park beside the hotel.
    """
    if previous is not None and previous.is_elsewhere:
        return True
    was_ours = previous is not None and bool(previous.about)
    is_remark = was_ours and not any("?" in one.text.vocabulary for one in sentences)
    return not is_remark and any(one.is_elsewhere for one in sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """One sentence of an assistant, read."""

    text: Text
    agents: tuple[Agent, ...]
    is_elsewhere: bool
    parts: tuple[Part, ...]
    hotel_names: tuple[HotelMention, ...]

    @property
    def hotel(self) -> str | None:
        """The hotel that it names last, without one that is rejected."""
        return next((one.name for one in reversed(self.hotel_names) if not one.is_rejected), None)


def _sentence(said: str, today: date) -> _Sentence:
    """One sentence; a trip or a visit in it is the journey that is spoken of, whoever it is for."""
    read = take_apart(said, Background(today=today))
    is_trip = read.topic.is_trip
    return _Sentence(
        text=read.whole,
        agents=() if is_trip else read.topic.agents,
        is_elsewhere=read.topic.is_elsewhere,
        parts=tuple(replace(part, agents=()) for part in read.parts) if is_trip else read.parts,
        hotel_names=read.hotel_names,
    )


def _with_sentence(
    prompt: Prompt, read: _Sentence, about: tuple[Agent, ...], *, known: frozenset[str], is_confirming: bool
) -> Prompt:
    if read.text.has(words.CLOSING):
        return prompt
    name = None if about == ("flight",) else offered_hotel(read.text) or read.hotel
    if _names_several(read) or read.text.has(_BEST_OF_MANY):
        name = None
    values = slots_of(read.parts, about, hotel_name=name)
    if "today" in read.text.vocabulary and read.text.has(words.BUYING):
        values = _dateless(values)
    asked = asked_in(read.text, about, known=known)
    is_offer = values.hotel.name is not None or values.flight.airline is not None
    asks = prompt.asks_details or (asks_details(read.text) and not is_offer)
    is_remark = not (is_confirming or asked or "?" in read.text.vocabulary) and len(values.filled) < _SEVERAL
    if is_remark or (not is_confirming and read.text.has(words.FOUND)):
        return replace(prompt, offered=overlay(prompt.offered, _named_only(values)), asks_details=asks)
    return replace(
        prompt,
        proposed=overlay(prompt.proposed, _settled_only(values)),
        asked=tuple(dict.fromkeys((*prompt.asked, *asked))),
        asks_details=asks,
    )


def _dateless(values: Slots) -> Slots:
    """Without days: whether to buy something today is no day of a journey."""
    return Slots(
        flight=replace(values.flight, departure_date=None, return_date=None),
        hotel=replace(values.hotel, check_in=None, check_out=None),
    )


def _names_several(read: _Sentence) -> bool:
    """Whether hotels are put side by side, of which one cannot be taken: "Ashley House and Lovell Lodge"."""
    pairs = zip(read.hotel_names, read.hotel_names[1:], strict=False)
    return any(
        read.text.norm(at) in ("and", "or")
        for one, next_one in pairs
        for at in range(one.after, next_one.first)
    )


def _named_only(values: Slots) -> Slots:
    return Slots(flight=FlightSlots(airline=values.flight.airline), hotel=HotelSlots(name=values.hotel.name))


def _settled_only(values: Slots) -> Slots:
    """What can be agreed upon; the stars, stops and price of a result are told, not put to the user."""
    return Slots(
        alternatives=values.alternatives,
        flight=replace(values.flight, max_stops=None, max_price=None),
        hotel=replace(values.hotel, stars=None, max_price=None, amenities=(), district=None),
    )
