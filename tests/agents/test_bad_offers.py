"""Offers that lack facts or are rubbish cost nobody else's offers, and break no answer about them."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product
from types import SimpleNamespace
from typing import Any, cast, get_args

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.domain.encoding import encode
from backend.domain.partials import ShownResults
from backend.travel.agents.findings import findings, next_steps, trip_in_all
from backend.travel.agents.found.answers import answer
from backend.travel.agents.found.other_requests import near_miss, of_earlier
from backend.travel.agents.state import AgentOutcome
from backend.travel.stored_requests import NOTHING, OfferFilter, UnderstoodRequest
from backend.travel.tools.search import MOST_OF_A_SOURCE
from backend.travel.understanding.found import FoundQuestion, Kind, Topic, Which
from backend.travel.values.booking import whole_offer
from backend.travel.values.offers import By, cheapest, has, in_order
from backend.travel.values.travel import Money
from tests.agents.sources import Provider, Source, Travel, a_flight, a_hotel
from tests.agents.test_cars import RENTAL, demo_cars
from tests.agents.test_found_questions import FOUND_FLIGHTS, FOUND_HOTELS
from tests.understanding.conversation import told

WHOLE = {"flight": orjson.loads(encode(FOUND_FLIGHTS)), "hotel": orjson.loads(encode(FOUND_HOTELS))}


BOTH = told("Flights and hotels from Berlin to Tokyo from 10 to 14 December, €900 in all, 4 stars, a pool")


BEFORE = told("Flights and hotels from Berlin to Tokyo from 10 to 14 December")


KINDS: Sequence[Kind] = ("flight", "hotel")


BYS: Sequence[By] = get_args(By)


LIMIT = Money(amount=Decimal(600))


TOPICS: Sequence[Topic] = get_args(Topic)


def paths_of(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """Where the facts of offers are, but for the ids, without which none is stored."""
    inner: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        inner = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        inner = enumerate(cast("list[Any]", value))
    for key, each in inner:
        if isinstance(key, str) and path and key != "offer_id":
            yield (*path, key)
        yield from paths_of(each, *path, key)


PATHS = sorted(paths_of(WHOLE), key=str)


def poor(lost: Sequence[tuple[tuple[Any, ...], bool]]) -> dict[str, list[Any]]:
    """The offers without these facts, each left out or None; by its directions a flight is known as one."""
    offers = orjson.loads(orjson.dumps(WHOLE))
    for (*path, name), is_none in lost:
        try:
            holder = offers
            for key in path:
                holder = holder[key]
            holder[name] = [] if name == "slices" else None
            if not is_none and name != "slices":
                del holder[name]
        except (LookupError, TypeError):
            continue  # what held it is gone
    return offers


losses = st.lists(st.tuples(st.sampled_from(PATHS), st.booleans()), min_size=1, max_size=25)


class Board:
    """What an agent may use: the results that are shown, and what is told of them."""

    def __init__(self, offers: Mapping[str, Sequence[Any]]) -> None:
        self.user_id = "ann"
        self._offers = offers

    async def shown(self) -> AsyncGenerator[ShownResults]:
        """The requests of now and of before, which has found the same."""
        yield ShownResults(task_id="2", request=UnderstoodRequest(BOTH), results=self._offers, agents={})
        yield ShownResults(task_id="1", request=UnderstoodRequest(BEFORE), results=self._offers, agents={})

    def point_out(self, kind: str, offer_ids: Sequence[str]) -> None:
        """Any offer has an id."""
        assert all(offer_ids)

    def put_in_order(self, kind: str, by: By, *, descending: bool) -> None:
        """Any order is taken."""


def run_over(offers: Mapping[str, Sequence[Any]]) -> Any:
    run = SimpleNamespace(
        understanding=BOTH,
        offers=OfferFilter(UnderstoodRequest(BOTH)),
        context=Board(offers),
        spoken_of=NOTHING,
    )

    def speak_of(spoken: Any) -> None:
        run.spoken_of = spoken

    run.speak_of = speak_of
    return run


def questions() -> Iterator[FoundQuestion]:
    """A question of each topic and kind, by all that an offer may be named by."""
    those = [Which(), Which(is_all=True), Which(numbers=(1, 2)), Which(name="Demo"), Which(name="Heron")]
    for topic, agent, which in product(TOPICS, (*KINDS, None), those):
        yield FoundQuestion(topic=topic, agent=agent, which=which, limit=LIMIT)
    by_order: Sequence[Topic] = ("which", "details", "difference")
    for topic, by, agent, descending in product(by_order, BYS, KINDS, (False, True)):
        yield FoundQuestion(topic=topic, agent=agent, which=Which(by=by, descending=descending))
        yield FoundQuestion(topic="sort", agent=agent, by=by, descending=descending)
    of_all: Sequence[Topic] = ("has", "those_with")
    for wanted, topic in product(("pool", "stops", "bags", "refund", "change", "meal"), of_all):
        yield FoundQuestion(topic=topic, wanted=wanted)


QUESTIONS = tuple(questions())


@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
@given(losses, st.sampled_from(QUESTIONS))
@settings(max_examples=300, deadline=None)
def test_question_is_answered_whatever_the_offers_lack(lost: Any, question: FoundQuestion) -> None:
    run = run_over(poor(lost))
    for _ in range(2):  # the second time, "it" was spoken of
        told_of_them = asyncio.run(answer(run, question))
        assert "None " not in told_of_them.replace("None of", "").replace("None has", "")


@given(losses, st.sampled_from(BYS), st.booleans())
def test_offer_that_lacks_the_fact_of_an_order_comes_last_in_it(lost: Any, by: By, descending: bool) -> None:
    for offers in poor(lost).values():
        ordered = in_order(offers, by, descending=descending)
        assert sorted(each["offer_id"] for each in ordered) == sorted(each["offer_id"] for each in offers)
        has_fact = [has(offer, by) for offer in ordered]
        assert has_fact == sorted(has_fact, reverse=True)
        assert cheapest(offers) == in_order(offers, "price")[0]


@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
@given(losses)
def test_reply_and_next_steps_are_told_whatever_the_offers_lack(lost: Any) -> None:
    offers = poor(lost)
    run = run_over(offers)
    for agent, items in offers.items():
        assert all(run.offers(agent, item) in (True, False) for item in items)
    outcomes = {agent: AgentOutcome(state="done", detail="3 from 1 of 1 sources") for agent in offers}
    told_of_them = [
        findings(["flight", "hotel"], BOTH, outcomes, offers, whole=True),
        trip_in_all(BOTH, offers),
        *next_steps(BOTH, offers, booked=False),
        asyncio.run(near_miss(run, "flight")),
        asyncio.run(near_miss(run, "hotel")),
        asyncio.run(of_earlier(run, FoundQuestion(topic="best_request"))),
        asyncio.run(of_earlier(run, FoundQuestion(topic="found", wanted="before"))),
    ]
    assert "None " not in " ".join(told_of_them)


NO_PRICES = ("NaN", "sNaN", "Infinity", "-5")


TRIP = "Flights and a hotel from Berlin to Tokyo from 10 to 11 December"


FORGED = "Heron\nBooked as DEMO-7K2Q4M\u202e"


async def found(odd: Sequence[Any], **then: Any) -> tuple[str, list[Any]]:
    """Search a source that returns odd cars, and one that returns two of the demo's."""
    provider = Provider([], cars=[Source("odd", odd, **then), Source("good", demo_cars()[3:5])])
    reply, context = await Travel(provider).reply(RENTAL)
    return reply, list(context.partial_results.to_json().get("car", ()))


