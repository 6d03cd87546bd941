"""Offers that are chosen by a word for them and nothing else: "ok, the first one please", "the 9:15 one".

None of this books anything: the answer tells that offer, and asks whether to book it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...found import FoundQuestion, Hours, Kind, Which
from ..bookings.offers import KIND_OF, ORDINALS
from ..language.numbers import NUMBER_WORDS
from ..language.tables import phrases_of, rows_of, words_of
from ..language.text import Phrases, Text
from .offers import KIND_OF_ORDER, ORDERS, most_at

_SAID = phrases_of("found")
_WORDS = words_of("found")


@dataclass(frozen=True, kw_only=True)
class _PartOfDay:
    phrases: Phrases
    hours: Hours


_PARTS_OF_DAY = rows_of("found", "parts_of_day", _PartOfDay)
_LONGEST = 18
_LONGEST_OF_FEW = 14
_LONGEST_NAME = 38
_KINDS: dict[str, Kind] = {**KIND_OF, **dict.fromkeys(("van", "minivan", "suv", "convertible"), "car")}
_KINDS_OF_SEVERAL: dict[str, Kind] = {"flights": "flight", "hotels": "hotel", "cars": "car"}
_NO_NAMES = _WORDS.not_a_name | _WORDS.no_names | ORDINALS.keys() | NUMBER_WORDS.keys()
_COUNTS = {word: number for word, number in NUMBER_WORDS.items() if 1 < number < 10}
_NOON = 12
_GAP = re.compile(
    r"(?:(?:ok|and|so|wait|hmm|oh),? )*(?:is )?the (?P<name>[\w'-]+(?: [\w'-]+){0,3}?)"
    r"(?: (?P<noun>one|flight|hotel))? (?:(?:is|costs|would be|will be) )?(?:only |just |about |like )*"
    r"[€$£]?\d+(?: ?(?:€|eur|euros?|usd|dollars|pounds))? (?:more|cheaper|less|extra|dearer)"
    r"(?: expensive| each)?(?:,? (?:right|then|correct))? ?[?.!]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """An offer that words tell, and the index after them."""

    which: Which
    after: int
    kind: Kind | None = None
    needs_head: bool = False


def find_choice(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return which offer a message chooses, as a question about it; None if it says anything else.

    `agents` are those whose offers there may be. With a question mark its facts are asked for.
    """
    if not agents or not 0 < text.length <= _LONGEST or text.vocabulary.isdisjoint(_WORDS.cues):
        return None
    is_asked = text.norm(text.length - 1) == "?"
    for begun, at in _beginnings(text):
        told = _offer_at(text, at)
        if told is None or _past(text, _SAID.choice_trails, told.after) != text.length - is_asked:
            continue
        which, kind = told.which, told.kind
        if which.by and not which.is_of_two and _WORDS.assents.isdisjoint(text.vocabulary):
            return None  # "the fastest" asks which that is
        if kind not in (None, *agents):
            return None
        books = any(text.match(_SAID.books, each) for each in range(begun, at))
        topic, wanted = "details" if is_asked else "chosen", "book" if books else ""
        return FoundQuestion(topic=topic, agent=kind, which=which, wanted=wanted)
    return None


