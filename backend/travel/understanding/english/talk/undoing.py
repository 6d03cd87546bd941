"""Messages that take back what was said before: "undo that", "start over", "back to the original dates".

To undo, to redo and to start over say nothing else: "go back on Friday" is about a flight. A value of an
earlier request is wanted again by a sentence that names what is meant, and says that it is the earlier one.
"""

from dataclasses import dataclass

from ...message import Right
from ..language.tables import phrases_of, rows_of, words_of
from ..language.text import Phrases, Text
from .stops import says_only

_SAID = phrases_of("talk")
_WORDS = words_of("talk")

_AT_MOST = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """What may be wanted again, and the words for it."""

    what: str
    words: frozenset[str]


_KINDS = {word: row.what for row in rows_of("talk", "earlier_values", _Kind) for word in row.words}


def undoes(text: Text) -> bool:
    """Return whether a message takes back the last change, and says nothing else."""
    return _says_only(text, _SAID.undoes)


def redoes(text: Text) -> bool:
    """Return whether a message takes back that it took back, and says nothing else."""
    return _says_only(text, _SAID.redoes)


def starts_over(text: Text) -> bool:
    """Return whether a message begins from the start, and tells nothing yet of what is wanted."""
    return _says_only(text, _SAID.starts_over)


def takes_back(message: str) -> bool:
    """Return whether a message goes back or forth by one change."""
    text = Text(message)
    return undoes(text) or redoes(text)


def _says_only(text: Text, wanted: Phrases) -> bool:
    is_short = text.length <= _AT_MOST and not text.vocabulary.isdisjoint(wanted.cues)
    return is_short and says_only(text, wanted, _SAID.beside)


def find_right(text: Text) -> Right | None:
    """Return what of an earlier request is wanted again: "Paris was right", "go back to the old dates"."""
    at = text.find(_SAID.was_right)
    if at < 0 or text.length > _AT_MOST:
        return _find_earlier(text)
    said = text.said(0, at)
    kinds = {"day": _WORDS.days, "place": _WORDS.places, "start": _WORDS.starts, "people": _WORDS.people}
    is_oldest = bool(said & _WORDS.undoing_first)
    return Right(
        what=next((name for name, names in kinds.items() if said & names), ""),
        is_oldest=is_oldest,
        is_before=is_oldest or bool(said & _WORDS.undoing_before),
    )


def _find_earlier(text: Text) -> Right | None:
    for first, after in text.sentences if not text.vocabulary.isdisjoint(_KINDS) else ():
        kept = _kept_in(text, first, after)
        if kept is not None:
            return kept
        what = _kind(text, first, after) if after - first <= _AT_MOST else ""
        if what and _is_earlier(text, first, after):
            is_oldest = bool(text.said(first, after) & _WORDS.first)
            return Right(what=what, is_oldest=is_oldest, is_before=True, is_beside=len(text.sentences) > 1)
    return None


def _kept_in(text: Text, first: int, after: int) -> Right | None:
    """What a sentence wants as it was beside all else: "no, school starts, stick with the first dates"."""
    for at in range(first, after):
        length = text.match(_SAID.sticks, at)
        of_old = at + length + (text.norm(at + length) in _WORDS.whose)
        kind = _KINDS.get(text.norm(of_old + 1), "") if length else ""
        if kind and text.norm(of_old) in _WORDS.first | _WORDS.old:
            is_oldest = text.norm(of_old) in _WORDS.first
            is_all = at - first <= 1 and of_old + 2 >= after - 1
            return None if is_all else Right(what=kind, is_oldest=is_oldest, is_before=True, is_beside=True)
    return None


def _kind(text: Text, first: int, after: int) -> str:
    """What a sentence is about, if it says nothing but that this is to be as it was."""
    said = [text.norm(at) for at in range(first, after)]
    if any(word not in _WORDS.of_earlier_values and word not in _KINDS for word in said):
        return ""
    return next((_KINDS[word] for word in said if word in _KINDS), "")


def _is_earlier(text: Text, first: int, after: int) -> bool:
    said = text.said(first, after)
    if text.norm(first) in _WORDS.asks or "same" in said:
        return False
    if said & _WORDS.undoes or ("back" in said and text.find(_SAID.back, first, after) >= 0):
        return True
    if {"day", "before"} <= said:
        return False  # "the day before" is a day earlier
    is_kept = bool(said & _WORDS.keeps)
    if said & (_WORDS.first | (_WORDS.before - {"had", "before"})):
        return is_kept or len(said - {"the", "please", "ok"}) <= 2
    return bool(
        (is_kept and said & {"had", "before"})
        or ("earlier" in said and said & {"were", "was", "use", "keep", "take", "back"})
        or (said & {"as", "like"} and said & {"was", "were"})
    )
