"""Questions about what has been found: "which one is the cheapest?", "what did you find so far?".

They want nothing searched, unlike "something cheaper" or "other options".
"""

from ..language.text import Text, phrases, word_set

_FOUND = phrases(
    "what did you find", "what have you found", "what did you get", "what have you got so far",
    "what do you have so far", "have you found", "did you find", "how many did you get",
    "how many have you got", "how many results", "where are the results", "found anything", "any results yet",
)  # fmt: skip
_UTMOST = word_set("cheapest best fastest shortest quickest priciest nearest")
_ASKING_WHICH = word_set("which what whats show tell first sort sorted order")
_BESIDE = word_set(
    """
    one ones is are the me of them these those flight flights hotel hotels by so far now and ok okay please
    can could you then list with on at top to option options result results a , . ! ?
    """
)
_LONGEST = 12


def asks_about_what_is_found(text: Text) -> bool:
    """Return whether a message asks about the results there are, and for nothing else."""
    if text.length > _LONGEST:
        return False
    if text.has(_FOUND):
        return True
    is_which = not (text.vocabulary.isdisjoint(_UTMOST) or text.vocabulary.isdisjoint(_ASKING_WHICH))
    return is_which and text.vocabulary <= _UTMOST | _ASKING_WHICH | _BESIDE
