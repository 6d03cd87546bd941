"""What a message asks about the offers that were found, or None where it asks for something else.

A question has three parts: a form (it begins with a word that asks, or ends in a question mark), a selector
("the second", "the cheapest", else the offer spoken of, or all) and a fact ("how far", "a pool"). One of them
is enough where every word is accounted for; else the form must be clear, as a word that is not known asks for
no search, but one that narrows a search is never passed over. Some is asked of the whole list (`lists`), and
some is told by one phrase.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ...found import (
    DAYS_COMPARED,
    EACH,
    KINDS,
    RECOMMENDED,
    WHY,
    FoundQuestion,
    Kind,
    Topic,
    Way,
    Which,
)
from ...result import TourWish
from ..details.airlines import AIRLINES
from ..details.prices import CURRENCY_WORDS
from ..language.numbers import whole_number
from ..language.tables import phrases_of, rows_of, words_of
from ..language.text import Phrases, Text, any_of, phrases, tokenise
from .forms import (
    after_a_stay,
    asks,
    asks_for_a_price,
    begins_as_question,
    begins_to_ask,
    begins_with_what_is_asked,
    denies,
    first_word,
    in_turn,
    is_marked,
    is_of_what_is_shown,
    is_one_question,
    is_put_as_question,
    names_a_day,
    tells_a_need,
)
from .lists import (
    find_some,
    kinds_in_sum,
    left_to_us,
    of_star_groups,
    of_the_list,
    of_the_sum,
    of_the_sum_with,
)
from .offers import (
    ALL_MORE,
    ALL_MOST,
    KIND_OF_ORDER,
    Coverage,
    compared_by,
    find_cancelling,
    find_first_few,
    find_gap,
    find_next,
    kind_named,
    means_all,
    name_in,
    take_counts,
    take_most,
    take_numbers,
    take_way,
)

_DATES = words_of("dates")
_FILTERS = phrases_of("amenities")
_SAID = phrases_of("found")
_WORDS = words_of("found")


@dataclass(frozen=True, kw_only=True)
class _Fact:
    """A fact, and the words for it, with one of `beside` if there are any; `of` is the kind that tells it."""

    phrases: Phrases
    topic: Topic = "untold"
    of: Kind | None = None
    wanted: str = ""
    is_of_it: bool = False
    beside: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class _Amenity:
    name: str
    phrases: Phrases


_FACTS = rows_of("found_facts", "facts", _Fact)
_OF_CARS = tuple(row for row in _FACTS if row.of == "car")
_MILEAGE = next(row.phrases for row in _OF_CARS if row.topic == "mileage")
_OF_OTHERS = tuple(row for row in _FACTS if row.of != "car")
_TOLD = rows_of("found_facts", "told", _Fact)
_KIND_OF_TOPIC: dict[str, Kind] = {row.topic: row.of for row in _OF_OTHERS if row.of}
_AMENITIES = rows_of("found_facts", "amenities", _Amenity)
_NAMED = any_of(*(row.phrases for row in _AMENITIES))
_THINGS = any_of(_NAMED, _SAID.unknown_of_hotels, _SAID.unknown_of_flights)
_CONDITIONS = frozenset({"stops", "bags", "refund", "change", "has"})
"""What some of the offers have and others have not."""
_HAD = any_of(_NAMED, *(row.phrases for row in _OF_OTHERS if row.topic in _CONDITIONS))
_COUNTED = any_of(_HAD, _THINGS)
_ASKED_FOR = any_of(_NAMED, *(row.phrases for row in _OF_OTHERS))
_MAY_ASK = any_of(ALL_MOST, *(row.phrases for row in _OF_OTHERS if row.topic == "difference"))
_AIRLINES = phrases(*AIRLINES)
_BRIEF_WISHES = frozenset(
    {"stops", "cabin", "stars", "change", "departure", "arrival", "aircraft", "place", "dates", "duration"}
)
"""Topics of which a word or two are a wish, whatever sign follows them: "direct?"."""
_WISHED_BY_NAME = frozenset({"cabin", "stars", "dates"})
"""Topics that "what about ...?" proposes a value of."""
_BESIDE_THE_FACT = frozenset({"details", "bags"})
"""Topics that a phrase tells less exactly than all words: "is luggage included in the price?"."""
_LONGEST = 26
_LONGEST_IN_TURN = 40
_VERY_FEW = 4
_LONGEST_LIST = 10
_MOST_WORDS_OF_A_THING = 3
_PETS_IN_HOTELS = FoundQuestion(topic="has", agent="hotel", wanted="pets allowed", which=Which(is_all=True))
_HEAVY = FoundQuestion(topic="untold", agent="flight", wanted="how heavy bags may be")
_PETS_ABOARD = FoundQuestion(topic="untold", agent="flight", wanted="pets on board")


def find_question(text: Text, places: Collection[str], agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return what a message asks about what was found, None if it does not ask about that alone.

    `places` are the folded words of the places of the request; `agents` are those whose offers there may be.
    """
    return read_question(text, places, agents)[0]


