"""The most that somebody wants to pay: "under 900 euros", "$150 a night at most", "my budget is 2,000"."""

from collections.abc import Collection
from decimal import Decimal

from ....values.travel import Money
from ..language.numbers import amount
from ..language.text import Text
from . import fact_words as words

DEFAULT_CURRENCY = "EUR"
_LOOK_BACK = 5
_LOOK_BACK_FOR_BUDGET = 9
_LEAST = 5
_OLDEST_CHILD = 21
_CENT_DIGITS = 2


def find_price(text: Text, first: int, after: int, *, taken: Collection[int] = ()) -> Money | None:
    """Return the first limit of price in the tokens from `first` up to `after`, None if there is none.

    An amount is a limit if words such as "under" stand before it or "or less" behind it.
    """
    at = first
    while at < after:
        read = None if at in taken or not text[at].is_number else amount(text, at)
        if read is None:
            at += 1
            continue
        value, end = read
        cents = _cents(text, at, end)
        currency = words.SYMBOLS.get(text.norm(at - 1)) or _currency_behind(text, end)
        end += currency is not None and text.norm(at - 1) not in words.SYMBOLS
        is_age = (
            currency is None and value <= _OLDEST_CHILD and text.match_before(words.CHILDREN, at, within=4)
        )
        is_money = (
            value >= _LEAST and not is_age and end - 1 not in taken and not _counts_something(text, end)
        )
        is_put_right = currency is not None and (
            text.match(words.PUTS_RIGHT, end) > 0 or text.match_before(words.PUTS_RIGHT, at, within=3)
        )
        is_all = text.match(words.PER_NIGHT, end) > 0 and _is_all_that_is_said(text, at, end)
        if is_money and (
            is_all or is_put_right or _is_limited(text, at, first) or text.match(words.OR_LESS, end)
        ):
            return Money(amount=value + cents, currency=currency or DEFAULT_CURRENCY)
        at = end
    return None


def _cents(text: Text, at: int, end: int) -> Decimal:
    """What stands behind the point of the amount in the tokens from `at` up to `end`: "99.95"."""
    last = text[end - 1]
    has_cents = (
        end - 2 > at and text.norm(end - 2) == "." and last.is_number and len(last.raw) <= _CENT_DIGITS
    )
    return Decimal(f"0.{last.raw}") if has_cents and int(last.raw) else Decimal(0)


def _is_all_that_is_said(text: Text, at: int, end: int) -> bool:
    """Whether a message names an amount for a night and nothing else: "100 per night, please"."""
    end += text.match(words.PER_NIGHT, end)
    before = (text.norm(index) for index in range(at))
    behind = (text.norm(index) for index in range(end, text.length))
    return all(word in words.SYMBOLS or word in words.BESIDE_A_PRICE for word in (*before, *behind))


def is_per_night(text: Text, first: int, after: int) -> bool:
    """Return whether what is said of the price holds for one night or one room."""
    return 0 <= text.find(words.PER_NIGHT, first) < after


def _currency_behind(text: Text, at: int) -> str | None:
    return words.SYMBOLS.get(text.norm(at)) or words.CURRENCY_WORDS.get(text.norm(at))


def _counts_something(text: Text, at: int) -> bool:
    """Whether the number is one of people, years, stars or the like, and not an amount of money."""
    if text.norm(at) == "-" and text.norm(at + 1) in words.NOT_MONEY:
        return True
    return text.norm(at) in words.NOT_MONEY


def _is_limited(text: Text, at: int, first: int) -> bool:
    """Whether a word such as "under" stands before an amount, with nothing but small words between.

    What stands between "budget" and its amount does not matter: "the budget for this trip is $900".
    """
    for before in range(at - 1, max(first, at - _LOOK_BACK_FOR_BUDGET) - 1, -1):
        if text[before].is_number or text.norm(before) in words.ENDS_A_SENTENCE:
            break
        if text.norm(before) == "budget":
            return True
    for before in range(at - 1, max(first, at - _LOOK_BACK) - 1, -1):
        # A limit of several words may end in one that ends limits: "up to".
        if any(text.match(words.AT_MOST, start) > before - start for start in range(before - 2, before + 1)):
            return True
        if text[before].is_number or text.norm(before) in words.ENDS_A_LIMIT:
            return False
    return False
