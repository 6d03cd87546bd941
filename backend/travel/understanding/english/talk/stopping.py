"""Messages that break off: "stop", "never mind", "forget the whole trip", "I changed my mind, don't search".

What else such a message wants is not looked at here: whoever says "stop" and names another city goes on.
"""

from ..language.text import Text, phrases, word_set

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
_CALLS_OFF = phrases(
    "forget", "forget about", "drop", "scrap", "ditch", "call off", "cancel", "stop", "abort", "abandon",
    "end", "kill", "quit", "halt", "never mind", "nevermind", "leave", "don't need", "do not need",
    "call", "bin",
)  # fmt: skip
_BEGINNINGS = _STOPS.keys() | _CALLS_OFF.keys()
_DETERMINERS = word_set("the this that my our your all of whole entire with everything it")
_OURS = word_set(
    "search searching searches request task trip thing things query everything journey plan plans lot"
)
"""What a user can stop here: "cancel the whole search", unlike "cancel my subscription"."""

_NOT_A_STOP = word_set("over in at by")
_WHAT_RUNS = word_set("it this that these those what everything all searching your") | {""}
_NEGATIONS = word_set("don't dont not never non without can't cant didn't")
_OF_SOMETHING = word_set("my the a")
_TELLING = word_set(
    """
    showing giving sending suggesting offering proposing recommending asking telling repeating adding putting
    listing pushing including mentioning quoting calling being trying
    """
)
"""Behind "stop" these end what we do beside the search: "stop showing me night flights"."""
_ASKS_OF_STOPPING = phrases(
    "why did you", "why did it", "why have you", "why has it", "why do you", "why does it", "why would you",
    "did you", "did it", "have you", "has it", "what if i", "what if we", "what if i have to",
    "what if we have to", "what if i need to", "what if we need to", "what if i want to",
    "what if we want to", "what happens if i", "what happens if we", "how do i", "how do we", "how can i",
    "how can we", "how would i", "is it possible to", "would it be possible to", "am i able to",
    "are we able to", "will i be able to", "will we be able to", "am i allowed to", "are we allowed to",
    "do i have the right to", "when can i", "until when can i", "how late can i", "what does it cost to",
    "how much is it to", "how much does it cost to", "is it free to", "can you still", "can it be",
)  # fmt: skip
_MAY_WE = phrases("can i", "can we", "could i", "could we", "may i", "may we", "might i", "might we")
_ON_CONDITIONS = phrases(
    "if", "in case", "when", "later", "later on", "before", "after", "until", "till", "up to", "for free",
    "free of charge", "without", "at any time", "anytime", "any time", "at no cost", "last minute",
    "within", "the day", "should",
)  # fmt: skip
_LONGEST_QUESTION = 5
_BEFORE_A_LAYOVER = word_set(
    "a an the one two 1 2 any each every this that another short long single quick with no"
)
"""Before "stop" these make it a place on the way: "the cheaper one with a stop"."""


def breaks_off(text: Text) -> bool:
    """Return whether a message has words that break off what runs."""
    if text.vocabulary.isdisjoint(_BEGINNINGS):
        return False
    return any(_is_stop(text, at) or _is_called_off(text, at) for at in text.each_of(_BEGINNINGS))


def _is_stop(text: Text, at: int) -> bool:
    length = text.match(_STOPS, at)
    after = at + length
    if not length or text.norm(at - 1) in _NEGATIONS or text.norm(after) in _NOT_A_STOP:
        return False
    if text.norm(after) in _OF_SOMETHING or _is_stop_of_something(text, at):
        return False
    return not _asks_of_stopping(text, at, after)


def _is_stop_of_something(text: Text, at: int) -> bool:
    """Whether a "stop" is a place on the way, or about what is shown: "stop with the red-eyes"."""
    if text.norm(at) not in ("stop", "quit"):
        return False
    is_layover = text.norm(at) == "stop" and text.norm(at - 1) in _BEFORE_A_LAYOVER
    is_of_telling = text.norm(at + 1) in _TELLING
    return (
        is_layover or is_of_telling or (text.norm(at + 1) == "with" and text.norm(at + 2) not in _WHAT_RUNS)
    )


def _asks_of_stopping(text: Text, at: int, after: int) -> bool:
    """Whether somebody asks why it stopped, or whether they could cancel: "can I cancel it if I am ill?"."""
    begins = range(max(0, at - _LONGEST_QUESTION), at)
    if any(first + text.match(_ASKS_OF_STOPPING, first) == at for first in begins):
        return True
    may = any(first + text.match(_MAY_WE, first) == at for first in begins)
    return may and text.find(_ON_CONDITIONS, after) >= 0


def _is_called_off(text: Text, at: int) -> bool:
    """ "forget about the whole trip", "cancel my search", "call the whole thing off"."""
    length = text.match(_CALLS_OFF, at)
    first = after = at + length
    while text.norm(after) in _DETERMINERS:
        after += 1
    is_ours = length > 0 and after > first and text.norm(after) in _OURS
    return is_ours and text.norm(at - 1) not in _NEGATIONS
