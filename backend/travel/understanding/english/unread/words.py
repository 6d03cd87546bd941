"""Words that carry no wish by themselves: of grammar, courtesy, wanting, going, and telling of a journey."""

from ..details.facts import CABINS
from ..details.prices import CURRENCY_WORDS
from ..language.tables import lists_of, phrases_of, words_of
from ..language.text import Phrases, word_set

_FACTS_SAID = phrases_of("facts")
_PEOPLE_WORDS = words_of("people")
_WORDS = words_of("unread")


def _words(spelled: str) -> frozenset[str]:
    """The words of a list, folded like those of a message, in which "I'm" is "im"."""
    return word_set(spelled.replace("'", ""))


NO_WISH = (
    _WORDS.of_grammar
    | _WORDS.of_courtesy
    | _WORDS.of_wanting
    | _WORDS.of_travel
    | _WORDS.of_chat
    | CURRENCY_WORDS.keys()
)
"""Without any other word beside these nothing is asked for that a reader could have missed."""


def _words_of(*several: Phrases) -> frozenset[str]:
    return frozenset(
        word for some in several for phrases_of_it in some.values() for one in phrases_of_it for word in one
    )


KNOWN = _WORDS.counted | _words_of(
    *lists_of("amenities").values(), _FACTS_SAID.nonstop, *(one.phrases for one in CABINS)
) - _words("car dog friendly allowed zero")
"""Words that facts are read by, wherever they stand. That they count need not be tried out: each trial
is a reading of half a millisecond.
"""


TIES = _WORDS.leads | _words("is it be if but very really too this its their &") | CURRENCY_WORDS.keys()
"""What may stand between two words of one wish: "view of the sea"."""
UNITS = CURRENCY_WORDS.keys() | _words("day days night nights week weeks month months")
"""Behind a number these belong to it."""


BEGIN_TELLING = _WORDS.subjects | _words(
    "it it's that's thats this there there's theres you you're the what's that they"
)
"""Who or what a clause tells something of, if it begins with one of these."""


WISHING = _WORDS.needing | _words(
    """
    wanted wanna needing i'd id we'd wed like preferably request please pls plz finding get give
    show book reserve search look looking change make add include let's lets can could would only
    without avoid hope hoping wish provide ensure sure insist important hate
    """
)

OPENERS = _WORDS.joins | _words(
    "now just so oh yes also well no ok okay and then probably obviously actually"
)
"""What may stand before the first word that counts."""
REASONS = (
    _PEOPLE_WORDS.relatives
    | _PEOPLE_WORDS.several_relatives
    | _words(
        """
        wedding weddings birthday anniversary honeymoon conference meeting meetings business
        hen hens stag bachelor bachelorette
        work job funeral party graduation parents family relatives fun leisure pleasure married
        reunion christmas year's years client golf golfing skiing ski snowboarding hiking trekking diving
        surfing
        """
    )
)
"""What somebody travels for, or with whom: told, and not wished for."""
