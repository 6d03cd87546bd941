"""Rental cars are booked like hotels: each once it is allowed, in turn with the rest, and cancelled again."""

import shutil

import pytest

from backend.travel.providers.demo.cars import MOST_OF_A_CAR
from backend.travel.providers.demo.store import build_inventory
from tests.agents.booking_guest import FLIGHTS, HOTELS, a_house

CARS = "a rental car in Rome from 4 to 9 December"
TRIP = f"{FLIGHTS} to 9 December, a hotel and a rental car there"


@pytest.fixture(scope="module")
def inventory_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "inventory.sqlite"
    build_inventory(path, seed=1)
    return path


@pytest.fixture
async def house(tmp_path, inventory_path):
    shutil.copy(inventory_path, tmp_path / inventory_path.name)
    async with a_house(tmp_path) as guests:
        yield guests


async def _found(house, user_id, agent="car"):
    response = await house.call("GET", f"/partial-results/{user_id}")
    return response.json()["partial_results"][agent]


def _cheapest(cars):
    return min(cars, key=lambda car: float(car["price_total"]["amount"]))


def _told(car):
    """The words by which the page books it."""
    where = {"airport": "at the airport", "centre": "in the centre"}[car["station"]]
    return (
        f'Book the {car["transmission"]} car "{car["model"]}, {car["supplier"]}" {where}'
        " from 4 December 2026 to 9 December 2026."
    )


async def test_the_cheapest_car_is_booked_once_it_is_allowed_and_only_once(house):
    await house.say("ann", CARS)
    cheapest = _cheapest(await _found(house, "ann"))
    await house.say("ann", "book the cheapest car")
    asked = await house.asked("ann")
    assert asked["tool"] == "book_car"
    assert asked["facts"]["What"].startswith(f"{cheapest['model']}, {cheapest['supplier']}: ")
    assert asked["facts"]["What"].endswith(
        "of Rome on Fri 4 December 2026 and returned there on Wed 9 December 2026"
    )
    assert asked["facts"]["Who"] == "1 driver"
    task_id = (await house.status("ann"))["task_id"]
    reply = await house.say("ann", "yes, book the car")
    assert reply.startswith("Booked as DEMO-")
    assert [call for call in await house.calls("ann", task_id) if call[0] == "book_car"] == [
        ("book_car", "completed")
    ]
    response = await house.call("GET", "/bookings/ann")
    [booked] = response.json()["bookings"]
    assert (booked["kind"], booked["state"], booked["cancellable"]) == ("car", "booked", True)
    assert booked["offer"]["offer_id"] == cheapest["offer_id"]


async def test_a_car_that_is_told_as_it_is_shown_is_that_very_one(house):
    await house.say("ann", CARS)
    cars = await _found(house, "ann")
    for car in cars[:: len(cars) // 4]:
        await house.say("ann", _told(car))
        what = (await house.asked("ann"))["facts"]["What"]
        assert what.startswith(
            f"{car['model']}, {car['supplier']}: {car['car_class']}, {car['transmission']}"
        )
        assert {"airport": "the airport", "centre": "the centre"}[car["station"]] in what
        await house.decide("ann", "deny")


async def test_a_car_is_cancelled_by_what_it_is(house):
    await house.say("ann", HOTELS)
    await house.book("ann", "book the cheapest")
    await house.say("ann", CARS)
    reference = await house.book("ann", "book the cheapest car")
    await house.say("ann", "cancel my car booking")
    asked = await house.asked("ann")
    assert (asked["tool"], asked["facts"]["Booking"]) == ("cancel_booking", reference)
    assert (await house.say("ann", "yes")).startswith(f"Cancelled {reference}")
    assert "DEMO-" in await house.say("ann", "which hotel have I booked?")


async def test_a_cancellation_is_final_and_told_to_be_so_to_who_would_undo_it(house):
    await house.say("ann", CARS)
    reference = await house.book("ann", "book the cheapest car")
    await house.say("ann", f"cancel {reference}")
    await house.say("ann", "yes")
    reply = await house.say("ann", "undo that")
    assert reply.startswith(f"{reference} is cancelled. A cancellation cannot be taken back")


async def test_a_car_is_not_held(house):
    await house.say("ann", CARS)
    assert "Only flights can be held; a car is booked at once." in await house.say(
        "ann", "hold the cheapest car"
    )


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
async def test_flight_hotel_and_car_are_booked_in_turn(house):
    await house.say("ann", TRIP)
    await house.say("ann", "book everything")
    for tool in ("book_flight", "book_hotel", "book_car"):
        assert (await house.asked("ann"))["tool"] == tool
        house.later(minutes=1)
        reply = await house.say("ann", "yes")
    assert reply.count("Booked as DEMO-") == 3


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
@pytest.mark.parametrize(
    ("said", "then"),
    [("yes, but not the hotel", "book_car"), ("yes, but not the car", "book_hotel")],
)
async def test_what_is_declined_beside_a_yes_is_not_asked_for(house, said, then):
    await house.say("ann", TRIP)
    await house.say("ann", "book the flight, the hotel and the car")
    await house.say("ann", said)
    assert (await house.asked("ann"))["tool"] == then
    house.later(minutes=1)
    reply = await house.say("ann", "yes")
    assert reply.count("Booked as DEMO-") == 2
    assert (await house.status("ann"))["status"] == "completed"


async def test_a_yes_to_another_kind_books_no_car(house):
    await house.say("ann", CARS)
    await house.say("ann", "book the cheapest car")
    await house.say("ann", "yes, book the hotel")
    assert (await house.say("ann", "show my bookings")).startswith("You have no bookings.")


async def test_the_last_car_is_rented_out_to_one(house):
    await house.say("ann", CARS)
    car = _cheapest(await _found(house, "ann"))
    await house.say("bob", CARS)
    booked = 0
    while "Shall I book" in (said := await house.say("bob", _told(car))):
        await house.decide("bob", "allow")
        booked += 1
    assert 1 <= booked <= MOST_OF_A_CAR
    assert "sold out" in said.lower()
    assert "sold out" in (await house.say("ann", _told(car))).lower()
    await house.say("cid", CARS)
    assert car["offer_id"] not in [each["offer_id"] for each in await _found(house, "cid")]
