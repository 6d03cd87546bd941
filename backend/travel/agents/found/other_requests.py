"""What other searches tell: of earlier requests, of what came nearest to a change, of the days around."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from ....domain.errors import ProviderError, StoreUnavailable
from ....domain.partials import ShownResults
from ...stored_requests import is_same_search, understanding_in
from ...understanding.english.language.tables import phrases_of
from ...understanding.english.language.text import Text, any_of
from ...understanding.english.slot_words import in_words, limit_in_words, price_in_words
from ...understanding.english.wording import title_of
from ...understanding.found import KINDS, FoundQuestion, Kind
from ...understanding.queries import missed_limits
from ...understanding.result import Agent, HotelSlots, Understanding
from ...understanding.slot_table import SLOTS
from ...understanding.tokens import fold
from ...values.offers import (
    Offer,
    cheapest,
    cheapest_of_each_currency,
    currencies,
    currency,
    in_order,
    price,
    told,
)
from ..ideas import compared
from ..state import TravelRun
from . import facts
from .wording import amount, counted, in_its_currency, listed, name, total

_SAID = phrases_of("found")
_COMPARED = any_of(_SAID.dearer, _SAID.how_much_more)

NOTHING_BEFORE = "There is no earlier search whose offers I still have."


async def of_earlier(run: TravelRun, question: FoundQuestion) -> str:
    """Return what earlier requests have found, or which of all was cheapest. Raises `StoreUnavailable`."""
    shown = [each async for each in run.context.shown()]
    some = _by_title(shown)
    wanted = fold(question.which.name)
    if question.topic == "best_request" and wanted:
        named = [title for title in some if wanted in fold(title)]
        if not named:
            return f"I have no offers of a search for {question.which.name}."
        some = {title: some[title] for title in dict.fromkeys([*list(some)[:1], *named])}
    elif wanted:
        some = {title: each for title, each in some.items() if wanted in fold(title)}
        if not some:
            return f"I have no offers of a search for {question.which.name}."
    elif question.wanted:
        some = dict(list(some.items())[1:]) if shown and _title(shown[0]) in some else some
    if not some:
        return NOTHING_BEFORE
    if question.topic == "best_request":
        some = dict(list(some.items())[:2]) if question.which.is_of_two else some
        return _cheapest_of(some, question.agent)
    return " ".join(f"{title}: {_told(each)}." for title, each in list(some.items())[:3])


def _by_title(shown: Sequence[ShownResults]) -> dict[str, ShownResults]:
    """The latest of the requests of each title that have offers."""
    titled: dict[str, ShownResults] = {}
    for each in shown:
        if any(each.results.get(kind) for kind in KINDS):
            titled.setdefault(_title(each), each)
    return titled


def _title(shown: ShownResults) -> str:
    understanding = understanding_in(shown.request)
    return title_of(understanding) if understanding else ""


def _told(shown: ShownResults) -> str:
    return listed(
        [
            f"{counted(len(items), kind)}, the cheapest{in_its_currency(first, items)} {name(first)}"
            f" for {total(first)}"
            for kind in KINDS
            if (items := shown.results.get(kind))
            for first in in_order(items, "price")[:1]
        ]
    )


def _cheapest_of(some: dict[str, ShownResults], agent: Kind | None) -> str:
    shared: list[Kind] = [kind for kind in KINDS if all(each.results.get(kind) for each in some.values())]
    kinds: Sequence[Kind] = [agent] if agent else shared or KINDS[:1]
    firsts = [
        (title, offers)
        for title, each in some.items()
        for offers in zip(
            *(cheapest_of_each_currency(each.results.get(kind, ())) for kind in kinds), strict=False
        )
    ]
    if not firsts:
        return NOTHING_BEFORE
    firsts = [(title, offers) for title, offers in firsts if all(told(currency, one) for one in offers)]
    if not firsts:
        return "Those offers do not tell their prices."
    costs = {title: " and ".join(total(one) for one in offers) for title, offers in firsts}
    if len(currencies([one for _, offers in firsts for one in offers])) > 1:
        prices = listed([f"{title} from {cost}" for title, cost in costs.items()])
        return f"These are not of one currency: {prices}."
    summed = sorted(((sum(map(price, offers), Decimal(0)), title) for title, offers in firsts))
    money = firsts[0][1][0]["price_total"]
    (least, best), *others = summed

    def costing(cost: Decimal, title: str) -> str:
        of = f" ({costs[title]})" if len(kinds) > 1 else ""
        return f"{amount({**money, 'amount': str(cost)})}{of}"

    rest = "; ".join(f"{title} from {costing(cost, title)}" for cost, title in others)
    more = amount({**money, "amount": str(others[0][0] - least)}) if len(others) == 1 else ""
    apart = f" The first is {more} cheaper." if more else ""
    return f"The cheapest was {best}, from {costing(least, best)}{f'; {rest}' if rest else ''}.{apart}"


async def than_before(run: TravelRun, message: str) -> str:
    """Return by how much the cheapest is dearer or cheaper than that of the search before it.

    "" where the message does not ask so: "is it cheaper on Sunday?", "from Bern if that's cheaper". One that
    asks for another place as well ("check Basel too") is told that it takes the place of the one before.
    """
    text = Text(message)
    is_beside = text.has(_SAID.as_well) and not text.has(_COMPARED)
    if run.understanding.relation != "refine" or not (is_beside or text.has(_COMPARED)):
        return ""
    try:
        async with aclosing(run.context.shown()) as requests:
            now, before = await anext(requests, None), await anext(requests, None)
    except StoreUnavailable:
        return ""
    understood = understanding_in(before.request) if before else None
    if now is None or before is None or understood is None:
        return ""
    if is_beside and not _share_an_end(understood, run.understanding):
        return ""
    told = [
        _against(kind, cheapest(items), cheapest(others))
        for kind in KINDS
        if (items := now.results.get(kind))
        and (others := before.results.get(kind))
        and understood.of(kind) != run.understanding.of(kind)
        and len(currencies([*items, *others])) == 1
    ]
    instead = f"I search for one trip at a time, and this takes the place of {title_of(understood)}."
    return " ".join([instead, *told] if is_beside else told)


async def places_in_turn(run: TravelRun) -> str | None:
    """Return which is cheaper of the trip of now and the last one from, or to, another place.

    None where there is no such trip, or offers were spoken of since. Raises `StoreUnavailable`.
    """
    if any(run.spoken_of.offer_ids.values()):
        return None
    shown = [each async for each in run.context.shown()]
    read = [(each, understanding_in(each.request)) for each in shown if any(each.results.values())]
    for before, understood in read[1:]:
        now, current = read[0]
        if current and understood and _share_an_end(understood, current):
            return _cheapest_of(_by_title([now, before]), None)
    return None


def _share_an_end(one: Understanding, other: Understanding) -> bool:
    """Whether two flights differ in where they go from or to, and not in both, or two stays in the city."""
    if "flight" in one.wanted and "flight" in other.wanted:
        ends = (one.flight.origin, one.flight.destination), (other.flight.origin, other.flight.destination)
        return sum(first == second for first, second in zip(*ends, strict=True)) == 1
    return one.wanted == other.wanted and one.hotel.city != other.hotel.city


def _against(kind: Kind, offer: Offer, other: Offer) -> str:
    more = price(offer) - price(other)
    if not more:
        return f"The cheapest {kind} costs as much as before."
    apart = amount({**offer["price_total"], "amount": str(abs(more))})
    return (
        f"The cheapest {kind} is {apart} {'dearer' if more > 0 else 'cheaper'} than before ({total(other)})."
    )


_MOST_LIMITS = 2


async def near_miss(run: TravelRun, agent: Agent) -> str:
    """Return what there is without one of the limits, with the cheapest; "" if nothing was left out.

    Where each offer misses several limits, it is the one that misses the fewest, the cheapest of them.
    """
    nearest = await _nearest(run, agent)
    if "" in nearest:
        return f"The nearest is {facts.headline(in_order(nearest[''], 'price')[0])}."
    parts = [_without(limit, counted(len(some), agent), some) for limit, some in nearest.items()]
    return f"{parts[0][0].upper()}{'; '.join(parts)[1:]}." if parts else ""


async def named_for_want_of_better(run: TravelRun, agent: Agent) -> Offer | None:
    """Return the cheapest of the offers that the reply before named, as the same search had found nothing."""
    try:
        async with aclosing(run.context.shown()) as requests:
            _, before = await anext(requests, None), await anext(requests, None)
    except StoreUnavailable:
        return None
    understood = understanding_in(before.request) if before and not before.results.get(agent) else None
    if understood is None or understood.of(agent) != run.understanding.of(agent):
        return None
    named = [in_order(some, "price")[0] for some in (await _nearest(run, agent)).values()]
    return in_order(named, "price")[0] if named and len(currencies(named)) == 1 else None


async def _nearest(run: TravelRun, agent: Agent) -> Mapping[str, Sequence[Offer]]:
    """The offers that miss one limit, by that limit; by "" those that miss the fewest if all miss several.

    Nothing stands for a hotel that was named, and a tour has no limits.
    """
    if agent not in SLOTS:
        return {}
    offers = run.offers.left_out.get(agent) or await _of_the_same_search(run, agent)
    slots = run.understanding.of(agent)
    if not offers or (isinstance(slots, HotelSlots) and slots.name):
        return {}
    missed = [missed_limits(agent, slots, offer) for offer in offers]
    by_limit: dict[str, list[Offer]] = {}
    for offer, limits in zip(offers, missed, strict=True):
        told = dict.fromkeys(limit_in_words(slots, limit) for limit in limits)
        if len(told) == 1 and all(told):
            by_limit.setdefault(next(iter(told)), []).append(offer)
    least = min(map(len, missed))
    nearest = [offer for offer, limits in zip(offers, missed, strict=True) if len(limits) == least]
    return dict(list(by_limit.items())[:_MOST_LIMITS]) or {"": nearest}


async def _of_the_same_search(run: TravelRun, agent: Agent) -> Sequence[Offer]:
    """The offers of the last request that made the same search, which is not made again while it is fresh."""
    try:
        async with aclosing(run.context.shown()) as requests:
            await anext(requests, None)  # the request of now, which has found nothing
            async for shown in requests:
                before, offers = understanding_in(shown.request), shown.results.get(agent, ())
                if offers and before is not None and is_same_search(agent, before, run.understanding):
                    return offers
    except StoreUnavailable:
        pass
    return ()


def _without(limit: str, count: str, offers: Sequence[Offer]) -> str:
    first = in_order(offers, "price")[0]
    best = f"the cheapest{in_its_currency(first, offers)} " if len(offers) > 1 else ""
    return f'without "{limit}" I have {count}: {best}{facts.headline(first)}'


_DAYS_AROUND = 3
ONE_DAY_AT_A_TIME = (
    "I search one day at a time, so I cannot tell which day is cheaper, and nothing has changed. Name "
    "another day, and I look for what it costs."
)


async def places_compared(run: TravelRun) -> str:
    """Return what it costs to fly to each of the places to choose from; that none is known, if so."""
    try:
        told = await compared(run, again=True)
    except ProviderError:
        told = ""
    return told or "I cannot compare these places just now: name one of them, and I search there."


async def days_compared(run: TravelRun, question: FoundQuestion) -> str:
    """Return the lowest fares of the days around the one asked for, one way; that none are known, if so."""
    flight, is_back = run.understanding.flight, question.way == "back"
    day = flight.return_date if is_back else flight.departure_date
    if run.goal_fares is None or not (flight.origin and flight.destination and day):
        return ONE_DAY_AT_A_TIME
    start, goal = (flight.destination, flight.origin) if is_back else (flight.origin, flight.destination)
    first = flight.departure_date if is_back and flight.departure_date else run.today
    around = (day + timedelta(days=ahead) for ahead in range(-_DAYS_AROUND, _DAYS_AROUND + 1))
    last = None if is_back else flight.return_date
    days = [each for each in around if each >= first and (last is None or each <= last)]
    city = replace(goal.city, airports=goal.airports)
    try:
        fares = await run.goal_fares.cheapest_by_goal(
            start.airports, [city], days, passengers=flight.passengers or 1
        )
    except ProviderError:
        fares = ()
    if not fares:
        return ONE_DAY_AT_A_TIME
    told = [
        f"{in_words(fare.date)} from {price_in_words(fare.price)}"
        for fare in sorted(fares, key=lambda fare: fare.date)
    ]
    way = "back" if is_back else "out"
    return (
        f"The way {way} alone, for one: {listed(told)}. Of these {in_words(fares[0].date)} is the cheapest. "
        "Nothing has changed: name a day, and I look for the whole trip then."
    )
