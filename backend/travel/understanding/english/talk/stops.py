"""Messages that break off: "stop", "forget the whole trip", "I changed my mind, don't search".

What else a message wants that breaks off is not looked at here: whoever says "stop" and names another city
goes on. Other words stop only where nothing else is said: "hold on", unlike "hold on, make it Friday". A plan
of one's own may follow: "never mind, I'll take the train".
"""

from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text

_SAID = phrases_of("stops")
_WORDS = words_of("stops")

_BEGINNINGS = _SAID.breaks_off.keys() | _SAID.calls_off.keys()
_LONGEST_QUESTION = 5
_AT_MOST = 16


def says_only(text: Text, wanted: Phrases, beside: Phrases, end: int | None = None) -> bool:
    """Return whether a message, up to `end`, has phrases that are `wanted` and no words beside the others."""
    end, at, is_said = text.length if end is None else end, 0, False
    while at < end:
        said = text.match(wanted, at)
        length = max(said, text.match(beside, at))
        if not length:
            return False
        is_said, at = is_said or said > 0, at + length
    return is_said


def is_only_a_stop(text: Text) -> bool:
    """Return whether a message stops, and says nothing else but what somebody will do without us."""
    if text.length > _AT_MOST or text.has(_SAID.dont_wait) or text.vocabulary.isdisjoint(_SAID.stops):
        return False
    begun = [*(first for first, _ in clauses(text) if first), *range(1, text.length)]
    after = next((at for at in begun if text.match(_SAID.plans, at)), text.length)
    if any(_is_denied(text, at) for at in range(after)):
        return False
    return says_only(text, _SAID.stops, _SAID.beside, after) and _WORDS.ours.isdisjoint(
        text.said(after, text.length)
    )


def _is_denied(text: Text, at: int) -> bool:
    """Whether a stop there is none: "don't stop"; a no may stand for itself, as in "no stop!"."""
    is_apart = text.norm(at - 1) == "no" and text.norm(at) not in ("more", "need")
    return text.norm(at - 1) in _WORDS.negations and text.match(_SAID.stops, at) > 0 and not is_apart


def breaks_off(text: Text) -> bool:
    """Return whether a message has words that break off what runs."""
    return any(_is_stop(text, at) or _is_called_off(text, at) for at in text.each_of(_BEGINNINGS))


def _is_stop(text: Text, at: int) -> bool:
    length = text.match(_SAID.breaks_off, at)
    after = at + length
    if not length or text.norm(at - 1) in _WORDS.stopping_negations:
        return False
    if text.norm(after) in _WORDS.not_a_stop or _is_stop_of_something(text, at):
        return False
    return not _asks_of_stopping(text, at, after)


def _is_stop_of_something(text: Text, at: int) -> bool:
    """Whether a "stop" is a place on the way, or about what is shown: "stop with the red-eyes"."""
    if text.norm(at) not in ("stop", "quit"):
        return False
    behind = text.norm(at + 2)
    is_layover = text.norm(at) == "stop" and text.norm(at - 1) in _WORDS.before_a_layover
    is_of_shown = text.norm(at + 1) == "with" and bool(behind) and behind not in _WORDS.what_runs
    return is_layover or is_of_shown or text.norm(at + 1) in _WORDS.telling


def _asks_of_stopping(text: Text, at: int, after: int) -> bool:
    """Whether somebody asks why it stopped, or whether they could cancel: "can I cancel it if I am ill?"."""

    def is_led(by: Phrases) -> bool:
        begins = range(max(0, at - _LONGEST_QUESTION), at)
        return any(first + text.match(by, first) == at for first in begins)

    is_conditional = text.find(_SAID.on_conditions, after) >= 0
    return is_led(_SAID.asks_of_stopping) or (is_conditional and is_led(_SAID.may_we))


def _is_called_off(text: Text, at: int) -> bool:
    """ "forget about the whole trip", "cancel my search", "call the whole thing off"."""
    length = text.match(_SAID.calls_off, at)
    after = text.past(_WORDS.determiners, at + length)
    is_ours = length > 0 and after > at + length and text.norm(after) in _WORDS.stopping_ours
    return is_ours and text.norm(at - 1) not in _WORDS.stopping_negations
