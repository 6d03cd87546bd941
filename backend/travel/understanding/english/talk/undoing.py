"""Messages that take back what was said before: "undo that", "start over", "Paris was right".

To undo, to redo and to start over say nothing else: "go back on Friday" is about a flight.
"""

from ...message import Right
from ..language.text import Phrases, Text, phrases, word_set
from .earlier_values import find_earlier

_UNDOES = phrases(
    "undo", "undo that", "undo it", "undo this", "undo the last change", "undo my last change",
    "undo the last one", "undo the last step", "undo the last thing", "undo my last message",
    "undo the change", "undo that change", "take that back", "take it back", "go back", "going back",
    "go back one", "go back one step", "go one step back", "step back", "one step back", "go a step back",
    "as it was before", "as it was", "as before", "like before", "like it was before", "like it was",
    "how it was before", "how it was", "the way it was", "the way it was before", "back to how it was",
    "back to what it was", "back to the way it was", "back to before", "go back to how it was",
    "go back to what it was", "go back to the way it was", "go back to what it was before",
    "go back to what i had", "go back to what i had before", "back to what i had before",
    "go back to how it was before", "put it back", "put that back", "put it back as it was",
    "put it back how it was", "put everything back", "change it back", "change that back",
    "switch it back", "switch that back", "set it back", "revert", "revert it", "revert that",
    "revert the change", "revert the last change", "revert to before", "roll back", "roll that back",
    "roll it back", "restore it", "restore that", "reverse that", "scratch that", "strike that",
    "ignore that", "ignore my last message", "ignore the last message", "ignore that last one",
    "disregard that", "forget the last change", "forget that change", "forget my last message",
    "forget what i just said", "ignore what i just said", "that was a mistake", "that was wrong",
    "it was better before", "i liked it better before", "leave it as it was", "keep it as it was",
    "let's go back", "the previous version", "ctrl z",
)  # fmt: skip
_REDOES = phrases(
    "redo", "redo that", "redo it", "undo the undo", "undo that undo", "redo the change", "redo my change",
    "put the change back", "bring the change back", "redo the last change",
)  # fmt: skip
_STARTS_OVER = phrases(
    "start over", "start all over", "starting over", "let's start over", "start again", "start afresh",
    "start anew", "start fresh", "start from scratch", "start again from scratch", "start over from scratch",
    "from scratch", "from the beginning", "from the start", "from zero", "begin again", "begin anew",
    "begin from scratch", "restart", "reset", "reset everything", "reset all", "clean slate",
    "forget everything", "forget everything i said", "forget everything i told you", "forget all that",
    "forget all of that", "forget all i said", "clear everything", "clear all", "clear it all",
    "wipe everything", "delete everything i said", "new start", "fresh start", "back to the start",
    "back to square one", "let's begin again", "scrap all that", "scrap everything",
)  # fmt: skip
_BESIDE = phrases(
    "please", "pls", "no", "nah", "oh", "oops", "ups", "whoops", "sorry", "actually", "ok", "okay", "wait",
    "thanks", "thank you", "can you", "could you", "can we", "could we", "i want to", "i'd like to",
    "i would like to", "we want to", "let's", "lets", "let us", "let me", "just", "again", "then", "and",
    "now", "hmm", "um", "uh", "well", "make it", "leave it", "set it", "have it", "put it", "i want it",
    "you know what", "you know", "tbh", "honestly", "i think", "maybe", "we should", "hang on", "hold on",
    "yeah", "so",
    "everything", "yes", "hey", "completely", "my bad", "my mistake", "with everything", "all", ",", ".", "!",
    "?", "-",
)  # fmt: skip
_AT_MOST = 14

_WAS_RIGHT = phrases(
    "was right", "were right", "was correct", "were correct", "was the right one", "was fine", "were fine",
    "was ok", "was okay", "was good", "was already right", "was right after all", "is right after all",
    "was right the first time", "was right before", "was what i wanted", "is what i wanted",
)  # fmt: skip
_FIRST = word_set("first original initial")
_BEFORE = word_set("previous earlier old last former")
_DAYS = word_set("date day dates days")
_PLACES = word_set("city place destination town goal")
_STARTS = word_set("origin start departure airport")
_PEOPLE = word_set("number people passengers")


def undoes(text: Text) -> bool:
    """Return whether a message takes back the last change, and says nothing else."""
    return _says_only(text, _UNDOES)


def redoes(text: Text) -> bool:
    """Return whether a message takes back that it took back, and says nothing else."""
    return _says_only(text, _REDOES)


def starts_over(text: Text) -> bool:
    """Return whether a message begins from the start, and tells nothing yet of what is wanted."""
    return _says_only(text, _STARTS_OVER)


def takes_back(message: str) -> bool:
    """Return whether a message goes back or forth by one change."""
    text = Text(message)
    return undoes(text) or redoes(text)


def find_right(text: Text) -> Right | None:
    """Return what of an earlier request is said to have been right: "Paris was right"."""
    at = text.find(_WAS_RIGHT)
    if at < 0 or text.length > _AT_MOST:
        return find_earlier(text)
    said = {text.norm(index) for index in range(at)}
    kinds = (
        ("day", _DAYS),
        ("place", _PLACES),
        ("start", _STARTS),
        ("people", _PEOPLE),
    )
    kind = next((name for name, names in kinds if said & names), "")
    return Right(what=kind, is_oldest=bool(said & _FIRST), is_before=bool(said & (_FIRST | _BEFORE)))


def _says_only(text: Text, wanted: Phrases) -> bool:
    if text.length > _AT_MOST or text.vocabulary.isdisjoint(wanted):
        return False
    at, is_said = 0, False
    while at < text.length:
        said = text.match(wanted, at)
        length = max(said, text.match(_BESIDE, at))
        if not length:
            return False
        is_said, at = is_said or said > 0, at + length
    return is_said
