"""Messages that are nothing but a stop, whatever else their words could mean: "hold on", "enough for today".

Unlike the words of `stopping`, which break off beside others, these stop only where no other word is said:
"hold on, make it Friday" goes on. A plan of one's own may follow: "never mind, I'll take the train".
"""

from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Text

_SAID = phrases_of("stops")
_WORDS = words_of("stops")


_AT_MOST = 16


def is_only_a_stop(text: Text) -> bool:
    """Return whether a message stops, and says nothing else but what somebody will do without us."""
    if text.length > _AT_MOST or text.has(_SAID.dont_wait) or text.vocabulary.isdisjoint(_SAID.stops):
        return False
    begun = [first for first, _ in clauses(text)]
    after = next((at for at in begun if at and text.match(_SAID.plans, at)), text.length)
    if after == text.length:
        after = next((at for at in range(1, text.length) if text.match(_SAID.plans, at)), after)
    return _stops_alone(text, after) and _WORDS.ours.isdisjoint(
        text.norm(at) for at in range(after, text.length)
    )


def _stops_alone(text: Text, end: int) -> bool:
    """Whether the tokens before `end` stop and say nothing else: "don't stop" does not."""
    at, stops = 0, False
    while at < end:
        stop = text.match(_SAID.stops, at)
        if stop and text.norm(at - 1) in _WORDS.negations and not _is_apart(text, at):
            return False
        stops = stops or stop > 0
        length = max(stop, text.match(_SAID.beside, at))
        if not length:
            return False
        at += length
    return stops


def _is_apart(text: Text, at: int) -> bool:
    """Whether a no stands for itself there: "no stop!", unlike "don't stop" and "never stop"."""
    return text.norm(at - 1) == "no" and text.norm(at) not in ("more", "need")
