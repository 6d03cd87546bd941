"""What is agreed to, declined or liked, and how a message decides what the user is asked to allow.

What is merely put forward may be agreed to in passing. A booking, a hold or a cancellation is done once and
for all: to allow it takes a message that says nothing else. Whoever says more wants something else, asks,
sets a condition, or tells what others said. To deny takes less, since a no that was not meant can be made
good: a reason may follow it.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from ..language.sentences import clauses
from ..language.tables import phrases_of, rows_of, words_of
from ..language.text import Phrases, Text, phrases

_SAID = phrases_of("decisions")
_WORDS = words_of("decisions")

Assent = Literal["yes", "no", ""]
Decision = Literal["allow", "deny"]
Deed = Literal["book_flight", "book_hotel", "book_car", "hold", "cancel"]

_LIKING = _WORDS.seems | _SAID.taken.begin
_CUES = _WORDS.seems | _SAID.taken.cues
_OPENERS_AT_MOST = 4
_WORDS_BEFORE = 4
_DECISION_AT_MOST = 14
"""Tokens up to which a message can be a decision and nothing else, or ask for time."""

_SENTENCE_END = re.compile(r"[.!;]\s")
_MANNERS = re.compile(r"(?:(?:oh|well|all|everything) )*(?:fine|good|great) (?:thanks|thank you|thx|ty)")
"""The answer to "how are you?", and as well a "no": "fine, thanks"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deed:
    """What allows it, and what says behind a yes that of several this one is not to be done."""

    deed: Deed
    allows: Phrases
    no_to: Phrases = field(default_factory=phrases)


_DEEDS = {row.deed: row for row in rows_of("decisions", "deeds", _Deed)}


def find_praise(text: Text, first: int = 0, after: int | None = None) -> int:
    """Return where something is liked, from `first` up to `after`: "sounds really good"; -1 if nothing is."""
    if text.vocabulary.isdisjoint(_CUES):
        return -1
    end = text.length if after is None else after
    begun = (at for at in text.each_of(_LIKING) if first <= at < end)
    return next((at for at in begun if text.match(_SAID.taken, at) or _is_good(text, at)), -1)


def _is_good(text: Text, at: int) -> bool:
    """Whether a verb of seeming stands there, with praise behind it."""
    if text.norm(at) not in _WORDS.seems or text.norm(at - 1) == "you":
        return False
    behind = text.past(_WORDS.adverbs, at + 1, at + 3)
    is_it = text.norm(behind) == "it" and text.norm(at) not in ("thats", "that's")
    return text.norm(behind) in _WORDS.good and not is_it


@lru_cache(maxsize=8)
def assent(text: Text) -> Assent:
    """Return whether the message agrees ("yes", "that works for me") or declines; "" if neither."""
    for at in range(min(_OPENERS_AT_MOST, text.length)):
        if text.match(_SAID.yes, at) and not (text.norm(at) == "good" and text.norm(at + 1) == "morning"):
            return "yes"
        if text.match(_SAID.no, at):
            return "no"
        if text.norm(at) not in _WORDS.openers:
            break
    praised = find_praise(text)
    if praised < 0 or text.said(praised - _WORDS_BEFORE, praised) & _WORDS.denied:
        return ""
    ends = (at for at in range(praised, text.length) if text.norm(at) in (".", "!", "?", ","))
    return "" if text.norm(next(ends, text.length)) == "?" else "yes"  # "do you know what is good there?"


def declines(text: Text) -> bool:
    """Return whether a message declines what was put to the user, and wants nothing instead."""
    if assent(text) != "no" and not text.has(_SAID.later):
        return False
    is_wish = any(_is_wish(text, first, after) for first, after in clauses(text))
    return not is_wish and "?" not in text.vocabulary


def _is_wish(text: Text, first: int, after: int) -> bool:
    """Whether a clause wants something, and neither denies that nor puts it off: "I'll book it later"."""
    said = text.said(first, after)
    is_put_off = text.norm(after - 1) in _WORDS.later_words
    return not said.isdisjoint(_WORDS.wants) and said.isdisjoint(_WORDS.denied) and not is_put_off


