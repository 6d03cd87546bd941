"""Whether a message asks about the offers that were found, or wants them in another order; and what it asks.

Every word of it must be accounted for: a word that no question has makes it a wish, which changes the search.
"""

from collections.abc import Collection
from dataclasses import replace
from decimal import Decimal

from ....values.offers import By
from ....values.travel import HOME_CURRENCY, Money
from ...found import FoundQuestion, Topic, Way, Which
from ..bookings.words import ORDINALS
from ..details.fact_words import CURRENCY_WORDS, SYMBOLS
from ..language.numbers import amount
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text, any_of
from . import topics, words
from .coverage import Coverage
from .facts_asked import (
    agent_asked,
    as_recommended,
    compared_by,
    first_of_some,
    take_amenity,
    take_reference,
    take_topic,
)
from .forms import begins_as_question, begins_with_what_is_asked, denies, proposes, tells_a_need
from .sorting import find_sorting
from .which import means_all, name_in, take_counts, take_numbers, take_pick, take_way

_SAID = phrases_of("found")
_WORDS = words_of("found")

_LONGEST = 26
_DENIES = frozenset({"no", "without", "zero"})
_FEW_DENIED = 4
_CONDITIONS = frozenset({"stops", "bags", "refund", "change", "has"})
"""What some of the offers have and others have not."""
_ASKED_IN_FULL = frozenset(
    {"stops", "cabin", "stars", "change", "departure", "arrival", "aircraft", "place", "dates", "duration"}
)
"""Topics of which a word or two are a wish, whatever sign follows them: "direct?"."""
_WISHED_BY_NAME = frozenset({"cabin", "stars", "dates"})
"""Topics that "what about ...?" proposes a value of."""
_UNNAMED = frozenset({"sort", "count", "under", "best_request", "state"})


_ALL_TOPICS = any_of(*(names for _, names in topics.TOPICS), *topics.AMENITIES.values())
_MAY_ASK = any_of(words.ALL_PICKS, dict(topics.TOPICS)["difference"])


def find_question(text: Text, places: Collection[str], agents: Collection[str]) -> FoundQuestion | None:
    """Return what a message asks about what was found, None if it does not ask about that alone.

    `places` are the folded words of the places of the request; `agents` are those whose offers there may be.
    """
    if not 0 < text.length <= _LONGEST:
        return None
    if _asks_for_state(text):
        return FoundQuestion(topic="state")
    if _asks_for_request(text):
        return FoundQuestion(topic="state", wanted="asked")
    if text.norm(0) in _DENIES and text.norm(1) != "," and text.length <= _FEW_DENIED:
        return None  # "no layovers" is a wish
    coverage = Coverage(text, places)
    coverage.take_all(_SAID.courtesy)
    if tells_a_need(coverage):
        return None
    question = (
        find_sorting(coverage)
        or _under(coverage)
        or _of_requests(coverage)
        or _of_all(coverage)
        or (_of_an_offer(coverage) if _may_be_asked(text) else None)
    )
    name = name_in(coverage) if question else None
    if question is None or name is None or name in CURRENCY_WORDS:  # "prices in dollars" names no hotel
        return None
    which = question.which
    if name:
        if question.topic in _UNNAMED or (which.numbers and question.topic != "difference"):
            return None
        which = replace(which, name=name, is_all=False)
    question = first_of_some(text, question)
    fact = compared_by(text) if question.topic == "difference" and len(which.numbers) > 1 else None
    if fact is not None:
        question = replace(question, by=fact[0], descending=fact[1])
    agent = agent_asked(text, question)
    if question.topic == "price" and agent is None and not name and _names_both(text):
        question = replace(question, topic="total")  # "flight plus hotel how much?"
    is_of_any = bool(agents) or (question.topic == "found" and not name)
    is_of_these = agent in agents or (agent is None and is_of_any) or question.topic == "best_request"
    return as_recommended(text, replace(question, which=which, agent=agent)) if is_of_these else None


def may_ask_for_another_search(text: Text) -> bool:
    """Return whether a message asks for a price or for the first in an order: "how much for 3 people?"."""
    return begins_as_question(text) and (text.has(_SAID.prices_asked) or text.has(words.ALL_PICKS))


