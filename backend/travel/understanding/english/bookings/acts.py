"""Acts on offers and bookings that a message wants done: "book the cheapest", "hold it", "cancel my booking",
"what have I booked?".

To "book a flight" or "a table" is to look for one. An act needs an offer that is definite, or a booking that
there is, and words that want it done now: not a question, a quotation, or a plan for later. A condition is
told, and must not narrow the search: "the first flight" is then the first of another list.
"""

from collections.abc import Collection
from dataclasses import replace

from ...message import BookingAct
from ...result import Bookable, BookingAction, BookingWish, Pick, Refused
from ..details.people import find_names
from ..language.sentences import clauses, takes_back
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text, any_of, tokens_of
from ..unread import wishes_beside
from .existing import (
    cancellation_in,
    cancelled,
    cancelled_before,
    cancelled_for_a_reason,
    cancelled_last,
    held_booked,
    is_name,
    listed,
)
from .offers import HEADS, KIND_OF, NAME_OF, ORDINALS, PICKS, Offer, limits_in, read_offer, read_shown_offer
from .wanted import WantedAct, condition_from, conditions, is_wanted, left_open

_SAID = phrases_of("bookings")
_WORDS = words_of("bookings")
_DATES = words_of("dates")
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
        while end - at <= _NAME_AT_MOST and is_name(text, end):
            end += 1
        if end - at > _NAME_AT_LEAST:
            return set(range(at, end))
    return set()


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
    told = told if act.wish.shown else told - limits_in(text, act.told)
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
    if not (act.is_pronoun or act.is_alone or _tells_no_offer(act.wish)) or act.also_wish:
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
        if text.norm(at - 1) in _WORDS.before_no_offer or between & _WORDS.against_an_offer:
            return act
        if act.wish.kind and offer.wish.kind not in (None, act.wish.kind):
            return act
        first = refused.first - 1 if refused else at
        told = act.told | frozenset(each for each in range(first, verb) if each != offer.head)
        wish = replace(offer.wish, action=act.wish.action, kind=offer.wish.kind or act.wish.kind)
        return replace(act, wish=wish, told=told, is_pronoun=False, is_alone=False, unread=offer.unread)
    is_it = refused and (refused.wish.pick in ("cheapest", None) and refused.wish.number in (1, None))
    return None if is_it else act


def _tells_no_offer(wish: BookingWish) -> bool:
    """Whether nothing but "the hotel" or "that one" tells the offer: "I choose number 3. Book the hotel"."""
    return not (wish.pick or wish.number or wish.name or wish.is_earlier or wish.shown or wish.is_same)


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
