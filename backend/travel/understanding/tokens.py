"""Text as tokens: words, numbers and signs, folded for comparison, each with its place in the text.

It knows no language: names are looked up by the same folded words that messages are read by.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

TOKENS_AT_MOST = 300
"""English has about 220 tokens in 1,000 characters; what lies beyond 1,360 characters of it is not read.

The longest message of the published sets has 453 characters. Some rules take time that grows with the square
of the tokens: of the worst texts that were found 300 take 30 ms, and 800 took 110 ms.
"""

_TOKEN = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f]+[^\W\d_]*)*|\d{1,18}|[^\w\s]|_")
# Of more than 4,300 digits Python makes no number; nobody means one of more than 18.
# Letters that Unicode does not decompose into a base letter and a mark.
_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"}
_SIGNS = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-") | dict.fromkeys(
    "\u2018\u2019\u02bc\u00b4", "'"
)
_SPELT_OUT = str.maketrans(_LETTERS | _SIGNS)


def fold(word: str) -> str:
    """Return the word without case and diacritics: "São" and "SAO" both become "sao".

    Of signs, every dash becomes "-" and every apostrophe "'".
    """
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold().translate(_SPELT_OUT))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


class Token(NamedTuple):
    """One word, number or sign, at the characters from `start` up to `end`.

    `raw` is as typed, `norm` folded and without common typing errors.
    """

    raw: str
    norm: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether it consists of letters."""
        return self.raw[0].isalpha()

    @property
    def is_number(self) -> bool:
        """Whether it consists of plain digits."""
        return "0" <= self.raw < ":"

    @property
    def is_capitalised(self) -> bool:
        """Whether it starts with a capital."""
        return self.raw[0].isupper()


NOTHING = Token("\0", "", 0, 0)
"""What stands outside of a text."""


@lru_cache(maxsize=64)
def tokenise(source: str) -> tuple[Token, ...]:
    """Return the tokens of a text, at most `TOKENS_AT_MOST`. "I'm" is one word, folded to "im".

    They are remembered for a while: of one message several readers ask for them.
    """
    tokens: list[Token] = []
    small = source.lower() if source.isascii() else ""
    for match in _TOKEN.finditer(source):
        raw, (start, end) = match[0], match.span()
        last = tokens[-1] if tokens else NOTHING
        if last.end == start and len(tokens) > 1 and raw[0].isalpha() and last.norm == "'":
            stem = tokens[-2]
            if stem.end == last.start and stem.is_word:
                tokens[-2:] = [Token(source[stem.start : end], stem.norm + fold(raw), stem.start, end)]
                continue
        if len(tokens) == TOKENS_AT_MOST:
            break
        tokens.append(Token(raw, small[start:end] or fold(raw), start, end))
    return tuple(tokens)
