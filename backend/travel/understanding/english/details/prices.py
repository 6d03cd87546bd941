"""The most that somebody wants to pay: "under 900 euros", "$150 a night at most", "2500 for everything".

A limit that says what it is for, "600 in total", "300 each", fills the slot of it. Any other is for one
person and the whole flight, or for a night and room.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from ....values.travel import HOME_CURRENCY, MOST_SEATS, Money
from ...message import Scope
from ...result import Refused
from ..language.numbers import NUMBER_WORDS, POWERS, amount, whole_number
from ..language.sentences import is_waived, negation_before
from ..language.tables import phrases_of, rows_of, words_of
from ..language.text import FIGURES, SENTENCE_ENDS, Phrases, SlotMention, Text

_FACTS_SAID = phrases_of("facts")
_FACTS_WORDS = words_of("facts")
_LANGUAGE_SAID = phrases_of("language")
_SAID = phrases_of("prices")
_WORDS = words_of("prices")


@dataclass(frozen=True, slots=True)
class _Currency:
    """The words for a currency `before` an amount and `behind` it."""

    code: str
    before: frozenset[str]
    behind: frozenset[str]


_CURRENCIES = rows_of("prices", "currencies", _Currency)
SYMBOLS = {word: one.code for one in _CURRENCIES for word in one.before}
"""What may stand before an amount: "$450", "USD 450"."""
CURRENCY_WORDS = {word: one.code for one in _CURRENCIES for word in one.behind}
_BEHIND = CURRENCY_WORDS | SYMBOLS

_CROWNS = {"DK": "DKK", "NO": "NOK", "SE": "SEK"}
_PESOS = {"MX": "MXN", "AR": "ARS", "CL": "CLP", "CO": "COP", "PH": "PHP"}
OF_SEVERAL_COUNTRIES = re.compile(r"(\d) ?(?:(kr|kron(?:er|or|a|e)|crowns)|pesos)\b", re.IGNORECASE)
"""An amount in a currency of which several countries have one of their own."""
_LOOK_BACK = 5
_LOOK_BACK_FOR_BUDGET = 9
_LEAST = 5
_LEAST_BUDGET = 20
_ROUGH_AT_LEAST = 30
_WORDS_OF_A_BOUND = 3
_OLDEST_CHILD = 21
_CENT_DIGITS = 2
_A_HUNDRED = 100
_TENS = 20
_AMOUNT_ALONE = 2
"""Words of "300 euros", which may be for anything."""
_LONGEST_SCOPE = 9
_TENS_IN_WORDS = frozenset(name for name, number in NUMBER_WORDS.items() if number >= _TENS)
AMOUNTS = NUMBER_WORDS.keys() | {"a", FIGURES}
"""What an amount may begin with."""
_IN_WORDS = (POWERS.keys() | _TENS_IN_WORDS) - {"k"}
_SCOPES: tuple[tuple[Scope, Phrases], ...] = (
    ("stay", _SAID.of_the_stay),
    ("total", _SAID.in_all),
    ("person", _SAID.each),
    ("night", _SAID.nightly),
)
_OF_A_NIGHT = ("hotel.max_price", "hotel.max_total")
_OF_A_STAY = ("hotel.max_total", "hotel.max_price")
_OF_ALL = ("flight.max_total", "flight.max_price")
_FILLED: dict[Scope, tuple[tuple[str, str], ...]] = {
    "night": (_OF_A_NIGHT,),
    "person": (("flight.max_price", "flight.max_total"),),
    "stay": (_OF_A_STAY,),
    "total": (_OF_ALL, _OF_A_STAY),
}
"""The slots that a limit fills, each with the one that it empties."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """An amount in the tokens from `first` up to `after`, with the currency if it `is_marked` by one.

    Its number stands in the tokens from `at` up to `end`.
    """

    first: int
    at: int
    end: int
    after: int
    money: Money
    is_marked: bool


def with_currency_of(countries: Collection[str], message: str) -> str:
    """Return a message whose "1200 kr" are the crowns of the first country that has any: "1200 DKK"."""

    def told(found: re.Match[str]) -> str:
        codes = _CROWNS if found[2] else _PESOS
        code = next((codes[country] for country in countries if country in codes), "")
        return f"{found[1]} {code}" if code else found[0]

    return OF_SEVERAL_COUNTRIES.sub(told, message)


def find_price(text: Text) -> Money | None:
    """Return the first limit of price, None if there is none.

    An amount is a limit if words such as "under" stand before it or "or less" behind it.
    """
    told = (read for read in _amounts(text) if _is_money(text, read) and _is_limit(text, read))
    return next((read.money for read in told), None)


def is_per_night(text: Text) -> bool:
    """Return whether what is said of the price holds for one night or one room."""
    return text.has(_FACTS_SAID.per_night)


def amount_at(text: Text, at: int) -> tuple[int, int] | None:
    """Return an amount in figures, or of hundreds in words, and the index after it: "a hundred and fifty"."""
    if text[at].is_number:
        return amount(text, at)
    power = POWERS.get(text.norm(at + 1), 0) if text.norm(at + 1) != "k" else 0
    hundreds = 1 if text.norm(at) == "a" else NUMBER_WORDS.get(text.norm(at), 0)
    if not (power and 0 < hundreds < _TENS):
        return _in_short(text, at)
    if text.norm(at + 1) == "grand" and text.norm(at + 2) in _WORDS.no_grand:
        return None
    rest = whole_number(text, text.skip({"and"}, at + 2, 1))
    is_more = rest is not None and 0 < rest[0] < _A_HUNDRED and text[rest[1] - 1].is_word
    return (hundreds * power + rest[0], rest[1]) if rest and is_more else (hundreds * power, at + 2)


def _in_short(text: Text, at: int) -> tuple[int, int] | None:
    """An amount in words without its hundred, and the index after it: "three fifty", "ninety five"."""
    hundreds = NUMBER_WORDS.get(text.norm(at), 0)
    hundreds = hundreds if hundreds < _TENS else 0
    tens_at = at + (hundreds > 0)
    tens = whole_number(text, tens_at) if text.norm(tens_at) in _TENS_IN_WORDS else None
    return (hundreds * _A_HUNDRED + tens[0], tens[1]) if tens else None


def counts_something(text: Text, at: int) -> bool:
    """Return whether the number before `at` is one of people, years, stars or the like, and no amount."""
    return text.norm(text.skip({"-"}, at, 1)) in _FACTS_WORDS.not_money


def currencies_in(text: Text) -> set[int]:
    """Return where currencies are told that are airports and names elsewhere: "150 CAD", "in dollars"."""
    return {
        at
        for at in text.where(CURRENCY_WORDS.keys())
        if text[at - 1].is_number or text[at + 1].is_number or text.norm(at - 1) == "in"
    }


def other_currency(text: Text) -> tuple[Refused, ...]:
    """Return the currency in which a message wants to see prices: "show me prices in dollars"."""
    at = text.find(_SAID.prices_in)
    at += text.match(_SAID.prices_in, at)
    if _BEHIND.get(text.norm(at), HOME_CURRENCY) == HOME_CURRENCY:
        return ()
    return (Refused(said=text.spelled(at, at + 1), reason="other_currency"),)


def _amounts(text: Text) -> Iterator[Amount]:
    """The amounts of a message in its order."""
    at = 0 if text.has_figures or text.has_any(_IN_WORDS) else text.length
    while (at := text.next_of(AMOUNTS, at)) < text.length:
        read = money_at(text, at)
        if read:
            yield read
        at = read.end if read else at + 1


def money_at(text: Text, at: int) -> Amount | None:
    """Return the amount whose number begins there, None if none does."""
    read = amount_at(text, at)
    if read is None:
        return None
    value, end = read
    before, behind = SYMBOLS.get(text.norm(at - 1)), _BEHIND.get(text.norm(end))
    last = text[end - 1]
    has_cents = end - 2 > at and text.norm(end - 2) == "." and len(last.raw) <= _CENT_DIGITS
    cents = Decimal(f"0.{last.raw}") if has_cents and last.is_number and int(last.raw) else Decimal(0)
    # Rupees are told in lakhs.
    currency = before or behind or ("INR" if text.norm(end - 1) in _WORDS.in_lakhs else HOME_CURRENCY)
    return Amount(
        first=at - (before is not None),
        at=at,
        end=end,
        after=end + (behind is not None),
        money=Money(amount=value + cents, currency=currency),
        is_marked=bool(before or behind),
    )


def _is_money(text: Text, read: Amount) -> bool:
    value = read.money.amount
    is_age = value <= _OLDEST_CHILD and text.match_before(_FACTS_SAID.children, read.at, within=4)
    return value >= _LEAST and not is_age and not counts_something(text, read.after)


def _is_limit(text: Text, read: Amount) -> bool:
    if read.is_marked and (_is_about(text, read.first) or text.match(_FACTS_SAID.puts_right, read.after)):
        return True
    is_all = _is_all_that_is_said(text, read)
    return is_all or _is_bounded(text, read) or text.match(_FACTS_SAID.or_less, read.after) > 0


def _is_about(text: Text, first: int) -> bool:
    """Whether an amount ends a range, or is told roughly: "200-300 euros", "around 200 euros"."""
    is_range = text.norm(first - 1) in ("-", "to", "and") and text[first - 2].is_number
    return is_range or text.norm(first - 1) in _FACTS_WORDS.roughly


def _is_all_that_is_said(text: Text, read: Amount) -> bool:
    """Whether a message names an amount of money and nothing else: "100 per night, please", "$900"."""
    is_rough = text.norm(read.at - 1) in _FACTS_WORDS.roughly and read.money.amount >= _ROUGH_AT_LEAST
    is_marked = read.is_marked and (read.first < read.at or text.length > _AMOUNT_ALONE)
    nightly = text.match(_FACTS_SAID.per_night, read.after)
    if not (is_rough or is_marked or nightly or text.norm(read.end - 1) in _WORDS.large):
        return False
    after = text.skip({"ish"}, read.after, 1)
    after += text.match(_FACTS_SAID.per_night, after)
    return all(
        text.norm(at) in _FACTS_WORDS.beside_a_price or _is_sign(text, at)
        for at in (*range(read.first), *range(after, text.length))
    )


def _bounds(text: Text, first: int, bounds: Phrases) -> Iterator[int]:
    """Where one of the bounds begins that stands right before an amount."""
    starts = range(max(0, first - _WORDS_OF_A_BOUND), first)
    return (start for start in starts if text.match(bounds, start) == first - start)


def _is_sign(text: Text, at: int) -> bool:
    return text.norm(at) not in ("", "?") and not text[at].is_word and not text[at].is_number


def _is_bounded(text: Text, read: Amount) -> bool:
    """Whether a word such as "under" stands before an amount, with nothing but small words between.

    What stands between "budget" and its amount does not matter: "the budget for this trip is $900".
    """
    at = read.at
    for before in range(at - 1, max(0, at - _LOOK_BACK_FOR_BUDGET) - 1, -1):
        if text[before].is_number or text.norm(before) in SENTENCE_ENDS:
            break
        if text.norm(before) == "budget":
            return True
    if len(text[at].raw) == 1 and text.has_any(_WORDS.of_scores, at - _LOOK_BACK, at):
        return False
    if _is_denied(text, read.first, _LANGUAGE_SAID.over):
        return True
    if is_denied_below(text, read.first):
        return False
    for before in range(at - 1, max(0, at - _LOOK_BACK) - 1, -1):
        # A limit of several words may end in one that ends limits: "up to".
        starts = range(before - 2, before + 1)
        if any(text.match(_FACTS_SAID.at_most, start) > before - start for start in starts):
            return True
        if text[before].is_number or text.norm(before) in _FACTS_WORDS.ends_a_limit:
            return False
    return False


def _is_denied(text: Text, first: int, bounds: Phrases) -> bool:
    """Whether the bound right before an amount is denied: "it can't cost more than 400"."""
    return any(negation_before(text, start) >= 0 for start in _bounds(text, first, bounds))


def is_denied_below(text: Text, first: int) -> bool:
    """Return whether nothing below the amount at `first` is wanted: "not under 500" is no limit."""
    under = _LANGUAGE_SAID.under
    return _is_denied(text, first, under) or any(is_waived(text, at) for at in _bounds(text, first, under))


def find_budgets(text: Text) -> Iterator[SlotMention]:
    """Yield the limits of a message that are told in all or for each, with their amounts."""
    after = 0
    for read in _amounts(text):
        is_whole = read.at >= after and text.norm(read.at - 1) not in (".", ":")
        if found := (_nightly(text, read) or _budget(text, read)) if is_whole else None:
            first, after, money, scope = found
            for filled, emptied in _FILLED[scope]:
                yield SlotMention(first=first, after=after, slots={filled: money, emptied: None})


def find_budget_of_trip(text: Text) -> Iterator[SlotMention]:
    """Yield the limit of a flight and a stay together or the latter, told as a budget: "budget is 2500"."""
    for read in _amounts(text) if text.has(_SAID.budgets) else ():
        first = text.find(_SAID.budgets, max(0, read.first - _LOOK_BACK_FOR_BUDGET), read.first)
        of_stay = text.match(_SAID.for_the_hotel, read.after)
        after = read.after + (of_stay or text.match(_SAID.behind_a_budget, read.after))
        told = text.said(first - 1, read.first)
        is_over = after == text.length or not text[after].is_word or text.norm(after) in _WORDS.after_a_budget
        is_of_one = not told.isdisjoint(_WORDS.of_one_kind | SENTENCE_ENDS)
        if first >= 0 and is_over and not is_of_one and read.money.amount >= _A_HUNDRED:
            for filled, emptied in _FILLED["stay" if of_stay else "total"]:
                slots = {filled: read.money, emptied: None}
                yield SlotMention(first=read.first, after=after, slots=slots)  # not "for this solo trip"


def scope_told(text: Text) -> Scope:
    """Return what a message says a limit told before is for, where it says nothing else: "no, per night"."""
    if text.length > _LONGEST_SCOPE or any(token.is_number for token in text.tokens):
        return ""
    if text.has_any({"not"}, 1):  # "each, not in total"
        text = text.within(0, next(iter(text.where({"not"}))))
    for scope, names in _SCOPES:
        at = text.find(names)
        others = text.without(range(at, at + text.match(names, at))).vocabulary if at >= 0 else ()
        if at >= 0 and all(not word.isalpha() or word in _WORDS.small for word in others):
            return scope
    return ""


def _nightly(text: Text, read: Amount) -> tuple[int, int, Money, Scope] | None:
    """ "70 to 110 a night", "around 150 per night", ", 100 pn": what somebody is ready to pay for one night.

    What a hotel costs ("it is 120 a night", "200 a night is too much") is no limit.
    """
    first, read = read.first, _upper_end(text, read)
    after = text.skip({"ish"}, read.after, 1)
    length = text.match(_SAID.nightly_of_one, after)
    # "6 people, 2 per room" counts those who share one.
    shares = (
        not read.is_marked and read.money.amount <= MOST_SEATS and text.norm(after + length - 1) == "room"
    )
    if not length or shares or is_denied_below(text, first):
        return None
    after += length
    bounded = _begins(text, first, _FACTS_SAID.at_most)
    begun = first if bounded < 0 else bounded
    begun -= text.norm(begun - 1) in _WORDS.begin_a_range
    or_less = text.match(_FACTS_SAID.or_less, after)
    is_led = begun == 0 or text.norm(begun - 1) in _WORDS.before_a_night
    is_open = is_led and not text.has_any(_WORDS.of_an_offer, begun - _LOOK_BACK - 1, begun)
    is_over = not text.norm(after) or text.norm(after) in _WORDS.after_a_night
    is_told = begun < first or or_less > 0 or (is_open and is_over)
    return (begun, after + or_less, read.money, "night") if is_told else None


def _upper_end(text: Text, read: Amount) -> Amount:
    """The amount at which a range ends that begins with that one, or that one itself."""
    if text.norm(read.after) not in ("-", "to", "and", "or"):
        return read
    upper = money_at(text, text.skip(SYMBOLS.keys(), read.after + 1, 1))
    if upper is None or upper.money.amount <= read.money.amount:
        return read
    is_marked_once = read.is_marked and not upper.is_marked
    currency = read.money.currency if is_marked_once else upper.money.currency
    return replace(upper, money=Money(amount=upper.money.amount, currency=currency))


def _budget(text: Text, read: Amount) -> tuple[int, int, Money, Scope] | None:
    is_other = counts_something(text, read.after) or is_denied_below(text, read.first)
    if read.money.amount < _LEAST_BUDGET or is_other:
        return None
    or_less = text.match(_FACTS_SAID.or_less, read.after)
    after = read.after + or_less
    step = text.skip(_WORDS.is_word, after, 2)
    scope, length = _scope(text, step)
    if text.match(_SAID.spans, step):
        scope = scope or "stay"  # the span itself tells the days, too
    bounded = _begins(text, read.first, _FACTS_SAID.at_most)
    begun = read.first if bounded < 0 else bounded
    if scope:
        is_of_hotel = text.has_any(_WORDS.hotels) and not text.has_any(_WORDS.of_more)
        return begun, step + length, read.money, "stay" if scope == "total" and is_of_hotel else scope
    is_denied_above = _is_denied(text, read.first, _LANGUAGE_SAID.over)
    if not (read.is_marked or or_less or bounded >= 0 or is_denied_above):
        return None
    start = begun - (text.norm(begun - 1) in ("exceed", "over", "above"))
    if (first := _begins(text, start, _SAID.for_the_stay)) >= 0:
        return first, after, read.money, "stay"
    first = _begins(text, start, _SAID.in_all)
    return (first, after, read.money, "total") if first >= 0 else None


def _scope(text: Text, at: int) -> tuple[Scope, int]:
    for scope, names in _SCOPES[:-1]:
        length = text.match(names, at)
        if length:
            is_of_others = scope == "person" and text.norm(at + length) in _WORDS.not_people_each
            return ("", 0) if is_of_others else (scope, length)
    return "", 0


def _begins(text: Text, at: int, said: Phrases) -> int:
    """Where such words begin before an amount: "max", "in total max 600 euros"; -1 where none do."""
    for first in range(max(0, at - _LOOK_BACK - 1), at):
        length = text.match(said, first)
        if length and text.skip(_WORDS.between_limits, first + length, at - first - length) == at:
            return first
    return -1
