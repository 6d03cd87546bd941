"""What is asked of a whole list: another order, a price to stay under, what was found, the next of them."""

from collections.abc import Sequence
from decimal import Decimal

from ....values.offers import By
from ....values.travel import HOME_CURRENCY, Money
from ...found import EACH, EVERYTHING, KINDS, LEFT, OTHERS, RECOMMENDED, FoundQuestion, Kind, Which
from ..bookings.offers import ORDINALS
from ..details.airlines import AIRLINES
from ..details.people import find_people
from ..details.prices import CURRENCY_WORDS, SYMBOLS, scope_told
from ..language.numbers import amount, whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text, any_of, phrases
from .forms import asks, first_word
from .offers import (
    ALL_MOST,
    KIND_OF_ORDER,
    KINDS_OF_SEVERAL,
    MOST_NUMBERS,
    ORDERS,
    Coverage,
    kind_named,
    most_at,
    name_in,
    past,
    says_only,
    take_most,
    take_numbers,
)

_SAID = phrases_of("found")
_FACTS = words_of("facts")
_WORDS = words_of("found")

_AIRLINES = phrases(*AIRLINES)
_LONGEST_STEP = 16
_LONGEST_LIST = 20
_LEAD_TO_A_NUMBER = ORDINALS.keys() | {"with", "number", "option", "#"}
_FEW_SHOWN = 3
_MOST_STARS = 5
_OF_SOME = {""} | _WORDS.of_some | _WORDS.of_others | _WORDS.of_a_top | _WORDS.some_heads
_MORE_SHOWN = 5
_ASKS_FOR_A_STEP = [(order, any_of(order.more, order.beyond)) for order in ORDERS]
_Order = tuple[By, bool]
_WISHES = {
    ("refund", "hotel"): "with free cancellation",
    ("refund", "flight"): "refundable flights only",
    ("change", "flight"): "changeable flights only",
    ("stops", "flight"): "direct flights only",
    ("bags", "flight"): "flights with a checked bag",
}


def of_the_list(coverage: Coverage, *, is_asked: bool) -> FoundQuestion | None:
    """Return what is asked of all that was found: an order of it, what is under a price, how much it is."""
    return (
        _sorting(coverage)
        or (_under(coverage) if is_asked else None)
        or _of_requests(coverage)
        or _of_what_was_found(coverage)
    )


def find_order_beside(text: Text) -> tuple[FoundQuestion, frozenset[str]] | None:
    """Return the order that a message wants beside what it changes, and the words that tell so; None without.

    "Drop the limit and sort by departure time": the rest of the message is read by others.
    """
    coverage = Coverage(text)
    if not (text.has(_SAID.sorts) or text.has(_SAID.first)):
        return None
    if (order := _sorted_by(coverage) or _named_first(coverage)) is None:
        return None
    question = _in_order(coverage, order)
    return question, frozenset(text.norm(at) for at in coverage.used) | _WORDS.sort_words