def decision_in(message: str, *, to: Deed = "book_flight") -> Decision | None:
    """Return how a message decides what the user is asked to allow, None if it does not decide it plainly.

    All that it says must allow `to` do that, or all deny it, but for a "please" and, with a no, its reason.
    To stop is no decision.
    """
    text = Text(message)
    if text.length > _DECISION_AT_MOST:
        return None
    asked = message.partition("?")
    if asked[1] and decision_in(asked[0], to=to) == "allow":  # repeats the question: "book it? no way"
        return "deny" if decision_in(asked[2], to=to) == "deny" else None
    if _MANNERS.fullmatch(" ".join(token.norm for token in text.tokens if token.is_word)):
        return None
    found: set[Decision] = set()
    decided_last, is_mere_ok = None, True
    is_said_of_it = is_praised = is_shrugged = False
    at = _behind_a_pause(text)
    while at < text.length:
        length, decision = _decided_at(text, at, to, "allow" in found)
        courtesy = text.match(_SAID.courtesy, at)
        if courtesy > length:  # "no objection, go ahead"
            length, decision = courtesy, None
            is_praised = is_praised or text.norm(at) in _WORDS.praise
        shrug = 0 if length else text.match(_SAID.shrugs, at)
        length, is_shrugged = length or shrug, shrug > 0 or (is_shrugged and decision != "allow")
        if decision:
            found.add(decision)
            decided_last = decision
            is_mere_ok = is_mere_ok and (decision == "deny" or text.norm(at) in _WORDS.fillers)
        # "go ahead and book it"
        length = length or int(text.norm(at) == "and" and text.match(_DEEDS[to].allows, at + 1) > 0)
        if not length and "deny" in found and to != "cancel":
            length = text.match(_SAID.cancels_too, at)  # "no, cancel that"; alone it stops
        if not length and "allow" not in found:
            length = text.match(_SAID.around_a_reason, at)
            is_said_of_it = is_said_of_it or (length > 0 and text.norm(at) not in _WORDS.before_a_yes)
        if not length:
            return None
        at += length
    # "the hotel is fine" allows nothing, nor does "ok..." ; "no, it's perfect" denies nothing.
    is_doubted = is_said_of_it or is_shrugged or ".." in message or "\u2026" in message
    if (is_doubted and found == {"allow"}) or (is_praised and found == {"deny"}):
        return None
    if len(found) > 1 and is_mere_ok and decided_last == "deny":
        return "deny"  # "ok, no thanks"
    return found.pop() if len(found) == 1 else None


def _decided_at(text: Text, at: int, to: Deed, is_allowed: bool) -> tuple[int, Decision | None]:
    """The length of what decides at that token, 0 without any, and how it decides."""
    other = max((text.match(no, at) for no in _no_to_others(to).values()), default=0) if is_allowed else 0
    if other:
        return other, None
    allows = text.match(_DEEDS[to].allows, at)
    denies = max(text.match(some, at) for some in (_SAID.denies, _SAID.denies_alone, _SAID.reasons))
    if to == "cancel":
        denies = max(denies, text.match(_SAID.keeps, at))
    if max(allows, denies):
        return (allows, "allow") if allows > denies else (denies, "deny")
    if is_allowed:
        cancels = text.match(_SAID.cancels, at) if to == "cancel" else 0
        return cancels or text.match(_SAID.after_a_yes, at), None
    return 0, None


def withdraws(message: str) -> bool:
    """Return whether a message only calls off what is asked about: "yes cancel"; "cancel it" alone stops."""
    text = Text(message)
    first = text.past(_WORDS.around_a_withdrawal, 0)
    after = first + text.match(_SAID.withdraws, first)
    return after > first and first > 0 and text.past(_WORDS.around_a_withdrawal, after) == text.length


def decision_without(message: str, *, to: Deed) -> Decision | None:
    """Return the decision behind what is done without: "without breakfast then, do it"; None if none is."""
    text = Text(message)
    at = text.find(_SAID.does_without)
    after = at + text.match(_SAID.does_without, at) if at >= 0 else 0
    is_led = at < 0 or text.said(0, at) <= _WORDS.around_a_withdrawal
    return decision_in(text.spelled(after, text.length).strip(" ,.;-"), to=to) if after and is_led else None


def _no_to_others(to: Deed) -> dict[Deed, Phrases]:
    """What declines each of the other bookings that may be asked for in turn."""
    is_in_turn = bool(_DEEDS[to].no_to)
    return {deed: row.no_to for deed, row in _DEEDS.items() if is_in_turn and deed != to and row.no_to}


def _behind_a_pause(text: Text) -> int:
    """The index behind a "wait" that only leads a no: "wait no"; 0 where it asks for time."""
    pause = text.match(_SAID.before_a_no, 0)
    after = pause + (pause > 0 and text.norm(pause) in (",", ".", "!"))
    return after if pause and text.match(_SAID.denies, after) else 0


def declined_beside(message: str, *, to: Deed) -> frozenset[Deed]:
    """Return what a decision declines of the rest that is to be asked for: "yes, but not the hotel"."""
    text = Text(message)
    return frozenset(deed for deed, no in _no_to_others(to).items() if text.has(no))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Condition:
    """Phrases for what a yes depends on, and a word by which a search knows it."""

    said: Phrases
    means: str


_CONDITIONS = rows_of("decisions", "depends_on", _Condition)