def compares_places(text: Text, places: Collection[str]) -> bool:
    """Return whether it asks which place is cheaper: "which of the two?", "is Porto cheaper?"."""
    if not (asks(text) and text.has(_SAID.dearer)) or kind_named(text) is not None:
        return False
    coverage = Coverage(text, places, courtesy=_SAID.courtesy)
    coverage.take_all(_SAID.dearer)
    coverage.take_all(_SAID.of_places)
    return not coverage.unread()


def question_about(text: Text, tour: TourWish) -> FoundQuestion | None:
    """Return what a message asks about the flights of a tour, None if it wants others than that has."""
    cities = {
        token.norm
        for place in (*tour.cities, *filter(None, [tour.start]))
        for token in tokenise(place.city.name)
    }
    is_of_others = not (
        text.vocabulary.isdisjoint(_WORDS.wants_another_tour) or of_the_sum(text, ("flight",))
    )
    wants = names_a_day(text) or is_of_others
    question = None if wants else find_question(text, cities, ("flight",))
    is_of_it = (
        question is not None
        and question.topic not in ("state", "chosen", "shown")
        and not question.which.name
    )
    return question if is_of_it else None


def read_question(
    text: Text, places: Collection[str], agents: tuple[str, ...]
) -> tuple[FoundQuestion | None, bool]:
    """Return the same, and whether another search may be meant by it: "how much for 3 people?"."""
    if asked := after_a_stay(text):
        return read_question(Text(text.spelled(asked, text.length)), places, agents)
    if groups := of_star_groups(text, agents):
        return groups, False
    light = _without_weights(text)
    if light is not text:
        question, may_search = read_question(light, places, agents)
        return replace(question, also=(*question.also, _HEAVY)) if question else None, may_search
    said = in_turn(text) if agents and text.length <= _LONGEST_IN_TURN else [text.source]
    if len(said) == 1:
        return _read_one(text, places, agents)
    read = [_read_one(Text(one), places, agents) for one in said]
    first = read[0][0]
    if first is not None and first.topic in _CONDITIONS and Text(said[1]).has(_SAID.cheapest_that_does):
        having = FoundQuestion(
            topic="which", agent=first.agent, which=Which(by="price"), wanted=first.wanted or first.topic
        )
        read[1] = (having, False)
    questions = [question for question, _ in read if question is not None]
    if len(questions) == len(read):
        return _asked_in_turn(questions), any(may_search for _, may_search in read)
    whole, may_search = _read_one(text, places, agents)
    left = [Text(one) for one, (question, _) in zip(said, read, strict=True) if question is None]
    return _with_what_is_left(whole, questions, left) if questions else whole, may_search


def _asked_in_turn(questions: list[FoundQuestion]) -> FoundQuestion:
    """The questions of a message as the first and those behind it, none of which it answers."""
    if [question.topic for question in questions[:2]] == ["total", "total"]:
        del questions[0]  # "That's both together, right? What's left?"
    elif [question.topic for question in questions[:2]] == ["stops", "layover"]:
        del questions[1]  # how long each stop takes is told with them
    elif questions[0].topic == "total" and questions[1] == FoundQuestion(topic="price"):
        del questions[1]  # "flight and hotel together, how much?"
    first, *others = questions
    return replace(first, also=tuple(others))


def _with_what_is_left(
    whole: FoundQuestion | None, questions: Sequence[FoundQuestion], left: Sequence[Text]
) -> FoundQuestion | None:
    """The question that a `whole` message asks, with what is `left` beside the `questions` in its parts."""
    first, *others = questions
    if whole is None:
        if not all(begins_with_what_is_asked(one) for one in left):
            return None
        whole = replace(first, also=tuple(others))
    elif whole.topic not in {question.topic for question in questions}:
        # "How long is the flight and is there a bag?": the second is read by the words of the first.
        return replace(first, also=(*others, whole)) if all(asks(one) for one in left) else whole
    unread = tuple(one.source for one in left if asks(one) or begins_with_what_is_asked(one))
    return replace(whole, unread=unread)


