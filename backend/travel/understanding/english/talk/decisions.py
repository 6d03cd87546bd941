"""How a message decides what the user is asked to allow: a booking, a hold, a cancellation.

To allow takes a message that says nothing else: whoever says more wants something else, asks, sets a
condition, or tells what others said. To deny takes less, since a no that was not meant can be made good, and
a booking cannot: a reason may follow it.
"""

from typing import Literal

from ..language.tables import phrases_of, words_of
from ..language.text import Text
from . import decision_words as words
from .decision_words import Deed

_SAID = phrases_of("decisions")
_WORDS = words_of("decisions")

Decision = Literal["allow", "deny"]


def decision_in(message: str, *, to: Deed = "book_flight") -> Decision | None:
    """Return how a message decides what the user is asked to allow, None if it does not decide it plainly.

    All that it says must allow `to` do that, or all deny it, but for a "please" and, with a no, its reason.
    To stop is no decision.
    """
    text = Text(message)
    if text.length > words.DECISION_AT_MOST:
        return None
    asked = message.partition("?")
    if asked[1] and decision_in(asked[0], to=to) == "allow":  # repeats the question: "book it? no way"
        return "deny" if decision_in(asked[2], to=to) == "deny" else None
    if words.MANNERS.fullmatch(" ".join(text.norm(at) for at in range(text.length) if text[at].is_word)):
        return None
    found: set[Decision] = set()
    decided_last, is_mere_ok = None, True
    is_said_of_it = is_praised = False
    at = _behind_a_pause(text)
    while at < text.length:
        length, decision = _decided_at(text, at, to, "allow" in found)
        courtesy = text.match(_SAID.courtesy, at)
        if courtesy > length:  # "no objection, go ahead"
            length, decision = courtesy, None
            is_praised = is_praised or text.norm(at) in _WORDS.praise
        if decision:
            found.add(decision)
            decided_last = decision
            is_mere_ok = is_mere_ok and (decision == "deny" or text.norm(at) in _WORDS.fillers)
        length = length or _joins(text, at, to)
        if not length and "deny" in found and to != "cancel":
            length = text.match(words.CANCELS_TOO, at)  # "no, cancel that"; alone it stops
        if not length and "allow" not in found:
            length = text.match(_SAID.around_a_reason, at)
            is_said_of_it = is_said_of_it or (length > 0 and text.norm(at) not in _WORDS.before_a_yes)
        if not length:
            return None
        at += length
    # "the hotel is fine" allows nothing, nor does "ok..." ; "no, it's perfect" denies nothing.
    is_doubted = is_said_of_it or ".." in message or "\u2026" in message
    if (is_doubted and found == {"allow"}) or (is_praised and found == {"deny"}):
        return None
    if len(found) > 1 and is_mere_ok and decided_last == "deny":
        return "deny"  # "ok, no thanks"
    return found.pop() if len(found) == 1 else None


def _decided_at(text: Text, at: int, to: Deed, is_allowed: bool) -> tuple[int, Decision | None]:
    """The length of what decides at that token, 0 without any, and how it decides."""
    others = [text.match(no, at) for deed, no in words.NO_TO.items() if deed != to and to in words.NO_TO]
    other = max(others, default=0) if is_allowed else 0
    if other:
        return other, None
    allows = text.match(words.ALLOWS[to], at)
    denies = max(text.match(some, at) for some in (words.DENIES, _SAID.denies_alone, _SAID.reasons))
    if to == "cancel":
        denies = max(denies, text.match(_SAID.keeps, at))
    if max(allows, denies):
        return (allows, "allow") if allows > denies else (denies, "deny")
    if is_allowed:
        cancels = text.match(words.CANCELS, at) if to == "cancel" else 0
        return cancels or text.match(_SAID.after_a_yes, at), None
    return 0, None


def _behind_a_pause(text: Text) -> int:
    """The index behind a "wait" that only leads a no: "wait no"; 0 where it asks for time."""
    pause = text.match(_SAID.before_a_no, 0)
    after = pause + (pause > 0 and text.norm(pause) in (",", ".", "!"))
    return after if pause and text.match(words.DENIES, after) else 0


def declined_beside(message: str, *, to: Deed) -> frozenset[Deed]:
    """Return what a decision declines of the rest that is to be asked for: "yes, but not the hotel"."""
    text, others = Text(message), words.NO_TO if to in words.NO_TO else {}
    return frozenset(deed for deed, no in others.items() if deed != to and text.has(no))


def _joins(text: Text, at: int, to: Deed) -> int:
    """The length of an "and" after which something is said to be done: "go ahead and book it"."""
    return int(text.norm(at) == "and" and text.match(words.ALLOWS[to], at + 1) > 0)


def denies_in_passing(message: str) -> bool:
    """Return whether a message begins with a no, whatever its reason: "no, we are driving".

    Only for a message that asks for nothing: "no, on Friday" begins with a no, and is a change.
    """
    text = Text(message)
    first = next((at for at in range(text.length) if text.norm(at) not in _WORDS.decision_words_openers), 0)
    length = text.match(words.DENIES, first)
    if (
        not length
        or text.norm(first + length) in _WORDS.no_denial
        or not text.vocabulary.isdisjoint(_WORDS.conditions)
    ):
        return False
    if not _is_a_no_of_its_own(text, first, first + length):
        return False
    is_open = text.has(_SAID.pauses) or text.find(words.ALLOWS["book_flight"], first + length) >= 0
    return not is_open and text.vocabulary.isdisjoint(_WORDS.decision_words_wants)


def _is_a_no_of_its_own(text: Text, first: int, after: int) -> bool:
    """Whether a no declines: "no, too late", unlike "no meat please", "don't forget", "no, all good"."""
    denied, behind = text.norm(first), text.norm(after)
    if denied == "no" and after == first + 1 and behind not in words.OPENS_A_REASON:
        return False
    if denied in ("dont", "do") and behind in _WORDS.dont_denies_not:
        return False
    is_bare = denied in _WORDS.bare_nos and after == first + 1
    is_settled = is_bare and text.has(_SAID.all_good) and not text.has(_SAID.reasons)
    is_none = any(
        text.norm(at) == "no" and text.norm(at + 1) in _WORDS.no_denial for at in range(after, text.length)
    )
    return not (is_settled or is_none or text.has(_SAID.said_before))


def does_otherwise(message: str) -> bool:
    """Return whether a message begins with a no, and says what is done instead: "no, we drive"."""
    text = Text(message)
    first = next((at for at in range(text.length) if text.norm(at) not in _WORDS.decision_words_openers), 0)
    is_no = text.match(words.DENIES, first) > 0 and text.norm(first) in _WORDS.bare_nos
    return is_no and text.has(_SAID.otherwise) and text.vocabulary.isdisjoint(_WORDS.still_wanted)


def pauses(message: str) -> bool:
    """Return whether a message asks for time: "wait", "hmm let me think", "not yet"."""
    text = Text(message)
    return text.length <= words.PAUSE_AT_MOST and text.has(_SAID.pauses)
