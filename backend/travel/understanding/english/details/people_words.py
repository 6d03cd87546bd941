"""The words for those who travel, in English."""

from ..language.tables import phrases_of
from ..language.text import phrases, word_set

_SAID = phrases_of("people")


TELLS_A_TOTAL = frozenset({*_SAID.makes, *_SAID.in_total})
WHO_HAVE = {"i": 1, "we": 2, "me": 1}
"""Who speaks of children, and how many of them come along: "we have a toddler"."""
WHO_HAVE_GOT = {"i've": 1, "ive": 1, "we've": 2, "weve": 2, "i'm": 1, "im": 1, "we're": 2}
THINKS_OVER = phrases(
    *(f"{verb} {it}" for verb in ("think", "thinking", "think it", "look", "go")
      for it in ("about it", "about this", "about that", "over it", "over this", "over", "at it"))
)  # fmt: skip
WORDS_TO_A_TALK = 4
"""Tokens before "with" in which one of these tells that nobody comes along: "check it with my wife"."""


PAIR_OF_PEOPLE = word_set(
    "senior elderly retired married young old older one the for as are were , : . a -"
) | {""}
"""Before "couple" these tell of two people."""
