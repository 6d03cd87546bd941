"""Replies to what asks for no search. They may be said while one runs, so they claim nothing about it."""

from ..language.text import Phrases, Text, phrases, word_set
from .found_words import asks_about_what_is_found

_EXAMPLE = 'for example "flights and hotels in Lisbon from Berlin, 10 to 12 December"'
NOT_UNDERSTOOD = f"I did not understand that. I read English, and look for flights and hotels: {_EXAMPLE}."

_IN_THE_LIST = (
    "What I have found so far is in the list; the cheapest of each search is in my reply when it is done."
)

_AT_ANY_LENGTH: tuple[tuple[Phrases, str], ...] = (
    (
        phrases("book", "booking", "bookings", "reserve", "reservation", "reservations", "buy", "pay"),
        'To book one of the offers that I have found, name it, for example "book the cheapest flight"; '
        '"show my bookings" lists what is booked. It is a demo: nothing is really bought.',
    ),
    (
        phrases("help", "who are you", "what are you", "what can you do", "how does this work"),
        f"I look for flights and hotels, and show what I find as it comes: {_EXAMPLE}. "
        "I plan tours of several cities in any order, and book what you allow. "
        "You can change your mind at any time.",
    ),
)
_IN_FEW_WORDS: tuple[tuple[Phrases, str], ...] = (
    (
        phrases("go on", "continue", "resume", "keep going"),
        "There is nothing to go on with yet: please tell me what to look for.",
    ),
    (phrases("thanks", "thank you", "thx", "cheers", "appreciate it"), "You are welcome."),
    (
        phrases("bye", "goodbye", "good bye", "see you", "that's all", "that is all", "have a nice day"),
        "Goodbye.",
    ),
    (
        phrases(
            "wait",
            "hold on",
            "hang on",
            "one moment",
            "just a moment",
            "one second",
            "just a second",
            "one minute",
            "just a minute",
        ),
        "A search goes on until it is done; say stop to end it.",
    ),
    (
        phrases("hi", "hello", "hey", "good morning", "good evening", "good afternoon"),
        "Hello. I look for flights and hotels; tell me what you need, or what should change.",
    ),
)
_AGREES = phrases("ok", "okay", "yes", "sure", "great", "perfect", "sounds good", "no problem")
_WISHES = word_set(
    "also check find search look show try see need want get add change make what which how where"
)
_FEW = 8
"""Tokens up to which a message is taken to be no more than the courtesy in it."""


def small_talk(message: str) -> str:
    """Return the reply to a message that asks for no search; never empty."""
    text = Text(message)
    if asks_about_what_is_found(text):
        return _IN_THE_LIST
    known = _AT_ANY_LENGTH + (_IN_FEW_WORDS if text.length <= _FEW else ())
    is_agreed = text.length <= _FEW and text.has(_AGREES) and text.vocabulary.isdisjoint(_WISHES)
    otherwise = "All right." if is_agreed else NOT_UNDERSTOOD
    return next((reply for said, reply in known if text.has(said)), otherwise)