def condition_of(text: Text) -> str | None:
    """Return what a yes depends on, in words of a search: "breakfast included"; None of any other message.

    It is "" where it is told by what must not be so: "unless it leaves before 8".
    """
    begun = next((at for at in range(text.length) if text.match(_SAID.if_only, at)), -1)
    if text.has(_SAID.unless):
        return "" if begun < 0 and assent(text) == "yes" else None
    if text.has(_SAID.wants_another) or (begun < 0 and assent(text) != "yes"):
        return None
    first = max(begun, 0)
    row = next((row for row in _CONDITIONS if text.find(row.said, first) >= 0), None)
    return row.means if row else text.spelled(first, text.length)


def said_of_both(message: str) -> str:
    """Return the words by which a message is about two things, "" without any: "yes to both"."""
    text = Text(message)
    at = text.find(_SAID.of_both)
    return text.spelled(at, at + text.match(_SAID.of_both, at)) if at >= 0 else ""


def denies_in_passing(message: str) -> bool:
    """Return whether a message begins with a no, whatever its reason: "no, we are driving".

    Only for a message that asks for nothing: "no, on Friday" begins with a no, and is a change.
    """
    text = Text(message)
    first = text.past(_WORDS.decision_words_openers, 0)
    after = first + text.match(_SAID.denies, first)
    if after == first or text.norm(after) in _WORDS.no_denial or text.vocabulary & _WORDS.conditions:
        return False
    if not _is_a_no_of_its_own(text, first, after):
        return False
    is_open = text.has(_SAID.pauses) or text.find(_DEEDS["book_flight"].allows, after) >= 0
    return not is_open and text.vocabulary.isdisjoint(_WORDS.decision_words_wants)


def declines_first(message: str) -> bool:
    """Return whether a sentence that declines stands before others: "no, don't. Is there one on Friday?".

    "No. The 12th" only corrects.
    """
    first, *others = _SENTENCE_END.split(message, maxsplit=1)
    clauses = (clause for clause in first.split(",") if clause.strip(" ").count(" ") or "'" in clause)
    return any(others) and any(decision_in(clause) == "deny" for clause in clauses)


def _is_a_no_of_its_own(text: Text, first: int, after: int) -> bool:
    """Whether a no declines: "no, too late", unlike "no meat please", "don't forget", "no, all good"."""
    denied, behind = text.norm(first), text.norm(after)
    if denied == "no" and after == first + 1 and behind and behind not in _WORDS.opens_a_reason:
        return False
    if denied in ("dont", "do") and behind in _WORDS.dont_denies_not:
        return False
    is_bare = denied in _WORDS.bare_nos and after == first + 1
    is_settled = is_bare and text.has(_SAID.all_good) and not text.has(_SAID.reasons)
    nos = (at for at in range(after, text.length) if text.norm(at) == "no")
    is_none = any(text.norm(at + 1) in _WORDS.no_denial for at in nos)
    return not (is_settled or is_none or text.has(_SAID.said_before))


def turned_down(text: Text) -> str | None:
    """Return what a message says beside a no to the offer that is asked about; None without such a no.

    "Not that one, the second cheapest" says "the second cheapest".
    """
    at = next((at for at in text.where(_SAID.turns_down.begin) if _turns_down(text, at)), -1)
    if at < 0:
        return None
    after = at + text.match(_SAID.turns_down, at)
    said = (text.spelled(0, at), text.spelled(after, text.length))
    return " ".join(part for each in said if (part := each.strip(" ,.!;-")))


def _turns_down(text: Text, at: int) -> bool:
    """Whether it does there: unlike "not that early", "I don't like the day"."""
    length = text.match(_SAID.turns_down, at)
    return length > 0 and text.norm(at + length) in _WORDS.behind_a_no


def prefers_another(text: Text) -> bool:
    """Return whether a message turns an offer down, or wants another in its place, and does not only ask."""
    first = text.past(_WORDS.decision_words_openers, 0)
    is_not = text.norm(first) == "not" and text.norm(first + 1) not in _WORDS.nothing_refused
    is_other = is_not or text.has(_SAID.prefers)
    return turned_down(text) is not None or (is_other and "?" not in text.vocabulary)


def does_otherwise(message: str) -> bool:
    """Return whether a message begins with a no, and says what is done instead: "no, we drive"."""
    text = Text(message)
    first = text.past(_WORDS.decision_words_openers, 0)
    is_no = text.match(_SAID.denies, first) > 0 and text.norm(first) in _WORDS.bare_nos
    return is_no and text.has(_SAID.otherwise) and text.vocabulary.isdisjoint(_WORDS.still_wanted)


def pauses(message: str) -> bool:
    """Return whether a message asks for time: "wait", "hmm let me think", "not yet"."""
    text = Text(message)
    return text.length <= _DECISION_AT_MOST and text.has(_SAID.pauses)
