"""The first few in an order: "just the three cheapest", "show me the two fastest flights"."""

import re

from ....values.offers import By
from ...found import FoundQuestion, Kind, Which
from ..language.numbers import NUMBER_WORDS
from ..language.text import Text

_ORDERS: dict[str, tuple[By, bool]] = {
    "cheapest": ("price", False), "least expensive": ("price", False), "lowest priced": ("price", False),
    "most expensive": ("price", True), "fastest": ("duration", False), "quickest": ("duration", False),
    "shortest": ("duration", False), "earliest": ("departure", False), "closest": ("distance", False),
    "best rated": ("score", True), "highest rated": ("score", True), "top rated": ("score", True),
}  # fmt: skip
_KINDS: dict[str, Kind] = {"flights": "flight", "hotels": "hotel", "cars": "car"}
_NUMBERS = {word: number for word, number in NUMBER_WORDS.items() if 1 < number < 10}
_COUNT = rf"(?P<count>[2-9]|{'|'.join(_NUMBERS)})"
_ORDER = rf"(?P<order>{'|'.join(_ORDERS)})"
_FEW = re.compile(
    r"(?:(?:ok|okay|and|so|please|just|only|can you|could you|show|list|name|give|tell|me|us|what are|whats"
    r"|what|which are|which|i want|id like|to see|see|are|top|first|your|,) )*"
    rf"(?:the )?(?:top |first )?(?:{_COUNT} {_ORDER}|{_ORDER.replace('order', 'order2')} "
    rf"{_COUNT.replace('count', 'count2')})"
    r"(?: (?P<kind>flights|hotels|cars|ones|options|offers))?"
    r"(?: (?:please|pls|thanks|then|only|now|you found|you have|are there|of them|\.|!|\?))*"
)
_LONGEST = 14


def find_first_few(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return the question for the first few of what was found in an order, None to all else."""
    if not agents or not 0 < text.length <= _LONGEST:
        return None
    said = _FEW.fullmatch(" ".join(text.norm(at) for at in range(text.length)))
    if said is None:
        return None
    counted = said["count"] or said["count2"]
    count = int(counted) if counted.isdigit() else _NUMBERS[counted]
    by, descending = _ORDERS[said["order"] or said["order2"]]
    of_by: Kind | None = (
        "flight" if by in ("duration", "departure") else "hotel" if by in ("distance", "score") else None
    )
    agent = _KINDS.get(said["kind"] or "") or of_by
    if agent is not None and agent not in agents:
        return None
    which = Which(numbers=tuple(range(1, count + 1)), by=by, descending=descending)
    return FoundQuestion(topic="details", agent=agent, which=which)
