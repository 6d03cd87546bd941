"""Questions that are put together: of which offers, what fact, in what form, whatever their other words are.

`questions` accounts for each word; what it leaves is read here, by three parts that any question has:

- a form: it begins with a word that asks, or ends in a question mark, and asks for nothing to be done;
- a selector: the second, the cheapest, the direct one, the first flight; else the one spoken of, or all;
- a fact: an amenity, a comparison ("closer"), or a topic ("how far").

A part is enough where the form is clear. Days, hours, limits and whoever wants something found make a message
a wish: a word that is not known asks for no search, but one that narrows a search is never passed over.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from ...found import RECOMMENDED, WHY, FoundQuestion, Kind, Topic, Which
from ..details.airlines import AIRLINES
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text, any_of, phrases
from ..talk.questions import question_beside
from . import topics
from .coverage import Coverage
from .facts_asked import agent_asked, compared_by, first_of_some, take_amenities, take_reference, take_topic
from .forms import begins_as_question, proposes, tells_a_need
from .untold import names_a_day
from .which import means_all, take_counts, take_numbers, take_pick, take_way

_SAID = phrases_of("found")
_WORDS = words_of("found")

_LONGEST = 24
_FEW = 7
_MOST_WORDS_OF_A_THING = 3

_ALL_COMPARED = any_of(*(names for _, _, names in topics.COMPARED))
_NONSTOP = phrases(
    *(
        f"{direct} {one}"
        for direct in ("direct", "nonstop", "non stop", "non - stop")
        for one in ("one", "flight", "option", "connection", "flights", "ones")
    ),
    "the direct", "the nonstop",
)  # fmt: skip
_MORE_TOPICS: tuple[tuple[Topic, Phrases], ...] = (
    ("carrier", phrases("flight number", "flight numbers", "flight no", "flight code", "flying with",
                        "who flies", "which airlines", "what airlines")),
    ("details", phrases("tell me something", "something about", "know about", "tell me about", "like about",
                        "special about", "good about", "look like", "say about", "anything about")),
    ("place", phrases("where exactly", "where abouts", "whereabouts", "where precisely", "where in",
                      "exact location")),
    ("layover", phrases("we wait", "i wait", "waiting", "between flights", "between the flights",
                        "the connection", "my connection", "our connection", "the layover")),
    ("duration", phrases("how long", "how many hours", "hours long")),
    ("rating", phrases("any good", "good one", "good hotel", "worth it", "guests like")),
)  # fmt: skip
_BRIEF_WISHES = frozenset(
    {"stops", "cabin", "stars", "change", "departure", "arrival", "aircraft", "place", "dates", "duration"}
)
"""Topics of which a word or two are a wish, whatever sign follows them: "direct?"."""
_AIRLINES = phrases(*AIRLINES)
_CONDITIONS = frozenset({"bags", "refund", "change", "stops"})


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a message says of the three parts, and the words that are left."""

    coverage: Coverage
    which: Which
    is_selected: bool
    amenities: str


def find_composed(text: Text, places: Collection[str], agents: Collection[str]) -> FoundQuestion | None:
    """Return what a message asks by its form, selector and fact; None where it asks for a search, or nothing.

    `places` are folded words of the request's places; `agents` are those whose offers there may be. That it
    changes no request is for the caller to see.
    """
    if not agents or not 0 < text.length <= _LONGEST or _narrows(text):
        return None
    if question_beside(text):  # "with breakfast, is that possible?" is a wish
        return None
    question = (
        _of_the_day(text)
        or _left_to_us(text)
        or (_composed(text, places) if _is_put_as_question(text) else None)
    )
    if question is None:
        return None
    question = first_of_some(text, question)
    agent = question.agent or ("car" if _is_of_cars(text) else agent_asked(text, question))
    question = replace(question, agent=agent)
    return question if question.agent in (None, *agents) else None


def _is_of_cars(text: Text) -> bool:
    others = (_WORDS.flights | _WORDS.hotels) - {"place", "room"}
    return not _WORDS.composed_cars.isdisjoint(text.vocabulary) and others.isdisjoint(text.vocabulary)


def _narrows(text: Text) -> bool:
    """Whether it names a day, or a figure that is no place in the list and counts neither bags nor people."""
    if names_a_day(text) and not text.has_figures:
        return True
    coverage = Coverage(text, ())
    take_numbers(coverage, days=False)
    take_counts(coverage)
    figures = [at for at in range(text.length) if text[at].is_number and at not in coverage.used]
    return any(text.norm(at + 1) not in ("bag", "bags", "suitcase", "suitcases", "cases") for at in figures)


def _is_put_as_question(text: Text) -> bool:
    """Whether it asks for a fact, and not that something is done or proposed."""
    is_marked = text.norm(text.length - 1) == "?" and text.length <= _FEW
    if not (_begins_to_ask(text) or is_marked):
        return False
    if (
        text.norm(_first(text)) in _WORDS.propose
        or proposes(text)
        or tells_a_need(Coverage(text, ()))
        or text.find(_SAID.searches) >= 0
    ):
        return False
    if not _WORDS.composed_wishes.isdisjoint(text.vocabulary) and not (
        text.has(_ALL_COMPARED) or text.has(_SAID.how_much_more)
    ):
        return False
    return not _asks_for_a_deed(text)


