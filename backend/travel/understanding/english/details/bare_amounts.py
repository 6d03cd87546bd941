"""An amount without a word for a limit, where nothing else is said: "make that 170", "160 then"."""

from decimal import Decimal

from ..language.numbers import amount
from ..language.tables import words_of
from ..language.text import Text
from .fact_words import CURRENCY_WORDS, SYMBOLS

_WORDS = words_of("prices")

_AT_MOST = 12
_LEAST = 31
"""A number up to this one may be a day, or count something."""


def bare_amount(text: Text) -> Decimal | None:
    """Return the only number of a message that changes an amount, None if it may be anything else."""
    if not text.has_figures or text.length > _AT_MOST:
        return None
    numbers = [at for at in range(text.length) if text[at].is_number]
    if len(numbers) != 1:
        return None
    at = numbers[0]
    read = amount(text, at)
    is_money = text.norm(at - 1) in SYMBOLS or text.norm(at + 1) in SYMBOLS.keys() | CURRENCY_WORDS.keys()
    is_year = text[at].raw.startswith("20") and len(text[at].raw) == len("2027")
    if read is None or not (is_money or (read[0] > _LEAST and not is_year)):
        return None
    value, after = read
    others = (*range(at), *range(after, text.length))
    is_all = all(
        text.norm(each) in _WORDS.beside or text.norm(each) in SYMBOLS.keys() | CURRENCY_WORDS.keys()
        for each in others
    )
    return Decimal(value) if is_all else None
