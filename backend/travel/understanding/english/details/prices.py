"""The most that somebody wants to pay: "under 900 euros", "$150 a night at most", "my budget is 2,000"."""

from collections.abc import Collection
from decimal import Decimal

from ....values.travel import Money
from ..language.numbers import NUMBER_WORDS, amount, whole_number
from ..language.sentences import is_waived, negation_before
from ..language.tables import phrases_of, words_of
from ..language.text import FIGURES, SENTENCE_ENDS, Text
from . import fact_words as words

_FACTS_SAID = phrases_of("facts")
_FACTS_WORDS = words_of("facts")
_LANGUAGE_SAID = phrases_of("language")
_WORDS = words_of("prices")

DEFAULT_CURRENCY = "EUR"
_LOOK_BACK = 5
_LOOK_BACK_FOR_BUDGET = 9
_LEAST = 5
_WORDS_OF_A_BOUND = 3
_OLDEST_CHILD = 21
_CENT_DIGITS = 2
_A_HUNDRED = 100
_HUNDREDS_AT_MOST = 20
_TENS = 20
_AMOUNT_ALONE = 2
"""Words of "300 euros", which may be for anything."""
_ROUGH_AT_LEAST = 30
_POWERS = {
    "hundred": _A_HUNDRED, "thousand": 1000, "grand": 1000, "lakh": 10**5, "lakhs": 10**5, "lac": 10**5,
    "lacs": 10**5, "million": 10**6, "crore": 10**7, "crores": 10**7,
}  # fmt: skip
_INDIAN = frozenset({"lakh", "lakhs", "lac", "lacs", "crore", "crores"})
_LARGE = _POWERS.keys() - {"hundred", "thousand", "million"} | {"k"}
"""Behind a number these tell that it is one of money, and not of people or miles."""
_TENS_IN_WORDS = frozenset(name for name, number in NUMBER_WORDS.items() if number >= _TENS)
AMOUNTS = NUMBER_WORDS.keys() | {"a", FIGURES}
"""What an amount may begin with."""
_LIMITS = _FACTS_SAID.at_most.begin | _LANGUAGE_SAID.over.begin | {"budget"}
_IN_WORDS = _POWERS.keys() | _TENS_IN_WORDS
_OF_SCORES = frozenset({"rated", "rating", "score", "scored", "scores"})
"""Behind one of these a number up to ten tells what guests think: "rated under 8"."""


def find_price(text: Text, first: int, after: int, *, taken: Collection[int] = ()) -> Money | None:
    """Return the first limit of price in the tokens from `first` up to `after`, None if there is none.

    An amount is a limit if words such as "under" stand before it or "or less" behind it.
    """
    at = first if has_amounts(text) else after
    while (at := text.next_of(AMOUNTS, at)) < after:
        read = None if at in taken else amount_at(text, at)
        if read is None:
            at += 1
            continue
        value, end = read
        cents = cents_of(text, at, end)
        currency = words.SYMBOLS.get(text.norm(at - 1)) or _currency_behind(text, end)
        end += currency is not None and text.norm(at - 1) not in words.SYMBOLS
        is_age = (
            currency is None
            and value <= _OLDEST_CHILD
            and text.match_before(_FACTS_SAID.children, at, within=4)
        )
        is_money = value >= _LEAST and not is_age and end - 1 not in taken and not counts_something(text, end)
        is_put_right = currency is not None and (
            text.match(_FACTS_SAID.puts_right, end) > 0
            or text.match_before(_FACTS_SAID.puts_right, at, within=3)
        )
        is_about = currency is not None and _is_about(text, at)
        is_all = _is_an_amount(text, at, end, currency) and _is_all_that_is_said(text, at, end)
        if is_money and (
            is_all
            or is_about
            or is_put_right
            or _is_limited(text, at, first)
            or text.match(_FACTS_SAID.or_less, end)
        ):
            return Money(amount=value + cents, currency=currency or default_currency(text, end))
        at = end
    return None