def _begins_to_ask(text: Text) -> bool:
    first = _first(text)
    is_told = text.norm(first) == "were" and len(text[first].raw) > len("were")  # "we're bringing our dog"
    asks = (
        text.norm(first) in _WORDS.composed_asking
        or begins_as_question(text)
        or text.has(_SAID.asks_at_its_end)
    )
    return asks and not is_told


def _asks_for_a_deed(text: Text) -> bool:
    """Whether somebody is to do something: "can you find", "could we get", "please show"."""
    for at in range(text.length):
        if (
            text.norm(at) not in _WORDS.deeds
            or text.match(_SAID.facts_told, at)
            or text.match(_SAID.facts_told, at - 2)
        ):
            continue
        is_asked = text.norm(at - 1) in _WORDS.by_whom and text.norm(at - 2) in _WORDS.able
        is_begun = at == _first(text) and text.norm(at) != "do"  # "do they have ..." asks
        if is_asked or is_begun or text.norm(at - 1) in ("please", "pls"):
            return True
    return False


def _left_to_us(text: Text) -> FoundQuestion | None:
    """ "any tips which one to take", "what would you do"."""
    if (
        not text.has(_SAID.recommends)
        or text.vocabulary.isdisjoint(_WORDS.whichever)
        or not _WORDS.composed_wishes.isdisjoint(text.vocabulary)
    ):
        return None
    return FoundQuestion(topic="which", which=Which(by="best"), wanted=RECOMMENDED)


def _of_the_day(text: Text) -> FoundQuestion | None:
    """ "first flight out", "the last flight home?": the first or the last to leave."""
    is_last = text.has(_SAID.last_of_the_day)
    if not (is_last or text.has(_SAID.first_of_the_day)) or not text.vocabulary <= _WORDS.few_of_a_day:
        return None
    way = take_way(Coverage(text, ()))
    if way is None and not is_last:
        return None
    which = Which(by="departure", descending=is_last)
    return FoundQuestion(topic="which", agent="flight", which=which, way=way)


def _composed(text: Text, places: Collection[str]) -> FoundQuestion | None:
    coverage = Coverage(text, places)
    coverage.take_all(_SAID.courtesy)
    if text.has(_SAID.rides) and not text.vocabulary.isdisjoint(_WORDS.measures):
        return FoundQuestion(topic="untold", wanted="the way between airport and hotel")
    if text.match(_SAID.why, _first(text)):
        return _asked_why(coverage)
    compared = _compared(coverage)
    if compared is not None:
        return compared
    if text.has(_ALL_COMPARED):
        return None  # "which is cheaper on Sunday" compares nothing that was found
    parts = _parts(coverage)
    if not (parts.is_selected or text.vocabulary.isdisjoint(_WORDS.hours)):
        return None  # "which ones leave in the morning?" narrows
    if text.has(_SAID.cancels) and text.has(_SAID.until):
        return FoundQuestion(topic="refund", which=parts.which)
    if parts.amenities and "any" in text.vocabulary:
        return None  # "do any of them have free parking?" looks for one
    if parts.amenities:
        return _of_amenities(text, parts)
    if text.has(_SAID.lands_at_home) and text.norm(_first(text)) in _WORDS.asks_when:
        return FoundQuestion(topic="arrival", which=parts.which, way="back")
    topic = _topic(coverage)
    if topic in (None, "price") and (thing := _thing_to_have(parts)):
        return FoundQuestion(topic="has", which=parts.which, wanted=thing)
    if topic is None:
        return (
            _of_the_way(text, parts)
            or _of_its_airline(text, parts)
            or _of_its_people(text, parts)
            or _of_a_selector(parts)
        )
    is_curt = not (_begins_to_ask(text) or parts.is_selected)
    return None if is_curt and topic in _BRIEF_WISHES else _of_a_topic(text, topic, parts)


def _asked_why(coverage: Coverage) -> FoundQuestion | None:
    """ "why is it so expensive", "y is the 1st one so long"."""
    said = coverage.text.vocabulary
    if not said.isdisjoint(_WORDS.priced_why):
        return FoundQuestion(topic="untold", wanted="why they cost what they do")
    is_long = not said.isdisjoint(_WORDS.long)
    return FoundQuestion(topic="duration", which=_parts(coverage).which, wanted=WHY) if is_long else None


def _thing_to_have(parts: _Parts) -> str:
    """Return what an offer is asked to have that is no amenity: "does it have a trouser press"; or ""."""
    text, unread = parts.coverage.text, parts.coverage.unread()
    has = next((at for at in range(text.length) if text.norm(at) in _WORDS.having), -1)
    behind = [at for at in unread if at > has]
    is_ours = not text.vocabulary.isdisjoint(_WORDS.of_us)
    if has < 0 or is_ours or behind != unread or not 0 < len(behind) <= _MOST_WORDS_OF_A_THING:
        return ""
    return text.spelled(behind[0], behind[-1] + 1).lower()


