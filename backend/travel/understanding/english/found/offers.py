"""Of which offers a message speaks: the second, the cheapest, the Hilton, the way back of it; and one that is
chosen by a word for it and nothing else: "ok, the first one please", "the 9:15 one".

To choose one books nothing: the answer tells that offer, and asks whether to book it.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from ....values.offers import By
from ...found import NEXT, FoundQuestion, Hours, Kind, Way, Which
from ..bookings.offers import KIND_OF, ORDINALS
from ..dates.points import MONTHS
from ..language.numbers import NUMBER_WORDS, whole_number
from ..language.tables import phrases_of, rows_of, words_of
from ..language.text import Phrases, Text, any_of, phrases

_BOOKINGS = words_of("bookings")
_DATES = words_of("dates")
_SAID = phrases_of("found")
_WORDS = words_of("found")

MOST_NUMBERS = 9
_DIGITS_OF_A_NUMBER = 2
_LONGEST_NAME = 5
_LONGEST_LIST_IN_ORDINALS = 10
_NUMERALS = NUMBER_WORDS.keys() | _DATES.ordinal_endings
_NUMBERED = _BOOKINGS.numbered | {"#", "option", "flight", "hotel"}
_LEADS_TO_A_PLACE = _NUMBERED | ORDINALS.keys() | {"top"}
KIND_OF_ORDER: dict[By, Kind] = {
    **dict.fromkeys(("duration", "departure", "arrival", "layover", "stops"), "flight"),
    **dict.fromkeys(("distance", "score", "stars"), "hotel"),
    "size": "car",
}


@dataclass(frozen=True, kw_only=True)
class Order:
    """A fact that offers have more or less of, and the words for it; `descending` begins with the most."""

    by: By
    descending: bool = False
    most: Phrases = field(default_factory=phrases)
    more: Phrases = field(default_factory=phrases)
    beyond: Phrases = field(default_factory=phrases)
    key: Phrases = field(default_factory=phrases)


ORDERS = rows_of("found_facts", "orders", Order)
_BEST = next(order for order in ORDERS if order.by == "best")
ALL_MOST = any_of(*(order.most for order in ORDERS))
ALL_MORE = any_of(*(order.more for order in ORDERS))


class Coverage:
    """A message, and the tokens `used` of it that a reader has made something of."""

    __slots__ = ("places", "text", "used")

    def __init__(self, text: Text, places: Collection[str] = (), *, courtesy: Phrases | None = None) -> None:
        """`places` are folded words of the request's places, which say nothing new, nor does `courtesy`."""
        self.text = text
        self.places = places
        self.used: set[int] = set()
        if courtesy is not None:
            self.take_all(courtesy)

    def use(self, first: int, after: int) -> None:
        """Account for the tokens from `first` up to `after`."""
        self.used.update(range(first, after))

    def take(self, names: Phrases) -> str:
        """Account for the first of the phrases that stands there unused; return its words, or ""."""
        at = self.find(names)
        if at < 0:
            return ""
        after = at + self.text.match(names, at)
        self.use(at, after)
        return self.text.spelled(at, after).lower()

    def take_all(self, names: Phrases) -> None:
        """Account for all of the phrases that stand there unused."""
        while self.take(names):
            pass

    def find(self, names: Phrases) -> int:
        """Return where the first of the phrases begins that is unused, -1 if none is."""
        at = -1
        while (at := self.text.find(names, at + 1)) >= 0:
            if self.used.isdisjoint(range(at, at + self.text.match(names, at))):
                return at
        return -1

    def unread(self) -> list[int]:
        """Return the tokens that nothing accounts for: neither a reader nor that they tell nothing."""
        norm, told = self.text.norm, _WORDS.nothing_told
        some = (at for at in range(self.text.length) if at not in self.used)
        return [at for at in some if norm(at) not in told and norm(at) not in self.places]


