"""Answers what asks for no search: questions about the request, small talk, what is not understood."""

from dataclasses import replace
from datetime import date

from ..understanding.dialogue.found import agents_found, words_of_places
from ..understanding.dialogue.slots import slots_of
from ..understanding.english.found.questions import find_question
from ..understanding.english.language.tables import phrases_of
from ..understanding.english.language.text import Text
from ..understanding.english.reader import read_message
from ..understanding.english.slot_words import FOUND, listed
from ..understanding.english.talk.remarks import EXAMPLE, SERVICES, asks_about, goes_on, what_we_do
from ..understanding.english.unread import telling_words
from ..understanding.english.wording import airports_in_words, describe, newly_told, refusals
from ..understanding.found import KINDS, Kind
from ..understanding.message import Background
from ..understanding.result import Understanding
from ..understanding.slot_table import SLOTS
from .state import TravelRun

_TALK_SAID = phrases_of("talk")
_TOPICS_SAID = phrases_of("topics")
_LONGEST = 12
NOTHING_ASKED_FOR = "You have asked for nothing yet."


def aside(message: str, run: TravelRun) -> str:
    """Return the answer to a question about the request itself, "" to any other message."""
    text = Text(message)
    if text.length > _LONGEST:
        return ""
    told = ""
    if text.has(_TALK_SAID.which_airport):
        told = airports_in_words(run.understanding.flight)
    elif text.has(_TALK_SAID.asked_for):
        told = asked_for(run.understanding)
    return " ".join([told, *run.asks_on]) if told else ""


def asked_for(understanding: Understanding) -> str:
    """Return the request as it stands, in a sentence."""
    whole = describe(replace(understanding, agents=understanding.wanted))
    return f"You have asked for {whole}." if whole else NOTHING_ASKED_FOR


def too_early_to_tell(message: str, understanding: Understanding) -> str:
    """Return that what a question is about is not found yet, "" to a message that asks for no such thing."""
    wanted: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind in understanding.wanted) or KINDS
    if agents_found(understanding) or (understanding.wanted and not set(KINDS) & set(understanding.wanted)):
        return ""
    text = Text(message)
    question = find_question(text, words_of_places(understanding), wanted)
    if question is None or question.topic == "state":
        return ""
    asked: tuple[Kind, ...] = (question.agent,) if question.agent else wanted
    return f"I can tell that once I have found {listed([FOUND[kind] for kind in asked])}."


# --- what is not understood ----------------------------------------------------------------------------


NOTHING_CHANGED = "Nothing has changed."
OF_A_TOUR = (
    "I plan a tour of two cities and more by its days, nights and travellers, and tell the cheapest way to "
    'fly it. To change it, say for example "4 nights in Rome", "a week later", "leave out Pisa" or "in any '
    'order". To choose by more than that, ask for its flights and stays one by one, each with its place '
    "and day. The tour is as it was."
)
FLIGHTS_ALONE = "A tour is planned and priced by its flights alone, without hotels and cars. It is as it was."
_WORDS_QUOTED = 12
_TOLD = {
    "flight": "the prices, hours, stops, airlines, checked bags and conditions of flights",
    "hotel": "the prices, part of town, stars, ratings, amenities and conditions of hotels",
    "car": "the prices, class, gearbox, seats, bags, mileage, station and conditions of rental cars",
}


def not_understood(message: str, understanding: Understanding, *, today: date, is_asked: bool) -> str:
    """Return what was read of a message that changes nothing, or which words of it nothing is made of.

    `is_asked` tells that a question follows, which tells by itself what to say next.
    """
    service = next((one for one in SERVICES if one.name == understanding.service), None)
    if service is not None and goes_on(Text(message), _TOPICS_SAID.ours):
        return f"{service.reply.removesuffix('.')}, if that is still what you mean. {what_we_do()}"
    read = read_message(message, Background(today=today, running=understanding.wanted))
    wanted = understanding.wanted
    if understanding.tour is not None and read.waived:
        return FLIGHTS_ALONE
    if wanted and read.waived and read.waived.isdisjoint(wanted):
        return f"I look for {listed([FOUND[agent] for agent in wanted])} only."
    said = slots_of(read.parts, tuple(SLOTS), told=read.slots)
    alone = Understanding(relation="new", agents=tuple(SLOTS), refused=read.refused, **said.by_agent)
    told, text = newly_told(alone), Text(message)
    known = _known_of(understanding) if asks_about(text) else ""
    if known:
        reply = f"I cannot answer {_quoted(text)}: {known}."
    elif told:
        reply = f'I read "{", ".join(told)}", but not what to do with it. {refusals(alone)}'.rstrip()
    else:
        reply = f"I did not understand {_quoted(text)}."
    if understanding.tour is not None:
        return f"{reply} {OF_A_TOUR}"
    if is_asked:
        return reply
    what_now = f"I look for flights, hotels and rental cars: {EXAMPLE}."
    return f"{reply} {NOTHING_CHANGED if understanding.wanted else what_now}"


def _known_of(understanding: Understanding) -> str:
    """Return what the offers that were searched for tell, "" without any."""
    told = [words for agent, words in _TOLD.items() if agent in understanding.searched]
    return f"I know what the offers tell, which is {'; and '.join(told)}" if told else ""


def with_service(understanding: Understanding, aside: Understanding | None) -> Understanding:
    """Return what changes nothing with the service of others that the `aside` before it was about."""
    if aside is None or understanding.relation != "other" or understanding.service:
        return understanding
    return replace(understanding, service=aside.service)


def _quoted(text: Text) -> str:
    if text.length > _WORDS_QUOTED and (telling := telling_words(text)):
        return listed([f'"{words}"' for words in telling])
    said = text.spelled(0, min(text.length, _WORDS_QUOTED)).strip(" .!?,;")
    return f'"{said}{"..." if text.length > _WORDS_QUOTED else ""}"' if said else "that"