def _read_one(
    text: Text, places: Collection[str], agents: tuple[str, ...]
) -> tuple[FoundQuestion | None, bool]:
    if not 0 < text.length <= _LONGEST:
        return None, asks_for_a_price(text)
    for names, wanted in ((_SAID.state, ""), (_SAID.asked_for, "asked")):
        if _says_just(text, names):
            return FoundQuestion(topic="state", wanted=wanted), False
    if agents and asks(text) and text.has(_SAID.price_holds):  # a day of it is none of the journey
        return FoundQuestion(topic="untold", wanted="how long prices hold"), False
    told = None
    if agents:
        of_one_kind = (
            of_the_sum(text, agents)
            or of_the_sum_with(text, agents)
            or _days_compared(text)
            or (_of_a_distance(text, places) if "hotel" in agents else None)
            or (_of_the_hour(text, places) if "flight" in agents else None)
            or _of_cars(text, places, agents)
            or find_first_few(text, agents)
            or find_next(text)
            or find_some(text, agents)
            or find_cancelling(text)
        )
        if of_one_kind is not None:
            return of_one_kind, False
        told = left_to_us(text) or _told_by_a_phrase(text, agents) or find_gap(text)
    question = _of_offers(text, places) if told is None or told.which == Which() else None
    if question and question.which.by == "distance" and (landmark := _landmark(text, places)):
        # "Nearest to the Colosseum": the offers tell how far it is to the centre, and no other place.
        question = replace(
            question, topic="distance", wanted=landmark, which=replace(question.which, name="")
        )
    question = _with_agent(text, question, agents) if question else None
    if told is None:
        return question, question is not None or asks_for_a_price(text)
    if told.topic == "untold" and question is not None and question.topic == "details":
        return replace(told, also=(question,)), False  # "is the second one quiet?"
    # "... and does the first one serve breakfast?" names an offer.
    is_named = question is not None and (question.which.numbers or told.topic in _BESIDE_THE_FACT)
    return question if is_named else _as_put(text, told), names_a_day(text)


def _without_weights(text: Text) -> Text:
    """The message without how heavy a bag of it is: "with a 23kg bag"."""
    found = text.where(_WORDS.weights) if text.has(_SAID.bags) else ()
    told = {at - step for at in found for step in (0, 1) if text[at - 1].is_number}
    return Text(_blanked(text, told)) if told else text


def _blanked(text: Text, tokens: Collection[int]) -> str:
    """The message with blanks in place of these tokens."""
    letters = list(text.source)
    for at in tokens:
        letters[text[at].start : text[at].end] = " " * (text[at].end - text[at].start)
    return "".join(letters)


def without_places_in_list(text: Text, question: FoundQuestion) -> str:
    """Return a message without the places in the list that a question names: "the 2nd" is no day then."""
    if not question.which.numbers:
        return text.source
    coverage = Coverage(text)
    take_counts(coverage)
    said = frozenset(coverage.used)
    take_numbers(coverage, days=False)
    return _blanked(text, coverage.used - said)


# Questions of one kind, and those that one phrase tells.


def _says_just(text: Text, names: Phrases) -> bool:
    if not text.has(names):
        return False
    coverage = Coverage(text, courtesy=_SAID.courtesy)
    coverage.take(names)
    return not coverage.unread()


def _days_compared(text: Text) -> FoundQuestion | None:
    """ "would a Saturday be dearer than a Tuesday?"; "is it cheaper on Sunday?" names the day to look at."""
    is_asked = (text.has(_SAID.dearer) or take_most(Coverage(text))[0] == "price") and asks(text)
    if not is_asked or not (len(_days_named(text)) > 1 or text.has(_SAID.which_day)):
        return None
    return FoundQuestion(topic="untold", wanted=DAYS_COMPARED, way="back" if text.has(_SAID.back) else None)


def _days_named(text: Text) -> list[int]:
    """Where days are named; the first ten of a month are as well places in the list."""
    ordinals = [at for at in range(text.length - 1) if text.norm(at + 1) in _DATES.ordinal_endings]
    days = [at for at in ordinals if text[at].raw.isdecimal() and int(text[at].raw) > _LONGEST_LIST]
    return [*text.where(_WORDS.days), *days]


def _of_a_distance(text: Text, places: Collection[str]) -> FoundQuestion | None:
    """ "is the hotel closer than 2 miles to the station?", unlike "is there one within 2 miles of it?"."""
    first = first_word(text)
    is_asked = text.norm(first) in ("is", "are") and text.norm(first + 1) != "there"
    is_measured = text.has(_SAID.walking) or any(text[at - 1].is_number for at in text.where(_WORDS.lengths))
    if not (is_asked and is_measured):
        return None
    parts = _parts(text, places)
    which = Which(by="distance") if parts.which.is_all else parts.which
    wanted = parts.wanted or _landmark(text, places)
    return FoundQuestion(topic="distance", agent="hotel", which=which, wanted=wanted)


def _landmark(text: Text, places: Collection[str]) -> str:
    """What it is asked how far it is from; "" for the centre, or where no place is told."""
    leads = [at for at in text.where(_WORDS.before_a_landmark) if text.norm(at + 1) not in _WORDS.those_told]
    first = max(leads, default=text.length) + 1
    first += text.norm(first) == "the"
    after = next((at for at in range(first, text.length) if not text[at].is_word), text.length)
    is_centre = first < after and first + text.match(_SAID.centre, first) == after
    told = {text.norm(at) for at in range(first, after)} - {*places} - _WORDS.nothing_told
    return text.spelled(first, after) if told and not is_centre else ""


