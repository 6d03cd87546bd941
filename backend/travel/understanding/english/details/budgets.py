"""Limits of price that say what they are for: "600 euros altogether", "2500 for everything", "300 each".

A limit without such words is for one person and the whole flight, or for a night and room: `prices` reads it.
"""

from collections.abc import Iterator

from ....values.travel import Money
from ...message import Scope
from ...result import Refused
from ..language.text import Phrases, Text, phrases, word_set
from . import fact_words as words
from .prices import (
    AMOUNTS,
    DEFAULT_CURRENCY,
    amount_at,
    cents_of,
    counts_something,
    default_currency,
    has_amounts,
    is_denied_above,
    is_denied_below,
)
from .slot_mentions import SlotMention

_IN_ALL = phrases(
    "in all", "in total", "altogether", "all together", "all in", "overall", "for everything", "total",
    "for the trip", "for the whole trip", "for the entire trip", "for the whole thing", "for all of us",
    "for the whole family", "for the family", "for both of us", "for the two of us", "for the three of us",
    "for the four of us", "for all of it", "for the lot", "for the whole journey", "for the journey",
    "for the holiday", "for the whole holiday", "for the vacation", "for both", "including everything",
    "everything included", "all included", "for flight and hotel", "for flights and hotel",
    "for the flights and the hotel", "for the flight and the hotel", "flight and hotel together",
)  # fmt: skip
_OF_THE_STAY = phrases(
    "for the stay", "for the whole stay", "for the entire stay", "for all nights", "for the hotel in total",
    "in total for the hotel", "for the whole week", "for the hotel altogether", "for the whole month",
)  # fmt: skip
_SPANS = phrases(
    "for the week",
    "for the month",
    "for a month",
    "for a week",
    "for the weekend",
    "for the fortnight",
    "for the nights",
    "for the two weeks",
    "for the night",
)
_EACH = phrases(
    "each", "per person", "a person", "per head", "per pax", "pp", "p.p.", "apiece", "for each of us",
    "per passenger", "for each person", "per adult", "/ person", "a head", "per traveller", "for one person",
)  # fmt: skip
_NIGHTLY = phrases("per night", "a night", "each night", "nightly", "for a night", "for each night", "pn")
_NIGHTLY_OF_ONE = phrases(
    "per night",
    "a night",
    "each night",
    "nightly",
    "for a night",
    "for each night",
    "pn",
    "/ night",
    "/night",
    "the night",
    "p n",
    "by night",
    "a room",
    "per room",
    "each room",
)
_BEFORE_A_NIGHT = word_set(
    "for at about around hotel hotels roughly , . ; of or pay spend do like say budget and is somewhere"
) | {""}
_AFTER_A_NIGHT = word_set(", . ! ; please max or and with in near would for then ok from tops") | {""}
_OF_AN_OFFER = word_set(
    "it it's its that that's thats one was cost costs were they charge charges first cheapest"
)
_LEAST_A_NIGHT = 5
_NOT_PEOPLE_EACH = word_set("way ways night nights room rooms direction")
_IS = word_set("is was are were it's its that's thats should be meant of")
_BEFORE_AN_AMOUNT = word_set("the my our a about around roughly approximately approx ca say")
_BEFORE_A_LIMIT = word_set(
    """
    budget we have can spend must needs need has to will would cannot cant not shouldnt mustnt price cost
    amount stay keep it bill sum go be come
    """
)
_SMALL = word_set(
    """
    no not i i'm mean meant it it's its that that's thats was is the price limit budget sorry actually and ok
    okay please oh wait but should be for them this of course rather instead make a yes well said as in
    """
)
_PRICES_IN = phrases(
    "prices in", "price in", "prices shown in", "show in", "pay in", "convert to", "convert it to",
    "converted to", "switch to", "it in", "them in", "that in", "change the currency to", "currency to",
)  # fmt: skip
_HOTELS = word_set("hotel hotels")
_OF_MORE = word_set(
    "flight flights fly flying trip everything both all journey holiday vacation car tickets family"
)
_LOOK_BACK = 6
_LONGEST = 9
_LEAST = 20


