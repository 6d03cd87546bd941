"""Whether a message takes its leave: "that's all, thank you", "no thanks, have a nice day".

What else such a message says is courtesy: its "today" is no date of a journey. Whoever wants something in
the same breath says so in a sentence of its own.
"""

from ..language.sentences import clauses
from ..language.text import Text, phrases, word_set

_CLOSING = phrases(
    "that's all", "thats all", "that is all", "that all i need", "that's about all", "that will be all",
    "that'll be all", "that would be all", "that was all", "that's it", "that is it",
    "that would be it", "that will be it", "this is all", "all i need", "all i needed", "all i wanted",
    "everything i need", "everything i needed", "everything i will need", "all for today",
    "all for now", "for now thanks", "all done", "nothing else", "i'm done", "i am done", "all set",
    "bye", "goodbye", "good bye", "bye bye", "good night", "have a great", "have a nice", "have a good",
    "have a wonderful", "have a lovely", "take care", "see you", "see ya", "cya", "for your help",
    "for you help", "for all your help", "for all of your help", "for the help", "for all the help",
    "for helping", "for your patience", "for the patience", "for being patient", "for your time",
    "for bearing with me", "for bearing with us", "of your help", "your assistance",
    "for everything", "been very helpful",
    "been helpful", "been quite helpful", "been so helpful", "been a great help", "been great",
    "been a big help", "help is appreciated", "that should do it", "that does it", "that's everything",
    "that is everything", "no thanks", "no thank you", "thanks anyway", "thank you anyway",
    "thanks anyways", "thank you anyways", "contact you later", "call you later", "call back later",
    "come back later", "try again later", "try later", "look elsewhere", "get back to you",
    "questions have been answered", "no further", "i'm good", "i am good", "cheers",
)  # fmt: skip
_REQUEST = phrases(
    "can you", "could you", "would you", "can i", "could i", "may i", "can we", "could we", "please",
    "i need", "we need", "i want", "we want", "i'd like", "i would like", "looking for", "let's",
    "tell me", "give me", "show me", "find me", "book me", "make it", "what about", "how about",
    "is there", "are there", "do you", "does", "also", "instead", "change", "what is", "what's",
    "where", "which", "i'll need", "i will need",
)  # fmt: skip
_IMPERATIVES = word_set("find search book reserve show check try change look get make")
_OF_THE_CONVERSATION = word_set("this that it these everything all you my the our searching booking planning")
"""What somebody is done with who takes their leave, unlike an airline."""


def is_closing(text: Text) -> bool:
    """Return whether the message ends the conversation, and asks for nothing beside."""
    at = text.find(_CLOSING)
    if at >= 0 and text.norm(at + text.match(_CLOSING, at)) in ("is", "to"):
        return False
    behind = at + text.match(_CLOSING, at) if at >= 0 else -1
    if at >= 0 and text.norm(behind) == "with" and text.norm(behind + 1) not in _OF_THE_CONVERSATION:
        return False  # "I'm done with Ryanair"
    return at >= 0 and not any(_is_request(text, first, after) for first, after in clauses(text))


def _is_request(text: Text, first: int, after: int) -> bool:
    """Whether a sentence asks for something, and is not itself the farewell."""
    if any(text.match(_CLOSING, at) for at in range(first, after)):
        return False
    if text.norm(first) in _IMPERATIVES:
        return True
    return any(text.match(_REQUEST, at) for at in range(first, after))
