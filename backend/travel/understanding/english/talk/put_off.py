"""What decides nothing of what is asked: "need to check with my boss", "ask me again on Friday".

Who is asked to allow something tells whom to ask first, when the answer will come, or whose name and receipt
it is about. None of that is a wish: neither the people nor the days in it are those of the journey.
"""

from collections.abc import Iterator

from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from . import put_off_words as words
from .praise import find_praise

_SAID = phrases_of("stops")
_WORDS = words_of("stops")

_HER_OR_HIM = 3
"""Tokens behind the verb within which it is told who is asked."""
_PRAISE_AT_MOST = 6
"""Tokens up to which a clause with praise in it is nothing but praise."""


def without_put_offs(message: str) -> str | None:
    """Return a message without what only puts its answer off; None if nothing does."""
    text = Text(message)
    hidden = {at for first, after in _pieces(text) for at in _put_off(text, first, after)}
    if not hidden:
        return None
    letters = list(message)
    for at in hidden:
        letters[text[at].start : text[at].end] = " " * (text[at].end - text[at].start)
    return "".join(letters)


def says_nothing(message: str) -> bool:
    """Return whether a message holds courtesies, praise and names of people alone: "ok, looks good"."""
    text = Text(message)
    return all(_says_nothing(text, first, after) for first, after in _pieces(text))


def consults(text: Text, first: int, after: int) -> bool:
    """Return whether a clause only tells who is asked first: "I'll go over it with my sister tonight"."""
    at = _behind_courtesy(text, first, after)
    while at < after and not text.match(_SAID.consults, at) and text.norm(at) in _WORDS.subjects:
        at += 1
    asked = text.match(_SAID.consults, at)
    is_more = any(text.norm(token) in _WORDS.wishes for token in range(at + asked, after))
    return bool(asked) and not is_more and _tells_whom(text, at, at + asked, after)


def _pieces(text: Text) -> Iterator[tuple[int, int]]:
    """The clauses, with what a "but" sets against the rest apart."""
    for first, after in clauses(text):
        begun = first
        for at in range(first, after):
            if text.norm(at) in _WORDS.contrasts and at > begun:
                yield begun, at
                begun = at + 1
        if begun < after:
            yield begun, after


def _put_off(text: Text, first: int, after: int) -> range:
    """The tokens of a clause that only say when, by whom, or for whom it is decided."""
    begun = at = _behind_courtesy(text, first, after)
    length = _length_at(text, at, after)
    while not length and at < after and text.norm(at) in _WORDS.subjects:
        at += 1
        length = _length_at(text, at, after)
    is_more = any(text.norm(token) in _WORDS.wishes for token in range(at + length, after))
    return range(begun, after) if length and not is_more else range(0)


def _length_at(text: Text, at: int, after: int) -> int:
    """The length of what makes a clause a remark at that token, 0 if nothing does."""
    end = at + text.match(_SAID.now_is_no_time, at)
    if end > at and _is_end(text, end, after):
        return end - at
    name = at + max(text.match(words.DOES, at), text.match(_SAID.puts, at))
    if text.match(words.NAMES, name):
        return name + text.match(words.NAMES, name) - at
    paper = next(
        (token for token in range(at + 1, min(after, at + 6)) if text.norm(token) in _WORDS.papers), at
    )
    if paper > at and text.match(_SAID.sends, at):
        return paper + 1 - at
    asked = text.match(_SAID.consults, at)
    if asked and _tells_whom(text, at, at + asked, after):
        return asked
    for put_off, is_whole in (
        (_SAID.decided_at_any_time, True),
        (words.ASK_ME, True),
        (_SAID.decides, False),
        (words.DOES, False),
    ):
        length = text.match(put_off, at)
        later = text.match(words.LATER, at + length) if length else 0
        if length and (
            (later and _is_end(text, at + length + later, after))
            or (is_whole and _is_end(text, at + length, after))
        ):
            return length + later
    return 0


def _tells_whom(text: Text, verb: int, at: int, after: int) -> bool:
    """Whether somebody is asked, and not the assistant for something: "ask for a window seat"."""
    if text.norm(at) in _WORDS.somebody:
        return True
    if text.norm(at) in _WORDS.whose:
        return any(
            text.norm(token) in _WORDS.people for token in range(at + 1, min(after, at + 1 + _HER_OR_HIM))
        )
    is_ours = text.norm(verb - 1) in _WORDS.subjects and "you" not in {
        text.norm(verb - 1),
        text.norm(verb - 2),
    }
    return is_ours and at < after and text[at].is_word and text[at].is_capitalised


def _is_end(text: Text, at: int, after: int) -> bool:
    """Whether nothing but courtesies, and another time, follows."""
    while at < after:
        length = text.match(words.LATER, at) or int(text.norm(at) in _WORDS.courtesy)
        if not length:
            return False
        at += length
    return True


def _behind_courtesy(text: Text, first: int, after: int) -> int:
    while (
        first < after and text.norm(first) in _WORDS.courtesy and not text.match(_SAID.now_is_no_time, first)
    ):
        first += 1
    return first


def _says_nothing(text: Text, first: int, after: int) -> bool:
    """Whether a clause holds courtesies, praise or somebody's name alone: "ask Anna, my wife"."""
    is_courtesy = all(text.norm(at) in _WORDS.courtesy for at in range(first, after))
    is_person = (
        text.norm(first) in _WORDS.whose and after - first == 2 and text.norm(first + 1) in _WORDS.people
    )
    is_praise = find_praise(text, first, after) >= 0 and after - first <= _PRAISE_AT_MOST
    return is_courtesy or is_person or is_praise
