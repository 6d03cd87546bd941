"""Wishes for an offer beside the one that was spoken of: "too early", "anything cheaper?", "a later one".

They are asked of the offers at hand: those beyond that one, the next of them first.
"""

import re

from ....values.offers import By
from ...found import FoundQuestion, Kind, Which
from ..bookings.words import ORDINALS
from ..language.tables import words_of
from ..language.text import Phrases, Text, phrases
from .coverage import Coverage

_WORDS = words_of("found")

_STEPS: tuple[tuple[By, bool, Kind | None, Phrases], ...] = (
    (
        "departure", True, "flight",
        phrases("too early", "later", "a bit later", "that early", "so early", "to early", "way too early"),
    ),
    (
        "departure", False, "flight",
        phrases("too late", "earlier", "sooner", "a bit earlier", "that late", "so late", "to late"),
    ),
    (
        "price", False, None,
        phrases(
            "too expensive", "cheaper", "more cheap", "less expensive", "too dear", "too pricey", "too much",
            "very expensive", "so expensive", "pricey", "expensive", "lower price", "less pricey", "steep",
            "too costly", "more affordable", "cheeper", "out of my budget", "over my budget", "too high",
            "more economical", "a lot of money", "to expensive",
        ),
    ),
    (
        "duration", False, "flight",
        phrases("faster", "quicker", "shorter", "too long", "too slow", "very long", "so long", "to long"),
    ),
    (
        "distance", False, "hotel",
        phrases("closer", "nearer", "more central", "too far", "closer to the centre", "too far out",
                "too far away", "nearer to the centre", "closer to the center", "so far away"),
    ),
    (
        "size", True, "car",
        phrases("bigger", "larger", "roomier", "more spacious", "too small", "more space", "more room",
                "more seats"),
    ),
    ("size", False, "car", phrases("smaller", "too big", "too large", "more compact")),
    ("score", True, "hotel", phrases("better rated", "higher rated", "better reviews", "better rating",
                                     "a better score")),
)  # fmt: skip
_LONGEST = 16
_GAP = re.compile(
    r"(?:(?:ok|and|so|wait|hmm|oh),? )*(?:is )?the (?P<name>[\w'-]+(?: [\w'-]+){0,3}?)"
    r"(?: (?P<noun>one|flight|hotel))? (?:(?:is|costs|would be|will be) )?(?:only |just |about |like )*"
    r"[€$£]?\d+(?: ?(?:€|eur|euros?|usd|dollars|pounds))? (?:more|cheaper|less|extra|dearer)"
    r"(?: expensive| each)?(?:,? (?:right|then|correct))? ?[?.!]*",
    re.IGNORECASE,
)


def find_step(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return which of the offers at hand a message asks for beside the one spoken of, None if for none."""
    if not agents or not 0 < text.length <= _LONGEST or text.has_figures:
        return None
    if not (_WORDS.leaves_nothing - {"see"}).isdisjoint(text.vocabulary) or text.norm(0) == "see":
        return None
    coverage = Coverage(text, ())
    found = [row for row in _STEPS if text.has(row[3])]
    if len(found) != 1 or _is_not_meant(text, found[0][3]):
        return None
    by, descending, of, names = found[0]
    coverage.take_all(names)
    if any(text.norm(at) not in _WORDS.steps_beside for at in range(text.length) if at not in coverage.used):
        return None
    flies = not _WORDS.flights.isdisjoint(text.vocabulary)
    stays = not _WORDS.hotels.isdisjoint(text.vocabulary)
    named: Kind | None = "flight" if flies and not stays else "hotel" if stays and not flies else None
    agent = of or named
    if agent is not None and agent not in agents:
        return None
    return FoundQuestion(topic="step", by=by, descending=descending, agent=agent)


def is_about_those_shown(text: Text) -> bool:
    """Return whether such a message is about the offers shown: "too early", "any later flights"."""
    return not _WORDS.of_those_shown.isdisjoint(text.vocabulary)


def find_gap(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return the question whether one costs so much more or less than the others, None if there is none.

    "So the KLM one is 40 more?": the figure is the user's, and no price to search by.
    """
    said = _GAP.fullmatch(text.source.strip()) if agents else None
    if said is None:
        return None
    name = said["name"].strip()
    place = ORDINALS.get(name.lower())
    which = Which(numbers=(place,)) if place else Which(name=name)
    agent: Kind | None = (
        "hotel" if said["noun"] == "hotel" else "flight" if said["noun"] == "flight" else None
    )
    return FoundQuestion(topic="difference", which=which, agent=agent)


def _is_not_meant(text: Text, names: Phrases) -> bool:
    """Whether that is denied, compared or asked: "not too early", "later than 9", "why so dear?"."""
    at = text.find(names)
    after = at + text.match(names, at)
    is_asked = text.norm(text.length - 1) == "?"
    is_denied = text.norm(at - 1) in ("not", "isnt", "arent", "dont", "than")
    is_denied |= text.norm(at - 1) in ("no", "nothing") and not is_asked
    is_compared = text.norm(after) in ("than", "to")
    return is_denied or is_compared or (text.norm(0) in ("why", "is", "are") and text.norm(1) != "there")