def default_currency(text: Text, after: int) -> str:
    """Return the currency of an amount that ends before `after` and tells none: rupees are told in lakhs."""
    return "INR" if text.norm(after - 1) in _INDIAN else DEFAULT_CURRENCY


def has_amounts(text: Text) -> bool:
    """Return whether a message may hold an amount, in figures or of hundreds in words."""
    return text.has_figures or not text.vocabulary.isdisjoint(_IN_WORDS)


def amount_at(text: Text, at: int) -> tuple[int, int] | None:
    """Return an amount in figures, or of hundreds in words, and the index after it: "a hundred and fifty"."""
    if text[at].is_number:
        return amount(text, at)
    if text.norm(at) not in NUMBER_WORDS and text.norm(at) != "a":
        return None
    hundreds = 1 if text.norm(at) == "a" else NUMBER_WORDS.get(text.norm(at), 0)
    if text.norm(at + 1) == "grand" and text.norm(at + 2) in _WORDS.no_grand:
        return None
    if text.norm(at + 1) not in _POWERS or not 0 < hundreds < _HUNDREDS_AT_MOST:
        return _in_short(text, at)
    power = _POWERS[text.norm(at + 1)]
    after = at + 2
    rest = whole_number(text, after + 1) if text.norm(after) == "and" else whole_number(text, after)
    if rest and 0 < rest[0] < _A_HUNDRED and text[rest[1] - 1].is_word:
        return hundreds * power + rest[0], rest[1]
    return hundreds * power, after


def _in_short(text: Text, at: int) -> tuple[int, int] | None:
    """An amount in words without its hundred, and the index after it: "three fifty", "ninety five"."""
    tens_at = at + (0 < NUMBER_WORDS.get(text.norm(at), 0) < _TENS)
    tens = whole_number(text, tens_at)
    if text.norm(tens_at) not in _TENS_IN_WORDS or tens is None or not text[tens[1] - 1].is_word:
        return None
    hundreds = NUMBER_WORDS[text.norm(at)] if tens_at > at else 0
    return hundreds * _A_HUNDRED + tens[0], tens[1]


def _is_an_amount(text: Text, at: int, end: int, currency: str | None) -> bool:
    """Whether a number alone tells that it is one of money: "$900", "100 a night", "1.5k", "around 200"."""
    is_rough = (
        text.norm(at - 1) in _FACTS_WORDS.roughly and (amount_at(text, at) or (0,))[0] >= _ROUGH_AT_LEAST
    )
    return bool(
        (currency and text.length > _AMOUNT_ALONE)
        or text.norm(at - 1) in words.SYMBOLS
        or text.match(_FACTS_SAID.per_night, end)
        or text.norm(end - 1) in _LARGE
        or is_rough
    )


def cents_of(text: Text, at: int, end: int) -> Decimal:
    """Return the part behind the point of the amount in the tokens from `at` up to `end`: "99.95"."""
    last = text[end - 1]
    has_cents = (
        end - 2 > at and text.norm(end - 2) == "." and last.is_number and len(last.raw) <= _CENT_DIGITS
    )
    return Decimal(f"0.{last.raw}") if has_cents and int(last.raw) else Decimal(0)


def _is_about(text: Text, at: int) -> bool:
    """Whether an amount ends a range, or is told roughly: "200-300 euros", "around 200 euros"."""
    before = at - 1 - (text.norm(at - 1) in words.SYMBOLS)
    is_range = text.norm(before) in ("-", "to", "and") and text[before - 1].is_number
    return is_range or text.norm(before) in _FACTS_WORDS.roughly


