"""Wishes that no search can take: at what time to fly, with what luggage, how far from what to sleep.

They go on with the request, and are told to the user as wishes to look for in the list.
"""

from dataclasses import dataclass

from ...result import Agent
from ..language.text import Text, phrases, word_set

_TIMES = phrases(
    "in the morning", "in the afternoon", "in the evening", "in the early morning", "in the late afternoon",
    "in the early afternoon", "in the late evening", "early in the morning", "late in the evening",
    "late at night", "at night", "late in the day", "red-eye", "red eye", "redeye", "before noon",
    "after noon", "before midnight", "mornings only", "afternoons only", "evenings only", "only mornings",
    "only afternoons", "only evenings", "before lunch", "after lunch", "after work", "not too early",
    "not so early", "not too late", "not so late", "at noon", "around noon",
)  # fmt: skip
_LUGGAGE = phrases(
    "hand luggage only", "only hand luggage", "hand luggage", "hand baggage", "cabin baggage",
    "carry-on only", "carry on only", "just a carry-on", "only a carry-on", "checked bag", "checked bags",
    "checked luggage", "checked baggage", "hold luggage", "with luggage", "without luggage", "no luggage",
    "bags included", "luggage included", "baggage included", "window seat", "window seats", "aisle seat",
    "aisle seats",
    "extra legroom", "more legroom", "seats together", "flexible ticket", "flexible tickets",
    "refundable ticket", "refundable",
)  # fmt: skip
_NEARNESS = phrases(
    "further from", "farther from", "further away from", "farther away from", "away from", "closer to",
    "nearer to", "nearer", "not so far from", "not too far from", "walking distance", "within walking",
    "not on the ground floor", "on a quiet street", "in a quiet street",
)  # fmt: skip
_BEFORE_AN_HOUR = word_set("after before around by at until from about past")
_PARTS_OF_A_DAY = word_set("morning afternoon evening night early late midday lunchtime overnight")
_PREFERRED = phrases(
    "if possible",
    "if you can",
    "preferred",
    "preferably",
    "would be nice",
    "would be best",
    "would be better",
    "would be good",
    "would be great",
    "is better",
    "is best",
)
_FLIGHTS = word_set("flight flights plane planes departure departures")
_QUESTIONS = word_set("what whats how which is are do does why where who")
_HALVES_OF_A_DAY = word_set("am pm o'clock oclock")
_ENDS = frozenset({"", ".", ",", ";", "!", "?", "and", "but", "or", "please", "thanks", "if"})
_WORDS_OF_A_WISH = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsearched:
    """A wish in the tokens from `first` up to `after`, for one agent."""

    first: int
    after: int
    agent: Agent


def find_unsearched(text: Text, running: tuple[Agent, ...]) -> tuple[Unsearched, ...]:
    """Return the wishes of a message that no search takes, for agents of the request that is `running`.

    A question about luggage ("what counts as hand luggage?") is no wish.
    """
    found: list[Unsearched] = []
    at = 0
    while at < text.length:
        after = _of_flight(text, at) if "flight" in running else 0
        agent: Agent = "flight"
        if not after and "hotel" in running and text.match(_NEARNESS, at):
            after, agent = _end_of_wish(text, at), "hotel"
        if after:
            found.append(Unsearched(first=at, after=after, agent=agent))
        at = after or at + 1
    return tuple(found)


def _of_flight(text: Text, at: int) -> int:
    """The index after a wish about the hour or the luggage, 0 if none begins there."""
    is_question = text.norm(0) in _QUESTIONS
    length = text.match(_TIMES, at) or (0 if is_question else text.match(_LUGGAGE, at))
    if length:
        return at + length
    if text.norm(at) in _PARTS_OF_A_DAY and text.norm(at + 1) in _FLIGHTS:
        return at + 1
    is_greeting = text.norm(at - 1) == "good"
    is_part = text.norm(at) in _PARTS_OF_A_DAY and not is_greeting
    preferred = text.match(_PREFERRED, at + 1) if is_part else 0
    if preferred:
        return at + 1 + preferred
    return _hour(text, at + 1) if text.norm(at) in _BEFORE_AN_HOUR else 0


def _hour(text: Text, at: int) -> int:
    """The index after an hour such as "6 pm", "6pm", "18:30" or "six o'clock"; 0 if none stands there."""
    if text[at].is_number and text.norm(at + 1) == ":" and text[at + 2].is_number:
        at += 2
        return at + 2 if text.norm(at + 1) in _HALVES_OF_A_DAY else at + 1
    return at + 2 if text.norm(at + 1) in _HALVES_OF_A_DAY else 0


def _end_of_wish(text: Text, at: int) -> int:
    ends = (end for end in range(at + 1, at + _WORDS_OF_A_WISH) if text.norm(end) in _ENDS)
    return next(ends, min(at + _WORDS_OF_A_WISH, text.length))