def find_budgets(text: Text) -> Iterator[SlotMention]:
    """Yield the limits of a message that are told in all or for each, with their amounts."""
    at = 0 if has_amounts(text) else text.length
    may_be_nightly = at < text.length and text.has(_NIGHTLY_OF_ONE)
    while (at := text.next_of(AMOUNTS, at)) < text.length:
        found = (_nightly(text, at) if may_be_nightly else None) or _budget(text, at)
        if found is None:
            at += 1
            continue
        first, after, money, scope = found
        if scope == "night":
            yield SlotMention(
                first=first, after=after, slots={"hotel.max_price": money, "hotel.max_total": None}
            )
        elif scope == "person":
            yield SlotMention(
                first=first, after=after, slots={"flight.max_price": money, "flight.max_total": None}
            )
        else:
            if scope == "total":
                yield SlotMention(
                    first=first, after=after, slots={"flight.max_total": money, "flight.max_price": None}
                )
            yield SlotMention(
                first=first, after=after, slots={"hotel.max_total": money, "hotel.max_price": None}
            )
        at = after


def scope_told(text: Text) -> Scope:
    """Return what a message says a limit told before is for, where it says nothing else: "no, per night"."""
    if text.length > _LONGEST:
        return ""
    scopes: tuple[tuple[Scope, Phrases], ...] = (
        ("stay", _OF_THE_STAY),
        ("total", _IN_ALL),
        ("person", _EACH),
        ("night", _NIGHTLY),
    )
    for scope, names in scopes:
        at = text.find(names)
        if at < 0:
            continue
        after = at + text.match(names, at)
        rest = [text.norm(each) for each in (*range(at), *range(after, text.length)) if text[each].is_word]
        has_numbers = any(token.is_number for token in text.tokens)
        if not has_numbers and all(word in _SMALL for word in rest):
            return scope
    return ""


def _nightly(text: Text, at: int) -> tuple[int, int, Money, Scope] | None:
    """ "70 to 110 a night", "around 150 per night", ", 100 pn": what somebody is ready to pay for one night.

    What a hotel costs ("it is 120 a night", "200 a night is too much") is no limit.
    """
    read = amount_at(text, at)
    if read is None or text.norm(at - 1) in (".", ":"):
        return None
    first = at - (text.norm(at - 1) in words.SYMBOLS)
    value, end = read
    at, end, value = _upper_end(text, at, end, value)
    symbol = words.SYMBOLS.get(text.norm(first)) or words.SYMBOLS.get(text.norm(at - 1))
    behind = words.SYMBOLS.get(text.norm(end)) or words.CURRENCY_WORDS.get(text.norm(end))
    after = end + (behind is not None)
    after += text.norm(after) == "ish"
    length = text.match(_NIGHTLY_OF_ONE, after)
    begun = _begins(text, first)
    if text.norm(begun - 1) in words.ROUGHLY | {"between", "like", "of"}:
        begun -= 1
    is_limited = begun < first or text.match(words.OR_LESS, after + length) > 0
    is_open = _may_begin(text, begun) and text.norm(after + length) in _AFTER_A_NIGHT
    if not length or value < _LEAST_A_NIGHT or is_denied_below(text, first) or not (is_limited or is_open):
        return None
    money = Money(
        amount=value + cents_of(text, at, end), currency=symbol or behind or default_currency(text, end)
    )
    return begun, after + length + text.match(words.OR_LESS, after + length), money, "night"


def _upper_end(text: Text, at: int, end: int, value: int) -> tuple[int, int, int]:
    """The amount at which a range ends that begins with that one, or that one itself."""
    last = end + (text.norm(end) in words.SYMBOLS or text.norm(end) in words.CURRENCY_WORDS)
    if text.norm(last) not in ("-", "to", "and", "or"):
        return at, end, value
    start = last + 1 + (text.norm(last + 1) in words.SYMBOLS)
    upper = amount_at(text, start)
    return (start, upper[1], upper[0]) if upper and upper[0] > value else (at, end, value)


