"""What decides nothing of what is asked: "need to check with my boss", "ask me again on Friday".

Who is asked to allow something tells whom to ask first, when the answer will come, or whose name and receipt
it is about. None of that is a wish: neither the people nor the days in it are those of the journey.
"""

from collections.abc import Iterator

from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .decisions import find_praise

_SAID = phrases_of("stops")
_WORDS = words_of("stops")

_HER_OR_HIM = 3
"""Tokens behind the verb within which it is told who is asked."""
_WORDS_TO_A_PAPER = 6
_PRAISE_AT_MOST = 6
"""Tokens up to which a clause with praise in it is nothing but praise."""


def without_put_offs(message: str) -> str | None:
    """Return a message without what only puts its answer off; None if nothing does."""
    text = Text(message)
    hidden = {at for first, after in _pieces(text) for at in _put_off(text, first, after)}
    letters = list(message)
    for at in hidden:
        letters[text[at].start : text[at].end] = " " * (text[at].end - text[at].start)
    return "".join(letters) if hidden else None


def says_nothing(message: str) -> bool:
    """Return whether a message holds courtesies, praise and names of people alone: "ok, looks good"."""
    text = Text(message)
    return all(_says_nothing(text, first, after) for first, after in _pieces(text))


def _says_nothing(text: Text, first: int, after: int) -> bool:
    is_person = text.norm(first) in _WORDS.whose and text.said(first + 1, after) <= _WORDS.people
    is_praise = find_praise(text, first, after) >= 0 and after - first <= _PRAISE_AT_MOST
    return text.said(first, after) <= _WORDS.courtesy or (is_person and after - first == 2) or is_praise


def consults(text: Text, first: int, after: int) -> bool:
    """Return whether a clause only tells who is asked first: "I'll go over it with my sister tonight"."""
    at = _behind_courtesy(text, first, after)
    while at < after and not text.match(_SAID.consults, at) and text.norm(at) in _WORDS.subjects:
        at += 1
    behind = at + text.match(_SAID.consults, at)
    is_more = not text.said(behind, after).isdisjoint(_WORDS.wishes)
    return behind > at and not is_more and _tells_whom(text, at, behind, after)


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
    while not (length := _length_at(text, at, after)) and at < after and text.norm(at) in _WORDS.subjects:
        at += 1
    is_more = not text.said(at + length, after).isdisjoint(_WORDS.wishes)
    return range(begun, after) if length and not is_more else range(0)


def _length_at(text: Text, at: int, after: int) -> int:
    """The length of what makes a clause a remark at that token, 0 if nothing does."""
    no_time = text.match(_SAID.now_is_no_time, at)
    if no_time and _is_end(text, at + no_time, after):
        return no_time
    led = max(text.match(_SAID.does, at), text.match(_SAID.puts, at))
    if named := text.match(_SAID.names, at + led):
        return led + named
    within = range(at + 1, min(after, at + _WORDS_TO_A_PAPER))
    paper = next((token for token in within if text.norm(token) in _WORDS.papers), at)
    if paper > at and text.match(_SAID.sends, at):
        return paper + 1 - at
    asked = text.match(_SAID.consults, at)
    if asked and _tells_whom(text, at, at + asked, after):
        return asked
    for put_off in (_SAID.decided_at_any_time, _SAID.ask_me, _SAID.decides, _SAID.does):
        length = text.match(put_off, at)
        later = text.match(_SAID.later, at + length) if length else 0
        is_whole = later > 0 or put_off in (_SAID.decided_at_any_time, _SAID.ask_me)
        if length and is_whole and _is_end(text, at + length, after):
            return length + later
    return 0


def _tells_whom(text: Text, verb: int, at: int, after: int) -> bool:
    """Whether somebody is asked, and not the assistant for something: "ask for a window seat"."""
    if text.norm(at) in _WORDS.somebody:
        return True
    if text.norm(at) in _WORDS.whose:
        return not text.said(at + 1, min(after, at + 1 + _HER_OR_HIM)).isdisjoint(_WORDS.people)
    is_ours = text.norm(verb - 1) in _WORDS.subjects and "you" not in text.said(verb - 2, verb)
    return is_ours and at < after and text[at].is_word and text[at].is_capitalised


def _is_end(text: Text, at: int, after: int) -> bool:
    """Whether nothing but courtesies, and another time, follows."""
    while at < after and (length := text.match(_SAID.later, at) or int(text.norm(at) in _WORDS.courtesy)):
        at += length
    return at >= after


def _behind_courtesy(text: Text, first: int, after: int) -> int:
    while first < after and text.norm(first) in _WORDS.courtesy:
        if text.match(_SAID.now_is_no_time, first):
            return first
        first += 1
    return first
