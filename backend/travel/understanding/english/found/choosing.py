"""Offers that are chosen by a word for them and nothing else: "ok, the first one please", "the 9:15 one".

None of this books anything: the answer tells that offer, and asks whether to book it.
"""

import re

from ....values.offers import By
from ...found import FoundQuestion, Hours, Kind, Which
from ..bookings.words import KIND_OF, ORDINALS
from ..language.numbers import NUMBER_WORDS
from ..language.tables import words_of
from ..language.text import Text, word_set
from . import words

_WORDS = words_of("found")

_LONGEST = 18
_COMPARED: dict[str, tuple[By, bool]] = {
    "cheaper": ("price", False), "less expensive": ("price", False), "more expensive": ("price", True),
    "dearer": ("price", True), "pricier": ("price", True), "faster": ("duration", False),
    "quicker": ("duration", False), "shorter": ("duration", False), "slower": ("duration", True),
    "longer": ("duration", True), "earlier": ("departure", False), "later": ("departure", True),
    "closer": ("distance", False), "nearer": ("distance", False), "more central": ("distance", False),
    "better rated": ("score", True), "higher rated": ("score", True),
}  # fmt: skip
_PICKED: dict[str, tuple[By, bool]] = {
    " ".join(phrase): (by, descending)
    for by, descending, names in words.PICKS
    for some in names.values()
    for phrase in some
}
_PARTS_OF_DAY: dict[str, Hours] = {
    "early morning": (("04:00", "08:59"),), "morning": (("04:00", "11:59"),),
    "midday": (("11:00", "13:59"),), "noon": (("11:00", "13:59"),), "lunchtime": (("11:00", "13:59"),),
    "early afternoon": (("12:00", "14:59"),), "late afternoon": (("15:00", "18:29"),),
    "afternoon": (("12:00", "17:59"),), "early evening": (("17:00", "19:29"),),
    "late evening": (("20:30", "23:59"),), "evening": (("17:30", "23:59"),),
    "late night": (("21:00", "23:59"),),
    "night": (("20:00", "23:59"), ("00:00", "04:59")),
}  # fmt: skip


def _any_of(*said: str) -> str:
    return "|".join(re.escape(one) for one in sorted(said, key=len, reverse=True))


_HEADS = _any_of(
    "one", "flight", "hotel", "car", "option", "offer", "choice", "room", "place", "ticket", "deal", "hostel",
    "apartment", "suv", "convertible", "van", "minivan", "rental", "fare", "connection",
)  # fmt: skip
_CLOCK = (
    r"(?P<hour{0}>\d{{1,2}})(?: (?::|\.|h) (?P<minute{0}>\d{{2}}))?(?: (?P<half{0}>am|pm|o clock|oclock))?"
)
_ORDINAL = rf"(?P<ordinal>{_any_of(*ORDINALS)})(?! class)|(?P<place>\d{{1,2}}) (?:st|nd|rd|th)"
_NUMBER = (
    rf"(?:number|no|nr|num|option|hotel|flight|car|#)(?: #)? (?P<number>\d{{1,2}}|{_any_of(*NUMBER_WORDS)})"
)
_OPENERS = (
    r"(?:(?:ok|okay|oki|k|yes|yeah|yep|yup|ya|fine|great|good|perfect|cool|nice|lovely|alright"
    r"|all right|right|sure|well|hmm|hm|um|uh|oh|ah|so|then|and|no|nah|nope|actually|please|pls|thanks"
    r"|thank you|sorry|wait|i think|i guess|i suppose|maybe|just|lets say|in that case|awesome|excellent"
    r"|super|brilliant|but|thats|thats fine|that works|sounds good|looks good|got it|i see"
    r"|on second thought|on second thoughts|i changed my mind|never mind|[,.!;-]) )*"
)
_BOOKS = re.compile(r"\b(?:book|reserve|take|buy|go with|go for|going with|going for|ill have|well have)\b")
_VERBS = (
    r"(?P<verb>(?:i|we|ill|well|id|wed|lets|let us|i would|we would|i will|we will|im|were|can i|could i"
    r"|can we|could we|may i|may we|can you|could you|please)? ?"
    r"(?:(?:like|prefer|choose|pick|select|want|rather have|rather|have|get|take|book|reserve|go with|go for"
    r"|going with|going for|stick with|do|settle for|settle on|opt for|would like|would prefer|happy with"
    r"|fine with|like to (?:take|book|have|go with|get)|want to (?:take|book|have|go with|get)"
    r"|love|go ahead with|need|buy|think)(?: (?:have|take|book|get|me|us))? )|give (?:me|us) "
    r"|make it |my choice is |it is |its )?"
)
_TRAILS = (
    r"(?: (?:please|pls|plz|then|thanks|thank you|thx|now|instead|it is|for me|for us|i think|i guess|ok|okay"
    r"|(?:looks|sounds|seems|is|would be|works|will be) (?:really |very |so )?"
    r"(?:good|great|fine|nice|ok|okay|perfect|best|better|lovely|ideal|right)"
    r"|(?:works|will do|would do|suits (?:me|us)|does it|it is|is the one|would work)"
    r"|you (?:showed|found|listed|mentioned)(?: me| us)?|of (?:the two|these|those|them)|to me|to us"
    r"|on the list|in the list|from the list|i like|mate|after all|[,.!;-]))*"
)
_MODIFIERS = (
    rf"(?:(?P<last>last|final|bottom)|(?P<other>other)|(?P<compared>{_any_of(*_COMPARED)})"
    rf"|(?P<picked>{_any_of(*_PICKED)})|(?P<nonstop>direct|nonstop|non - stop|non stop)"
    rf"|(?P<part>{_any_of(*_PARTS_OF_DAY)})|{_ORDINAL}|{_CLOCK.format(1)})"
)
_CHOICE = re.compile(
    rf"{_OPENERS}{_VERBS}(?:"
    rf"(?P<article>the|that|this|my) (?:{_MODIFIERS} )?(?P<head>{_HEADS})"
    rf"(?: (?:at|leaving at|that leaves at|departing at|which leaves at) {_CLOCK.format(2)})?"
    rf"|(?P<bare>the) {_MODIFIERS.replace('(?P<', '(?P<b')}"
    rf"|{_NUMBER}"
    rf"|(?P<short>{_any_of(*ORDINALS)}|\d{{1,2}} (?:st|nd|rd|th)) (?:one|option|flight|hotel|car)"
    rf"){_TRAILS}"
)
_NAMED = re.compile(rf"{_OPENERS}{_VERBS}the (?P<name>[a-z][a-z0-9' -]{{1,38}}?) (?P<head>{_HEADS}){_TRAILS}")
_KINDS_OF_HEADS: dict[str, Kind] = {
    **KIND_OF, "van": "car", "minivan": "car", "suv": "car", "convertible": "car",
}  # fmt: skip
_NO_NAMES = word_set("and or with without for cheap good nice other") | ORDINALS.keys() | NUMBER_WORDS.keys()
_NOON = 12