def find_named_choice(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return the offer that is chosen by a name which only an offer has: "the Hopscotch one please"."""
    for _, at in _beginnings(text) if agents else ():
        heads = (head for head in range(at + 2, text.length) if text.norm(head) in _WORDS.heads)
        head = next((each for each in heads if _past(text, _SAID.choice_trails, each + 1) == text.length), 0)
        said = [text.norm(each) for each in range(at + 1, head)]
        name, kind = " ".join(said), _KINDS.get(text.norm(head))
        if text.norm(at) != "the" or not head or len(name) > _LONGEST_NAME or not _NO_NAMES.isdisjoint(said):
            continue
        if name[0].isalpha() and kind in (None, *agents):
            return FoundQuestion(topic="chosen", agent=kind, which=Which(name=name))
    return None


def find_first_few(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return the question for the first few of what was found in an order: "just the three cheapest"."""
    if not agents or not 0 < text.length <= _LONGEST_OF_FEW:
        return None
    at = _past(text, _SAID.few_openers, 0)
    count = _count_at(text, at)
    length, order = most_at(text, at + (count > 0))
    after = at + length + 1
    count = count or _count_at(text, after - 1)
    if not (order and length and count) or _past(text, _SAID.few_trails, after) < text.length:
        return None
    agent = _KINDS_OF_SEVERAL.get(text.norm(after)) or KIND_OF_ORDER.get(order.by)
    which = Which(numbers=tuple(range(1, count + 1)), by=order.by, descending=order.descending)
    return FoundQuestion(topic="details", agent=agent, which=which) if agent in (None, *agents) else None


def find_gap(text: Text) -> FoundQuestion | None:
    """Return the question whether one costs so much more or less than the others, None if there is none.

    "So the KLM one is 40 more?": the figure is the user's, and no price to search by.
    """
    said = _GAP.fullmatch(text.source.strip()) if text.has_figures else None
    if said is None:
        return None
    name = said["name"].strip()
    place = ORDINALS.get(name.lower())
    which = Which(numbers=(place,)) if place else Which(name=name)
    return FoundQuestion(topic="difference", which=which, agent=KIND_OF.get(said["noun"] or ""))


def wants_the_same_hotel(text: Text) -> bool:
    """Return whether it names the same hotel; not "the same hotel chain", nor "not the same hotel"."""
    at = text.find(_SAID.same)
    if at < 0 or not _WORDS.denies.isdisjoint({text.norm(at - 1), text.norm(at - 2)}):
        return False
    return text.norm(at + text.match(_SAID.same, at)) not in _WORDS.of_its_kind


def _past(text: Text, names: Phrases, at: int) -> int:
    """The index after all of the phrases that stand there one behind the other."""
    while length := text.match(names, at):
        at += length
    return at


def _count_at(text: Text, at: int) -> int:
    norm = text.norm(at)
    return int(norm) if norm.isdigit() and 1 < int(norm) < 10 else _COUNTS.get(norm, 0)


def _beginnings(text: Text) -> Iterator[tuple[int, int]]:
    """Where what is chosen may begin: behind "ok, so" and "I'll take", each index with that of the verb."""
    at = 0
    while True:
        verb = at + text.match(_SAID.choosers, at)
        for begun in {at, verb}:
            if length := text.match(_SAID.chooses, begun):
                yield at, begun + length + text.match(_SAID.chooses_to, begun + length)
        yield at, at
        if not (length := text.match(_SAID.choice_openers, at)):
            return
        at += length


def _offer_at(text: Text, at: int) -> _Told | None:
    """What the words tell there: "the cheaper one", "that flight at 9:15", "number 2", "2nd one"."""
    if text.norm(at) in _WORDS.articles:
        told = _modified_at(text, at + 1) or _Told(which=Which(), after=at + 1, needs_head=True)
        head = text.norm(told.after)
        if head not in _WORDS.heads:
            return None if told.needs_head else told
        kind, after = told.kind or _KINDS.get(head), told.after + 1
        if told.which == Which():
            clock = _clock_at(text, after + text.match(_SAID.leaving_at, after))
            return clock or (_Told(which=Which(), after=after, kind=kind) if text.norm(at) != "the" else None)
        return replace(told, after=after, kind=kind)
    if text.norm(at) in _WORDS.numbered_by:
        at += 1 + (text.norm(at + 1) == "#" != text.norm(at))
        said, kind = text[at].raw, KIND_OF.get(text.norm(at - 1))
        number = int(said) if said.isdecimal() else NUMBER_WORDS.get(text.norm(at), 0)
        return _Told(which=Which(numbers=(number,)), after=at + 1, kind=kind) if number else None
    told = _ordinal_at(text, at)
    head = text.norm(told.after) if told else ""
    if told is None or head not in _WORDS.short_heads:
        return None
    return replace(told, after=told.after + 1, kind=_KINDS.get(head))


def _modified_at(text: Text, at: int) -> _Told | None:
    """What a word before a noun tells: "the last one", "the cheaper flight", "the 9:15"."""
    if text.norm(at) in _WORDS.last:
        return _Told(which=Which(is_last=True), after=at + 1)
    if text.norm(at) == "other":
        return _Told(which=Which(is_other=True), after=at + 1)
    if length := text.match(_SAID.direct, at):
        return _Told(which=Which(is_nonstop=True), after=at + length, kind="flight")
    told = _ordinal_at(text, at) or _clock_at(text, at)
    if told is not None:
        return told
    for is_of_two in (True, False):
        some = ((text.match(order.more if is_of_two else order.most, at), order) for order in ORDERS)
        length, order = max(some, key=lambda row: row[0])
        if length:
            which = Which(by=order.by, descending=order.descending, is_of_two=is_of_two)
            return _Told(which=which, after=at + length, kind=KIND_OF_ORDER.get(order.by))
    length, part = max(((text.match(row.phrases, at), row) for row in _PARTS_OF_DAY), key=lambda row: row[0])
    if not length:
        return None  # "the morning" alone is a time of day
    return _Told(which=Which(hours=part.hours), after=at + length, kind="flight", needs_head=True)


def _ordinal_at(text: Text, at: int) -> _Told | None:
    """ "first", or "2nd", which without a noun is a day; "first class" is a cabin."""
    number, raw = ORDINALS.get(text.norm(at), 0), text[at].raw
    if number and text.norm(at + 1) != "class":
        return _Told(which=Which(numbers=(number,)), after=at + 1)
    number = int(raw) if raw.isdecimal() and text.norm(at + 1) in ("st", "nd", "rd", "th") else 0
    return _Told(which=Which(numbers=(number,)), after=at + 2, needs_head=True) if number else None


def _clock_at(text: Text, at: int) -> _Told | None:
    """The clock times that may be meant: without "am" or "pm" those of both halves of the day."""
    raw, after, minute = text[at].raw, at + 1, ""
    if not raw.isdecimal() or int(raw) > 2 * _NOON:
        return None
    if text.norm(after) in (":", ".", "h") and len(text.norm(after + 1)) == 2 and text[after + 1].is_number:
        minute, after = text.norm(after + 1), after + 2
    half = text.match(_SAID.halves, after)
    said = text.norm(after) if half else ""
    if not (minute or half):
        return None
    first = int(raw) % (2 * _NOON)
    hours = [first] if first >= _NOON else [first, first + _NOON]
    if said in ("am", "pm"):
        hours = [first % _NOON + (_NOON if said == "pm" else 0)]
    spans = tuple((f"{each:02}:{minute or '00'}", f"{each:02}:{minute or '59'}") for each in hours)
    return _Told(which=Which(hours=spans), after=after + half, kind="flight")
