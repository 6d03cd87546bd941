"""Words with which somebody leaves a request behind for another one: "now another trip", "from scratch"."""

from ..language.text import Text, phrases

_FRESH = phrases(
    "another trip", "a new trip", "a different trip", "new trip", "another journey", "another search",
    "new search", "new request", "new plan", "new idea", "complete change", "completely different",
    "totally different", "entirely different", "something else entirely", "something different",
    "different thing", "different plan", "different idea", "start over", "starting over", "start again",
    "start afresh", "from scratch", "forget all that", "forget all of that", "forget all this",
    "forget everything", "scrap all that", "scrap all of that", "scrap everything", "cancel all of it",
    "cancel all that", "cancel everything", "clean slate", "begin again", "unrelated",
)  # fmt: skip


def starts_afresh(text: Text) -> bool:
    """Return whether a message says that what it asks for has nothing to do with what was asked before."""
    return text.has(_FRESH)