def _is_all_that_is_said(text: Text, at: int, end: int) -> bool:
    """Whether a message names an amount and nothing else: "100 per night, please", "$900"."""
    end += text.norm(end) in words.CURRENCY_WORDS
    end += text.norm(end) == "ish"
    end += text.match(_FACTS_SAID.per_night, end)
    at -= text.norm(at - 1) in words.SYMBOLS
    others = (
        text.norm(index) for index in (*range(at), *range(end, text.length)) if not _is_sign(text, index)
    )
    return all(word in _FACTS_WORDS.beside_a_price or word in _FACTS_WORDS.roughly for word in others)


def _is_sign(text: Text, at: int) -> bool:
    return not text[at].is_word and not text[at].is_number and text.norm(at) != "?"


def is_per_night(text: Text, first: int, after: int) -> bool:
    """Return whether what is said of the price holds for one night or one room."""
    return 0 <= text.find(_FACTS_SAID.per_night, first) < after


def _currency_behind(text: Text, at: int) -> str | None:
    return words.SYMBOLS.get(text.norm(at)) or words.CURRENCY_WORDS.get(text.norm(at))


def currencies_in(text: Text) -> set[int]:
    """Return where currencies are told that are airports and names elsewhere: "150 CAD", "in dollars"."""
    return {
        at
        for at in text.where(words.CURRENCY_WORDS.keys())
        if text[at - 1].is_number or text[at + 1].is_number or text.norm(at - 1) == "in"
    }


def counts_something(text: Text, at: int) -> bool:
    """Return whether the number before `at` is one of people, years, stars or the like, and no amount."""
    if text.norm(at) == "-" and text.norm(at + 1) in _FACTS_WORDS.not_money:
        return True
    return text.norm(at) in _FACTS_WORDS.not_money


def is_denied_above(text: Text, at: int) -> bool:
    """Return whether nothing above the amount at `at` is wanted: "it can't cost more than 400"."""
    if text.vocabulary.isdisjoint(_LANGUAGE_SAID.over.begin):
        return False
    at -= text.norm(at - 1) in words.SYMBOLS
    return any(
        text.match(_LANGUAGE_SAID.over, start) == at - start and negation_before(text, start) >= 0
        for start in range(max(0, at - _WORDS_OF_A_BOUND), at)
    )


def is_denied_below(text: Text, at: int) -> bool:
    """Return whether nothing below the amount at `at` is wanted: "not under 500" is no limit."""
    if text.vocabulary.isdisjoint(_LANGUAGE_SAID.under.begin):
        return False
    at -= text.norm(at - 1) in words.SYMBOLS
    starts = range(max(0, at - _WORDS_OF_A_BOUND), at)
    bound = next((start for start in starts if text.match(_LANGUAGE_SAID.under, start) == at - start), -1)
    return bound >= 0 and (negation_before(text, bound) >= 0 or is_waived(text, bound))


def _is_limited(text: Text, at: int, first: int) -> bool:
    """Whether a word such as "under" stands before an amount, with nothing but small words between.

    What stands between "budget" and its amount does not matter: "the budget for this trip is $900".
    """
    if text.vocabulary.isdisjoint(_LIMITS):
        return False
    for before in range(at - 1, max(first, at - _LOOK_BACK_FOR_BUDGET) - 1, -1):
        if text[before].is_number or text.norm(before) in SENTENCE_ENDS:
            break
        if text.norm(before) == "budget":
            return True
    words_before = {text.norm(before) for before in range(max(first, at - _LOOK_BACK), at)}
    if len(text[at].raw) == 1 and not words_before.isdisjoint(_OF_SCORES):
        return False
    if is_denied_above(text, at):
        return True
    if is_denied_below(text, at):
        return False
    for before in range(at - 1, max(first, at - _LOOK_BACK) - 1, -1):
        # A limit of several words may end in one that ends limits: "up to".
        if any(
            text.match(_FACTS_SAID.at_most, start) > before - start for start in range(before - 2, before + 1)
        ):
            return True
        if text[before].is_number or text.norm(before) in _FACTS_WORDS.ends_a_limit:
            return False
    return False