def without_places_in_list(text: Text, question: FoundQuestion) -> str:
    """Return a message without the places in the list that a question names: "the 2nd" is no day then."""
    if not question.which.numbers:
        return text.source
    coverage = Coverage(text, ())
    take_counts(coverage)
    said = frozenset(coverage.used)
    take_numbers(coverage, days=False)
    letters = list(text.source)
    for at in coverage.used - said:
        letters[text[at].start : text[at].end] = " " * (text[at].end - text[at].start)
    return "".join(letters)


def _asks_for_state(text: Text) -> bool:
    """ "what are you doing?"."""
    return _says_just(text, _SAID.state)


def _asks_for_request(text: Text) -> bool:
    """ "what did I ask for so far?"."""
    return _says_just(text, words.ASKED_FOR)


def _names_both(text: Text) -> bool:
    return not (_WORDS.flights.isdisjoint(text.vocabulary) or _WORDS.hotels.isdisjoint(text.vocabulary))


def _says_just(text: Text, names: Phrases) -> bool:
    if not text.has(names):
        return False
    coverage = Coverage(text, ())
    coverage.take_all(_SAID.courtesy)
    return coverage.take(names) and not coverage.unread()


def _under(coverage: Coverage) -> FoundQuestion | None:
    """ "is there anything under 200?"."""
    text = coverage.text
    at = text.find(_SAID.below)
    if at > 0 and text.norm(at - 1) == "not":
        return None
    asked = text.find(_SAID.anything, 0, at) if at >= 0 else -1
    if asked < 0 or not (begins_as_question(text) or text.norm(text.length - 1) == "?"):
        return None
    first = at + text.match(_SAID.below, at)
    first += text.norm(first) in SYMBOLS
    read = amount(text, first) if text[first].is_number else None
    if read is None:
        return None
    value, after = read
    currency = _currency(text, first - 1) or _currency(text, after)
    after += _currency(text, after) is not None
    coverage.use(asked, asked + text.match(_SAID.anything, asked))
    coverage.use(at, after + text.match(_SAID.per, after))
    coverage.used |= {
        i for i in range(text.length) if text.norm(i) in ("anything", "something", "any", "one", "nothing")
    }
    is_total = text.norm(after) in ("in", "total")
    return FoundQuestion(
        topic="under",
        limit=Money(amount=Decimal(value), currency=currency or HOME_CURRENCY),
        wanted="total" if is_total else "",
    )


def _currency(text: Text, at: int) -> str | None:
    return SYMBOLS.get(text.norm(at)) or CURRENCY_WORDS.get(text.norm(at))


def _of_requests(coverage: Coverage) -> FoundQuestion | None:
    """ "which of the three was cheapest?", of several requests."""
    if not coverage.take(_SAID.of_requests):
        return None
    pick = take_pick(coverage)
    is_of_price = pick is None or pick[0] == "price"
    return FoundQuestion(topic="best_request", which=Which(by="price")) if is_of_price else None


def _of_all(coverage: Coverage) -> FoundQuestion | None:
    """ "how many did you find?", "what have you found so far?"."""
    text = coverage.text
    at = text.find(_SAID.how_many)
    if at >= 0:
        after = at + text.match(_SAID.how_many, at)
        if not any(_is_of_a_topic(text, behind) for behind in range(after, text.length)):
            coverage.use(at, after)
            return FoundQuestion(topic="count")
        return None
    if coverage.find(_SAID.searches) >= 0:
        return None
    if text.has(_SAID.found) and not any(
        text.match(names, i) for _, _, names in words.PICKS for i in range(text.length)
    ):
        coverage.take_all(_SAID.found)
        is_earlier = coverage.take(_SAID.earlier)
        return FoundQuestion(topic="found", wanted="earlier" if is_earlier else "")
    return None


def _is_of_a_topic(text: Text, at: int) -> bool:
    return text.match(_ALL_TOPICS, at) > 0