def _may_begin(text: Text, at: int) -> bool:
    """Whether an amount there is wished for, and not told of an offer."""
    before = text.norm(at - 1)
    is_told_of = any(text.norm(each) in _OF_AN_OFFER for each in range(max(0, at - _LOOK_BACK), at))
    return before in _BEFORE_A_NIGHT and not is_told_of


def _budget(text: Text, at: int) -> tuple[int, int, Money, Scope] | None:
    read = amount_at(text, at)
    if read is None or text.norm(at - 1) in (".", ":") or read[0] < _LEAST:
        return None
    value, end = read
    symbol = words.SYMBOLS.get(text.norm(at - 1))
    behind = words.SYMBOLS.get(text.norm(end)) or words.CURRENCY_WORDS.get(text.norm(end))
    after = end + (behind is not None)
    first = at - (symbol is not None)
    if counts_something(text, after) or is_denied_below(text, at):
        return None
    after += text.match(words.OR_LESS, after)
    money = Money(
        amount=value + cents_of(text, at, end), currency=symbol or behind or default_currency(text, end)
    )
    step = after
    while text.norm(step) in _IS and step < after + 2:
        step += 1
    scope, length = _scope(text, step)
    if not scope and text.match(_SPANS, step):
        scope = "stay"  # the span itself tells the days, too
    if scope:
        return _begins(text, first), step + length, money, _scope_named(text, scope)
    led = _told_before(text, first)
    is_money = symbol or behind or text.match(words.OR_LESS, end) or _is_limited(text, first)
    return (led[0], after, money, led[1]) if led and is_money else None


def _scope_named(text: Text, scope: Scope) -> Scope:
    """The scope of a limit in all beside a hotel alone, which is that of the stay: "hotel max 200 total"."""
    is_of_hotel = not _HOTELS.isdisjoint(text.vocabulary) and _OF_MORE.isdisjoint(text.vocabulary)
    return "stay" if scope == "total" and is_of_hotel else scope


def _scope(text: Text, at: int) -> tuple[Scope, int]:
    length = text.match(_OF_THE_STAY, at)
    if length:
        return "stay", length
    length = text.match(_IN_ALL, at)
    if length:
        return "total", length
    length = text.match(_EACH, at)
    return ("person", length) if length and text.norm(at + length) not in _NOT_PEOPLE_EACH else ("", 0)


def _begins(text: Text, at: int) -> int:
    """Where the words that limit an amount begin: "max", "not more than"."""
    for first in range(max(0, at - _LOOK_BACK), at):
        length = text.match(words.AT_MOST, first)
        between = range(first + length, at)
        if length and all(text.norm(each) in _BEFORE_AN_AMOUNT | _IS for each in between):
            return first
    return at


def _is_limited(text: Text, at: int) -> bool:
    return _begins(text, at) < at or is_denied_above(text, at)


def _told_before(text: Text, at: int) -> tuple[int, Scope] | None:
    """Where words for all of it stand before an amount: "in total max 600 euros", "total budget 2000"."""
    begun = _begins(text, at)
    begun -= begun == at and (text.norm(at - 1) in ("exceed", "over", "above") and is_denied_above(text, at))
    for first in range(max(0, begun - _LOOK_BACK), begun):
        length = text.match(_IN_ALL, first)
        between = range(first + length, begun)
        is_near = all(text.norm(each) in _IS | _BEFORE_AN_AMOUNT | _BEFORE_A_LIMIT for each in between)
        if length and is_near and not text[first - 1].is_number:
            return first, "total"
    return None


def other_currency(text: Text) -> tuple[Refused, ...]:
    """Return the currency in which a message wants to see prices: "show me prices in dollars"."""
    at = text.find(_PRICES_IN)
    if at < 0:
        return ()
    first = at + text.match(_PRICES_IN, at)
    currency = words.SYMBOLS.get(text.norm(first)) or words.CURRENCY_WORDS.get(text.norm(first))
    if currency in (None, DEFAULT_CURRENCY):
        return ()
    return (Refused(said=text.spelled(first, first + 1), reason="other_currency"),)