def _of_the_hour(text: Text, places: Collection[str]) -> FoundQuestion | None:
    """ "is the return in the evening?": when it leaves, unlike "is there one in the evening?"."""
    first = first_word(text)
    if text.norm(first) not in ("is", "does") or text.vocabulary.isdisjoint(_WORDS.hours):
        return None
    coverage = Coverage(text, places, courtesy=_SAID.courtesy)
    numbers, way = take_numbers(coverage), take_way(coverage)
    by, descending = take_most(coverage)
    topic = _take_topic(coverage) or "departure"
    is_of_one = numbers or way or by or text.norm(first + 1) in _WORDS.pointing
    others = {text.norm(at) for at in coverage.unread()} - _WORDS.hours - _WORDS.clock
    if not is_of_one or others or topic not in ("departure", "arrival"):
        return None
    which = Which(numbers=numbers, by=by, descending=descending)
    return FoundQuestion(topic=topic, agent="flight", which=which, way=way)


def _of_cars(text: Text, places: Collection[str], agents: tuple[str, ...]) -> FoundQuestion | None:
    """What is asked about rental cars: seats, bags, mileage, gearbox, where they are picked up."""
    if "car" not in agents:
        return None
    is_of_others = not _WORDS.others.isdisjoint(text.vocabulary)
    is_asked = (
        text.norm(first_word(text)) in _WORDS.cars_asking or is_marked(text) or text.has(_SAID.is_a_problem)
    )
    is_named = not _WORDS.cars.isdisjoint(text.vocabulary) or (
        _WORDS.of_sales.isdisjoint(text.vocabulary) and text.has(_SAID.of_cars_alone)
    )
    if not (is_asked and (is_named or (agents == ("car",) and not is_of_others))):
        return None
    untold = " and ".join(row.wanted for row in _TOLD if row.of == "car" and text.has(row.phrases))
    if not untold and asks_for_a_price(text) and _is_left_elsewhere(text, places):
        untold = "one-way fees"
    is_of_an_age = any(text[at + 1].raw.isdecimal() for at in text.where(_WORDS.am))
    if is_of_an_age and text.has(_SAID.is_a_problem):
        untold = "the age of drivers"
    if untold:
        of_mileage = (FoundQuestion(topic="mileage", agent="car"),) if text.has(_MILEAGE) else ()
        return FoundQuestion(topic="untold", agent="car", wanted=untold, also=of_mileage)
    parts = _parts(_without_a_party(text), {*places, *_WORDS.fillers}, of_cars=True)
    things = tuple(iter(lambda: parts.coverage.take(_SAID.big_things), ""))
    topic, by, unread = parts.topic, parts.which.by, parts.coverage.unread()
    is_wish = not (_WORDS.wishes - {"with", "without"}).isdisjoint(text.vocabulary)
    is_of_a_trip = topic == "price" and is_of_others  # "total for flight, hotel and car"
    if is_wish or text.has(_SAID.searches) or is_of_a_trip or not (topic or by):
        return None
    if topic == "station" and not text.vocabulary.isdisjoint(_WORDS.clock):
        return FoundQuestion(topic="untold", agent="car", wanted="the hours of the counters")
    is_of_some = text.has(_SAID.of_them) or text.has(_SAID.there_is)
    if topic in ("seats", "bags") and is_of_some and not (parts.is_selected or text.has(_SAID.how_many)):
        topic, parts = "which", replace(parts, which=Which(by="size", descending=True))
    is_read = all(parts.coverage.text[at].is_number for at in unread)
    asked = FoundQuestion(topic=topic or "which", agent="car", which=parts.which, unread=things)
    return asked if is_read else None


def _without_a_party(text: Text) -> Text:
    """The message without how many are to fit, which is no place in the list: "does it fit seven?"."""
    found = (at for at in range(1, text.length) if whole_number(text, at))
    some = (
        at for at in found if text.norm(at - 1) in _WORDS.fits or text.match(_SAID.behind_a_party, at + 1)
    )
    return Text(_blanked(text, told)) if (told := {*some}) else text


def _is_left_elsewhere(text: Text, places: Collection[str]) -> bool:
    """Whether a car is to be returned in another place: "drop it off in Seville"."""
    at = text.find(_SAID.left_in)
    goal = text.norm(at + text.match(_SAID.left_in, at)) if at >= 0 else ""
    return bool(goal) and goal not in {*places, *_WORDS.fillers, *_WORDS.nothing_told}