def _of_an_offer(coverage: Coverage) -> FoundQuestion | None:
    text = coverage.text
    pick = _pick(coverage)
    wanted = take_amenity(coverage)
    topic = "has" if wanted else take_topic(coverage)
    is_counted = take_counts(coverage)
    numbers = take_numbers(coverage)
    way = take_way(coverage)
    topic = topic or _topic_of_few_words(coverage, numbers, way)
    if topic in _WISHED_BY_NAME:
        if proposes(text) or (is_counted and text.has(_SAID.of_them)):  # "which ones have 4 stars?"
            return None
        # "How much is it in business class?" asks for a price.
        priced: Topic = "price" if text.has(_SAID.prices_asked) else topic
        topic = "which" if pick is not None else priced
        if topic == "price":
            coverage.take_all(_SAID.prices)
    if topic is None and pick is not None:
        # "Which is closest to the beach?" asks how far that is.
        is_elsewhere = pick[0] == "distance" and coverage.find(_SAID.references) >= 0
        topic = "distance" if is_elsewhere else "which"
    is_compared = topic == "difference" and len(numbers) > 1
    if topic is None or not (is_compared or _is_asked(text, topic)):
        return None
    if coverage.find(_SAID.searches) >= 0:
        return None
    is_meaning = not numbers and pick is None and text.has(_SAID.meanings)
    asks_for_some = topic != "has" and not numbers and text.has(_SAID.there_is)
    if is_meaning or (asks_for_some and pick is None and not text.has(_SAID.of_them)):
        return None
    is_denied = denies(text)
    if is_denied and pick is not None:  # "which is not the cheapest?"
        return None
    of_them = text.find(_SAID.of_them)
    if of_them >= 0 and topic in _CONDITIONS and not (pick or numbers or way) and not _is_of_a_fact(text):
        coverage.use(of_them, of_them + text.match(_SAID.of_them, of_them))
        which = Which(is_all=True)
        return FoundQuestion(topic="those_with", wanted=wanted or topic, which=which, is_denied=is_denied)
    if "with" in text.vocabulary and topic not in ("difference", "carrier"):
        return None
    if topic == "distance":
        wanted = take_reference(coverage)
    is_all = not numbers and pick is None and means_all(text)
    by, descending = pick or (None, False)
    which = Which(numbers=numbers, by=by, descending=descending, is_all=is_all)
    return FoundQuestion(topic=topic, which=which, wanted=wanted, way=way)


def _pick(coverage: Coverage) -> tuple[By, bool] | None:
    pick = take_pick(coverage)
    if pick is not None and pick in words.HOURS_OF_THE_DAY:
        coverage.take_all(words.HOURS_OF_THE_DAY[pick])
    return pick


def _topic_of_few_words(coverage: Coverage, numbers: tuple[int, ...], way: Way | None) -> Topic | None:
    """ "When is the way back?", "what about the second one?"."""
    text = coverage.text
    begins = {text.norm(0), text.norm(1)}
    if way is not None and not {"when", "whens"}.isdisjoint(begins):
        return "departure"
    is_of_offers = not text.vocabulary.isdisjoint({"one", "number", "hotel", "flight", "option", *ORDINALS})
    if numbers and is_of_offers and text.norm(0) in ("what", "how") and text.norm(1) == "about":
        coverage.use(0, 2)
        return "details"
    return None


def _is_of_a_fact(text: Text) -> bool:
    """Whether a number or a place is asked for, and not which offers are so: "how many stops", "where"."""
    words_there = text.vocabulary
    return bool(words_there & {"stops", "where", "wheres", "airline"}) or {"bags", "many"} <= words_there


def _may_be_asked(text: Text) -> bool:
    """Whether a message may ask about an offer, whatever its topic: most need not be looked through."""
    is_marked = text.norm(text.length - 1) == "?"
    return is_marked or begins_as_question(text) or begins_with_what_is_asked(text) or text.has(_MAY_ASK)


def _is_asked(text: Text, topic: Topic) -> bool:
    """Whether it is put as a question, and not as a wish: "is it direct?", unlike "direct?"."""
    # "Which hotels are without breakfast?" asks for some of those that are shown.
    asked_with = {"with", "without"} if text.has(_SAID.of_them) else {"with"}
    if not _WORDS.wishes.isdisjoint(text.vocabulary - asked_with):
        return False
    if begins_as_question(text):
        return True
    if text.norm(text.length - 1) == "?" and topic not in _ASKED_IN_FULL:
        return text.norm(0) not in _WORDS.wishes
    return topic == "which" or begins_with_what_is_asked(text)
