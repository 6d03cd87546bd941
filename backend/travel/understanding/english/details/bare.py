"""Messages that say when, how long and for how many, and nothing else: "2 adults, 3 nights from Friday".

They name neither a flight nor a hotel, but nobody says such a thing about anything but a journey. With a
word for booking they are about a stay: "I'd like to make a reservation for 5 people from Sunday".
"""

from collections.abc import Collection

from ..language.numbers import NUMBER_WORDS
from ..language.tables import phrases_of, words_of
from ..language.text import Text, word_set

_PEOPLE_WORDS = words_of("people")
_SAID = phrases_of("facts")


_SMALL_WORDS = (
    word_set(
        """
        a an the this that these it its is are be am was will would can could do does did have has had got
        i im id ill ive we were wed well weve us me my our you your to for from of on in at by and or with
        without no not just only until till til through thru between after before around about please hi
        hello hey there ok okay yes so then
        arrive arriving arrival arrives leave leaving leaves depart departing come coming go going gonna
        stay staying travel traveling travelling check checking checkin checkout out back return returning
        starting start begin beginning ending end want wanna need like looking look get make making give
        open another new any next morning afternoon evening night nights day days week weeks weekend month
        months year today tomorrow tonight now later early late single double total all altogether group
        party family nice thanks thank some more one two bed beds bedroom bedrooms pm p m
        half past quarter away if possible sea view balcony
        """
    )
    | _PEOPLE_WORDS.people
    | _PEOPLE_WORDS.between
    | _PEOPLE_WORDS.owners
    | _PEOPLE_WORDS.relatives
    | _PEOPLE_WORDS.several_relatives
    | _PEOPLE_WORDS.speaker
    | NUMBER_WORDS.keys()
)
_WORDS_AT_MOST = 40


def is_bare(text: Text, taken: Collection[int]) -> bool:
    """Return whether all words outside the tokens `taken` by dates and places are small or count people."""
    words = (token.norm for at, token in enumerate(text.tokens) if token.is_word and at not in taken)
    return text.length <= _WORDS_AT_MOST and all(
        word in _SMALL_WORDS or word in _SAID.booking for word in words
    )


def books(text: Text) -> bool:
    """Return whether the message has a word for booking."""
    return text.has(_SAID.booking)


def is_of_a_stay(text: Text) -> bool:
    """Return whether a bare message is about a place to stay, and not about a whole journey."""
    return text.has(_SAID.of_a_stay)
