"""Values of an earlier request that are wanted again: "go back to the original dates", "undo the price".

A sentence tells so that names what is meant, says that it is the earlier one, and nothing else.
"""

from ...message import Right
from ..language.text import Text, phrases, word_set

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
_FIRST = word_set("first original initial originally initially")
_BEFORE = word_set("previous old former prior before had")
_EARLIER = word_set("earlier last was were")
"""These may tell as well that something is to be earlier, or how something was."""
_KEEPS = word_set(
    "keep leave use take back stick go return put with were was prefer had better let's lets cheaper"
)
_STICKS = phrases(
    "stick with", "stick to", "stay with", "keep", "keep to", "back to", "go with", "use", "return to",
    "revert to",
)  # fmt: skip
_WHOSE = word_set("the our my those these")
_OLD = word_set("previous old former prior")
_BACK = phrases(
    "put the", "put my", "put our", "change the", "change my", "change our", "set the", "switch the",
    "move the", "turn the", "bring the",
)  # fmt: skip
_UNDOES = word_set("undo revert restore reset")
_ASKS = word_set("what which when how why is are was were did do does")
_SMALL = word_set(
    """
    a the my our i we it they that those these this one ones to with on at in of for as like than and but
    so then actually ok okay no nah nope sorry please pls oh hmm well just let's lets let us me go going
    back keep leave use take stick stay put set change switch revert undo restore reset return turn make
    move bring were was is are be been had have gave give given told said asked wanted want would i'd id
    we'd prefer better best fine right good cheaper nicer after all again now still both same
    you can could do did , . ! -
    """
)
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
                is_oldest=bool(said & _FIRST),
                is_before=True,
                is_beside=len(text.sentences) > 1,
            )
    return None


def _kept_in(text: Text, first: int, after: int) -> Right | None:
    """What a sentence wants as it was beside all else: "no, school starts, stick with the first dates"."""
    for at in range(first, after):
        length = text.match(_STICKS, at)
        of_old = at + length + (text.norm(at + length) in _WHOSE)
        if not length or text.norm(of_old) not in _FIRST | _OLD:
            continue
        kind = next((name for name, words in _KINDS if text.norm(of_old + 1) in words), "")
        if kind:
            is_oldest = text.norm(of_old) in _FIRST
            is_all = at - first <= 1 and of_old + 2 >= after - 1
            return None if is_all else Right(what=kind, is_oldest=is_oldest, is_before=True, is_beside=True)
    return None


def _kind(text: Text, first: int, after: int) -> str:
    """What a sentence is about, if it says nothing but that this is to be as it was."""
    told = ""
    for at in range(first, after):
        word = text.norm(at)
        kind = next((name for name, words in _KINDS if word in words), "")
        if not (kind or word in _SMALL or word in _FIRST | _BEFORE | _EARLIER):
            return ""
        told = told or kind
    return told


def _is_earlier(text: Text, first: int, after: int) -> bool:
    said = {text.norm(at) for at in range(first, after)}
    if text.norm(first) in _ASKS or "same" in said:
        return False
    if said & _UNDOES or ("back" in said and text.find(_BACK, first, after) >= 0):
        return True
    if "day" in said and any(text.norm(at) == "before" for at in range(first, after)):
        return False  # "the day before" is a day earlier
    if said & (_FIRST | (_BEFORE - {"had", "before"})):
        return len(said) <= 2 + ("the" in said) + ("please" in said) + ("ok" in said) or bool(said & _KEEPS)
    is_as_it_was = "as" in said or "like" in said
    return bool(
        (said & {"had", "before"} and said & _KEEPS)
        or ("earlier" in said and said & {"were", "was", "use", "keep", "take", "back"})
        or (is_as_it_was and said & {"was", "were"})
    )
