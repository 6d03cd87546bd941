"""Places that are not wanted: "not Prague", "no Rome or Vienna", "change Berlin to Munich"."""

from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .finder import PlaceMention

_SAID = phrases_of("places")
_WORDS = words_of("places")


def unwanted_of(text: Text, mentions: list[PlaceMention]) -> tuple[PlaceMention, ...]:
    """Return the mentions that are spoken against, and how such a list goes on: "not Prague or Vienna"."""
    found: list[PlaceMention] = []
    for at, mention in enumerate(mentions):
        if is_not_wanted(text, mention) or (
            found and found[-1] == mentions[at - 1] and goes_on(text, mentions, at)
        ):
            found.append(mention)
    return tuple(found)


def goes_on(text: Text, mentions: list[PlaceMention], at: int) -> bool:
    """Return whether a place goes on with the list of the one before, which has "or" before its last one."""
    before, one = mentions[at - 1], mentions[at]
    if is_changed(text, before):
        return False
    between = [text.norm(index) for index in range(before.after, one.first)]
    if between[-1:] and between[-1] in _WORDS.small_before_a_place:
        between.pop()
    if between in (["or"], ["nor"], [",", "or"], [",", "nor"]):
        return True
    return between == [","] and at + 1 < len(mentions) and goes_on(text, mentions, at + 1)


def is_not_wanted(text: Text, mention: PlaceMention) -> bool:
    """Return whether "not" or "instead of" stands before a place; "why not Paris" proposes it."""
    at = mention.first
    if is_changed(text, mention):
        return True
    while text.norm(at - 1) in _WORDS.small_before_a_place:
        at -= 1
    if text.norm(at - 1) in _WORDS.one_of_several:  # "not the one in Rome"
        at -= 1 + (text.norm(at - 2) == "the")
    if text.norm(at - 2) in ("why", "if"):
        return False
    is_answer = text.match(_SAID.opposes, mention.after) > 0 or text.norm(mention.after) in _WORDS.is_word
    if text.norm(at - 1) == "no" and (text.norm(at - 2) == "no" or is_answer):
        return False  # "no no Helsingborg", "no Helsingborg not Helsinki", "no Lisbon is fine"
    return any(text.match(_SAID.not_there, at - length) == length for length in (1, 2, 3))


def is_changed(text: Text, mention: PlaceMention) -> bool:
    """Return whether another place is to stand for this one: "change Berlin to Munich"."""
    verb = text.norm(mention.first - 1)
    what = mention.first - 2 - (text.norm(mention.first - 2) in _WORDS.changed)
    is_of_it = (
        verb == "from"
        and text.norm(mention.first - 2) in _WORDS.changed
        and text.norm(what) in _WORDS.changes
    )
    return (verb in _WORDS.changes or is_of_it) and text.norm(mention.after) in _WORDS.into
