"""Replies to what asks for no search. They may be said while one runs, so they claim nothing about it."""

from collections.abc import Collection

from ...result import Agent
from ...slot_table import SLOTS
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text, phrases
from .decisions import decision_in
from .found_words import asks_about_what_is_found
from .services import services_in, what_we_do
from .undoing import redoes, undoes

_SAID = phrases_of("talk")
_WORDS = words_of("talk")

EXAMPLE = 'for example "flights and hotels in Lisbon from Berlin, 10 to 12 December"'
NOT_UNDERSTOOD = (
    f"I did not understand that. I read English, and look for flights, hotels and rental cars: {EXAMPLE}."
)

YOU_ARE_WELCOME = "You are welcome."
_IN_THE_LIST = (
    "What I have found so far is in the list; the cheapest of each search is in my reply when it is done."
)

_WHAT_I_DO = (
    f"I look for flights, hotels and rental cars, and show what I find as it comes: {EXAMPLE}. "
    "I plan tours of several cities in any order, and book what you allow. "
    "You can change your mind at any time."
)
NOTHING_TO_ALLOW = (
    'No booking is waiting for your word. "Book the cheapest flight" asks for one, and "show my bookings" '
    "lists what is booked."
)
_OF_THE_ASSISTANT: tuple[tuple[Phrases, str], ...] = (
    (
        phrases(
            "are you a bot",
            "are you a robot",
            "are you human",
            "are you a human",
            "are you a person",
            "are you a real person",
            "are you real",
            "are you an ai",
            "are you ai",
            "are you a machine",
            "are you a chatbot",
            "are you chatgpt",
            "is this a bot",
            "am i talking to a bot",
            "am i talking to a human",
            "am i talking to a person",
            "a real person",
            "is this a person",
            "is this automated",
            "you a bot",
            "you human",
            "is this ai",
            "is this an ai",
        ),
        "Yes, I am a program, and no person reads along. I find flights, hotels and rental cars.",
    ),
    (
        phrases(
            "talk to a human",
            "speak to a human",
            "talk to a person",
            "speak to a person",
            "human agent",
            "talk to someone",
            "speak to someone",
            "speak with a human",
            "talk with a human",
            "customer service",
            "an operator",
            "real agent",
        ),
        "There is no person here to talk to: I am a program that finds flights, hotels and rental cars.",
    ),
    (
        phrases(
            "my data",
            "my privacy",
            "privacy",
            "what do you store",
            "what do you save",
            "gdpr",
            "what do you know about me",
            "do you store",
            "is it secure",
            "is this secure",
        ),
        "What you tell me is stored on this server, so that the conversation survives a restart, and is "
        "deleted with your user. I ask for no card and no passport.",
    ),
    (
        phrases(
            "pay by card",
            "pay with card",
            "pay by credit card",
            "pay with credit card",
            "pay with a card",
            "pay with paypal",
            "pay by paypal",
            "pay with my card",
            "credit card",
            "payment methods",
            "how do i pay",
            "how can i pay",
            "where do i pay",
            "accept cards",
            "accept paypal",
            "pay cash",
            "pay in cash",
            "pay later",
            "pay in instalments",
            "pay in installments",
        ),
        "You need no card: it is a demo, and nothing is really paid. What you allow is booked at once.",
    ),
    (
        phrases(
            "my name is", "my name's", "the name is", "passenger name", "passenger names", "passport number"
        ),
        "I need no names and no passports: what you allow is booked without them.",
    ),
    (
        phrases(
            "receipt",
            "receipts",
            "invoice",
            "confirmation email",
            "confirmation mail",
            "confirmation by email",
            "email me",
            "send me an email",
            "mail me",
            "email confirmation",
            "text me",
            "boarding pass",
            "boarding passes",
        ),
        "I send no mails, receipts or boarding passes: it is a demo, and nothing is really bought. "
        '"Show my bookings" lists what is booked, with its number and price.',
    ),
    (
        phrases(
            "do you speak",
            "do you understand german",
            "do you understand french",
            "do you understand spanish",
            "which languages",
            "what languages",
            "other languages",
            "speak german",
            "speak french",
            "speak spanish",
            "speak italian",
        ),
        "I read English only; a stop is understood in many languages.",
    ),
    (
        phrases(
            "help",
            "who are you",
            "what are you",
            "what can you do",
            "what can you actually do",
            "what can you really do",
            "what do you do",
            "what else can you do",
            "how does this work",
            "how do you work",
            "what is this",
            "how does it work",
            "what are you able to do",
            "what's your name",
            "what is your name",
            "your name",
            "who made you",
            "what can i ask",
            "what can i do here",
            "how do i use",
            "what are you good for",
            "can you do anything",
            "so what can you do",
        ),
        _WHAT_I_DO,
    ),
)
_AT_ANY_LENGTH: tuple[tuple[Phrases, str], ...] = (
    (
        phrases("book", "booking", "bookings", "reserve", "reservation", "reservations", "buy", "pay"),
        'To book one of the offers that I have found, name it, for example "book the cheapest flight"; '
        '"show my bookings" lists what is booked. It is a demo: nothing is really bought.',
    ),
)
HELLO = "Hello. I look for flights, hotels and rental cars; tell me what you need, or what should change."
ALL_RIGHT = "All right."
NOTHING_TO_UNDO = "There is no earlier request to go back to."
_IN_FEW_WORDS: tuple[tuple[Phrases, str], ...] = (
    (
        phrases("go on", "continue", "resume", "keep going"),
        "There is nothing to go on with yet: please tell me what to look for.",
    ),
    (_SAID.thanks, YOU_ARE_WELCOME),
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
        HELLO,
    ),
)

_FEW = 8
"""Tokens up to which a message is taken to be no more than the courtesy in it."""


def small_talk(message: str, offered: Collection[Agent] = tuple(SLOTS)) -> str:
    """Return the reply to a message that asks for no search; never empty. `offered` are our agents."""
    text = Text(message)
    if undoes(text) or redoes(text):
        return NOTHING_TO_UNDO
    if asks_about_what_is_found(text):
        return _IN_THE_LIST
    for said, reply in _OF_THE_ASSISTANT:
        if text.has(said):
            return reply
    services = services_in(text, offered)
    if services:
        return " ".join([*dict.fromkeys(service.reply for service in services), what_we_do(offered)])
    if text.has(_SAID.asks_whether) and services_in(text, ()):
        return f"{what_we_do(offered)} Tell me where, and for which days."
    if decision_in(message) == "allow" and not text.vocabulary.isdisjoint(_WORDS.goes_ahead):
        return NOTHING_TO_ALLOW
    if decision_in(message) == "deny":
        return ALL_RIGHT
    known = _AT_ANY_LENGTH + (_IN_FEW_WORDS if text.length <= _FEW else ())
    is_agreed = text.length <= _FEW and text.has(_SAID.agrees) and text.vocabulary.isdisjoint(_WORDS.wishes)
    otherwise = ALL_RIGHT if is_agreed else NOT_UNDERSTOOD
    return next((reply for said, reply in known if text.has(said)), otherwise)
