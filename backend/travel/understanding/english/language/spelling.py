"""Words that decide what a message is about, as they are mistyped: "fligth", "nihgts", "stpo".

Two letters that changed places and, in longer words, one that is left out give the word away, unless the
result is a word itself. Names of cities are forgiven elsewhere, where it is known that a place must stand.
"""

from collections.abc import Iterator


def _word_set(spelled: str) -> frozenset[str]:
    return frozenset(spelled.split())


_WORDS = _word_set(
    """
    flight flights hotel hotels night nights room rooms stop cancel return people adults guests passengers
    weekend tonight tomorrow january february april august september october november december monday
    tuesday wednesday thursday friday saturday sunday direct business economy instead actually forget change
    search breakfast tickets cheaper airport without hostel apartment returning leaving somewhere please
    nonstop restaurant
    """
)
_WORDS_THEMSELVES = _word_set("fight fights guess gusts")
_LETTERS_FOR_ONE_LESS = 6
_OTHERWISE = {
    "hotell": "hotel", "hotal": "hotel", "holtel": "hotel", "hotles": "hotels", "nite": "night",
    "nites": "nights", "janurary": "january", "januray": "january", "febuary": "february",
    "feburary": "february", "septemeber": "september", "setember": "september", "augest": "august",
    "novemeber": "november", "decemeber": "december", "dezember": "december", "tomorow": "tomorrow",
    "tommorow": "tomorrow", "tommorrow": "tomorrow", "tmrw": "tomorrow", "tmr": "tomorrow",
    "wensday": "wednesday", "wendesday": "wednesday", "saterday": "saturday", "saturaday": "saturday",
    "frinday": "friday", "sunaday": "sunday", "restuarants": "restaurants", "teh": "the", "form": "from",
    "fomr": "from", "frm": "from", "accomodation": "accommodation", "accomodations": "accommodations",
    "buisness": "business", "bussiness": "business", "canel": "cancel", "nvm": "nevermind", "pls": "please",
    "plz": "please", "tix": "tickets",
}  # fmt: skip


def _mistyped(word: str) -> Iterator[str]:
    for at in range(len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if len(word) >= _LETTERS_FOR_ONE_LESS:
        for at in range(1, len(word) - 1):
            yield word[:at] + word[at + 1 :]


SPELLINGS = {
    wrong: word
    for word in sorted(_WORDS)
    for wrong in _mistyped(word)
    if wrong not in _WORDS_THEMSELVES | _WORDS
} | _OTHERWISE
"""A mistyped word, folded, to the word that is meant."""
