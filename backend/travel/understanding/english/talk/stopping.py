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
_NEGATIONS = word_set("don't dont not never non without can't cant didn't")
_OF_SOMETHING = word_set("my the a")


def breaks_off(text: Text) -> bool:
    """Return whether a message has words that break off what runs."""
    if text.vocabulary.isdisjoint(_BEGINNINGS):
        return False
    begun = (at for at in range(text.length) if text.norm(at) in _BEGINNINGS)
    return any(_is_stop(text, at) or _is_called_off(text, at) for at in begun)


def _is_stop(text: Text, at: int) -> bool:
    length = text.match(_STOPS, at)
    after = at + length
    if not length or text.norm(at - 1) in _NEGATIONS or text.norm(after) in _NOT_A_STOP:
        return False
    return text.norm(after) not in _OF_SOMETHING


def _is_called_off(text: Text, at: int) -> bool:
    """ "forget about the whole trip", "cancel my search", "call the whole thing off"."""
    length = text.match(_CALLS_OFF, at)
    first = after = at + length
    while text.norm(after) in _DETERMINERS:
        after += 1
    is_ours = length > 0 and after > first and text.norm(after) in _OURS
    return is_ours and text.norm(at - 1) not in _NEGATIONS
