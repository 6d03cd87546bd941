"""The words that tell what is done about an offer or a booking, and which one is meant, in English."""

from collections.abc import Mapping

from ...result import Bookable, Pick
from ..language.tables import words_of
from ..language.text import Phrases, phrases, word_set

_WORDS = words_of("bookings")


CANCELS_LAST = phrases(
    *(
        f"{verb} {what}".strip()
        for verb in ("cancel", "undo", "revoke", "annul", "call off", "reverse", "take back")
        for what in ("", "it", "that", "this", "that one", "this one", "the whole thing", "all of it", "both",
                     "them", "them both", "both of them", "all of them", "all of that", "everything", "all",
                     "the lot", "the whole lot")
    ),
    "call it off", "call that off", "take it back", "take that back", "i want to cancel",
    "i want to cancel it", "i'd like to cancel it",
    "i'd like to cancel", "i would like to cancel", "i would like to cancel it", "i need to cancel",
    "i need to cancel it", "i have to cancel", "i have to cancel it", "we have to cancel", "unbook it",
    "unbook that", "get rid of it", "give it back", "can you cancel", "can you cancel it",
    "could you cancel it", "could you cancel that", "please cancel it", "can i cancel it", "can i cancel",
)  # fmt: skip
"""Right after a booking these are about it."""


END_A_SENTENCE = frozenset({"", ".", "!", ";"})


_NOUNS: tuple[tuple[Bookable, frozenset[str]], ...] = (
    ("flight", _WORDS.flights),
    ("hotel", _WORDS.hotels),
    ("car", _WORDS.cars),
)
KIND_OF: dict[str, Bookable] = {noun: kind for kind, nouns in _NOUNS for noun in nouns}
NAME_OF: Mapping[Bookable, str] = {"flight": "flight", "hotel": "hotel", "car": "rental car"}
"""What a message names each kind by."""

HEADS = KIND_OF.keys() | _WORDS.offers

PICKS: tuple[tuple[Pick, Phrases], ...] = (
    (
        "cheapest",
        phrases(
            "cheapest", "least expensive", "lowest priced", "lowest-priced", "lowest price",
            "most affordable",
        ),
    ),
    ("fastest", phrases("fastest", "quickest", "shortest")),
    (
        "best",
        phrases(
            "best rated", "best-rated", "top rated", "top-rated", "highest rated", "highest-rated",
            "best reviewed", "best", "nicest", "top",
        ),
    ),
)  # fmt: skip
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ORDINALS = {word: number for number, word in enumerate(_ORDINALS, start=1)}

ENDS = word_set(
    """
    . , ; ! ? ) and & please already booked reserved for to from in on at with by you that which now then as
    too also thanks thank if out back there this today tomorrow tonight before until till while via instead or
    because so - only alone is looks sounds seems
    """
) | {""}
"""What may follow an offer that is told without a noun: "the cheapest in town", not "the best restaurant"."""

AFTER_A_PRONOUN = ENDS - word_set("in or by back out that")
"""What may follow one that is just "it": "book it for us", unlike "take it back"."""

AFTER_WHAT_IS_TAKEN = word_set(". , ; ! and & please now then too also thanks thank as instead") | {""}
"""What may follow what is taken, where only its noun tells that it is an offer: "I'll take the flight"."""


_FOR_ANOTHER_REQUEST = [
    f"{led} {whose} {earlier} {found}"
    for led in ("from", "of", "in")
    for whose in ("the", "my", "your")
    for earlier in ("previous", "earlier", "old", "kept")
    for found in ("search", "request", "list", "results", "offers", "ones", "trip")
]
EARLIER = phrases(
    *_FOR_ANOTHER_REQUEST, "from before", "from earlier", "from last time", "you found before", "you kept",
    "you found earlier", "you showed me before", "you showed me earlier", "you showed before",
    "you had before",
    "you had found before", "i saw before", "i saw earlier", "we saw before", "we had before", "i had before",
    "that i saw before", "that i saw earlier", "that you found before", "that you found earlier",
    "that you kept", "from the search before", "from the request before", "from the one before",
    "from the first search",
)  # fmt: skip
"""Behind an offer these say that it is one of those found for another request than the last one."""


QUOTES = frozenset('"“”«»„')


WORDS_TO_WHAT = 2
"""What may stand before the question: "remind me what I booked"."""

WENT_THROUGH = tuple(
    tuple(each.split())
    for each in (
        "did it go through", "did that go through", "has it gone through", "has that gone through",
        "did my booking go through", "did the booking go through", "did our booking go through",
        "am i booked",
        "are we booked", "is my booking confirmed", "is the booking confirmed", "is our booking confirmed",
        "is it confirmed", "is that confirmed", "did it work", "did the booking work",
        "did my payment go through",
        "did the payment go through", "is it all booked", "is everything booked", "was it booked",
        "has it been booked", "has my booking been confirmed", "was my booking successful",
        "did you get it booked",
        "so did it go through", "and did it go through", "did this go through", "is my flight confirmed",
        "is my hotel confirmed", "are we confirmed", "am i confirmed", "did the reservation go through",
    )
)  # fmt: skip
"""How one asks whether a booking was made."""
