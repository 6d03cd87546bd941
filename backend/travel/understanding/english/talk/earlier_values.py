"""Values of an earlier request that are wanted again: "go back to the original dates", "undo the price".

A sentence tells so that names what is meant, says that it is the earlier one, and nothing else.
"""

from ...message import Right
from ..language.tables import phrases_of, words_of
from ..language.text import Text, word_set

_SAID = phrases_of("talk")
_WORDS = words_of("talk")

_KINDS = (
    ("day", word_set("date dates days day")),
    ("place", word_set("city place destination town")),
    ("start", word_set("origin airport")),
    ("people", word_set("people passengers guests travellers travelers persons")),
    ("max_price", word_set("price budget limit maximum cap")),
    ("departs_after", word_set("time times hours")),
    ("stars", word_set("stars category")),
    ("airline", word_set("airline airlines carrier")),
)
KINDS = frozenset(word for _, words in _KINDS for word in words)
_AT_MOST = 14


def find_earlier(text: Text) -> Right | None:
    """Return which value of an earlier request is wanted again; None where none is."""
    if KINDS.isdisjoint(text.vocabulary):
        return None
    for first, after in text.sentences:
        kept = _kept_in(text, first, after)
        if kept is not None:
            return kept
        if after - first > _AT_MOST:
            continue
        what = _kind(text, first, after)
        if what and _is_earlier(text, first, after):
            said = {text.norm(at) for at in range(first, after)}
            return Right(
                what=what,
                is_oldest=bool(said & _WORDS.first),
                is_before=True,
                is_beside=len(text.sentences) > 1,
            )
    return None


def _kept_in(text: Text, first: int, after: int) -> Right | None:
    """What a sentence wants as it was beside all else: "no, school starts, stick with the first dates"."""
    for at in range(first, after):
        length = text.match(_SAID.sticks, at)
        of_old = at + length + (text.norm(at + length) in _WORDS.whose)
        if not length or text.norm(of_old) not in _WORDS.first | _WORDS.old:
            continue
        kind = next((name for name, words in _KINDS if text.norm(of_old + 1) in words), "")
        if kind:
            is_oldest = text.norm(of_old) in _WORDS.first
            is_all = at - first <= 1 and of_old + 2 >= after - 1
            return None if is_all else Right(what=kind, is_oldest=is_oldest, is_before=True, is_beside=True)
    return None


def _kind(text: Text, first: int, after: int) -> str:
    """What a sentence is about, if it says nothing but that this is to be as it was."""
    told = ""
    for at in range(first, after):
        word = text.norm(at)
        kind = next((name for name, words in _KINDS if word in words), "")
        if not (kind or word in _WORDS.small or word in _WORDS.first | _WORDS.before | _WORDS.earlier):
            return ""
        told = told or kind
    return told


def _is_earlier(text: Text, first: int, after: int) -> bool:
    said = {text.norm(at) for at in range(first, after)}
    if text.norm(first) in _WORDS.asks or "same" in said:
        return False
    if said & _WORDS.undoes or ("back" in said and text.find(_SAID.back, first, after) >= 0):
        return True
    if "day" in said and any(text.norm(at) == "before" for at in range(first, after)):
        return False  # "the day before" is a day earlier
    if said & (_WORDS.first | (_WORDS.before - {"had", "before"})):
        return len(said) <= 2 + ("the" in said) + ("please" in said) + ("ok" in said) or bool(
            said & _WORDS.keeps
        )
    is_as_it_was = "as" in said or "like" in said
    return bool(
        (said & {"had", "before"} and said & _WORDS.keeps)
        or ("earlier" in said and said & {"were", "was", "use", "keep", "take", "back"})
        or (is_as_it_was and said & {"was", "were"})
    )