def _first(text: Text) -> int:
    return next((at for at in range(text.length) if text.norm(at) not in _WORDS.openers), 0)


def _compared(coverage: Coverage) -> FoundQuestion | None:
    """ "which is closer, the first or the second", "how much more is the direct one"."""
    text = coverage.text
    asks_how_much = text.has(_SAID.how_much_more)
    fact = compared_by(text)
    if fact is None and not asks_how_much:
        return None
    by, descending = fact or ("price", True)
    agent: Kind | None = None
    numbers = take_numbers(coverage)
    pick = take_pick(coverage) if not numbers else None
    if text.has(_NONSTOP):
        which, agent = Which(is_nonstop=True), "flight"
    elif numbers and (asks_how_much or len(numbers) > 1 or _is_of_the_offers(text)):
        which = Which(numbers=numbers)
    elif pick is not None and asks_how_much:
        which = Which(by=pick[0], descending=pick[1])
    else:
        return None
    return FoundQuestion(topic="difference", by=by, descending=descending, which=which, agent=agent)


def _is_of_the_offers(text: Text) -> bool:
    return text.norm(_first(text)) in ("is", "are", "does", "do", "which", "what", "how", "whats")


def _parts(coverage: Coverage) -> _Parts:
    text = coverage.text
    is_nonstop = coverage.take(_NONSTOP)
    pick = take_pick(coverage)
    amenities = take_amenities(coverage)
    take_counts(coverage)
    numbers = take_numbers(coverage)
    is_selected = bool(numbers or pick or is_nonstop)
    by, descending = pick or (None, False)
    is_all = not is_selected and (means_all(text) or not _WORDS.meant_all.isdisjoint(text.vocabulary))
    which = Which(numbers=numbers, by=by, descending=descending, is_all=is_all, is_nonstop=is_nonstop)
    return _Parts(coverage, which, is_selected, amenities)


def _of_amenities(text: Text, parts: _Parts) -> FoundQuestion:
    is_of_some = text.has(_SAID.plural) and not parts.is_selected
    which = Which(is_all=True) if is_of_some else parts.which
    return FoundQuestion(topic="those_with" if is_of_some else "has", which=which, wanted=parts.amenities)


def _topic(coverage: Coverage) -> Topic | None:
    for topic, names in _MORE_TOPICS:
        if coverage.take(names):
            return topic
    return take_topic(coverage)


def _of_a_selector(parts: _Parts) -> FoundQuestion | None:
    """ "whats the name of the cheapest hotel", "what do you know about the second"."""
    if not parts.is_selected or parts.which.is_nonstop:
        return None
    is_first = parts.which.by is not None
    return FoundQuestion(topic="which" if is_first else "details", which=parts.which)


def _of_the_way(text: Text, parts: _Parts) -> FoundQuestion | None:
    """ "and the return flight?"."""
    way = take_way(parts.coverage)
    is_of_hours = not _begins_to_ask(text) or text.has(_SAID.what_time)
    if way is None or parts.coverage.unread() or not is_of_hours:
        return None
    return FoundQuestion(topic="departure", which=parts.which, way=way)


def _of_its_airline(text: Text, parts: _Parts) -> FoundQuestion | None:
    """ "is it lufthansa"."""
    is_of_it = parts.is_selected or not text.vocabulary.isdisjoint(_WORDS.pointing)
    return FoundQuestion(topic="carrier", which=parts.which) if is_of_it and text.has(_AIRLINES) else None


def _of_its_people(text: Text, parts: _Parts) -> FoundQuestion | None:
    """ "is the room for 2 people": the price tells for how many it is."""
    is_of_it = text.norm(_first(text)) in ("is", "are") and not text.vocabulary.isdisjoint(_WORDS.subjects)
    is_counted = is_of_it and take_counts(Coverage(text, parts.coverage.places))
    return FoundQuestion(topic="price", which=parts.which) if is_counted else None


def _of_a_topic(text: Text, topic: Topic, parts: _Parts) -> FoundQuestion | None:
    if topic == "price" and not (
        _WORDS.flights.isdisjoint(text.vocabulary) or _WORDS.hotels.isdisjoint(text.vocabulary)
    ):
        return FoundQuestion(topic="total", which=replace(parts.which, numbers=()))
    way = take_way(parts.coverage)
    wanted = take_reference(parts.coverage) if topic == "distance" else ""
    is_of_offers = parts.is_selected or not text.vocabulary.isdisjoint(_WORDS.subjects)
    if not is_of_offers and parts.coverage.unread():
        return None  # "how long is the drive?" is about nothing that was found
    if topic in _CONDITIONS and text.has(_SAID.plural) and not parts.is_selected:
        return FoundQuestion(topic="those_with", wanted=topic, which=Which(is_all=True))
    return FoundQuestion(topic=topic, which=parts.which, wanted=wanted, way=way)
