"""Whether a message takes its leave: "that's all, thank you", "no thanks, have a nice day".

What else such a message says is courtesy: its "today" is no date of a journey. Whoever wants something in
the same breath says so in a sentence of its own.
"""

from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Text

_SAID = phrases_of("talk")
_WORDS = words_of("talk")


def is_closing(text: Text) -> bool:
    """Return whether the message ends the conversation, and asks for nothing beside."""
    at = text.find(_SAID.closing)
    if at >= 0 and text.norm(at + text.match(_SAID.closing, at)) in ("is", "to"):
        return False
    behind = at + text.match(_SAID.closing, at) if at >= 0 else -1
    if at >= 0 and text.norm(behind) == "with" and text.norm(behind + 1) not in _WORDS.of_the_conversation:
        return False  # "I'm done with Ryanair"
    return at >= 0 and not any(_is_request(text, first, after) for first, after in clauses(text))


def _is_request(text: Text, first: int, after: int) -> bool:
    """Whether a sentence asks for something, and is not itself the farewell."""
    if any(text.match(_SAID.closing, at) for at in range(first, after)):
        return False
    if text.norm(first) in _WORDS.imperatives:
        return True
    return any(text.match(_SAID.request, at) for at in range(first, after))
