"""Messages that break off: "stop", "never mind", "forget the whole trip", "I changed my mind, don't search".

What else such a message wants is not looked at here: whoever says "stop" and names another city goes on.
"""

from ..language.tables import phrases_of, words_of
from ..language.text import Text, phrases, word_set

_SAID = phrases_of("stops")
_WORDS = words_of("stops")

_STOPS = phrases(
    "stop", "cancel", "cancel it", "cancel that", "cancel this", "cancel everything", "cancel all",
    "never mind", "nevermind", "forget it", "forget that", "forget about it", "forget all about it",
    "forget i asked", "forget everything", "abort", "quit", "halt", "don't continue", "do not continue",
    "don't go on", "stop it", "stop that", "stop searching", "stop looking", "no longer needed",
    "don't bother", "do not bother", "leave it", "leave it be", "let it be", "let it go", "drop it",
    "scrap it", "scrap that", "ditch it", "skip it", "call it off", "call it all off",
    "call everything off", "call off everything", "knock it off", "cut it out", "pack it in", "give up",
    "i give up", "enough now", "enough already", "don't search", "do not search",
    "don't look", "do not look", "don't look for anything", "don't search for anything",
    "don't search anything", "don't do anything", "changed my mind", "changed our minds",
    "change my mind", "don't want it anymore", "don't want this anymore",
    "don't need it anymore", "don't need this anymore", "don't need anything anymore",
    "don't need any of it", "don't need any of this", "don't want any of it", "no longer want it",
    "no longer need it", "no longer want this", "no longer need this", "not going anymore",
    "not going any more", "not travelling anymore", "not traveling anymore", "not going after all",
    "not travelling after all", "not traveling after all", "stay home instead", "stay at home instead",
    "staying home instead", "staying at home", "trip is off", "trip's off", "holiday is off",
    "it's all off", "everything is off", "trip is cancelled", "trip is canceled", "trip got cancelled",
    "trip got canceled", "no more searching", "end the search", "end it",
    "no longer interested", "not interested anymore", "not interested any more", "shut up", "ok enough",
    "okay enough", "knock that off", "leave that",
    *(
        f"{negation} want to {verb} {any_more}"
        for negation in ("don't", "not")
        for verb in ("go", "travel", "fly")
        for any_more in ("anymore", "any more", "any longer")
    ),
)  # fmt: skip
_BEGINNINGS = _STOPS.keys() | _SAID.calls_off.keys()

_WHAT_RUNS = word_set("it this that these those what everything all searching your") | {""}
_LONGEST_QUESTION = 5


def breaks_off(text: Text) -> bool:
    """Return whether a message has words that break off what runs."""
    if text.vocabulary.isdisjoint(_BEGINNINGS):
        return False
    return any(_is_stop(text, at) or _is_called_off(text, at) for at in text.each_of(_BEGINNINGS))


def _is_stop(text: Text, at: int) -> bool:
    length = text.match(_STOPS, at)
    after = at + length
    if not length or text.norm(at - 1) in _WORDS.stopping_negations or text.norm(after) in _WORDS.not_a_stop:
        return False
    if text.norm(after) in _WORDS.of_something or _is_stop_of_something(text, at):
        return False
    return not _asks_of_stopping(text, at, after)


def _is_stop_of_something(text: Text, at: int) -> bool:
    """Whether a "stop" is a place on the way, or about what is shown: "stop with the red-eyes"."""
    if text.norm(at) not in ("stop", "quit"):
        return False
    is_layover = text.norm(at) == "stop" and text.norm(at - 1) in _WORDS.before_a_layover
    is_of_telling = text.norm(at + 1) in _WORDS.telling
    return (
        is_layover or is_of_telling or (text.norm(at + 1) == "with" and text.norm(at + 2) not in _WHAT_RUNS)
    )


def _asks_of_stopping(text: Text, at: int, after: int) -> bool:
    """Whether somebody asks why it stopped, or whether they could cancel: "can I cancel it if I am ill?"."""
    begins = range(max(0, at - _LONGEST_QUESTION), at)
    if any(first + text.match(_SAID.asks_of_stopping, first) == at for first in begins):
        return True
    may = any(first + text.match(_SAID.may_we, first) == at for first in begins)
    return may and text.find(_SAID.on_conditions, after) >= 0


def _is_called_off(text: Text, at: int) -> bool:
    """ "forget about the whole trip", "cancel my search", "call the whole thing off"."""
    length = text.match(_SAID.calls_off, at)
    first = after = at + length
    while text.norm(after) in _WORDS.determiners:
        after += 1
    is_ours = length > 0 and after > first and text.norm(after) in _WORDS.stopping_ours
    return is_ours and text.norm(at - 1) not in _WORDS.stopping_negations