def find_step(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return which of the offers at hand a message asks for beside the one spoken of, None if for none.

    "Too early", "anything cheaper?", "a later one": those beyond that one, the next of them first.
    """
    if not agents or not 0 < text.length <= _LONGEST_STEP or text.has_figures or text.norm(0) == "see":
        return None
    if not (_WORDS.leaves_nothing - {"see"}).isdisjoint(text.vocabulary):
        return None
    coverage, found = Coverage(text), [row for row in _ASKS_FOR_A_STEP if text.has(row[1])]
    if len(found) != 1:
        return None
    order, names = found[0]
    at = text.find(names)
    before = text.norm(at - 1)
    is_denied = before in _WORDS.denies_a_step or (
        before in ("no", "nothing") and text.norm(text.length - 1) != "?"
    )
    is_asked = text.norm(0) in ("why", "is", "are") and text.norm(1) != "there"
    coverage.take_all(names)
    others = {text.norm(at) for at in range(text.length) if at not in coverage.used}
    if is_denied or is_asked or not others <= _WORDS.steps_beside:
        return None
    agent = KIND_OF_ORDER.get(order.by) or kind_named(text)
    question = FoundQuestion(topic="step", by=order.by, descending=order.descending, agent=agent)
    return question if agent in (None, *agents) else None


def find_some(text: Text, agents: tuple[str, ...]) -> FoundQuestion | None:
    """Return some of the list that a message wants to see: "show others", "list the first 5".

    "Three more" alone may be people, and "the other" is one of two.
    """
    if not agents or not 0 < text.length <= _LONGEST_STEP:
        return None
    begins = [0]
    while length := text.match(_SAID.some_openers, begins[-1]):
        begins.append(begins[-1] + length)
    asked = (_some_at(text, at, shows=text.find(_SAID.shows, 0, at) >= 0) for at in reversed(begins))
    question = next(filter(None, asked), None)
    return question if question and {question.agent} <= {None, *agents} else None


def _some_at(text: Text, at: int, *, shows: bool) -> FoundQuestion | None:
    count, said = 0, set[str]()
    while at < text.length and (text.norm(at) in _OF_SOME or (not count and whole_number(text, at))):
        number = whole_number(text, at) if text.norm(at) not in _OF_SOME else None
        said.add(text.norm(at))
        count, at = number or (count, at + 1)
    others, top, heads = (said & some for some in (_WORDS.of_others, _WORDS.of_a_top, _WORDS.some_heads))
    if past(text, _SAID.some_trails, at) < text.length or not 0 <= count <= _LONGEST_LIST or count == 1:
        return None
    if others:
        is_some = shows or heads or others & _WORDS.others_alone or (count and "next" in others)
        is_some = (is_some and (heads or others - _WORDS.others_of_heads)) or said == {"more"}
    else:
        is_some = shows and ((top and (heads or count or "list" in top)) or heads & _WORDS.several_of_any)
    if not is_some:
        return None
    kinds: list[Kind] = [kind for noun, kind in KINDS_OF_SEVERAL.items() if noun in heads]
    shown = min(count or (_FEW_SHOWN if others else _MORE_SHOWN), MOST_NUMBERS)
    which = Which(numbers=tuple(range(1, shown + 1)))
    agent = kinds[0] if len(kinds) == 1 else None
    return FoundQuestion(topic="shown", agent=agent, which=which, wanted=OTHERS if others else "")


def is_about_those_shown(text: Text) -> bool:
    """Return whether such a message is about the offers shown: "too early", "any later flights"."""
    return not _WORDS.of_those_shown.isdisjoint(text.vocabulary)


def wish_for_those(text: Text, asked: FoundQuestion, agents: Sequence[str]) -> str:
    """Return the wish that leaves only the offers which have what was `asked`; "" if none is meant.

    "Show me only those": `agents` are those whose offers there may be.
    """
    if asked.is_denied or not says_only(text, _SAID.those, _WORDS.only_those_beside):
        return ""
    if asked.topic == "under" and asked.limit is not None:
        return f"under {asked.limit.amount} {asked.limit.currency}"
    if asked.topic not in ("those_with", "has"):
        return ""
    agent = asked.agent or (agents[0] if len(agents) == 1 else "")
    return _WISHES.get((asked.wanted, agent), f"with {asked.wanted}")


def left_to_us(text: Text) -> FoundQuestion | None:
    """Return which is best, or cheapest, where that decides: "you choose", "our budget is tight"."""
    at = text.find(_SAID.left_of)
    told = amount(text, at + text.match(_SAID.left_of, at)) if at >= 0 else None
    if told is not None:
        limit = Money(amount=Decimal(told[0]), currency=_currency(text, told[1]) or HOME_CURRENCY)
        return FoundQuestion(topic="total", which=Which(by="price"), wanted=LEFT, limit=limit)
    if text.has(_SAID.left):
        return FoundQuestion(topic="total", which=Which(by="price"), wanted=LEFT)
    if asks(text) and says_only(text, _SAID.budget, _WORDS.beside_a_budget):
        return FoundQuestion(topic="total", wanted=LEFT)
    if says_only(text, _SAID.leaves_it_to_us, _WORDS.beside):
        return FoundQuestion(topic="which", which=Which(by="best"), wanted=RECOMMENDED)
    if says_only(text, _SAID.short_of_money, _WORDS.beside):
        return FoundQuestion(topic="which", which=Which(by="price"))
    return None


def of_the_sum(text: Text, agents: Sequence[str]) -> FoundQuestion | None:
    """Return what all of it costs, or all of these kinds, if a message asks for that: "total per person"."""
    kinds, leaves_out = kinds_in_sum(text, agents), text.has_any(_WORDS.leaves_out)
    is_of_one = (len(kinds) == 1 and not leaves_out) or text.has(ALL_MOST) or find_people(text)
    is_told = scope_told(text) and not asks(text)  # "no, that's in total" is what a limit is for
    if is_of_one or is_told or not says_only(text, _SAID.sums, _WORDS.of_a_sum):
        return None
    return FoundQuestion(topic="total", kinds=kinds, wanted=EACH if text.has(_SAID.each) else "")


def of_the_sum_with(text: Text, agents: Sequence[str]) -> FoundQuestion | None:
    """Return what all costs with one that is picked, or leaves: "are we in budget with the second hotel?"."""
    is_left = text.has(_SAID.left)
    is_limited = is_left or (text.has(_SAID.budget) and asks(text))
    coverage = Coverage(text)
    if not (is_limited or coverage.take(_SAID.sums)):
        return None
    for names in (_SAID.left, _SAID.budget) if is_limited else ():
        coverage.take_all(names)
    (by, descending), numbers = take_most(coverage), take_numbers(coverage)
    others = {text.norm(at) for at in range(text.length) if at not in coverage.used}
    if by and is_limited and not is_left and text.norm(first_word(text)) in _WORDS.asks_which:
        return None  # "which is the best within our budget?"
    is_told = by or (numbers and not _LEAD_TO_A_NUMBER.isdisjoint(text.vocabulary))  # not "6 in total"
    if not is_told or find_people(text) or others - _WORDS.of_a_sum - _WORDS.beside_a_budget:
        return None
    kinds: list[Kind] = [kind for kind in kinds_in_sum(text, agents) if kind in agents]
    if not kinds and by in KIND_OF_ORDER:
        kinds = [KIND_OF_ORDER[by]]
    kinds = kinds or [kind for kind in KINDS if kind in agents]
    agent = kinds[0] if len(kinds) == 1 else None
    which = Which(by=by, descending=descending, numbers=numbers)
    return FoundQuestion(topic="total", agent=agent, which=which, wanted=LEFT if is_limited else "")


def of_star_groups(text: Text, agents: Sequence[str]) -> FoundQuestion | None:
    """Return what hotels of several numbers of stars cost: "what do 3 star ones cost, and 4 star ones?"."""
    if "hotel" not in agents or text.vocabulary.isdisjoint(_FACTS.stars):
        return None
    coverage, told = Coverage(text), list[int]()
    for at in range(text.length):
        read = whole_number(text, at)
        after = text.skip({"-"}, read[1], 1) if read else at
        is_of_stars = text.norm(after) in _FACTS.stars or text.norm(after) in _WORDS.joins_stars
        if read and is_of_stars and 0 < read[0] <= _MOST_STARS:
            coverage.use(at, after + 1)
            told.append(read[0])
    asked = [coverage.take(some) for some in (_SAID.differ, _SAID.dearer, _SAID.prices_asked)]
    is_priced = any(asked) or take_most(coverage)[0] == "price"
    for names in (_SAID.prices_asked, _SAID.prices, ALL_MOST):
        coverage.take_all(names)
    others = {text.norm(at) for at in coverage.unread()} - _FACTS.stars
    if len({*told}) < 2 or not is_priced or others:
        return None
    which = Which(numbers=tuple(sorted({*told})), by="price")
    return FoundQuestion(topic="groups", agent="hotel", which=which)


def kinds_in_sum(text: Text, agents: Sequence[str]) -> tuple[Kind, ...]:
    """Return the kinds of offers that a message names, or the others of the `agents`: "without the car"."""
    words: dict[Kind, frozenset[str]] = {"flight": _WORDS.flights, "hotel": _WORDS.hotels, "car": _WORDS.cars}
    named: list[Kind] = [kind for kind in KINDS if not words[kind].isdisjoint(text.vocabulary)]
    if named and not _WORDS.leaves_out.isdisjoint(text.vocabulary):
        return tuple(kind for kind in KINDS if kind in agents and kind not in named)
    return tuple(named)


def _sorting(coverage: Coverage) -> FoundQuestion | None:
    order = _sorted_by(coverage) or _bare_order(coverage) or _named_first(coverage)
    if order is None:
        return None
    if order[0] == "distance":
        coverage.take_all(_SAID.centre)
    text, question = coverage.text, _in_order(coverage, order)
    coverage.used |= {at for at in range(text.length) if text.norm(at) in _WORDS.sort_words | {"by"}}
    return question


def _in_order(coverage: Coverage, order: _Order) -> FoundQuestion:
    by, descending = order
    if coverage.take(_SAID.downwards):
        descending = True
    elif coverage.take(_SAID.upwards):
        descending = False
    return FoundQuestion(topic="sort", by=by, descending=descending)


def _sorted_by(coverage: Coverage) -> _Order | None:
    """ "sort them by price"."""
    text, at = coverage.text, coverage.text.find(_SAID.sorts)
    if at < 0:
        return None
    after = at + text.match(_SAID.sorts, at)
    coverage.use(at, after)
    return _key_at(coverage, after, is_most_too=True)


def _bare_order(coverage: Coverage) -> _Order | None:
    """ "by price please", "order: departure", "from cheapest to most expensive"."""
    text = coverage.text
    if text.match(_SAID.upwards, 0) or text.match(_SAID.downwards, 0):
        return "price", False
    starts = range(1, text.length) if text.norm(0) in ("by", "sort", "order", "rank") else ()
    return next((key for at in starts if (key := _key_at(coverage, at))), None)


def _named_first(coverage: Coverage) -> _Order | None:
    """ "cheapest first", "put the fastest on top"."""
    text = coverage.text
    for at in range(text.length):
        length, order = most_at(text, at)
        noun = text.norm(at + length) in _WORDS.sorted_nouns
        first = text.match(_SAID.first, at + length + noun) if length else 0
        if first and order:
            coverage.use(at, at + length + noun + first)
            return order.by, order.descending
    return None


def _key_at(coverage: Coverage, at: int, *, is_most_too: bool = False) -> _Order | None:
    text = coverage.text
    at += text.norm(at) == "the"
    keys = ((text.match(order.key, at), order) for order in ORDERS)
    length, order = max(keys, key=lambda row: row[0])
    if not length and is_most_too:
        length, order = most_at(text, at)
    if not length or order is None:
        return None
    coverage.use(at, at + length)
    return order.by, order.descending


def _under(coverage: Coverage) -> FoundQuestion | None:
    """ "is there anything under 200?", "is the flight under 300?"; of all of it the sum."""
    text = coverage.text
    at = text.find(_SAID.below)
    asked = text.find(_SAID.anything, 0, at) if at >= 0 else -1
    if asked < 0 and text.norm(first_word(text, 0, max(at, 0))) in _WORDS.yes_or_no:
        asked = at
    if asked < 0 or text.norm(at - 1) == "not":
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
    coverage.used |= {at for at in range(text.length) if text.norm(at) in _WORDS.anything}
    limit = Money(amount=Decimal(value), currency=currency or HOME_CURRENCY)
    is_total = text.norm(after) in ("in", "total")
    if not text.vocabulary.isdisjoint(_WORDS.of_all) or (is_total and asked == at):
        return FoundQuestion(topic="total", limit=limit, wanted=LEFT)
    return FoundQuestion(topic="under", limit=limit, wanted="total" if is_total else "")


def _currency(text: Text, at: int) -> str | None:
    return SYMBOLS.get(text.norm(at)) or CURRENCY_WORDS.get(text.norm(at))


def _of_requests(coverage: Coverage) -> FoundQuestion | None:
    """ "which of the three was cheapest?", of several requests."""
    text, is_of_requests = coverage.text, bool(coverage.take(_SAID.of_requests))
    is_compared = coverage.take(_SAID.dearer) and asks(text)
    is_named = is_compared and text.has_any(_WORDS.before_another_trip) and not text.has(_AIRLINES)
    is_named = bool(is_named and (name := name_in(coverage)) and not name.islower())
    if not (is_of_requests or is_named) or take_most(coverage)[0] not in (None, "price"):
        return None
    which = Which(by="price", is_of_two=text.has(_SAID.of_two_requests))
    return FoundQuestion(topic="best_request", which=which)


def _of_what_was_found(coverage: Coverage) -> FoundQuestion | None:
    """ "how many did you find?", "what have you found so far?"."""
    text = coverage.text
    if text.has(_SAID.how_many) or text.has(_SAID.searches) or text.has(ALL_MOST):
        return None
    if coverage.take(_SAID.recaps):
        coverage.take_all(_SAID.recapped)
        return FoundQuestion(topic="found", wanted=EVERYTHING)
    if not text.has(_SAID.found):
        return None
    coverage.take_all(_SAID.found)
    return FoundQuestion(topic="found", wanted="earlier" if coverage.take(_SAID.earlier) else "")
