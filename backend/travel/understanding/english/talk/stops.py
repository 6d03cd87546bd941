"""Messages that break off ("stop", "forget the trip"), or only put an answer off ("ask me on Friday").

What else a message wants that breaks off is not looked at here: whoever says "stop" and names another city
goes on. Other words stop only where nothing else is said: "hold on", unlike "hold on, make it Friday". A plan
of one's own may follow: "never mind, I'll take the train".

Who is asked to allow something tells whom to ask first, when the answer will come, or whose name and receipt
it is about. None of that is a wish: neither the people nor the days in it are those of the journey.
"""

from collections.abc import Iterator

from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import SENTENCE_ENDS, Phrases, Text
from .decisions import find_praise

_SAID = phrases_of("stops")
_WORDS = words_of("stops")

_CLAUSE_ENDS = SENTENCE_ENDS | {","}
_BEGINNINGS = _SAID.breaks_off.keys() | _SAID.calls_off.keys()
_AND = frozenset({"and"})
_LONGEST_QUESTION = 5
_AT_MOST = 16


def says_only(text: Text, wanted: Phrases, beside: Phrases, at: int = 0, end: int | None = None) -> bool:
    """Return whether a message says what is `wanted` from `at` up to `end`, and no words but the others."""
    end, is_said = text.length if end is None else end, False
    while at < end:
        said = text.match(wanted, at)
        length = max(said, text.match(beside, at))
        if not length:
            return False
        is_said, at = is_said or said > 0, at + length
    return is_said


def is_only_a_stop(text: Text) -> bool:
    """Return whether a message stops, and says nothing else but what somebody will do without us."""
    if text.length > _AT_MOST or text.has(_SAID.dont_wait) or not text.has(_SAID.stops):
        return False
    begun = [*(first for first, _ in clauses(text) if first), *range(1, text.length)]
    after = next((at for at in begun if text.match(_SAID.plans, at)), text.length)
    if any(_is_denied(text, at) for at in range(after)):
        return False
    return says_only(text, _SAID.stops, _SAID.beside, 0, after) and _WORDS.ours.isdisjoint(
        text.said(after, text.length)
    )


def begins_with_a_stop(text: Text) -> bool:
    """Return whether "stop" is all of the first clause: it holds whatever else is spoken of behind it."""
    first = text.past(_WORDS.courtesy, 0)
    if text.norm(first) not in ("stop", "halt"):
        return False
    after = text.past(_WORDS.courtesy - _CLAUSE_ENDS, first + text.match(_SAID.stops, first))
    return text.norm(after) in _CLAUSE_ENDS


def _is_denied(text: Text, at: int) -> bool:
    """Whether a stop there is none: "don't stop"; a no may stand for itself, as in "no stop!"."""
    is_apart = text.norm(at - 1) == "no" and text.norm(at) not in ("more", "need")
    return text.norm(at - 1) in _WORDS.negations and text.match(_SAID.stops, at) > 0 and not is_apart


def breaks_off(text: Text) -> bool:
    """Return whether a message has words that break off what runs."""
    return any(_is_stop(text, at) or _is_called_off(text, at) for at in text.each_of(_BEGINNINGS))


def _is_stop(text: Text, at: int) -> bool:
    length = text.match(_SAID.breaks_off, at)
    after = at + length
    if not length or text.norm(at - 1) in _WORDS.stopping_negations:
        return False
    if (again := text.match(_SAID.no_new_search, at)) and at + again + 1 < text.length:
        return False
    if text.norm(after) in _WORDS.not_a_stop or _is_stop_of_something(text, at):
        return False
    return not _asks_of_stopping(text, at, after)


def _is_stop_of_something(text: Text, at: int) -> bool:
    """Whether a "stop" is a place on the way, or about what is shown: "stop with the red-eyes"."""
    if text.norm(at) not in ("stop", "quit"):
        return False
    behind = text.norm(at + 2)
    is_layover = text.norm(at - 1) in _WORDS.before_a_layover
    is_of_shown = text.norm(at + 1) == "with" and behind not in _WORDS.what_runs | {""}
    return is_layover or is_of_shown or text.norm(at + 1) in _WORDS.telling


