"""Acts on bookings that there are: "cancel my booking DEMO-7K2Q4M", "what have I booked?"."""

import re
from itertools import pairwise

from ...result import Bookable, BookingWish
from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from ..talk.stops import says_only
from .offers import ENDS, KIND_OF
from .wanted import WantedAct, is_wanted

_SAID = phrases_of("bookings")
_WORDS = words_of("bookings")
_DATES = words_of("dates")

_REFERENCE = re.compile(r"\bdemo-[0-9a-z]{4,10}\b", re.IGNORECASE)
_WORDS_OF_AN_OBJECT = 6
_WORDS_TO_WHAT = 2
"""What may stand before the question: "remind me what I booked"."""
_BEHIND_A_QUESTION = 2
_CHANGES = ((_SAID.changes, _SAID.booked), (_SAID.lengthens, _SAID.booked, _SAID.by_nights))
"""What wants a booking changed: lists of phrases, one of each behind the other."""


def _reference(text: Text) -> tuple[str, frozenset[int]]:
    """The reference of a booking that is named, and its tokens."""
    found = _REFERENCE.search(text.source)
    if found is None:
        return "", frozenset()
    start, end = found.span()
    tokens = (at for at, token in enumerate(text.tokens) if start <= token.start < end)
    return found[0].upper(), frozenset(tokens)


def cancelled(text: Text) -> WantedAct | None:
    """Return the cancellation of a booking that is named: "cancel my hotel", "cancel DEMO-7K2Q4M"."""
    reference, tokens = _reference(text)
    for first, after in clauses(text) if text.has(_SAID.cancels) else ():
        for at in range(first, after):
            length = text.match(_SAID.cancels, at)
            kind, told, is_of_request = _booking_at(text, at + length) if length else (None, 0, False)
            if length and (told or reference) and is_wanted(text, at, first, after):
                name = _name_of_a_booking(text, at + length, told)
                wish = BookingWish(action="cancel", kind=kind, reference=reference or None, name=name or None)
                told = told or at + length
                spoken = frozenset(range(at, told + (text.norm(told) == "again"))) | tokens
                is_dropped = [text.norm(at), text.norm(at + length)] == ["drop", "the"]
                return WantedAct(wish=wish, told=spoken, is_of_request=is_of_request, is_dropped=is_dropped)
    return None


def cancelled_last(text: Text) -> WantedAct | None:
    """ "cancel it": nothing else but that, of what was booked last if anything was."""
    if not says_only(text, _SAID.cancels_last, _SAID.beside_a_cancellation):
        return None
    wish = BookingWish(action="cancel", is_latest=True)
    return WantedAct(wish=wish, told=frozenset(range(text.length)))


def cancelled_before(text: Text) -> WantedAct | None:
    """ "cancel that and find another": what was booked last, if anything was, before what is searched for.

    "Cancel that, make it Rome" changes what is searched for, and cancels nothing.
    """
    told = cancellation_in(text)
    at = told[1] if told else text.length
    while text.norm(at) in _WORDS.behind_a_cancellation:
        at += 1
    if told is None or text.norm(at) not in _WORDS.looks_for:
        return None
    wish = BookingWish(action="cancel", is_latest=True)
    return WantedAct(wish=wish, told=frozenset(range(told[0], at)))


def cancelled_for_a_reason(text: Text) -> WantedAct | None:
    """ "cancel it, the meeting got called off": of what was booked last, if the rest asks for nothing."""
    told = cancellation_in(text) if "?" not in text.vocabulary else None
    if told is None:
        return None
    wish = BookingWish(action="cancel", is_latest=True)
    return WantedAct(wish=wish, told=frozenset(range(*told)), has_reason=True)


def cancellation_in(text: Text) -> tuple[int, int] | None:
    """Return where a message says "cancel it" or "cancel that", and means it."""
    for first, after in clauses(text) if text.has(_SAID.cancels_last) else ():
        for at in range(first, after):
            length = text.match(_SAID.cancels_last, at)
            is_it = length > 1 and text.norm(at + length - 1) in _WORDS.cancelled_it
            ends = text.norm(at + length) in _WORDS.behind_a_cancellation or at + length == text.length
            if is_it and ends and is_wanted(text, at, first, after):
                return at, at + length
    return None


def find_booking_changed(text: Text, *, just_booked: bool) -> range:
    """Return the tokens that want a booking changed, which nobody can: "can you change the booking?".

    Who has `just_booked` also tells so by what was wrong: "wrong weekend, it should be 18 to 20".
    """
    for ways in (_CHANGES if text.has(_SAID.booked) else (), ((_SAID.booked_wrong,),) * just_booked):
        for first in range(text.length):
            if after := max((text.behind(first, *way) for way in ways), default=0):
                asks = (at for at in range(first) if text.behind(at, _SAID.may_you) == first)
                return range(next(asks, first), after)
    return range(0)


def held_booked(text: Text) -> WantedAct | None:
    """Return the booking of what is held under a reference: "book DEMO-7K2Q4M"."""
    reference, tokens = _reference(text)
    if not reference:
        return None
    for first, after in clauses(text):
        for at in range(first, after):
            if text.match(_SAID.books, at) and is_wanted(text, at, first, after):
                wish = BookingWish(action="book", reference=reference)
                return WantedAct(wish=wish, told=frozenset(range(at, after)) | tokens)
    return None