def says_only(text: Text, names: Phrases, beside: Collection[str]) -> bool:
    """Return whether one of the phrases stands there, and nothing else but words that may stand beside it."""
    at = text.find(names)
    after = at + text.match(names, at)
    return at >= 0 and all(text.norm(each) in beside for each in (*range(at), *range(after, text.length)))


def kind_named(text: Text) -> Kind | None:
    """Return whose offers the nouns of a message name, if of one kind alone: "flights", "a room"."""
    flies = not _WORDS.flights.isdisjoint(text.vocabulary)
    stays = not _WORDS.hotels.isdisjoint(text.vocabulary)
    return None if flies == stays else "flight" if flies else "hotel"


def most_at(text: Text, at: int) -> tuple[int, Order | None]:
    """Return how long the words are for what has most or least of a fact, and that order: "cheapest"."""
    longest, found = 0, None
    for order in ORDERS if text.norm(at) in ALL_MOST.begin else ():
        if (length := text.match(order.most, at)) > longest:
            longest, found = length, order
    return longest, found


def compared_by(text: Text) -> Order | None:
    """Return the order by which offers are compared: "closer"."""
    found = ((text.match(order.more, at), order) for order in ORDERS if (at := text.find(order.more)) >= 0)
    return max(found, key=lambda row: row[0], default=(0, None))[1]


def take_most(coverage: Coverage) -> tuple[By | None, bool]:
    """Return what the offer has most or least of, and whether most; (None, False) where that is not told."""
    text = coverage.text
    free = (at for at in text.where(ALL_MOST.begin) if at not in coverage.used)
    at = max(free, key=lambda at: most_at(text, at)[0], default=-1)
    length, order = most_at(text, at)
    if order is None:
        return None, False
    coverage.use(at, at + length)
    by, descending = order.by, order.descending
    if by in ("departure", "arrival"):  # "leaves last in the evening"
        coverage.take_all(_SAID.at_its_end if descending else _SAID.at_its_beginning)
    if by == "departure" and coverage.take(_SAID.being_there):  # "which gets me there earliest"
        by = "arrival"
    return by, descending


def take_counts(coverage: Coverage) -> bool:
    """Account for people, rooms, nights and stars: "for 3 people", "for 5", "if we are 4".

    They are of the request, and no place in the list. Whether they change it is not told by their words.
    Return whether there are any.
    """
    text, is_any = coverage.text, False
    for at in range(text.length):
        before = text.norm(at - 1)
        read = whole_number(text, at) if at not in coverage.used and before not in _LEADS_TO_A_PLACE else None
        if read is None:
            continue
        after = read[1]
        is_counted = text.norm(after) in _WORDS.counted_people_and_rooms
        is_of_people = before in ("for", "are", "were", "re")
        is_of_people |= before == "with" and _stands_alone_with(text, at, after)
        if is_counted or is_of_people:
            coverage.use(at, after + is_counted)
            is_any = True
    return is_any


def _stands_alone_with(text: Text, at: int, after: int) -> bool:
    """Whether "with 4" tells a party, unlike "compare 1 with 4", "with number 4" and "with 2 bags"."""
    is_compared = any(text[each].is_number or text.norm(each) in ORDINALS for each in range(at))
    return not is_compared and text.norm(after) not in _WORDS.counted_things | _WORDS.offer_nouns


def take_numbers(coverage: Coverage, *, days: bool = True) -> tuple[int, ...]:
    """Return the numbers of the offers: "the second", "number 3", "the first two", "1 and 2".

    With `days` those of the month are accounted for as well; they are no numbers of offers.
    """
    text, numbers, at = coverage.text, list[int](), 0
    while at < text.length:
        day = at if at in coverage.used else _day_at(text, at)
        some, after = ([], at + 1) if at in coverage.used or day > at else _numbers_at(text, at)
        if some or (days and day > at):
            coverage.use(at, max(day, after))
        numbers += some
        at = max(day, after)
    return tuple(dict.fromkeys(numbers))[:MOST_NUMBERS]