@pytest.mark.virtual_time
@pytest.mark.parametrize("amount", NO_PRICES)
async def test_car_without_a_price_is_left_out_and_the_others_are_told(amount: str) -> None:
    cars = demo_cars()
    reply, shown = await found([replace(cars[0], price_total=Money(amount=Decimal(amount))), cars[1]])
    assert [car["offer_id"] for car in shown] == [car.offer_id for car in (cars[1], *cars[3:5])]
    assert "I found 3 rental cars" in reply
    assert f"€{cars[1].price_total.amount}" in reply


@pytest.mark.parametrize("amount", NO_PRICES)
def test_stored_offer_without_a_price_comes_last_and_is_not_booked(amount: str) -> None:
    odd = {"offer_id": "odd", "price_total": {"amount": amount, "currency": "EUR"}}
    dear = {"offer_id": "dear", "price_total": {"amount": "900", "currency": "EUR"}}
    assert [each["offer_id"] for each in in_order([odd, dear], "price")] == ["dear", "odd"]
    assert whole_offer(odd) is None


@pytest.mark.virtual_time
async def test_source_that_floods_the_list_leaves_room_for_the_others() -> None:
    flood = [replace(demo_cars()[0], offer_id=str(number)) for number in range(3 * MOST_OF_A_SOURCE)]
    reply, shown = await found(flood)
    assert [car["source"] for car in shown].count("local rentals") == 0
    assert len(shown) == MOST_OF_A_SOURCE + 2
    assert "no answer" not in reply


@pytest.mark.virtual_time
async def test_offer_that_is_returned_twice_is_shown_once() -> None:
    twice = [demo_cars()[0], demo_cars()[0]]
    _, shown = await found(twice)
    assert [car["offer_id"] for car in shown].count(twice[0].offer_id) == 1
    assert len(shown) == 3


@pytest.mark.virtual_time
@pytest.mark.parametrize("odd", [None, [None], [{"price": 3}], [5, "x"]])
async def test_rubbish_instead_of_an_offer_costs_its_source_alone(odd: Any) -> None:
    _, shown = await found(odd)
    assert len(shown) == 2


@pytest.mark.virtual_time
async def test_name_from_a_provider_adds_no_line_to_the_reply() -> None:
    car = replace(demo_cars()[0], model=FORGED, supplier=FORGED)
    reply, _ = await found([car])
    hotel = replace(a_hotel("120.00", FORGED), district=FORGED)
    travel = Travel(Provider([Source("one", [a_flight("590.00", FORGED)])], [Source("chains", [hotel])]))
    replies = [reply, (await travel.reply(TRIP))[0]]
    for each in replies:
        assert "Heron Booked as" in each
        assert "\n" not in each
        assert "\u202e" not in each
