"""An amount without a word for a limit, where nothing else is said: "make that 170", "160 then"."""

from decimal import Decimal

from ..language.numbers import amount
from ..language.text import Text, word_set
from .fact_words import CURRENCY_WORDS, SYMBOLS

_BESIDE = word_set(
    """
    make that it then say lets let's let us ok okay hmm well maybe perhaps more like around about roughly
    up down to go lower raise increase decrease reduce drop bump change set put push the a bit little
    higher actually instead please pls no sorry i we can could you meant mean rather at for and or is
    fine too also would be good better if we'll try stretch limit price budget maximum max my our should
    of now just only , . ! ? - yeah yes ah oh um uh so but afford spend pay as much half
    """
)
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
        text.norm(each) in _BESIDE or text.norm(each) in SYMBOLS.keys() | CURRENCY_WORDS.keys()
        for each in others
    )
    return Decimal(value) if is_all else None
