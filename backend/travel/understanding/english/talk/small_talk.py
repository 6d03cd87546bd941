"""Replies to what asks for no search, and what else travellers ask for that is none of our services.

They may be said while a search runs, so they claim nothing about it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ...result import Agent
from ...slot_table import SLOTS
from ..language.cars import Cars, asks_for_car
from ..language.sentences import clauses
from ..language.tables import phrases_of, rows_of, words_of
from ..language.text import Phrases, Text
from ..slot_words import FOUND
from .decisions import decision_in
from .questions import asks_about_what_is_found
from .undoing import redoes, undoes

_SAID = phrases_of("talk")
_WORDS = words_of("talk")
_SERVICES_SAID = phrases_of("services")
_SERVICES_WORDS = words_of("services")

EXAMPLE = 'for example "flights and hotels in Lisbon from Berlin, 10 to 12 December"'
NOT_UNDERSTOOD = (
    f"I did not understand that. I read English, and look for flights, hotels and rental cars: {EXAMPLE}."
)
NOTHING_TO_ALLOW = (
    'No booking is waiting for your word. "Book the cheapest flight" asks for one, and "show my bookings" '
    "lists what is booked."
)
YOU_ARE_WELCOME = "You are welcome."
HELLO = "Hello. I look for flights, hotels and rental cars; tell me what you need, or what should change."
ALL_RIGHT = "All right."
NOTHING_TO_UNDO = "There is no earlier request to go back to."
_IN_THE_LIST = (
    "What I have found so far is in the list; the cheapest of each search is in my reply when it is done."
)

_FEW = 8
"""Tokens up to which a message is taken to be no more than the courtesy in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What is replied to one of these phrases."""

    said: Phrases
    reply: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service of others, as it is named in a sentence, and its words.

    `agent` is the one of ours that offers it, where there is that one. With `is_bought` one asks for it
    beside a flight: its days and numbers are then its own. `told` is what is said of it, "" for the usual.
    """

    name: str
    words: Phrases
    agent: Agent | None = None
    is_bought: bool = False
    told: str = ""

    @property
    def reply(self) -> str:
        """What is said of it."""
        return self.told or f"I {'cannot look up' if self.is_bought else 'do not know about'} {self.name}."


_OF_THE_ASSISTANT = rows_of("talk", "of_the_assistant", _Answer)
_AT_ANY_LENGTH = rows_of("talk", "at_any_length", _Answer)
_IN_FEW_WORDS = rows_of("talk", "in_few_words", _Answer)
SERVICES = rows_of("services", "services", Service)


def small_talk(message: str, offered: Collection[Agent] = tuple(SLOTS)) -> str:
    """Return the reply to a message that asks for no search; never empty. `offered` are our agents."""
    text = Text(message)
    if undoes(text) or redoes(text):
        return NOTHING_TO_UNDO
    if asks_about_what_is_found(text):
        return _IN_THE_LIST
    if answer := _answer(text, _OF_THE_ASSISTANT):
        return answer
    services = services_in(text, offered)
    if services:
        return " ".join([*dict.fromkeys(service.reply for service in services), what_we_do(offered)])
    if text.has(_SAID.asks_whether) and services_in(text, ()):
        return f"{what_we_do(offered)} Tell me where, and for which days."
    decision = decision_in(message)
    if decision == "allow" and not text.vocabulary.isdisjoint(_WORDS.goes_ahead):
        return NOTHING_TO_ALLOW
    if decision == "deny":
        return ALL_RIGHT
    is_short = text.length <= _FEW
    is_agreed = is_short and text.has(_SAID.agrees) and text.vocabulary.isdisjoint(_WORDS.wishes)
    answer = _answer(text, _AT_ANY_LENGTH) or (_answer(text, _IN_FEW_WORDS) if is_short else "")
    return answer or (ALL_RIGHT if is_agreed else NOT_UNDERSTOOD)


def _answer(text: Text, rows: Sequence[_Answer]) -> str:
    """The reply of the first of these rows that a message has a phrase of, "" if it has none."""
    replies = (row.reply for row in rows if text.has(row.said))
    return next(replies, "").replace("{example}", EXAMPLE)


def what_we_do(offered: Collection[Agent] = tuple(SLOTS)) -> str:
    """Return the sentence that tells what these agents find."""
    *others, last = [FOUND[agent] for agent in SLOTS if agent in offered]
    return f"I find {', '.join(others)} and {last}."


def services_in(text: Text, offered: Collection[Agent] = tuple(SLOTS)) -> tuple[Service, ...]:
    """Return the services of others that a message speaks of, unlike those by which it only tells where.

    What one of the `offered` agents finds is no service of others.
    """
    others = (service for service in SERVICES if service.agent not in offered)
    return tuple(service for service in others if _is_spoken_of(text, service.words, 0, text.length))


def goes_on(text: Text, ours: Phrases, *, offered: Collection[Agent] = tuple(SLOTS)) -> bool:
    """Return whether a message may go on about the service of others that was spoken of before it.

    It is short, and has no word of `ours`: "which one can I check in after midnight" is of a hotel.
    """
    cars: Cars = "known" if "car" in offered else "none"
    is_ours = text.has(ours) or text.has(_SERVICES_SAID.of_a_stay) or asks_for_car(text, cars)
    return text.length <= _FEW and not is_ours


def others_in(
    text: Text, ours: Phrases, *, offered: Collection[Agent] = tuple(SLOTS)
) -> tuple[frozenset[int], tuple[str, ...]]:
    """Return the tokens of the clauses about a service of others, and the names of these services.

    A clause that has a word of `ours` is about that. What one of the `offered` agents finds is left out.
    """
    tokens: set[int] = set()
    names: dict[str, None] = {}
    others = [one for one in SERVICES if one.is_bought and one.agent not in offered]
    bought = [one for one in others if not text.vocabulary.isdisjoint(one.words.cues)]
    for first, after in _parts(text) if bought else ():
        told = next((one.name for one in bought if _is_spoken_of(text, one.words, first, after)), "")
        if told and text.find(ours, first, after) < 0:
            names[told] = None
            tokens.update(range(first, after))
    return frozenset(tokens), tuple(names)


def _parts(text: Text) -> list[tuple[int, int]]:
    """The clauses, those that an "and" joins apart."""
    parts: list[tuple[int, int]] = []
    for first, after in clauses(text):
        ands = [at for at in range(first + 1, after) if text.norm(at) in _SERVICES_WORDS.and_word]
        parts += zip((first, *ands), (*ands, after), strict=True)
    return parts


def _is_spoken_of(text: Text, words: Phrases, first: int, after: int) -> bool:
    at = text.find(words, first, after)
    while at >= 0 and _is_beside(text, at):
        at = text.find(words, at + 1, after)
    return at >= 0


def _is_beside(text: Text, at: int) -> bool:
    """Whether it only tells near what something is, or what it is instead of: "a car instead of a cab"."""
    while text.norm(at - 1) in _SERVICES_WORDS.definite:
        at -= 1
    before, earlier = text.norm(at - 1), text.norm(at - 2)
    is_not_wanted = before in ("of", "than") and earlier in ("instead", "rather")
    is_close = before == "to" and earlier in _SERVICES_WORDS.close
    return is_not_wanted or is_close or before in _SERVICES_WORDS.near