def _told_by_a_phrase(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """The question that a phrase of a message tells, None without any.

    Its other words are not read, so no word may be among them by which something is wished for.
    """
    pets = _PETS_IN_HOTELS if "hotel" in agents else _PETS_ABOARD if "flight" in agents else None
    is_of_a_pet = not text.vocabulary.isdisjoint(_WORDS.own_pets)
    if is_of_a_pet and text.vocabulary <= _WORDS.own_pets | _WORDS.beside_a_pet:  # "me and my dog"
        return None if text.has(_FILTERS.pets) else pets
    if not is_one_question(text):
        return None
    is_of_it = is_of_what_is_shown(text)
    for row in _TOLD:
        if row.of == "car" or row.of not in (None, *agents) or is_of_it < row.is_of_it:
            continue
        at = text.find(row.phrases)
        is_beside = not row.beside or not row.beside.isdisjoint(text.vocabulary)
        # "Any deals to Rome?" is a search.
        if at >= 0 and is_beside and text.norm(at + text.match(row.phrases, at)) not in ("to", "from"):
            return FoundQuestion(topic=row.topic, agent=row.of, wanted=row.wanted)
    is_aboard = agents == ("flight",) and _WORDS.hotels.isdisjoint(text.vocabulary)
    return _PETS_ABOARD if is_aboard and text.has(_SAID.pets) else None


# Questions of three parts.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What a message says of the three parts; `name` is what all else names, None if there is more to it."""

    coverage: Coverage
    which: Which
    topic: Topic | None
    wanted: str
    way: Way | None
    is_counted: bool
    name: str | None

    @property
    def is_selected(self) -> bool:
        """Whether something tells which of the offers are meant."""
        which = self.which
        return bool(which.numbers or which.by or which.is_nonstop)


def _parts(text: Text, places: Collection[str], *, of_cars: bool = False) -> _Parts:
    coverage = Coverage(text, places, courtesy=_SAID.courtesy)
    is_top = bool(coverage.take(_SAID.top_one))
    by, descending = take_most(coverage)
    coverage.take_all(ALL_MOST)  # "the cheapest flight and the cheapest hotel"
    wanted = "" if of_cars else _take_amenities(coverage)
    topic: Topic | None = "has" if wanted else None
    is_nonstop = False
    if not (topic or by or of_cars):  # "Is the direct one refundable?" selects, "is it a direct one?" asks.
        before = frozenset(coverage.used)
        is_nonstop = bool(coverage.take(_SAID.direct_one)) and (topic := _take_topic(coverage)) is not None
        coverage.used = coverage.used if is_nonstop else {*before}
    topic = topic or _take_topic(coverage, _OF_CARS if of_cars else _OF_OTHERS)
    is_counted = take_counts(coverage)
    numbers = take_numbers(coverage) or (1,) * is_top
    way = take_way(coverage)
    if "distance" in (topic, by):
        wanted = coverage.take(_SAID.references)
        coverage.take_all(_SAID.centre)
        topic = topic or ("distance" if wanted else None)
    if topic in _WISHED_BY_NAME and (by or text.has(_SAID.prices_asked)):
        topic = "which" if by else "price"  # "how much is it in business class?"
        coverage.take_all(_SAID.prices)
    if topic is None and numbers and text.match(_SAID.what_about, 0):
        topic = "details"
    is_selected = bool(numbers or by or is_nonstop)
    is_all = not is_selected and (means_all(text) or not _WORDS.meant_all.isdisjoint(text.vocabulary))
    which = Which(numbers=numbers, by=by, descending=descending, is_all=is_all, is_nonstop=is_nonstop)
    name = name_in(coverage)
    if name and (name in CURRENCY_WORDS or (numbers and topic != "difference")):  # "prices in dollars"
        name = None
    return _Parts(
        coverage=coverage, which=which, topic=topic, wanted=wanted, way=way, is_counted=is_counted, name=name
    )


def _take_topic(coverage: Coverage, rows: Collection[_Fact] = _OF_OTHERS) -> Topic | None:
    """The topic of the first words for one, with which all words for it are accounted for."""
    found = next((row for row in rows if coverage.take(row.phrases)), None)
    if found is None:
        return None
    coverage.take_all(found.phrases)
    if found.topic == "total":  # "how much is it in total?"
        coverage.take_all(_SAID.prices)
    for row in rows if found.of == "car" else ():  # "does it fit 4 people and 3 suitcases?"
        coverage.take_all(row.phrases)
    return found.topic


def _take_amenities(coverage: Coverage) -> str:
    """What an offer is asked to have, joined by "and": amenities, or the words for it; "" if nothing."""
    if not coverage.text.has(_THINGS):
        return ""
    things = iter(
        lambda: coverage.take(_SAID.unknown_of_hotels) or coverage.take(_SAID.unknown_of_flights), ""
    )
    unknown = list(things)  # first, since a rooftop bar is no bar
    found = [row.name for row in _AMENITIES if coverage.take(row.phrases)] + unknown
    return " and ".join(dict.fromkeys(found))


def _of_offers(text: Text, places: Collection[str]) -> FoundQuestion | None:
    """What is asked by a form, a selector and a fact; None where that asks for a search, or for nothing."""
    if special := _of_the_day(text) or _left_to_our_taste(text):
        return special
    is_put = is_put_as_question(text)
    may_ask = is_put or asks(text) or begins_with_what_is_asked(text) or text.has(_MAY_ASK)
    coverage = Coverage(text, places, courtesy=_SAID.courtesy)
    if tells_a_need(text):
        return None
    listed = _counted(coverage) or of_the_list(coverage, is_asked=asks(text))
    if listed is not None and (question := _with_name(listed, name_in(coverage))):
        return question
    if not may_ask:
        return None
    parts = _parts(text, places)
    if is_put and (special := _of_a_form(text, parts)):
        return special
    is_whole = listed is None and parts.name is not None and _is_whole_question(text, parts)
    whole = _put_together(text, parts, is_whole=True) if is_whole else None
    if not is_put or (whole is not None and not whole.which.name.islower()):
        return whole
    # A name in small letters is often no name.
    return _put_together(text, parts, is_whole=False) or whole


def _with_name(question: FoundQuestion, name: str | None) -> FoundQuestion | None:
    """The question about a whole list, of which every word must be accounted for."""
    if not name:
        return question if name == "" else None
    return replace(question, which=replace(question.which, name=name, is_all=False))


def _counted(coverage: Coverage) -> FoundQuestion | None:
    """ "how many did you find?", unlike "how many stops has it?"."""
    text, at = coverage.text, coverage.text.find(_SAID.how_many)
    if at < 0 or text.find(_ASKED_FOR, at + text.match(_SAID.how_many, at)) >= 0:
        return None
    coverage.take(_SAID.how_many)
    return FoundQuestion(topic="count")


def _is_whole_question(text: Text, parts: _Parts) -> bool:
    """Whether a message whose every word is read asks for a fact, unlike "no layovers" and "direct?"."""
    topic, is_of_them = parts.topic or "which", text.has(_SAID.of_them)
    is_denial = text.norm(0) in _WORDS.denies_alone and text.length <= _VERY_FEW
    is_narrowed = not (is_of_them or parts.is_selected or topic == "has") and text.has(_SAID.there_is)
    if is_denial or is_narrowed or parts.coverage.find(_SAID.searches) >= 0:
        return False
    if topic == "difference" and len(parts.which.numbers) > 1:
        return True
    # "Which hotels are without breakfast?" asks for some of those that are shown.
    is_of_some = is_of_them and topic in _CONDITIONS and not parts.is_selected
    may_be_with = is_of_some or topic in ("difference", "carrier")
    wishes = _WORDS.wishes - ({"with"} if may_be_with else set()) - ({"without"} if is_of_them else set())
    if not wishes.isdisjoint(text.vocabulary):
        return False
    is_asked = begins_as_question(text) or topic == "which" or begins_with_what_is_asked(text)
    return is_asked or (is_marked(text) and topic not in _BRIEF_WISHES)


def _of_the_day(text: Text) -> FoundQuestion | None:
    """ "first flight out", "the last flight home?": the first or the last to leave."""
    is_last = text.has(_SAID.last_of_the_day)
    if not (is_last or text.has(_SAID.first_of_the_day)) or not text.vocabulary <= _WORDS.few_of_a_day:
        return None
    way = take_way(Coverage(text))
    which = Which(by="departure", descending=is_last)
    return FoundQuestion(topic="which", agent="flight", which=which, way=way)


def _left_to_our_taste(text: Text) -> FoundQuestion | None:
    """ "any tips which one to take", "what would you do"."""
    is_wish = not _WORDS.composed_wishes.isdisjoint(text.vocabulary) or text.has(_SAID.searches)
    if is_wish or _WORDS.whichever.isdisjoint(text.vocabulary) or not text.has(_SAID.recommends):
        return None
    return FoundQuestion(topic="which", which=Which(by="best"), wanted=RECOMMENDED)


def _of_a_form(text: Text, parts: _Parts) -> FoundQuestion | None:
    """ "how long is the transfer?", "why is it so dear?", "how much more is the direct one?"."""
    said, which = text.vocabulary, parts.which
    if text.has(_SAID.rides) and not said.isdisjoint(_WORDS.measures):
        return FoundQuestion(topic="untold", wanted="the way between airport and hotel")
    if text.match(_SAID.why, first_word(text)):
        if not said.isdisjoint(_WORDS.priced_why):
            return FoundQuestion(topic="untold", wanted="why they cost what they do")
        is_long = not said.isdisjoint(_WORDS.long)
        return FoundQuestion(topic="duration", which=which, wanted=WHY) if is_long else None
    asks_how_much, order = text.has(_SAID.how_much_more), compared_by(text)
    if order is None and not asks_how_much:
        return None
    numbers = which.numbers
    if text.has(_SAID.direct_one):
        which = Which(is_nonstop=True)
    elif numbers and text.norm(first_word(text)) in _WORDS.asks_of_two:
        which = Which(numbers=numbers)
    elif not (asks_how_much and text.has(_SAID.of_two)):
        return None
    by, descending = (order.by, order.descending) if order else ("price", True)
    agent = "flight" if which.is_nonstop else None
    return FoundQuestion(topic="difference", by=by, descending=descending, which=which, agent=agent)


def _put_together(text: Text, parts: _Parts, *, is_whole: bool) -> FoundQuestion | None:
    which, topic, way, first = parts.which, parts.topic, parts.way, first_word(text)
    is_denied, is_of_them = denies(text), text.has(_SAID.of_them)
    is_proposed = text.match(_SAID.proposals, first) > 0
    is_of_a_count = parts.is_counted and (is_of_them or text.has(_SAID.there_is))
    if topic in _WISHED_BY_NAME and (is_proposed or is_of_a_count):
        return None  # "what about business class?", "which ones have 4 stars?"
    is_meaning = not parts.is_selected and text.has(_SAID.meanings) and (is_whole or topic != "has")
    if (is_denied and which.by) or is_meaning or (not is_whole and _leaves_more_open(text, parts)):
        return None  # "which is not the cheapest?", "what is a layover?"
    if text.has(_SAID.cancels) and text.has(_SAID.until):
        return FoundQuestion(topic="refund", which=which)
    of_some = (is_of_them if is_whole else text.has(_SAID.plural)) and not (parts.is_selected or way)
    if topic in _CONDITIONS and of_some and not _is_of_a_number(text):
        wanted = parts.wanted or topic
        return FoundQuestion(topic="those_with", wanted=wanted, which=Which(is_all=True), is_denied=is_denied)
    if topic != "has" and text.has(_SAID.lands_at_home) and text.norm(first) in _WORDS.asks_when:
        return FoundQuestion(topic="arrival", which=which, way="back")
    if not is_whole and topic in (None, "price") and (thing := _thing_to_have(text, parts)):
        return FoundQuestion(topic="has", which=which, wanted=thing)
    if topic is None:
        topic, way = _without_a_fact(text, parts, is_whole=is_whole)
    if is_whole and parts.name:
        which = replace(which, name=parts.name, is_all=False)
    elif topic == "price" and kind_named(text) is None and not _WORDS.flights.isdisjoint(text.vocabulary):
        topic, which = "total", replace(which, numbers=())  # "flight plus hotel how much?"
    wanted = parts.wanted or (_landmark(text, parts.coverage.places) if topic == "distance" else "")
    return FoundQuestion(topic=topic, which=which, wanted=wanted, way=way) if topic else None


def _leaves_more_open(text: Text, parts: _Parts) -> bool:
    """Whether words that are not read may narrow the search, or are about nothing that was found."""
    said, topic = text.vocabulary, parts.topic
    is_bare = topic == "stops" and text.has(_SAID.direct_one)  # "do they have direct flights from Lyon?"
    if text.has(ALL_MORE) or is_bare or text.match(_SAID.why, first_word(text)):
        return True  # "which is cheaper on Sunday" compares nothing that was found
    if not (parts.is_selected or said.isdisjoint(_WORDS.hours)):
        return True  # "which ones leave in the morning?" narrows
    if topic == "change" and parts.coverage.unread():
        return True  # "can I change it to business class?"
    if topic == "has":
        return "any" in said  # "do any of them have free parking?" looks for one
    is_of_offers = parts.is_selected or not said.isdisjoint(_WORDS.subjects)
    if topic and parts.coverage.unread() and (not is_of_offers or parts.which.by == "distance"):
        return True  # "how long is the drive?", "where is the nearest cinema?"
    return topic in _BRIEF_WISHES and not (begins_to_ask(text) or parts.is_selected)


def _without_a_fact(text: Text, parts: _Parts, *, is_whole: bool) -> tuple[Topic | None, Way | None]:
    """The topic of a question that names none: "and the return flight?", "is it lufthansa"."""
    which, way, said = parts.which, parts.way, text.vocabulary
    is_of_a_time = not begins_to_ask(text) or text.has(_SAID.what_time)
    if way and is_of_a_time and not parts.coverage.unread():
        return "departure", way
    if is_whole:
        return ("which" if which.by else None), way
    if text.has(_AIRLINES) and (parts.is_selected or not said.isdisjoint(_WORDS.pointing)):
        return "carrier", None
    is_of_it = text.norm(first_word(text)) in ("is", "are") and not said.isdisjoint(_WORDS.subjects)
    if is_of_it and parts.is_counted:
        return "price", None  # "is the room for 2 people": the price tells for how many it is
    if not parts.is_selected:
        return None, None
    return ("which" if which.by else "details"), None


def _thing_to_have(text: Text, parts: _Parts) -> str:
    """What an offer is asked to have that is no amenity: "does it have a trouser press"; or ""."""
    has, unread = next(iter(text.where(_WORDS.having)), -1), parts.coverage.unread()
    is_short = 0 < len(unread) <= _MOST_WORDS_OF_A_THING
    if has < 0 or not is_short or unread[0] < has or not text.vocabulary.isdisjoint(_WORDS.of_us):
        return ""
    return text.spelled(unread[0], unread[-1] + 1).lower()


def _is_of_a_number(text: Text) -> bool:
    """Whether a number or a place is asked for, and not which offers are so: "how many stops", "where"."""
    at = text.find(_SAID.how_many)
    is_counted = at >= 0 and text.match(_COUNTED, at + text.match(_SAID.how_many, at)) > 0
    return is_counted or not _WORDS.asks_for_one_fact.isdisjoint(text.vocabulary)


def _with_agent(text: Text, question: FoundQuestion, agents: tuple[str, ...]) -> FoundQuestion | None:
    """The question with whose offers it is about, None if there are no such offers."""
    question = _as_put(text, _first_of_some(text, question))
    if text.has(_SAID.among) and not question.which.numbers:
        question = replace(question, which=replace(question.which, is_among=True))
    agent = question.agent or _agent_asked(text, question)
    needs_none = question.topic == "best_request" or (question.topic == "found" and not question.which.name)
    is_of_these = agent in agents or needs_none or (agent is None and agents)
    return replace(question, agent=agent) if is_of_these else None


def _first_of_some(text: Text, question: FoundQuestion) -> FoundQuestion:
    """The question for a fact of the first offer as one for the first that has it, if it is that.

    "What's the cheapest direct flight", "cheapest hotel with a pool?", unlike "is the cheapest one direct?".
    """
    which = question.which
    if question.topic in ("departure", "arrival") and question.way == "back" and which.by == question.topic:
        return replace(question, topic="which")  # "the latest one back?"
    first = first_word(text)
    is_first = text.match(ALL_MOST, first + (text.norm(first) == "the")) > 0
    most = text.find(ALL_MOST)
    before = text.norm(most - 1 - (text.norm(most - 1) == "the"))
    is_for_the_first = is_first or (
        text.norm(first) in _WORDS.asks_which and before not in _WORDS.leads_to_one
    )
    if which.by is None or question.topic not in _CONDITIONS or not is_for_the_first:
        return question
    return replace(question, topic="which", wanted=question.wanted or question.topic)


def _as_put(text: Text, question: FoundQuestion) -> FoundQuestion:
    """The same, as one for what we would take, for the reason, or for each one's share, if it asks so."""
    which, topic = question.which, question.topic
    if which.by == "best" and text.has(_SAID.recommends):
        return replace(question, topic="which", wanted=RECOMMENDED)
    if question.wanted or which.name:
        return question
    is_with_it = topic == "bags" and not text.vocabulary.isdisjoint(_WORDS.with_it)
    if is_with_it and text.has(_SAID.prices_asked) and not which.numbers:
        return replace(question, topic="which", which=Which(by="price"), wanted="bags")
    if topic == "which" and which.by and text.norm(first_word(text)) in _WORDS.leaves_to_choose:
        return replace(question, topic="chosen")
    is_plain = topic == "price" and which == Which() and kind_named(text) is None
    is_each = (topic == "total" or is_plain) and text.has(_SAID.each)
    question = replace(question, wanted=EACH) if is_each else question
    if topic != "total":
        return question
    kinds = kinds_in_sum(text, KINDS)
    is_picked = len(kinds) == 1 and which != Which() and text.has_any(_WORDS.leads_to_one)
    return replace(question, agent=kinds[0]) if is_picked else replace(question, kinds=kinds)


def _agent_asked(text: Text, question: FoundQuestion) -> Kind | None:
    """Whose offers are asked about, as far as the question tells."""
    named, by = kind_named(text), question.by or question.which.by
    topic, wanted = question.topic, question.wanted
    is_of_some = topic in ("has", "those_with") or (topic == "which" and wanted not in ("", RECOMMENDED))
    if topic in ("state", "total"):
        return None
    if not is_of_some and by in KIND_OF_ORDER:
        return KIND_OF_ORDER[by]
    of = _KIND_OF_TOPIC.get(topic) or _KIND_OF_TOPIC.get(wanted)
    if of or not is_of_some or wanted in ("refund", "price"):
        return of or named
    return named or ("flight" if text.has(_SAID.unknown_of_flights) else "hotel")
