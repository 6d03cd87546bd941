"""Acts on offers and bookings that a message wants done: "book the cheapest", "hold it", "cancel my booking",
"what have I booked?".

To "book a flight" or "a table" is to look for one. An act needs an offer that is definite, or a booking that
there is, and words that want it done now: not a question, a quotation, or a plan for later. A condition is
told, and must not narrow the search: "the first flight" is then the first of another list.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from ...message import BookingAct
from ...result import Bookable, BookingAction, BookingWish, Pick, Refused
from ..details.people import find_names
from ..language.sentences import clauses, sentence_around, takes_back
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text, any_of, tokens_of
from ..talk.stops import says_only
from ..unread import wishes_beside
from .offers import ENDS, HEADS, KIND_OF, NAME_OF, ORDINALS, PICKS, Offer, read_offer, read_shown_offer

_SAID = phrases_of("bookings")
_WORDS = words_of("bookings")
_DATES = words_of("dates")

_QUOTES = frozenset('"“”«»„')
_WORDS_AROUND = 40
"""How far around a verb is looked for words that deny it, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedAct:
    """What a message wants done, told in the tokens `told`; the other fields are those of `BookingAct`.

    With `is_pronoun` it is done to something that only the conversation tells; with `is_alone` not even a
    pronoun stands for that, and it is no act unless an offer is named just before.
    """

    wish: BookingWish
    told: frozenset[int]
    is_pronoun: bool = False
    is_alone: bool = False
    is_bare: bool = False
    is_loose: bool = False
    unread: str = ""
    also: str = ""
    also_wish: BookingWish | None = None
    is_of_all: bool = False
    is_of_request: bool = False
    is_dropped: bool = False
    has_reason: bool = False
    cancelled: BookingWish | None = None


def is_wanted(text: Text, verb: int, first: int, after: int) -> bool:
    """Whether the act in the clause from `first` up to `after` is to be done now, and by us."""
    first, after = max(first, verb - _WORDS_AROUND), min(after, verb + _WORDS_AROUND)
    before = text.said(first, verb)
    is_denied = not before.isdisjoint(_WORDS.not_done) or _is_denied_before(text, first)
    is_of_others = text.norm(verb - 1) in _WORDS.will and text.norm(verb - 2) not in _WORDS.us
    is_unsure = is_of_others or not before.isdisjoint(_WORDS.not_yet) or _is_only_thought_of(text, verb)
    opened = text.past(_WORDS.openers, first, verb)
    is_question = text.norm(opened) in _WORDS.questions and not text.match(_SAID.requests, opened)
    is_put_off = not _without_trails(text, verb, after).isdisjoint(_WORDS.put_off)
    return not (is_denied or is_unsure or is_question or is_put_off or _is_quoted(text, verb))


def _without_trails(text: Text, first: int, after: int) -> set[str]:
    said: set[str] = set()
    at = first
    while at < after:
        length = text.match(_SAID.trails, at)
        said.update(() if length else (text.norm(at),))
        at += length or 1
    return said


def _is_denied_before(text: Text, first: int) -> bool:
    """Whether an earlier clause of the sentence ends in a negation: "don't, whatever happens, book it"."""
    begun, _ = sentence_around(text, first)
    commas = (at for at in range(begun, first) if text.norm(at) == ",")
    return any(text.norm(at - 1) in _WORDS.not_done - {"no"} for at in commas)


def _is_only_thought_of(text: Text, verb: int) -> bool:
    """ "I would book it", "I'd book it", "I'm going to book it", "a book", "to book" behind "able"."""
    before, earlier = text.norm(verb - 1), text.norm(verb - 2)
    if before in ("would", "id", "wed", "might", "a", "good", "able"):
        return earlier not in ("could", "can")
    return before == "to" and earlier not in _WORDS.wanting


def _is_quoted(text: Text, at: int) -> bool:
    """Whether a word stands within quotation marks."""
    if text.vocabulary.isdisjoint(_QUOTES):
        return False
    return sum(text.norm(before) in _QUOTES for before in range(at)) % 2 == 1


def condition_from(text: Text, first: int, after: int) -> int:
    """Return where a condition begins in these tokens, `after` where none does: "if it is refundable"."""
    for at in range(first, after):
        is_trail = any(text.match(_SAID.trails, at - back) > back for back in range(2) if at - back >= first)
        if text.match(_SAID.conditions, at) and not is_trail:
            return at
    return after


