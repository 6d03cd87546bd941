"""Acts on offers and bookings that a message wants done: "book the cheapest", "hold it", "cancel my booking",
"what have I booked?".

To "book a flight" or "a table" is to look for one. An act needs an offer that is definite, or a booking that
there is, and words that want it done now: not a question, a condition, a quotation, or a plan for later.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from ...message import BookingAct
from ...result import BookingAction, BookingWish
from ..language.sentences import clauses, sentence_around
from ..language.text import Phrases, Text
from . import words
from .offers import Offer, read_offer
from .shown_offers import read_shown_offer

_REFERENCE = re.compile(r"\bdemo-[0-9a-z]{4,10}\b", re.IGNORECASE)
_WORDS_OF_AN_OBJECT = 6
_WORDS_AROUND = 40
"""How far around a verb is looked for words that deny it, at most."""
_VERBS: tuple[tuple[Phrases, BookingAction], ...] = (
    (words.BOOKS, "book"),
    (words.HOLDS, "hold"),
    (words.TAKES, "book"),
)
_BEGINNINGS = frozenset(
    word
    for verbs in (words.BOOKS, words.HOLDS, words.TAKES, words.PUTS, words.DOES, words.CANCELS)
    for word in verbs
) | {*words.BOOKINGS, *words.BOUGHT, "demo"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Act:
    """What a message wants done, told in the tokens `told`; the other fields are those of `BookingAct`.

    With `is_pronoun` it is done to something that only the conversation tells.
    """

    wish: BookingWish
    told: frozenset[int]
    is_pronoun: bool = False
    is_bare: bool = False
    is_loose: bool = False
    unread: str = ""
    also: str = ""
    is_of_request: bool = False


def find_act(text: Text) -> BookingAct | None:
    """Return the first act that a message wants done, None if it wants none."""
    if text.vocabulary.isdisjoint(_BEGINNINGS):
        return None
    act = _cancelled(text) or _held_booked(text) or _listed(text) or _on_an_offer(text)
    if act is None:
        return None
    rest = _rest(text, act.told)
    return BookingAct(
        wish=act.wish,
        rest=rest,
        rest_by_name=f"{rest} {act.wish.kind}" if act.wish.kind else rest,
        is_bare=act.is_bare,
        is_loose=act.is_loose,
        is_of_request=act.is_of_request,
        unread=act.unread,
        also=act.also,
    )


def _rest(text: Text, told: Collection[int]) -> str:
    """The message without these tokens."""
    letters = list(text.source)
    for at in told:
        token = text[at]
        letters[token.start : token.end] = " " * (token.end - token.start)
    return "".join(letters)


def _on_an_offer(text: Text) -> _Act | None:
    for first, after in clauses(text):
        for at in range(first, after):
            act = _act_at(text, at, first, after)
            if act and _is_wanted(text, at, first, after):
                return act
    return None


def _act_at(text: Text, at: int, clause: int, end: int) -> _Act | None:
    for names, action in _VERBS:
        length = text.match(names, at)
        if length and not _made(text, at):
            return _with_object(text, at, at + length, end, action, is_loose=names is words.TAKES)
    return _put_on_hold(text, at, end) or _got_booked(text, at) or _made(text, at)


def _with_object(
    text: Text, verb: int, at: int, end: int, action: BookingAction, *, is_loose: bool
) -> _Act | None:
    """What a verb with the index `at` behind it is done to, None if that is nothing definite."""
    if not is_loose and text.norm(at) in words.TO_WHOM:
        at += 1
    length = 0 if is_loose else text.match(words.INDIRECT, at)
    both = text.match(words.BOTH, at)
    if both:
        wish = BookingWish(action=action, kind="flight")
        return _Act(wish=wish, told=frozenset((*range(verb, at),)), also=text.spelled(at, at + both))
    offer = read_shown_offer(text, at + length) or read_offer(text, at + length)
    if offer is None or (length and not _is_pointed_at(text, offer)):
        return None
    if is_loose and not _is_surely_an_offer(text, offer):
        return None
    is_waiting = action == "hold" and offer.is_pronoun
    after = _behind_trails(text, offer.after)
    if is_waiting and text.norm(after) not in words.HOLDS_FOR and after == offer.after:
        return None  # "hold it!"
    if action == "hold" and text.norm(after) in words.HOLDS_FOR:
        after = end
    act = _Act(
        wish=replace(offer.wish, action=action),
        told=frozenset(token for token in range(verb, after) if token != offer.head),
        is_pronoun=offer.is_pronoun,
        is_bare=offer.is_bare,
        is_loose=is_loose,
        unread=offer.unread,
    )
    return _with_what_is_coupled(text, _told_closer(text, act, after), after)


def _is_pointed_at(text: Text, offer: Offer) -> bool:
    """Whether an offer is one of those shown, and not just told by its name: "a room at the Hilton"."""
    wish = offer.wish
    is_this = text.norm(offer.first) in ("this", "that") or offer.is_pronoun
    return is_this or bool(wish.number or wish.pick or (wish.name and text.norm(offer.after - 1) == "one"))


def _is_surely_an_offer(text: Text, offer: Offer) -> bool:
    """Whether it can be nothing else: "take the second", unlike "take the train"."""
    wish = offer.wish
    is_told = bool(wish.number or wish.pick or wish.name) or offer.is_pronoun
    return is_told or (not offer.is_bare and text.norm(offer.after) in words.AFTER_WHAT_IS_TAKEN)


def _behind_trails(text: Text, at: int) -> int:
    while True:
        length = text.match(words.TRAILS, at)
        if not length:
            return at
        at += length


def _told_closer(text: Text, act: _Act, after: int) -> _Act:
    """The same with what is added about the offer: "book the hotel, the cheapest"."""
    comma = after + text.match(words.TOO, after)
    offer = read_offer(text, comma + 1) if text.norm(comma) == "," else None
    if offer is None or offer.is_bare or (act.wish.pick or act.wish.number or act.wish.name):
        return act
    closer = offer.wish
    if offer.is_pronoun or closer.kind not in (None, act.wish.kind):
        return act
    wish = replace(act.wish, pick=closer.pick, number=closer.number, name=closer.name)
    return replace(act, wish=wish, told=act.told | frozenset(range(offer.first, offer.after)))


def _with_what_is_coupled(text: Text, act: _Act, after: int) -> _Act:
    """The same with what is to be booked beside it: "the flight and the hotel"."""
    if text.norm(after) not in ("and", "&", "+", "plus"):
        return act
    other = read_offer(text, after + 1)
    if other is None or other.is_pronoun or other.wish.kind in (None, act.wish.kind):
        return act
    told = act.told | frozenset(range(after, other.after))
    return replace(act, told=told, also=text.spelled(after + 1, other.after))


def _put_on_hold(text: Text, at: int, end: int) -> _Act | None:
    """ "put the second one on hold"."""
    length = text.match(words.PUTS, at)
    offer = read_offer(text, at + length) if length else None
    hold = text.match(words.ON_HOLD, offer.after) if offer else 0
    if offer is None or not hold:
        return None
    after = offer.after + hold
    after = end if text.norm(after) in words.HOLDS_FOR else after
    told = frozenset(token for token in range(at, after) if token != offer.head)
    wish = replace(offer.wish, action="hold")
    return _Act(wish=wish, told=told, is_pronoun=offer.is_pronoun, unread=offer.unread)


def _got_booked(text: Text, at: int) -> _Act | None:
    """ "get the second one booked"."""
    offer = read_offer(text, at + 1) if text.norm(at) in words.GETS else None
    if offer is None or text.norm(offer.after) not in words.BOUGHT:
        return None
    told = frozenset(token for token in range(at, offer.after + 1) if token != offer.head)
    return _Act(wish=offer.wish, told=told, is_pronoun=offer.is_pronoun, unread=offer.unread)


def _made(text: Text, at: int) -> _Act | None:
    """ "make the booking", "confirm that reservation": of what was spoken of."""
    length = text.match(words.DOES, at) or text.match(words.BOOKS, at)
    noun = at + length + 1
    if not length or text.norm(noun - 1) not in words.DEFINITE or text.norm(noun) not in words.BOOKINGS:
        return None
    action: BookingAction = "hold" if text.norm(noun) in ("hold", "holds") else "book"
    return _Act(wish=BookingWish(action=action), told=frozenset(range(at, noun + 1)), is_pronoun=True)


def _is_wanted(text: Text, verb: int, first: int, after: int) -> bool:
    """Whether the act in the clause from `first` up to `after` is to be done now, and by us."""
    first, after = max(first, verb - _WORDS_AROUND), min(after, verb + _WORDS_AROUND)
    before = {text.norm(at) for at in range(first, verb)}
    is_denied = not before.isdisjoint(words.NOT_DONE) or _is_denied_before(text, first)
    is_of_others = text.norm(verb - 1) in words.WILL and text.norm(verb - 2) not in words.US
    is_unsure = is_of_others or not before.isdisjoint(words.NOT_YET) or _is_only_thought_of(text, verb)
    opened = next((at for at in range(first, verb) if text.norm(at) not in words.OPENERS), verb)
    is_question = text.norm(opened) in words.QUESTIONS and not text.match(words.REQUESTS, opened)
    is_put_off = not _without_trails(text, verb, after).isdisjoint(words.PUT_OFF)
    return not (is_denied or is_unsure or is_question or is_put_off or _is_quoted(text, verb))


def _without_trails(text: Text, first: int, after: int) -> set[str]:
    said: set[str] = set()
    at = first
    while at < after:
        length = text.match(words.TRAILS, at)
        said.update(() if length else (text.norm(at),))
        at += length or 1
    return said


def _is_denied_before(text: Text, first: int) -> bool:
    """Whether an earlier clause of the sentence ends in a negation: "don't, whatever happens, book it"."""
    begun, _ = sentence_around(text, first)
    commas = (at for at in range(begun, first) if text.norm(at) == ",")
    return any(text.norm(at - 1) in words.NOT_DONE - {"no"} for at in commas)


def _is_only_thought_of(text: Text, verb: int) -> bool:
    """ "I would book it", "I'd book it", "I'm going to book it", "a book", "to book" behind "able"."""
    before, earlier = text.norm(verb - 1), text.norm(verb - 2)
    if before in ("would", "id", "wed", "might", "a", "good", "able"):
        return earlier not in ("could", "can")
    return before == "to" and earlier not in words.WANTING


def _is_quoted(text: Text, at: int) -> bool:
    """Whether a word stands within quotation marks."""
    if text.vocabulary.isdisjoint(words.QUOTES):
        return False
    return sum(text.norm(before) in words.QUOTES for before in range(at)) % 2 == 1


def _reference(text: Text) -> tuple[str, frozenset[int]]:
    """The reference of a booking that is named, and its tokens."""
    found = _REFERENCE.search(text.source)
    if found is None:
        return "", frozenset()
    start, end = found.span()
    tokens = (at for at, token in enumerate(text.tokens) if start <= token.start < end)
    return found[0].upper(), frozenset(tokens)


def _cancelled(text: Text) -> _Act | None:
    reference, tokens = _reference(text)
    for first, after in clauses(text):
        for at in range(first, after):
            length = text.match(words.CANCELS, at)
            kind, told, is_of_request = _booking_at(text, at + length) if length else (None, 0, False)
            if length and (told or reference) and _is_wanted(text, at, first, after):
                wish = BookingWish(action="cancel", kind=kind, reference=reference or None)
                told = told or at + length
                spoken = frozenset(range(at, told + (text.norm(told) == "again"))) | tokens
                is_of_request = is_of_request and not reference
                return _Act(wish=wish, told=spoken, is_of_request=is_of_request)
    return None


def _held_booked(text: Text) -> _Act | None:
    """ "book DEMO-7K2Q4M": what is held under that reference."""
    reference, tokens = _reference(text)
    if not reference:
        return None
    for first, after in clauses(text):
        for at in range(first, after):
            if text.match(words.BOOKS, at) and _is_wanted(text, at, first, after):
                wish = BookingWish(action="book", reference=reference)
                return _Act(wish=wish, told=frozenset(range(at, after)) | tokens)
    return None


def _booking_at(text: Text, first: int) -> tuple[Literal["flight", "hotel"] | None, int, bool]:
    """The kind of booking told there, the index behind it (0 without one), and whether it may be a search."""
    at = first
    kind: Literal["flight", "hotel"] | None = None
    is_definite = text.norm(at) in words.OURS
    while at < first + _WORDS_OF_AN_OBJECT:
        noun = text.norm(at)
        if noun in words.FLIGHTS | words.HOTELS:
            kind = "flight" if noun in words.FLIGHTS else "hotel"
        elif noun in words.BOOKINGS:
            return kind, at + 1, False
        elif noun not in words.BEFORE_A_BOOKING:
            break
        at += 1
    is_done = any(text.norm(step) in words.BOUGHT for step in range(at, at + 4))
    if kind and is_done and text.norm(at) in words.DONE_BY:
        bought = next(step for step in range(at, at + 4) if text.norm(step) in words.BOUGHT)
        return kind, bought + 1, False
    is_mine = kind is not None and is_definite and text.norm(at) in words.ENDS
    return kind, (at if is_mine else 0), is_mine


def _listed(text: Text) -> _Act | None:
    reference, tokens = _reference(text)
    for first, after in clauses(text):
        kind, is_asked = _asked_for(text, first, after)
        if is_asked or reference:
            wish = BookingWish(action="list", kind=kind, reference=reference or None)
            told = frozenset(range(first, after)) if is_asked else tokens
            return _Act(wish=wish, told=told)
    return None


def _asked_for(text: Text, first: int, after: int) -> tuple[Literal["flight", "hotel"] | None, bool]:
    """Whether a clause asks what has been booked, and of which kind."""
    said = [text.norm(at) for at in range(first, after)]
    kinds = {"flight" for word in said if word in words.FLIGHTS} | {
        "hotel" for word in said if word in words.HOTELS
    }
    kind = "flight" if kinds == {"flight"} else "hotel" if kinds == {"hotel"} else None
    return kind, _asks_for_bookings(text, first, after) or _asks_what_is_booked(said)


def _asks_for_bookings(text: Text, first: int, after: int) -> bool:
    """ "show my bookings", "do I have any reservations", "my bookings"."""
    noun = next((at for at in range(first, after) if text.norm(at) in words.BOOKINGS), -1)
    if noun < 0 or text.norm(noun) == "hold":
        return False
    start = noun
    while start > first and text.norm(start - 1) in words.FLIGHTS | words.HOTELS | words.BEFORE_BOOKINGS:
        start -= 1
    is_ours = any(text.norm(at) in words.OWN for at in range(start, noun))
    is_last = all(text.norm(at) in words.AFTER_BOOKINGS for at in range(noun + 1, after))
    opened = next((at for at in range(first, start) if text.norm(at) not in words.OPENERS), start)
    is_shown = any(text.match(words.SHOWS, at) for at in range(opened, start))
    is_had = [text.norm(opened + step) for step in (0, 2)] == ["do", "have"]
    return is_last and ((is_ours and (is_shown or opened >= start)) or is_had)


def _asks_what_is_booked(said: list[str]) -> bool:
    """ "what have I booked", "which hotel did I book", "have I booked a flight yet", "what's booked"."""
    at = next((at for at, word in enumerate(said) if word in words.ASKS_WHAT), -1)
    if at < 0 or at > words.WORDS_TO_WHAT or not words.NOT_DONE.isdisjoint(said):
        return False
    pairs = set(pairwise(said[at:]))
    by_us = any(
        (verb, us) in pairs or (us, "have") in pairs for verb in ("have", "did") for us in ("i", "we")
    )
    is_done = not words.BOUGHT.isdisjoint(said) or ("did" in said and "book" in said)
    is_told = any((us, done) in pairs for us in ("i", "we", "whats", "is") for done in words.BOUGHT)
    return is_done and (by_us or (is_told and said[at] not in ("have", "did")))
