"""What is answered beside the searches, from what is known anyway: "which airport is that?"."""

from dataclasses import replace

from ..understanding.dialogue.found import agents_found, words_of_places
from ..understanding.english.found.questions import find_question
from ..understanding.english.language.text import Text, phrases
from ..understanding.english.slot_words import FOUND, listed
from ..understanding.english.wording import airports_in_words, describe
from ..understanding.found import KINDS, Kind
from ..understanding.result import Understanding
from .state import TravelRun

_WHICH_AIRPORT = phrases(
    "which airport", "which airports", "what airport", "what airports", "whats the airport",
    "what's the airport", "what is the airport", "what is the nearest airport", "where is the airport",
    "nearest airport", "closest airport", "name of the airport", "where do i fly", "where do we fly",
    "where would i fly", "where would we fly", "where does it fly",
)  # fmt: skip
_ASKED_FOR = phrases(
    "what did i ask", "what have i asked", "what did i say", "what did i tell", "what have i told",
    "what did we say", "what did i request", "what have i said", "what am i looking for",
    "what are we looking for", "what we are looking for", "what i asked", "what i said", "what i told",
    "what was i looking for", "what did i want", "what do i have so far", "what do you know so far",
    "what do you have so far", "what did you understand", "what have you understood",
    "what did you get so far",
    "what are my details", "what was my request", "what is my request", "whats my request",
    "my search so far",
    "read it back", "read that back", "repeat what i", "which dates did i", "what dates did i",
    "which dates have i", "what dates have i", "which days did i", "what date did i", "which city did i",
    "what are my dates", "whats my search", "sum up what i", "summarise what i", "summarize what i",
    "recap what i", "recap my request", "summarise my request", "summarize my request", "where were we",
)  # fmt: skip
_LONGEST = 12
NOTHING_ASKED_FOR = "You have asked for nothing yet."


def aside(message: str, run: TravelRun) -> str:
    """Return the answer to a question about the request itself, "" to any other message."""
    text = Text(message)
    if text.length > _LONGEST:
        return ""
    told = ""
    if text.has(_WHICH_AIRPORT):
        told = airports_in_words(run.understanding.flight)
    elif text.has(_ASKED_FOR):
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