def _asks_of_stopping(text: Text, at: int, after: int) -> bool:
    """Whether somebody asks why it stopped, or whether they could cancel: "can I cancel it if I am ill?"."""

    def is_led(by: Phrases) -> bool:
        begins = range(max(0, at - _LONGEST_QUESTION), at)
        return any(first + text.match(by, first) == at for first in begins)

    is_conditional = text.find(_SAID.on_conditions, after) >= 0
    return is_led(_SAID.asks_of_stopping) or (is_conditional and is_led(_SAID.may_we))


def _is_called_off(text: Text, at: int) -> bool:
    """ "forget about the whole trip", "cancel my search", "call the whole thing off"."""
    length = text.match(_SAID.calls_off, at)
    after = text.past(_WORDS.determiners, at + length)
    is_ours = after > at + length and text.norm(after) in _WORDS.stopping_ours
    return length > 0 and is_ours and text.norm(at - 1) not in _WORDS.stopping_negations


# --- What puts an answer off ---------------------------------------------------------------------------


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


def asks_for_papers(text: Text) -> range:
    """Return the clauses that a message ends with and that only want papers sent, an empty range if none do.

    "Go ahead. Please send the confirmation to his email", unlike "send him the confirmation first".
    """
    begun = text.length
    for first, after in reversed(list(clauses(text))):
        joined = (at + 1 for at in text.where(_AND) if first < at < after)
        start = next((at for at in (first, *joined) if _sends_papers(text, at, after)), None)
        if start is None:
            break
        begun = start + (text.norm(start) in _AND)
        if start > first:
            break
    return range(begun, text.length)


def _sends_papers(text: Text, first: int, after: int) -> bool:
    at = _behind_courtesy(text, first, after)
    is_paper = text.match(_SAID.sends, at) > 0 and not text.said(at, after).isdisjoint(_WORDS.papers)
    return is_paper and text.said(at, after).isdisjoint(_WORDS.before_it)


def says_nothing(message: str) -> bool:
    """Return whether a message holds courtesies, praise and names of people alone: "ok, looks good"."""
    text = Text(message)
    return all(_says_nothing(text, first, after) for first, after in _pieces(text))


def _says_nothing(text: Text, first: int, after: int) -> bool:
    is_person = text.norm(first) in _WORDS.whose and text.said(first + 1, after) <= _WORDS.people
    is_praise = find_praise(text, first, after) >= 0 and after - first <= _PRAISE_AT_MOST
    return text.said(first, after) <= _WORDS.courtesy or is_person or is_praise


def consults(text: Text, first: int, after: int) -> bool:
    """Return whether a clause only tells who is asked first: "I'll go over it with my sister tonight"."""
    agreed = text.find(_SAID.must_agree, first, after)
    if agreed >= 0 and not text.said(first, agreed).isdisjoint(_WORDS.people):
        return True  # "my boss has to approve it first"
    at = _behind_courtesy(text, first, after)
    while at < after and not text.match(_SAID.consults, at) and text.norm(at) in _WORDS.subjects:
        at += 1
    behind = at + text.match(_SAID.consults, at)
    is_more = not text.said(behind, after).isdisjoint(_WORDS.wishes)
    return behind > at and not is_more and _tells_whom(text, at, behind, after)


def answers_later(text: Text, first: int, after: int) -> bool:
    """Return whether a clause only tells when somebody decides: "I'll tell you on Monday".

    Its day is none of the journey, unlike those of "let's do it on Friday" and "I'll be back on Friday".
    """
    at = _behind_courtesy(text, first, after)
    while at < after and not text.match(_SAID.answers, at) and text.norm(at) in _WORDS.subjects:
        at += 1
    told = text.match(_SAID.answers, at)
    begun = at = at + told
    while told and at < after:
        length = text.match(_SAID.later, at) or text.match(_SAID.answers, at)
        if not (length or text[at].is_number or text.norm(at) in _WORDS.courtesy | _WORDS.until):
            return False
        at += length or 1
    return at > begun


def only_answers_later(text: Text) -> bool:
    """Return whether a message tells nothing but when somebody decides: "ok hold it, I'll know on Monday"."""
    pieces = list(_pieces(text))
    later = [piece for piece in pieces if answers_later(text, *piece)]
    rest = (piece for piece in pieces if piece not in later)
    return bool(later) and all(
        _says_nothing(text, *one) or consults(text, *one) or says_only(text, _SAID.stops, _SAID.beside, *one)
        for one in rest
    )


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
