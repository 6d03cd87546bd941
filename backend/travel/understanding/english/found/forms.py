"""How a message is put: as a question, a proposal, or with a need in it; and whether it denies."""

from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .coverage import Coverage

_SAID = phrases_of("found")
_WORDS = words_of("found")

_NEEDS = frozenset({"need", "want"})


def begins_as_question(text: Text) -> bool:
    """Return whether a part of it begins with a word that asks: "the 2nd looks good, who flies it?"."""
    signs = (at for at in range(text.length) if text.norm(at) in (",", ".", "!", "-", ":", ";"))
    for start in (0, *(at + 1 for at in signs)):
        first = next((at for at in range(start, text.length) if text.norm(at) not in _WORDS.openers), start)
        is_led = text.norm(first) in ("at", "in", "for", "with", "from", "until", "till", "by")
        is_duty = (
            text.norm(first) in ("have", "has") and text.norm(first + 1) == "to"
        )  # "have to ask the boys"
        if text.norm(first + is_led) in _WORDS.asking and not is_duty:
            return True
    is_marked = text.norm(text.length - 1) == "?"
    return is_marked and not _WORDS.asking.isdisjoint(text.vocabulary)


def begins_with_what_is_asked(text: Text) -> bool:
    """Return whether it begins with what is asked for, and no word that asks: "the price?"."""
    said = (text.norm(at) for at in range(text.length))
    first = next((norm for norm in said if norm not in _WORDS.openers and norm != "the"), "")
    return first in _WORDS.plain_nouns


def denies(text: Text) -> bool:
    """Return whether a question is for what is not so: "which hotels do not have wifi", not "or not?"."""
    return any(
        text.norm(at) in _WORDS.denials
        and text.norm(at - 1) != "or"
        and text.norm(at + 1) not in ("too", "far", "so", "more", "later", ",")
        and any(text.norm(before) not in _WORDS.openers for before in range(at))
        for at in range(text.length)
    )


def proposes(text: Text) -> bool:
    """Return whether a message proposes something: "what about business class?", "can you do 5 stars?"."""
    first = next((at for at in range(text.length) if text.norm(at) not in _WORDS.openers), 0)
    return text.match(_SAID.proposals, first) > 0


def tells_a_need(coverage: Coverage) -> bool:
    """Return whether a clause tells a need: "does it include bags? I need two", not "do I need to"."""
    text = coverage.text
    if text.vocabulary.isdisjoint(_NEEDS):
        return False
    return any(
        text.norm(at) in ("i", "we")
        and text.norm(at + 1) in ("need", "want")
        and text.norm(at - 1) not in _WORDS.asking | _WORDS.lead_to_a_clause
        and at not in coverage.used
        for at in range(text.length)
    )