def _day_at(text: Text, at: int) -> int:
    """Return the index after a day: "on the 2nd", "the 20th", "on Friday"; `at` where there is none.

    "The 2nd" alone is a place in the list, "the 20th" is a day: few lists are that long.
    """
    if text.norm(at) in _WORDS.weekdays and text.norm(at - 1) == "on":
        return at + 1
    if (nth := _ordinal_at(text, at)) and text.norm(nth.after) == "night":
        return nth.after + 1  # "can we stay a third night?"
    if text.norm(at) in MONTHS and text[at + 1].is_number:
        return at + 2
    after = at + 1 + (text.norm(at + 1) in _DATES.ordinal_endings)
    after += text.norm(after) == "of"
    if text[at].is_number and text.norm(after) in MONTHS:
        return after + 1
    is_joined = text[at].is_number and (text.norm(after) in _DATES.up_to or text.norm(after) in ("or", "and"))
    other = text.skip({"the"}, after + 1, 1)
    if is_joined and (day := _day_at(text, other)) > other:
        return day  # "4 or 5 May"
    if not _is_ordinal(text, at) or text.norm(at + 2) in _WORDS.offer_nouns:
        return at
    is_on = "on" in (text.norm(at - 1), text.norm(at - 2))
    return at + 2 if is_on or int(text[at].raw) > _LONGEST_LIST_IN_ORDINALS else at


def _is_ordinal(text: Text, at: int) -> bool:
    return text[at].is_number and text.norm(at + 1) in _DATES.ordinal_endings


def _numbers_at(text: Text, at: int) -> tuple[list[int], int]:
    """The numbers that begin at an index, and the index after them."""
    here, behind = text.norm(at), text.norm(at + 1)
    ordinal = ORDINALS.get(here)
    if ordinal == 1 and behind not in ("one", "a"):
        count = whole_number(text, at + 1)
        if count and 1 < count[0] <= MOST_NUMBERS:
            return list(range(1, count[0] + 1)), count[1]
    if behind in _BOOKINGS.of_a_class:
        return [], at + 1
    if ordinal:
        return [ordinal], at + 1
    if text[at].is_number:
        return _figure_at(text, at)
    is_number = here in _NUMBERED and (text[at + 1].is_number or (behind in NUMBER_WORDS and behind != "one"))
    read = whole_number(text, at + 1) if is_number else None
    return ([read[0]], read[1]) if read and 0 < read[0] < 10**_DIGITS_OF_A_NUMBER else ([], at + 1)


def _figure_at(text: Text, at: int) -> tuple[list[int], int]:
    """The place in the list that a figure tells: unlike "2 bags", "24h", "8.5", "4wd", "3*", "26-30"."""
    is_ordinal, behind = _is_ordinal(text, at), text.norm(at + 1)
    is_short = len(text[at].raw) <= _DIGITS_OF_A_NUMBER
    is_decimal = behind == "." and text[at + 2].is_number
    after = at + 1 + is_ordinal
    if (
        behind in _WORDS.counted_things
        or is_decimal
        or not is_short
        or _is_of_a_span(text, at)
        or _is_in_a_word(text, at, after)
    ):
        return [], at + 1
    return [int(text[at].raw)], after


def _is_in_a_word(text: Text, at: int, after: int) -> bool:
    """Whether a figure is glued to what is no sign of a sentence: "4wd", "3*", "4-wheel", "€5"."""
    is_glued_before = text.is_glued(at) and text.norm(at - 1) not in _WORDS.glued_to_a_place
    is_joined = text.norm(after) == "-" and text.is_glued(after)
    is_glued = text.is_glued(after) and text.norm(after) not in _WORDS.glued_to_a_place
    return is_glued_before or is_joined or is_glued


def _is_of_a_span(text: Text, at: int) -> bool:
    """Whether a figure begins or ends a span of days: "26-30", "26 to 30"."""
    begins = text.norm(at + 1) in _WORDS.spans and text[at + 2].is_number
    return begins or (text.norm(at - 1) in _WORDS.spans and text[at - 2].is_number)


