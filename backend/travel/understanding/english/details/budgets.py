"""Limits of price that say what they are for: "600 euros altogether", "2500 for everything", "300 each".

A limit without such words is for one person and the whole flight, or for a night and room: `prices` reads it.
"""

from collections.abc import Iterator

from ....values.travel import Money
from ...message import Scope
from ...result import Refused
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, SlotMention, Text, word_set
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

_FACTS_SAID = phrases_of("facts")
_FACTS_WORDS = words_of("facts")
_SAID = phrases_of("prices")
_WORDS = words_of("prices")

_BEFORE_A_NIGHT = word_set(
    "for at about around hotel hotels roughly , . ; of or pay spend do like say budget and is somewhere"
) | {""}
_AFTER_A_NIGHT = word_set(", . ! ; please max or and with in near would for then ok from tops") | {""}
_LEAST_A_NIGHT = 5
_LOOK_BACK = 6
_LONGEST = 9
_LEAST = 20


def find_budgets(text: Text) -> Iterator[SlotMention]:
    """Yield the limits of a message that are told in all or for each, with their amounts."""
    at = 0 if has_amounts(text) else text.length
    may_be_nightly = at < text.length and text.has(_SAID.nightly_of_one)
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
        ("stay", _SAID.of_the_stay),
        ("total", _SAID.in_all),
        ("person", _SAID.each),
        ("night", _SAID.nightly),
    )
    for scope, names in scopes:
        at = text.find(names)
        if at < 0:
            continue
        after = at + text.match(names, at)
        rest = [text.norm(each) for each in (*range(at), *range(after, text.length)) if text[each].is_word]
        has_numbers = any(token.is_number for token in text.tokens)
        if not has_numbers and all(word in _WORDS.small for word in rest):
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
    length = text.match(_SAID.nightly_of_one, after)
    begun = _begins(text, first)
    if text.norm(begun - 1) in _FACTS_WORDS.roughly | {"between", "like", "of"}:
        begun -= 1
    is_limited = begun < first or text.match(_FACTS_SAID.or_less, after + length) > 0
    is_open = _may_begin(text, begun) and text.norm(after + length) in _AFTER_A_NIGHT
    if not length or value < _LEAST_A_NIGHT or is_denied_below(text, first) or not (is_limited or is_open):
        return None
    money = Money(
        amount=value + cents_of(text, at, end), currency=symbol or behind or default_currency(text, end)
    )
    return begun, after + length + text.match(_FACTS_SAID.or_less, after + length), money, "night"


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
    is_told_of = any(text.norm(each) in _WORDS.of_an_offer for each in range(max(0, at - _LOOK_BACK), at))
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
    after += text.match(_FACTS_SAID.or_less, after)
    money = Money(
        amount=value + cents_of(text, at, end), currency=symbol or behind or default_currency(text, end)
    )
    step = after
    while text.norm(step) in _WORDS.is_word and step < after + 2:
        step += 1
    scope, length = _scope(text, step)
    if not scope and text.match(_SAID.spans, step):
        scope = "stay"  # the span itself tells the days, too
    if scope:
        return _begins(text, first), step + length, money, _scope_named(text, scope)
    led = _told_before(text, first)
    is_money = symbol or behind or text.match(_FACTS_SAID.or_less, end) or _is_limited(text, first)
    return (led[0], after, money, led[1]) if led and is_money else None


def _scope_named(text: Text, scope: Scope) -> Scope:
    """The scope of a limit in all beside a hotel alone, which is that of the stay: "hotel max 200 total"."""
    is_of_hotel = not _WORDS.hotels.isdisjoint(text.vocabulary) and _WORDS.of_more.isdisjoint(text.vocabulary)
    return "stay" if scope == "total" and is_of_hotel else scope


def _scope(text: Text, at: int) -> tuple[Scope, int]:
    length = text.match(_SAID.of_the_stay, at)
    if length:
        return "stay", length
    length = text.match(_SAID.in_all, at)
    if length:
        return "total", length
    length = text.match(_SAID.each, at)
    return ("person", length) if length and text.norm(at + length) not in _WORDS.not_people_each else ("", 0)


def _begins(text: Text, at: int) -> int:
    """Where the words that limit an amount begin: "max", "not more than"."""
    for first in range(max(0, at - _LOOK_BACK), at):
        length = text.match(_FACTS_SAID.at_most, first)
        between = range(first + length, at)
        if length and all(text.norm(each) in _WORDS.before_an_amount | _WORDS.is_word for each in between):
            return first
    return at


def _is_limited(text: Text, at: int) -> bool:
    return _begins(text, at) < at or is_denied_above(text, at)


def _told_before(text: Text, at: int) -> tuple[int, Scope] | None:
    """Where words for all of it stand before an amount: "in total max 600 euros", "total budget 2000"."""
    begun = _begins(text, at)
    begun -= begun == at and (text.norm(at - 1) in ("exceed", "over", "above") and is_denied_above(text, at))
    for first in range(max(0, begun - _LOOK_BACK), begun):
        length = text.match(_SAID.in_all, first)
        between = range(first + length, begun)
        is_near = all(
            text.norm(each) in _WORDS.is_word | _WORDS.before_an_amount | _WORDS.before_a_limit
            for each in between
        )
        if length and is_near and not text[first - 1].is_number:
            return first, "total"
    return None


def other_currency(text: Text) -> tuple[Refused, ...]:
    """Return the currency in which a message wants to see prices: "show me prices in dollars"."""
    at = text.find(_SAID.prices_in)
    if at < 0:
        return ()
    first = at + text.match(_SAID.prices_in, at)
    currency = words.SYMBOLS.get(text.norm(first)) or words.CURRENCY_WORDS.get(text.norm(first))
    if currency in (None, DEFAULT_CURRENCY):
        return ()
    return (Refused(said=text.spelled(first, first + 1), reason="other_currency"),)