def find_choice(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return which offer a message chooses, as a question about it; None if it says anything else.

    `agents` are those whose offers there may be. With a question mark its facts are asked for.
    """
    if not agents or not 0 < text.length <= _LONGEST or text.vocabulary.isdisjoint(_WORDS.cues):
        return None
    norms = [text.norm(at) for at in range(text.length)]
    is_asked = norms[-1] == "?"
    said = " ".join(norms[:-1] if is_asked else norms)
    found = _CHOICE.fullmatch(said)
    if found is None:
        return None
    which, kind = _which(found)
    if which is None or (is_asked and which == Which()):
        return None
    is_superlative = which.by is not None and not which.is_of_two
    is_last_flight = which.is_last and kind is not None
    if (is_superlative or is_last_flight) and _WORDS.assents.isdisjoint(norms):
        return None  # "the fastest" asks which that is
    if kind is not None and kind not in agents:
        return None
    wanted = "" if _BOOKS.search(found["verb"] or "") is None else "book"
    return FoundQuestion(topic="details" if is_asked else "chosen", agent=kind, which=which, wanted=wanted)


def _which(found: re.Match[str]) -> tuple[Which | None, Kind | None]:
    told = found.groupdict()

    def said(name: str) -> str:
        return told.get(name) or told.get(f"b{name}") or ""

    head = said("head")
    kind = _KINDS_OF_HEADS.get(head)
    place = told["ordinal"] or told["bordinal"] or (told["short"] or "")
    if said("place") and not head:
        return None, None  # "the 12th" is a day
    if place or said("place") or told["number"]:
        return _numbered(place or said("place") or told["number"] or ""), kind
    if said("last"):
        return Which(is_last=True), kind
    if said("other"):
        return Which(is_other=True), kind
    if said("compared"):
        by, descending = _COMPARED[said("compared")]
        return Which(by=by, descending=descending, is_of_two=True), _kind_of(by) or kind
    if said("picked"):
        by, descending = _PICKED[said("picked")]
        return Which(by=by, descending=descending), _kind_of(by) or kind
    if said("nonstop"):
        return Which(is_nonstop=True), "flight"
    if said("part"):
        if not head:
            return None, None  # "the morning" is a time of day
        return Which(hours=_PARTS_OF_DAY[said("part")]), "flight"
    clock = next((number for number in ("1", "2") if said(f"hour{number}")), "")
    if clock:
        hours = _hours(said(f"hour{clock}"), said(f"minute{clock}"), said(f"half{clock}"))
        return (Which(hours=hours) if hours else None), "flight"
    is_pointed_at = told["article"] in ("that", "this")
    return (Which() if is_pointed_at else None), kind


def find_named_choice(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return the offer that is chosen by a name which only an offer has: "the Hopscotch one please"."""
    if not agents or not 0 < text.length <= _LONGEST or "the" not in text.vocabulary:
        return None
    found = _NAMED.fullmatch(" ".join(text.norm(at) for at in range(text.length)))
    if found is None or any(word in _WORDS.not_a_name or word in _NO_NAMES for word in found["name"].split()):
        return None
    kind = _KINDS_OF_HEADS.get(found["head"])
    if kind is not None and kind not in agents:
        return None
    return FoundQuestion(topic="chosen", agent=kind, which=Which(name=found["name"]))


def _numbered(said: str) -> Which | None:
    first = said.split()[0]
    number = ORDINALS.get(first) or (int(first) if first.isdigit() else NUMBER_WORDS.get(first, 0))
    return Which(numbers=(number,)) if number else None


def _kind_of(by: By) -> Kind | None:
    if by in ("duration", "departure", "arrival", "layover", "stops"):
        return "flight"
    return "hotel" if by in ("distance", "score", "stars") else None


def _hours(hour: str, minute: str, half: str) -> Hours:
    """The clock times that may be meant: without "am" or "pm" those of both halves of the day."""
    if not (minute or half) or int(hour) > 24 or int(minute or 0) > 59:
        return ()
    first = int(hour) % 24
    if half in ("am", "pm"):
        hours = [first % _NOON + (_NOON if half == "pm" else 0)]
    else:
        hours = [first] if first >= _NOON or first == 0 else [first, first + _NOON]
    return tuple((f"{each:02}:{minute or '00'}", f"{each:02}:{minute or '59'}") for each in hours)