def _booking_at(text: Text, first: int) -> tuple[Bookable | None, int, bool]:
    """The kind of booking told there, the index behind it (0 without one), and whether it may be a search."""
    at = first
    kind: Bookable | None = None
    is_definite = text.norm(at) in _WORDS.ours
    while at < first + _WORDS_OF_AN_OBJECT:
        noun = text.norm(at)
        if noun in KIND_OF:
            kind = KIND_OF[noun]
        elif noun in _WORDS.bookings:
            return kind, _behind_its_name(text, at + 1), False
        elif noun == "one" and is_definite:
            return kind, _behind_one(text, first, at + 1), True
        elif noun not in _WORDS.before_a_booking and not (is_definite and _names_a_booking(text, at)):
            break
        at += 1
    is_done = any(text.norm(step) in _WORDS.bought for step in range(at, at + 4))
    if kind and is_done and text.norm(at) in _WORDS.done_by:
        bought = next(step for step in range(at, at + 4) if text.norm(step) in _WORDS.bought)
        return kind, bought + 1, False
    is_mine = kind is not None and is_definite and text.norm(at) in ENDS
    return kind, (_behind_its_name(text, at) if is_mine else 0), is_mine


def _behind_one(text: Text, first: int, at: int) -> int:
    """The index behind "the Saturday one", "the one on the 5th", "the one I booked"; 0 behind "the one"."""
    after = _behind_its_name(text, at)
    done = next((step + 1 for step in range(at, at + 3) if text.norm(step) in _WORDS.bought), after)
    return done if done > first + 2 else 0


def _behind_its_name(text: Text, at: int) -> int:
    """The index behind what tells a booking from others there: "on the 5th", "in Rome"."""
    after = text.past(_WORDS.leads_to_a_booking, at)
    is_led = after > at
    while is_led and _names_a_booking(text, after):
        at, after = after + 1, text.past(_WORDS.leads_to_a_booking, after + 1)
    return at


def is_name(text: Text, at: int) -> bool:
    """Return whether a name stands there, as far as capitals tell."""
    token = text[at]
    return token.is_word and token.is_capitalised and token.norm not in _WORDS.not_a_name


def _names_a_booking(text: Text, at: int) -> bool:
    token = text[at]
    return token.is_number or token.norm in _WORDS.of_a_day or is_name(text, at)


def _name_of_a_booking(text: Text, first: int, after: int) -> str:
    """What tells one booking from others: its day, or a name in it."""
    tokens = [at for at in range(first, after) if _names_a_booking(text, at)]
    return " ".join(text.spelled(at, at + 1) for at in tokens if text.norm(at) not in _DATES.ordinal_endings)


def listed(text: Text) -> WantedAct | None:
    """Return the question what has been booked, or about the booking of a reference."""
    reference, tokens = _reference(text)
    for first, after in clauses(text):
        kind, is_asked = _asked_for(text, first, after)
        if is_asked or reference:
            wish = BookingWish(action="list", kind=kind, reference=reference or None)
            told = frozenset(range(first, after)) if is_asked else tokens
            return WantedAct(wish=wish, told=told)
    return None


def _asked_for(text: Text, first: int, after: int) -> tuple[Bookable | None, bool]:
    """Whether a clause asks what has been booked, and of which kind."""
    said = [text.norm(at) for at in range(first, after)]
    kinds: set[Bookable] = {KIND_OF[word] for word in said if word in KIND_OF}
    kind = kinds.pop() if len(kinds) == 1 else None
    went_through = text.match(_SAID.went_through, first)
    if went_through and len(said) <= went_through + _BEHIND_A_QUESTION:
        return kind, True
    return kind, _asks_for_bookings(text, first, after) or _asks_what_is_booked(said)


def _asks_for_bookings(text: Text, first: int, after: int) -> bool:
    """ "show my bookings", "do I have any reservations", "my bookings"."""
    noun = next((at for at in range(first, after) if text.norm(at) in _WORDS.bookings), -1)
    if noun < 0 or text.norm(noun) == "hold":
        return False
    start = noun
    while start > first and text.norm(start - 1) in KIND_OF.keys() | _WORDS.before_bookings:
        start -= 1
    is_ours = any(text.norm(at) in _WORDS.own for at in range(start, noun))
    is_last = text.said(noun + 1, after) <= _WORDS.after_bookings | _WORDS.of_a_booking
    opened = text.past(_WORDS.openers, first, start)
    is_shown = any(text.match(_SAID.shows, at) for at in range(opened, start))
    is_had = [text.norm(opened + step) for step in (0, 2)] == ["do", "have"]
    return is_last and ((is_ours and (is_shown or opened >= start)) or is_had)


def _asks_what_is_booked(said: list[str]) -> bool:
    """ "what have I booked", "which hotel did I book", "is it booked", "what did I pay"."""
    at = next((at for at, word in enumerate(said) if word in _WORDS.asks_what), -1)
    if at < 0 or at > _WORDS_TO_WHAT or not _WORDS.not_done.isdisjoint(said):
        return False
    pairs = set(pairwise(said[at:]))
    by_us = any(
        (verb, us) in pairs or (us, "have") in pairs for verb in ("have", "did") for us in _WORDS.by_us
    )
    is_paid = not _WORDS.paid.isdisjoint(said) or ("did" in said and "pay" in said)
    is_done = not _WORDS.bought.isdisjoint(said) or ("did" in said and "book" in said)
    if said[at] == "how":
        return is_paid and by_us
    if said[at] in ("is", "was", "are"):
        if not KIND_OF.keys().isdisjoint(said[:at]):
            return False  # "our flights are booked" tells it
        return said[-2 if said[-1] in _WORDS.ends_what else -1] in _WORDS.bought
    is_told = any((us, done) in pairs for us in ("i", "we", "whats", "is") for done in _WORDS.bought)
    return is_paid or (is_done and (by_us or (is_told and said[at] not in ("have", "did"))))
