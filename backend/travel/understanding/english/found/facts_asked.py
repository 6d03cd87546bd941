"""Which fact of the offers a message names, and of which agent such facts are."""

from dataclasses import replace

from ....values.offers import By
from ...found import RECOMMENDED, FoundQuestion, Kind, Topic
from ..language.tables import phrases_of, words_of
from ..language.text import Text, any_of
from . import topics, words
from .coverage import Coverage

_SAID = phrases_of("found")
_WORDS = words_of("found")

_OF_FLIGHTS = frozenset(
    {
        "layover", "stops", "duration", "arrival", "departure", "carrier", "aircraft", "cabin", "bags",
        "change",
    }
)  # fmt: skip
_OF_HOTELS = frozenset({"rating", "stars", "place", "score", "distance"})
_HAD_BY_SOME = frozenset({"stops", "bags", "refund", "change", "has"})
_HAD = (
    *(names for topic, names in topics.TOPICS if topic in _HAD_BY_SOME),
    *topics.AMENITIES.values(),
)
_ASKS_WHICH = frozenset({"which", "what", "whats", "whichs", "who", "whos"})
_OF_EITHER = frozenset({"refund", "price", "best"})
_ALL_AMENITIES = any_of(*topics.AMENITIES.values(), _SAID.unknown_of_hotels, _SAID.unknown_of_flights)


def take_topic(coverage: Coverage) -> Topic | None:
    """Return the topic of the first words for one, and account for them; None without any."""
    for topic, names in topics.TOPICS:
        if coverage.take(names):
            coverage.take_all(names)
            if topic == "total":  # "how much is it in total?"
                coverage.take_all(_SAID.prices)
            return topic
    return None


def take_amenity(coverage: Coverage) -> str:
    """Return what an offer is asked to have: an amenity, or else the words for it; "" if nothing."""
    if not coverage.text.has(_ALL_AMENITIES):
        return ""
    for name, names in topics.AMENITIES.items():
        if coverage.take(names):
            return name
    for names in (_SAID.unknown_of_hotels, _SAID.unknown_of_flights):
        at = coverage.find(names)
        if at >= 0:
            after = at + coverage.text.match(names, at)
            coverage.use(at, after)
            return coverage.text.spelled(at, after).lower()
    return ""


def take_amenities(coverage: Coverage) -> str:
    """Return all that an offer is asked to have, joined by "and": "gym and pool"; "" if nothing."""
    found: list[str] = []
    while (one := take_amenity(coverage)) and one not in found:
        found.append(one)
    return " and ".join(found)


def take_reference(coverage: Coverage) -> str:
    """Return from where a distance is asked for; "" for the centre."""
    at = coverage.find(_SAID.references)
    if at < 0:
        coverage.take_all(_SAID.centre)
        return ""
    after = at + coverage.text.match(_SAID.references, at)
    coverage.use(at, after)
    return coverage.text.spelled(at, after).lower()


def as_recommended(text: Text, question: FoundQuestion) -> FoundQuestion:
    """Return the question for the best offer as one for what we would take, where it asks for that."""
    is_best = question.topic in ("which", "price") and question.which.by == "best"
    if not is_best or not text.has(_SAID.recommends):
        return question
    return replace(question, topic="which", wanted=RECOMMENDED)


def first_of_some(text: Text, question: FoundQuestion) -> FoundQuestion:
    """Return the question for a fact of the first offer as one for the first that has it, if it is that.

    "What's the cheapest direct flight", "cheapest hotel with a pool?", unlike "is the cheapest one direct?".
    """
    if question.which.by is None or question.topic not in _HAD_BY_SOME:
        return question
    first = next((at for at in range(text.length) if text.norm(at) not in _WORDS.openers), 0)
    is_one = text.norm(first) in _ASKS_WHICH or text.match(
        words.ALL_PICKS, first + (text.norm(first) == "the")
    )
    at = text.find(words.ALL_PICKS)
    behind = at + text.match(words.ALL_PICKS, at)
    is_after = any(text.match(names, each) for each in range(behind, text.length) for names in _HAD)
    if not (is_one and is_after) or question.which.numbers:
        return question
    return replace(question, topic="which", wanted=question.wanted or question.topic)


def compared_by(text: Text) -> tuple[By, bool] | None:
    """Return the fact that offers are compared by, and whether the most of it is asked for: "closer"."""
    rows = [(text.match(row[2], at), row[:2]) for row in topics.COMPARED if (at := text.find(row[2])) >= 0]
    return max(rows, key=lambda row: row[0])[1] if rows else None


def agent_asked(text: Text, question: FoundQuestion) -> Kind | None:
    """Return whose offers are asked about, as far as the question tells."""
    flies = not _WORDS.flights.isdisjoint(text.vocabulary)
    stays = not _WORDS.hotels.isdisjoint(text.vocabulary)
    named: Kind | None = "flight" if flies and not stays else "hotel" if stays and not flies else None
    by = question.by or question.which.by
    if question.topic in ("state", "total"):
        return None
    if by == "size":
        return "car"
    is_of_some = question.topic == "which" and question.wanted not in ("", RECOMMENDED)
    for subject in (question.topic, question.wanted if is_of_some else by, question.wanted):
        if subject in _OF_FLIGHTS:
            return "flight"
        if subject in _OF_HOTELS:
            return "hotel"
        if subject in _OF_EITHER:
            return named
    if question.topic in ("has", "those_with") or is_of_some:
        is_of_flight = text.has(_SAID.unknown_of_flights)
        return named or ("flight" if is_of_flight else "hotel")
    return named