def take_way(coverage: Coverage) -> Way | None:
    """Return the direction that is asked about."""
    if coverage.take(_SAID.words_back):
        coverage.take_all(_SAID.words_back)
        return "back"
    return "out" if coverage.take(_SAID.out) else None


def means_all(text: Text) -> bool:
    """Return whether all offers are asked about: "are bags included with these?", unlike "with that one"."""
    is_one = not {"it", "its", "that", "thats", "this"}.isdisjoint(text.vocabulary)
    return not is_one and not _WORDS.all.isdisjoint(text.vocabulary)


def name_in(coverage: Coverage) -> str | None:
    """Return the name that the words tell which nothing else accounts for; "" without any.

    None if they cannot be a name: then the message says more than a question does.
    """
    unread, text = coverage.unread(), coverage.text
    if not unread:
        return ""
    first, after = unread[0], unread[-1] + 1
    said = [text.norm(at) for at in range(first, after)]
    between = {text.norm(at) for at in range(first, after) if at not in unread}
    is_told = text.norm(first - 1) in _WORDS.before_a_name and between <= _WORDS.in_names
    has_letters = any(text[at].is_word and text.norm(at) not in _NUMERALS for at in unread)
    is_other = not _WORDS.not_a_name.isdisjoint(said) or len(said) > _LONGEST_NAME
    return text.spelled(first, after) if is_told and has_letters and not is_other else None


# --- Offers that are chosen ----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _PartOfDay:
    phrases: Phrases
    hours: Hours


_PARTS_OF_DAY = rows_of("found", "parts_of_day", _PartOfDay)
_LONGEST = 18
_LONGEST_OF_FEW = 14
_LETTERS_OF_A_NAME = 38
_KINDS: dict[str, Kind] = {**KIND_OF, **dict.fromkeys(("van", "minivan", "suv", "convertible"), "car")}
KINDS_OF_SEVERAL: dict[str, Kind] = {"flights": "flight", "hotels": "hotel", "cars": "car"}
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
        if told is None or past(text, _SAID.choice_trails, told.after) != text.length - is_asked:
            continue
        which, kind = told.which, told.kind
        if which.by and not which.is_of_two and _WORDS.assents.isdisjoint(text.vocabulary):
            return None  # "the fastest" asks which that is
        if kind not in (None, *agents):
            return None
        books, shows = (
            any(text.match(verbs, each) for each in range(begun, at))
            for verbs in (_SAID.books, _SAID.shows_one)
        )
        topic, wanted = "details" if is_asked or shows else "chosen", "book" if books else ""
        return FoundQuestion(topic=topic, agent=kind, which=which, wanted=wanted)
    return None


