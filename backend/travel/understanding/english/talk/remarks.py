"""Messages that want nothing: a greeting, a bare yes or no, a word about oneself."""

from ..language.text import Text, phrases, word_set

_LIKES = word_set("love like hate enjoy adore loved liked hated")
_GREETING = phrases("hi", "hello", "hey", "hiya", "howdy", "good morning", "good evening", "good afternoon")
_YES_OR_NO = phrases(
    "yes", "yeah", "yep", "yup", "sure", "ok", "okay", "correct", "right", "exactly", "no", "nope",
    "sounds good", "that works", "that's fine", "perfect", "fine", "go ahead", "book it", "do it",
    "please do", "great",
)  # fmt: skip
_COURTESY = phrases(
    "thanks", "thank you", "thx", "cheers", "bye", "goodbye", "good bye", "hi", "hello", "hey",
    "good morning", "good evening", "good afternoon", "see you", "that's all", "that is all",
    "nothing else", "no thanks", "no thank you", "have a nice day", "have a good day", "appreciate it",
)  # fmt: skip
_SHORT = 8


def greets(text: Text) -> bool:
    """Return whether a message begins with a greeting."""
    return text.match(_GREETING, 0) > 0


def decides(text: Text) -> bool:
    """Return whether a message answers a yes-or-no question in few words: a courtesy is no answer."""
    return text.match(_YES_OR_NO, 0) > 0 and text.length <= _SHORT and not text.has(_COURTESY)


def tells_a_liking(text: Text) -> bool:
    """Return whether somebody tells what they like doing: "I love reading on planes"."""
    return text.norm(0) == "i" and text.norm(1) in _LIKES and text.norm(2).endswith("ing")