def conditions(text: Text, told: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans outside the tokens `told` on which an act depends, and what is to be done otherwise."""
    for first, after in text.sentences:
        opened = text.past(_WORDS.openers, first, after)
        is_begun = text.norm(opened) in _WORDS.begin_a_condition
        begun = opened if is_begun else condition_from(text, first, after)
        if begun < after and begun not in told:
            yield begun, after


def left_open(text: Text, told: Collection[int]) -> frozenset[int]:
    """Return the tokens of clauses that leave another kind for later: "flight I think more", "no car yet"."""
    tokens: set[int] = set()
    for first, after in clauses(text):
        said = text.said(first, after)
        kinds = {word for word in said if word.removesuffix("s") in KIND_OF}
        is_apart = bool(told) and set(told).isdisjoint(range(first, after))
        is_open = (
            not _WORDS.leaves_open.isdisjoint(said) and said <= _WORDS.around | _WORDS.leaves_open | kinds
        )
        if kinds and is_open and is_apart:
            tokens.update(range(first, after))
    return frozenset(tokens)


_BOOKS = _SAID.books.keys() | _SAID.holds.keys() | _SAID.takes.keys()
_PICKED = _WORDS.pronouns | HEADS | ORDINALS.keys() | {"cheapest", "fastest", "best"}
_NAME_AT_LEAST, _NAME_AT_MOST = 2, 3


def without_names(text: Text) -> tuple[Text, str]:
    """Return a message that books without the names in it, and these as the user typed them; "" if none."""
    if text.vocabulary.isdisjoint(_BOOKS):
        return text, ""
    cued = [name for name in find_names(text) if name.after - name.first > 1]
    hidden = tokens_of(cued) or _behind_an_act(text)
    return text.without(hidden), text.spelled(min(hidden), max(hidden) + 1) if hidden else ""


def _behind_an_act(text: Text) -> set[int]:
    """ "Book it for Maria Gonzalez": a first name and a last one behind what is booked."""
    for at in range(2, text.length):
        if text.norm(at) != "for" or not (text.norm(at - 1) in _PICKED or text[at - 1].is_number):
            continue
        end = at + 1
        while end - at <= _NAME_AT_MOST and _is_name(text, end):
            end += 1
        if end - at > _NAME_AT_LEAST:
            return set(range(at, end))
    return set()


def _is_name(text: Text, at: int) -> bool:
    token = text[at]
    return token.is_word and token.is_capitalised and token.norm not in _WORDS.not_a_name


# --- Bookings that there are ---------------------------------------------------------------------------


_REFERENCE = re.compile(r"\bdemo-[0-9a-z]{4,10}\b", re.IGNORECASE)
_WORDS_OF_AN_OBJECT = 6
_WORDS_TO_WHAT = 2
"""What may stand before the question: "remind me what I booked"."""
_BEHIND_A_QUESTION = 2


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
    """ "cancel it",
    "I changed my mind, cancel": nothing else but that, of what was booked last if anything was."""
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
    for names in (_SAID.changes_a_booking, *((_SAID.booked_wrong,) if just_booked else ())):
        if (first := text.find(names)) >= 0:
            return range(first, first + text.match(names, first))
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


def _names_a_booking(text: Text, at: int) -> bool:
    token = text[at]
    return token.is_number or token.norm in _WORDS.of_a_day or _is_name(text, at)


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


# --- Acts on offers ------------------------------------------------------------------------------------


_VERBS: tuple[tuple[Phrases, BookingAction], ...] = (
    (_SAID.books, "book"),
    (_SAID.holds, "hold"),
    (_SAID.takes, "book"),
)
_ACTS = any_of(_SAID.books, _SAID.holds, _SAID.takes, _SAID.puts, _SAID.does).begin
_BEGIN_ACTS = _ACTS | _WORDS.gets
_BEGINNINGS = _ACTS | _SAID.cancels.begin | _WORDS.begin_acts

_SENTENCE_ENDS = frozenset({"", ".", "!", ";"})
_WORDS_TO_ANOTHER = 6
_WORDS_FROM_ANOTHER = 12


def find_act(text: Text) -> BookingAct | None:
    """Return the first act that a message wants done, None if it wants none."""
    if text.vocabulary.isdisjoint(_BEGINNINGS):
        return None
    act = (
        _booked_instead(text) or cancelled(text) or cancelled_last(text) or held_booked(text) or listed(text)
    )
    act = act or _on_an_offer(text) or cancelled_before(text) or cancelled_for_a_reason(text)
    if act is None:
        return None
    spans = list(conditions(text, act.told))
    aside = frozenset(at for first, after in spans for at in range(first, after))
    told = act.told | aside | (left_open(text, act.told if act.wish.kind else ()))
    rest = _rest(text, told)
    return BookingAct(
        wish=act.wish,
        rest=rest,
        rest_by_name=f"{rest} {NAME_OF[act.wish.kind]}" if act.wish.kind else rest,
        is_bare=act.is_bare,
        is_loose=act.is_loose,
        is_of_request=act.is_of_request,
        is_dropped=act.is_dropped,
        has_reason=act.has_reason,
        unread=act.unread,
        also=act.also,
        also_wish=act.also_wish,
        is_of_all=act.is_of_all,
        cancelled=act.cancelled,
        beside=wishes_beside(text, told),
        conditions=tuple(Refused(said=text.spelled(*span), reason="not_understood") for span in spans),
    )


def _booked_instead(text: Text) -> WantedAct | None:
    """ "Cancel it and book the same hotel", "book the Hilton and cancel my booking": one after the other."""
    kept = text.find(_SAID.keeps_booked)
    if kept >= 0:  # "don't cancel it and book the same for the 18th"
        told = frozenset(range(kept, kept + text.match(_SAID.keeps_booked, kept)))
        booked = _on_an_offer(text.without(told))
        return replace(booked, told=booked.told | told) if booked else None
    span = cancellation_in(text) if text.has(_SAID.cancels) else None
    gone = cancelled(text)
    if span:
        wish = BookingWish(action="cancel", is_latest=True)
        gone = gone or WantedAct(wish=wish, told=frozenset(range(*span)))
    told = gone.told if gone else frozenset[int]()
    booked = _on_an_offer(text.without(told)) if told else None
    if gone is None or booked is None or not told.isdisjoint(booked.told):
        return None
    return replace(booked, told=booked.told | told, cancelled=gone.wish)


def find_offer_instead(text: Text, action: BookingAction) -> BookingAct | None:
    """Return the act on the offer that a message names instead of what is asked about: "no, the second one".

    Such a message says nothing else, and an ordinal alone is a day: "no, the 12th".
    """
    first = text.past(_WORDS.before_an_offer_instead, 0)
    offer = read_offer(text, first)
    if offer is None or not (offer.wish.pick or offer.wish.number):
        return None
    after = text.past(_WORDS.behind_an_offer_instead, offer.after)
    after += first > 0 and text.norm(after) == "?"  # "can we have the second?", unlike "the cheapest?"
    is_bare = text.norm(offer.after - 1) not in HEADS | ORDINALS.keys()
    is_bare = is_bare and text.norm(offer.after - 2) not in _WORDS.numbered | {"#"}
    is_day = offer.wish.number is not None and offer.wish.pick is None and is_bare
    if after < text.length or is_day:
        return None
    act = find_act(Text(f"book {text.spelled(first, offer.after)}"))
    return replace(act, wish=replace(act.wish, action=action)) if act is not None else None


def put_right(text: Text) -> Text:
    """Return the message from the offer on that it names in the place of one: "the second. No, the third"."""
    offer = read_offer(text, text.past(_WORDS.before_an_offer_instead, 0))
    at = text.past(_WORDS.behind_an_offer_instead, offer.after) if offer else text.length
    first = text.past(_WORDS.before_an_offer_instead, at)
    other = read_offer(text, first) if offer and text.norm(at) in _WORDS.corrects else None
    return Text(text.spelled(first, text.length)) if other else text


def _rest(text: Text, told: Collection[int]) -> str:
    """The message without these tokens."""
    letters = list(text.source)
    for at in told:
        token = text[at]
        letters[token.start : token.end] = " " * (token.end - token.start)
    return "".join(letters)


def _on_an_offer(text: Text) -> WantedAct | None:
    for first, after in clauses(text):
        for at in text.each_of(_BEGIN_ACTS):
            if not first <= at < after:
                continue
            act = _act_at(text, at, after) or _alone(text, at, after)
            if act and is_wanted(text, at, first, condition_from(text, at, after)):
                named = _named_before(text, act)
                act = _put_right(text, named) if named else None
                if act and not act.is_alone:
                    return act
    return None


def _alone(text: Text, at: int, end: int) -> WantedAct | None:
    """A verb alone, which is about what is named just before it: "the cheapest one, book"."""
    length = text.match(_SAID.books, at)
    after = text.past(_WORDS.behind_a_verb_alone, _behind_trails(text, at + length)) if length else end
    if not length or text.norm(after) not in _SENTENCE_ENDS:
        return None
    told = frozenset(range(at, after))
    return WantedAct(wish=BookingWish(action="book"), told=told, is_pronoun=True, is_alone=True)


def _named_before(text: Text, act: WantedAct) -> WantedAct | None:
    """The same for the offer that is named just before: "second cheapest please, book it".

    None where that is the one which is not meant: "not the cheapest. book it".
    """
    if not (act.is_pronoun or _tells_its_kind_alone(act.wish)) or act.also_wish:
        return act
    verb = min(act.told)
    refused: Offer | None = None
    for at in range(max(0, verb - _WORDS_FROM_ANOTHER), verb):
        offer = read_offer(text, at)
        if refused and at >= refused.after and (behind := text.match(_SAID.one_behind, at)):
            second = replace(refused.wish, number=(refused.wish.number or 1) + 1)
            offer = Offer(first=at, after=at + behind, wish=second)
        if offer is None or not (offer.wish.pick or offer.wish.number) or _is_day_or_count(text, offer):
            continue
        if text.norm(at - 1) == "not":
            refused = offer
        if refused and at < refused.after:
            continue
        between = text.said(offer.after, verb)
        kinds = {KIND_OF[word] for word in between if word in KIND_OF}
        if len(kinds) == 1:  # "number 3 for the hotel, book it"
            between -= KIND_OF.keys() | {"the"}
            offer = replace(offer, wish=replace(offer.wish, kind=kinds.pop()))
        if text.norm(at - 1) in _WORDS.before_no_offer or between - _WORDS.between_an_offer_and_it:
            return act
        if act.wish.kind and offer.wish.kind not in (None, act.wish.kind):
            return act
        first = refused.first - 1 if refused else at
        told = act.told | frozenset(each for each in range(first, verb) if each != offer.head)
        wish = replace(offer.wish, action=act.wish.action, kind=offer.wish.kind or act.wish.kind)
        return replace(act, wish=wish, told=told, is_pronoun=False, is_alone=False, unread=offer.unread)
    is_it = refused and (refused.wish.pick in ("cheapest", None) and refused.wish.number in (1, None))
    return None if is_it else act


def _tells_its_kind_alone(wish: BookingWish) -> bool:
    """Whether nothing but "the hotel" tells the offer: "I choose number 3. Book the hotel"."""
    told = wish.pick or wish.number or wish.name or wish.is_earlier
    return wish.kind is not None and not told


def _is_day_or_count(text: Text, offer: Offer) -> bool:
    """Whether a number in figures may count something else: "make it 2, book it", "the 3rd, book it"."""
    said = range(offer.first, offer.after)
    is_led = any(text.norm(at) in HEADS | _WORDS.numbered for at in said)
    return any(text[at].is_number for at in said) and not (offer.wish.pick or is_led)


def _put_right(text: Text, act: WantedAct) -> WantedAct:
    """The same for the offer that is named instead: "book the cheapest, no wait, the fastest"."""
    if act.also_wish or act.is_pronoun:
        return act
    after = max(act.told) + 1
    for at in range(after + 1, min(text.length, after + _WORDS_TO_ANOTHER + 1)):
        offer = read_offer(text, at) if takes_back(text, after, at) else None
        if offer and (offer.wish.pick or offer.wish.number):
            kind = offer.wish.kind or act.wish.kind
            put_right = replace(offer.wish, action=act.wish.action, kind=kind)
            told = act.told | frozenset(range(after, offer.after))
            return _put_right(text, replace(act, wish=put_right, told=told, unread=offer.unread))
    return act


def _act_at(text: Text, at: int, end: int) -> WantedAct | None:
    for names, action in _VERBS:
        length = text.match(names, at)
        if length and not _made(text, at):
            return _with_object(text, at, at + length, end, action, is_loose=names is _SAID.takes)
    return _put_on_hold(text, at, end) or _got_booked(text, at) or _made(text, at)


def _with_object(
    text: Text, verb: int, at: int, end: int, action: BookingAction, *, is_loose: bool
) -> WantedAct | None:
    """What a verb with the index `at` behind it is done to, None if that is nothing definite."""
    if not is_loose and text.norm(at) in _WORDS.to_whom:
        at += 1
    at += text.norm(at) in _WORDS.just
    at += text.norm(at) == "both" and read_offer(text, at + 1) is not None  # "both the flight and the hotel"
    length = 0 if is_loose else text.match(_SAID.indirect, at)
    both = _of_both(text, at)
    # "take both kids along" and "hold everything!" book nothing: nothing else may follow, or be held.
    if both and action != "hold" and (not text.norm(both[1]) or text.norm(both[1]) in _WORDS.behind_both):
        pick, after = both
        wish = BookingWish(action=action, kind="flight", pick=pick)
        told = frozenset(range(verb, _behind_trails(text, after)))
        also_wish = BookingWish(action="book", kind="hotel", pick=pick)
        also = text.spelled(at, after)
        return WantedAct(wish=wish, told=told, also=also, also_wish=also_wish, is_of_all=True)
    offer = read_shown_offer(text, at + length) or read_offer(text, at + length)
    if offer is None or (length and not _is_pointed_at(text, offer)):
        return None
    if is_loose and not _is_surely_an_offer(text, offer):
        return None
    offer = _of_a_request(text, offer)
    is_waiting = action == "hold" and offer.is_pronoun
    after = _behind_trails(text, offer.after)
    if is_waiting and text.norm(after) not in _WORDS.holds_for and after == offer.after:
        return None  # "hold it!"
    if action == "hold" and text.norm(after) in _WORDS.holds_for:
        after = end
    act = WantedAct(
        wish=replace(offer.wish, action=action),
        told=frozenset(token for token in range(verb, after) if token != offer.head),
        is_pronoun=offer.is_pronoun,
        is_bare=offer.is_bare,
        is_loose=is_loose,
        unread=offer.unread,
    )
    return _with_what_is_coupled(text, _told_closer(text, act, after), after)


def _of_a_request(text: Text, offer: Offer) -> Offer:
    """The same with the request that it was found for: "from before", "from the Tokyo search"."""
    length = text.match(_SAID.earlier, offer.after)
    if length:
        return replace(offer, after=offer.after + length, wish=replace(offer.wish, is_earlier=True))
    name = offer.after + 2
    is_led = text.norm(offer.after) in ("from", "of", "in") and text.norm(name - 1) in _WORDS.ours
    after = next((at for at in range(name + 1, name + 4) if text.norm(at) in _WORDS.of_a_search), 0)
    if not is_led or not after or offer.wish.name:
        return offer
    wish = replace(offer.wish, name=text.spelled(name, after))
    return replace(offer, after=after + 1, wish=wish)


def _of_both(text: Text, first: int) -> tuple[Pick | None, int] | None:
    """Read what means one flight and one hotel, "both, cheapest", "the cheapest of each": how each is picked,
    and the index behind it.
    """
    both = text.match(_SAID.both, first)
    if both:
        after = first + both
        at = after + (text.norm(after) in (",", "-", "("))
        pick, end = _picked(text, at)
        return (pick, end + (text.norm(end) in _WORDS.offers)) if pick else (None, after)
    pick, at = _picked(text, first)
    length = text.match(_SAID.of_each, at) if pick else 0
    return (pick, at + length) if length else None


def _picked(text: Text, first: int) -> tuple[Pick | None, int]:
    at = first + (text.norm(first) == "the")
    for row in PICKS:
        if length := text.match(row.said, at):
            return row.by, at + length
    return None, first


def _is_pointed_at(text: Text, offer: Offer) -> bool:
    """Whether an offer is one of those shown, and not just told by its name: "a room at the Hilton"."""
    wish = offer.wish
    is_this = text.norm(offer.first) in ("this", "that") or offer.is_pronoun
    return is_this or bool(wish.number or wish.pick or (wish.name and text.norm(offer.after - 1) == "one"))


def _is_surely_an_offer(text: Text, offer: Offer) -> bool:
    """Whether it can be nothing else: "take the second", unlike "take the train"."""
    wish = offer.wish
    is_told = bool(wish.number or wish.pick or wish.name) or offer.is_pronoun
    return is_told or (not offer.is_bare and text.norm(offer.after) in (_WORDS.after_what_is_taken | {""}))


def _behind_trails(text: Text, at: int) -> int:
    while True:
        length = text.match(_SAID.trails, at)
        if not length:
            return at
        at += length


def _told_closer(text: Text, act: WantedAct, after: int) -> WantedAct:
    """The same with what is added about the offer: "book the hotel, the cheapest"."""
    comma = after + text.match(_SAID.too, after)
    offer = read_offer(text, comma + 1) if text.norm(comma) == "," else None
    if offer is None or offer.is_bare or (act.wish.pick or act.wish.number or act.wish.name):
        return act
    wish = replace(act.wish, pick=offer.wish.pick, number=offer.wish.number, name=offer.wish.name)
    return replace(act, wish=wish, told=act.told | frozenset(range(offer.first, offer.after)))


_AND = frozenset({"and", "&", "+", "plus"})


def _with_what_is_coupled(text: Text, act: WantedAct, after: int) -> WantedAct:
    """The same with what is to be booked beside it: "the flight and the hotel"."""
    others = _coupled(text, after, act.wish.kind)
    if not others:
        return act
    also_wish: BookingWish | None = None
    for other in reversed(others):
        pick = other.wish.pick or act.wish.pick
        action = act.wish.action if other.wish.kind == "flight" else "book"
        also_wish = replace(other.wish, action=action, pick=pick, then=also_wish)
    told = act.told | frozenset(range(after, others[-1].after))
    also = text.spelled(others[0].first, others[-1].after)
    coupled = replace(act, told=told, also=also, also_wish=also_wish)
    last = others[-1].after + (text.norm(others[-1].after) == ",")
    last += text.norm(last) == "both"
    pick, end = (None, last) if act.wish.pick or act.wish.number or act.wish.name else _picked(text, last)
    return _picking_each(coupled, pick, range(last, end)) if pick else coupled


def _picking_each(act: WantedAct, pick: Pick, told: Collection[int]) -> WantedAct:
    """The same with how each is picked of which nothing else is told: "flight and hotel, cheapest"."""
    wish: BookingWish | None = None
    for each in reversed(act.also_wish.in_turn if act.also_wish else ()):
        is_told = each.pick or each.number or each.name
        wish = replace(each, pick=each.pick if is_told else pick, then=wish)
    return replace(act, wish=replace(act.wish, pick=pick), also_wish=wish, told=act.told | frozenset(told))


def _coupled(text: Text, after: int, kind: Bookable | None) -> list[Offer]:
    """The offers of other kinds in a row that ends in "and" and one: ", the hotel and the car"."""
    others: list[Offer] = []
    kinds = {None, kind}
    is_ended = False
    while not is_ended:
        at = after + (text.norm(after) == ",")
        is_ended = text.norm(at) in _AND
        other = read_offer(text, at + is_ended) if is_ended or at > after else None
        if other is None or other.wish.kind in kinds:
            return []
        others.append(other)
        kinds.add(other.wish.kind)
        after = other.after
    return others


def _put_on_hold(text: Text, at: int, end: int) -> WantedAct | None:
    """ "put the second one on hold"."""
    length = text.match(_SAID.puts, at)
    offer = read_offer(text, at + length) if length else None
    hold = text.match(_SAID.on_hold, offer.after) if offer else 0
    if offer is None or not hold:
        return None
    after = offer.after + hold
    after = end if text.norm(after) in _WORDS.holds_for else after
    told = frozenset(token for token in range(at, after) if token != offer.head)
    wish = replace(offer.wish, action="hold")
    return WantedAct(wish=wish, told=told, is_pronoun=offer.is_pronoun, unread=offer.unread)


def _got_booked(text: Text, at: int) -> WantedAct | None:
    """ "get the second one booked"."""
    offer = read_offer(text, at + 1) if text.norm(at) in _WORDS.gets else None
    if offer is None or text.norm(offer.after) not in _WORDS.bought:
        return None
    told = frozenset(token for token in range(at, offer.after + 1) if token != offer.head)
    return WantedAct(wish=offer.wish, told=told, is_pronoun=offer.is_pronoun, unread=offer.unread)


def _made(text: Text, at: int) -> WantedAct | None:
    """ "make the booking", "confirm that reservation": of what was spoken of."""
    length = text.match(_SAID.does, at) or text.match(_SAID.books, at)
    noun = at + length + 1
    if not length or text.norm(noun - 1) not in _WORDS.definite or text.norm(noun) not in _WORDS.bookings:
        return None
    action: BookingAction = "hold" if text.norm(noun) in ("hold", "holds") else "book"
    return WantedAct(wish=BookingWish(action=action), told=frozenset(range(at, noun + 1)), is_pronoun=True)