def find_named_choice(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return the offer that is chosen by a name which only an offer has: "the Hopscotch one please"."""
    for _, at in _beginnings(text) if agents else ():
        heads = (head for head in range(at + 2, text.length) if text.norm(head) in _WORDS.heads)
        head = next((each for each in heads if past(text, _SAID.choice_trails, each + 1) == text.length), 0)
        said = [text.norm(each) for each in range(at + 1, head)]
        name, kind = " ".join(said), _KINDS.get(text.norm(head))
        if (
            text.norm(at) != "the"
            or not head
            or len(name) > _LETTERS_OF_A_NAME
            or not _NO_NAMES.isdisjoint(said)
        ):
            continue
        if name[0].isalpha() and kind in (None, *agents):
            return FoundQuestion(topic="chosen", agent=kind, which=Which(name=name))
    return None


def find_first_few(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return the question for the first few of what was found in an order: "just the three cheapest"."""
    if not agents or not 0 < text.length <= _LONGEST_OF_FEW:
        return None
    at = past(text, _SAID.few_openers, 0)
    count = _count_at(text, at)
    length, order = most_at(text, at + (count > 0))
    after = at + length + 1
    count = count or _count_at(text, after - 1)
    if count and not length and text.norm(at - 1) == "top":  # "your top three"
        length, order, after = 1, _BEST, at + 1
    if not (order and length and count) or past(text, _SAID.few_trails, after) < text.length:
        return None
    agent = KINDS_OF_SEVERAL.get(text.norm(after)) or KIND_OF_ORDER.get(order.by)
    which = Which(numbers=tuple(range(1, count + 1)), by=order.by, descending=order.descending)
    topic = "difference" if text.has(_SAID.compares) else "details"
    return FoundQuestion(topic=topic, agent=agent, which=which) if agent in (None, *agents) else None


def find_next(text: Text) -> FoundQuestion | None:
    """Return the question for the one behind the offer spoken of: "not that one, the next cheaper one"."""
    at = past(text, _SAID.next_openers, 0) if text.length <= _LONGEST_OF_FEW else text.length
    at += text.norm(at) == "a"
    is_another = text.norm(at) in _WORDS.another and text.norm(at + 1) not in _WORDS.of_a_party
    if text.norm(at) != "next" and not is_another:
        return None
    some = ((max(text.match(order.most, at + 1), text.match(order.more, at + 1)), order) for order in ORDERS)
    length, order = max(some, key=lambda row: row[0])
    after, kind = at + 1 + length, KIND_OF.get(text.norm(at + 1 + length))
    has_head = text.norm(after) in _WORDS.heads
    is_bare = (
        after == at + 1
        and (text.norm(at - 1) == "the" or text.length == 1)
        and text.norm(after) in _WORDS.behind_next
    )
    is_flight = (
        kind == "flight" and not length and text.norm(at) == "next"
    )  # "the next flight" is one that leaves later
    if (
        is_flight
        or not (length or has_head or is_bare)
        or past(text, _SAID.few_trails, after + has_head) < text.length
    ):
        return None
    by = order.by if length else "price"
    descending = order.descending if length else False
    agent = kind or (KIND_OF_ORDER.get(by) if length else None)
    return FoundQuestion(topic="step", by=by, descending=descending, agent=agent, wanted=NEXT)


def find_cancelling(text: Text) -> FoundQuestion | None:
    """Return the question whether we can cancel one of the offers: "can I cancel that one?".

    Whoever asks us to ("can you cancel that?"), or whether all of it can be, means no offer.
    """
    at = past(text, _SAID.next_openers, 0) if text.length <= _LONGEST_OF_FEW else text.length
    coverage = Coverage(text, courtesy=_SAID.courtesy)
    if not (length := text.match(_SAID.may_cancel, at)) or not _WORDS.of_a_search.isdisjoint(text.vocabulary):
        return None
    coverage.use(0, at + length)
    numbers, (by, descending) = take_numbers(coverage), take_most(coverage)
    coverage.used |= {at for at in range(text.length) if text.norm(at) in _WORDS.cancelled_later}
    name = name_in(coverage)
    if name is None or (name and name.islower()):
        return None
    which = Which(numbers=numbers, by=by, descending=descending, name=name)
    agent: Kind | None = next((kind for word in text.vocabulary if (kind := KIND_OF.get(word))), None)
    return FoundQuestion(topic="refund", agent=agent, which=which)


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


def past(text: Text, names: Phrases, at: int) -> int:
    """Return the index after all of the phrases that stand there one behind the other."""
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
            behind = _clock_at(text, after + text.match(_SAID.leaving_at, after)) or _order_behind(
                text, after
            )
            return behind or (
                _Told(which=Which(), after=after, kind=kind) if text.norm(at) != "the" else None
            )
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


def _order_behind(text: Text, at: int) -> _Told | None:
    """What a clause behind the noun tells: "the one with the least duration", "that takes the least time"."""
    if text.norm(at) not in _WORDS.begins_a_clause:
        return None
    for first in range(at + 1, text.past(_WORDS.leads_to_an_order, at + 1) + 1):
        length, order = most_at(text, first)
        if order is not None:
            which = Which(by=order.by, descending=order.descending)
            return _Told(which=which, after=first + length, kind=KIND_OF_ORDER.get(order.by))
    return None


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
