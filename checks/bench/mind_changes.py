"""People who change their minds, by rules: each script is what one person says, when, and means by it.

What is meant is written down beside the words, by the rule that chose them; it is not read from them. So it
can judge what came of them, without asking those who read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

from backend.travel.values.travel import CabinClass

AIRPORTS = {
    "Berlin": "BER", "Hamburg": "HAM", "Munich": "MUC", "Lisbon": "LIS", "Vienna": "VIE", "Prague": "PRG",
    "Athens": "ATH", "Dublin": "DUB", "Madrid": "MAD", "Copenhagen": "CPH", "Budapest": "BUD",
    "Helsinki": "HEL",
}  # fmt: skip
COUNTRIES = {
    "Lisbon": "PT", "Vienna": "AT", "Prague": "CZ", "Athens": "GR", "Dublin": "IE", "Madrid": "ES",
    "Copenhagen": "DK", "Budapest": "HU", "Helsinki": "FI",
}  # fmt: skip
HOMES = ("Berlin", "Hamburg", "Munich")
GOALS = tuple(COUNTRIES)
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
TODAY = date(2026, 1, 5)

FIRST_DAY = date(2026, 4, 6)
AT_WORK_S = (0.4, 9.5)
"""When the mind is changed, in seconds after the message before; all of the first search takes 8."""
BRIEFLY_S = (0.1, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """What somebody has in mind. `agents` are those whose results are wanted."""

    home: str
    goal: str
    leaves: date
    nights: int
    people: int
    agents: frozenset[str] = frozenset({"flight", "hotel"})
    cabin: CabinClass = "economy"
    stops: int | None = None
    flight_price: int | None = None
    stars: int | None = None
    hotel_price: int | None = None

    def leaves_a_search_as_it_is(self, before: "Trip") -> bool:
        """Whether something is still searched for that was searched for before."""
        return any(
            agent in self.agents and agent in before.agents and self._search(agent) == before._search(agent)
            for agent in ("flight", "hotel")
        )

    def _search(self, agent: str) -> tuple[object, ...]:
        if agent == "flight":
            return self.home, self.goal, self.leaves, self.people, self.cabin, self.stops, self.flight_price
        return self.goal, self.leaves, self.nights, self.people, self.stars, self.hotel_price


@dataclass(frozen=True, slots=True)
class Said:
    """One message, so long after the one before; `means` is None where it asks for nothing."""

    text: str
    after_s: float
    means: Trip | None


Script = Sequence[Said]
Change = Callable[[Trip, Random], tuple[str, Trip]]


def whole_request(trip: Trip, random: Random) -> str:
    """A first message that says all of it."""
    people, nights = NUMBERS[trip.people], f"{trip.nights} nights"
    match sorted(trip.agents):
        case ["flight"]:
            text = f"Flights from {trip.home} to {trip.goal} on {_day(trip.leaves)}, {people} adults"
        case ["hotel"]:
            text = f"A hotel in {trip.goal} on {_day(trip.leaves)} for {nights}, {people} adults"
        case _:
            text = random.choice(
                (
                    f"Flights from {trip.home} to {trip.goal} on {_day(trip.leaves)} and a hotel there for "
                    f"{nights}, {people} adults",
                    f"We are {people} adults and want to fly from {trip.home} to {trip.goal} on "
                    f"{_day(trip.leaves)}, with a hotel for {nights}",
                )
            )
    return text


# --- rules for both searches --------------------------------------------------------------------------


def other_goal(trip: Trip, random: Random) -> tuple[str, Trip]:
    goal = random.choice([each for each in GOALS if each != trip.goal])
    said = ("Actually, to {} instead", "Make it {}", "No, {} instead")
    return random.choice(said).format(goal), replace(trip, goal=goal)


def other_day(trip: Trip, random: Random) -> tuple[str, Trip]:
    day = trip.leaves + timedelta(days=random.choice((1, 3, 5, 8)))
    return random.choice(("On {} instead", "Make that {}")).format(_day(day)), replace(trip, leaves=day)


def later(trip: Trip, random: Random) -> tuple[str, Trip]:
    days, words = random.choice(((2, "Leave two days later"), (7, "A week later")))
    return words, replace(trip, leaves=trip.leaves + timedelta(days=days))


def other_people(trip: Trip, random: Random) -> tuple[str, Trip]:
    people = random.choice([each for each in range(2, 6) if each != trip.people])
    said = random.choice(("For {} people", "We are {} adults"))
    return said.format(NUMBERS[people]), replace(trip, people=people)


def the_same_again(trip: Trip, random: Random) -> tuple[str, Trip]:
    return random.choice(("Search again", "Same again please")), trip


# --- rules for flights --------------------------------------------------------------------------------


def other_home(trip: Trip, random: Random) -> tuple[str, Trip]:
    home = random.choice([each for each in HOMES if each != trip.home])
    return random.choice(("From {} instead", "Start in {} instead")).format(home), replace(trip, home=home)


def other_cabin(trip: Trip, random: Random) -> tuple[str, Trip]:
    cabins: list[CabinClass] = ["business", "premium_economy"]
    cabin = random.choice([each for each in cabins if each != trip.cabin])
    said = "Fly business class" if cabin == "business" else "In premium economy, please"
    return said, replace(trip, cabin=cabin)


def fewer_stops(trip: Trip, random: Random) -> tuple[str, Trip]:
    stops = random.choice([each for each in (0, 1) if each != trip.stops])
    return ("Only nonstop flights", "At most one stop")[stops], replace(trip, stops=stops)


def cheaper_flight(trip: Trip, random: Random) -> tuple[str, Trip]:
    price = random.choice([each for each in (200, 300, 450) if each != trip.flight_price])
    said = random.choice(("Flights under {} euros please", "Keep the flights below {} euros"))
    return said.format(price), replace(trip, flight_price=price)


def no_hotel(trip: Trip, random: Random) -> tuple[str, Trip]:
    text = random.choice(("Drop the hotel", "Only flights, no hotel"))
    return text, replace(trip, agents=frozenset({"flight"}))


def and_flights(trip: Trip, _random: Random) -> tuple[str, Trip]:
    bare = replace(trip, cabin="economy", stops=None, flight_price=None)
    text = f"And one-way flights there from {trip.home}"
    return text, replace(bare, agents=frozenset({"flight", "hotel"}))


# --- rules for hotels ---------------------------------------------------------------------------------


def better_hotel(trip: Trip, random: Random) -> tuple[str, Trip]:
    stars = random.choice([each for each in (3, 4, 5) if each != trip.stars])
    said = random.choice(("Make the hotel {} stars", "The hotel needs at least {} stars"))
    return said.format(NUMBERS[stars]), replace(trip, stars=stars)


def cheaper_hotel(trip: Trip, random: Random) -> tuple[str, Trip]:
    price = random.choice([each for each in (90, 120, 160) if each != trip.hotel_price])
    said = ("The hotel should cost at most {} euros a night", "Hotel under {} euros per night, please")
    return random.choice(said).format(price), replace(trip, hotel_price=price)


def longer_stay(trip: Trip, random: Random) -> tuple[str, Trip]:
    nights = random.choice([each for each in (2, 3, 4, 5) if each != trip.nights])
    said = random.choice(("The hotel for {} nights, please", "A hotel for {} nights, please"))
    return said.format(nights), replace(trip, nights=nights)


def no_flights(trip: Trip, _random: Random) -> tuple[str, Trip]:
    return "Forget the flights", replace(trip, agents=frozenset({"hotel"}))


def and_a_hotel(trip: Trip, _random: Random) -> tuple[str, Trip]:
    return f"And a hotel there for {trip.nights} nights", replace(trip, agents=frozenset({"flight", "hotel"}))


BOTH: Sequence[Change] = (
    better_hotel, cheaper_hotel, longer_stay, other_home, other_cabin, fewer_stops, cheaper_flight,
    other_goal, other_day, later, other_people, no_flights, no_hotel, the_same_again,
)  # fmt: skip
"""What may be said while flights and a hotel are looked for."""
FLIGHTS: Sequence[Change] = (
    other_home, other_cabin, fewer_stops, cheaper_flight, other_goal, other_day, other_people, and_a_hotel,
    the_same_again,
)  # fmt: skip
HOTELS: Sequence[Change] = (
    better_hotel, cheaper_hotel, longer_stay, other_goal, other_day, other_people, and_flights,
    the_same_again,
)  # fmt: skip
SMALL_TALK = ("Thanks, that is lovely", "Thank you very much", "Hello")


def changes_of(trip: Trip) -> Sequence[Change]:
    """The rules that apply to what is in mind."""
    return {"flight": FLIGHTS, "hotel": HOTELS}.get("".join(sorted(trip.agents)), BOTH)


def scripts(count: int, *, seed: int) -> list[Script]:
    """So many scripts, always the same for a seed; each changes the mind once to three times."""
    random = Random(seed)
    return [_script(number, random) for number in range(count)]


def _script(number: int, random: Random) -> Script:
    first = BOTH[number % len(BOTH)]
    trip = Trip(
        home=random.choice(HOMES),
        goal=random.choice(GOALS),
        leaves=FIRST_DAY + timedelta(days=random.randrange(60)),
        nights=random.choice((2, 3, 4)),
        people=random.choice((2, 3)),
    )
    if number % 7 == 6:
        trip = replace(trip, agents=frozenset({random.choice(("flight", "hotel"))}))
        first = random.choice(changes_of(trip))
    said = [Said(whole_request(trip, random), 0.0, trip)]
    said += _changed(trip, first, random)
    match number % 10:
        case 0 | 1 | 2:
            trip = _meant(said)
            said += _changed(trip, random.choice(changes_of(trip)), random)
        case 3:
            said.append(Said(random.choice(SMALL_TALK), random.uniform(*BRIEFLY_S), None))
            trip = _meant(said)
            said += _changed(trip, random.choice(changes_of(trip)), random)
        case 4:
            said += _there_and_back(_meant(said), random)
        case 5:
            said.append(Said("stop", random.uniform(*AT_WORK_S), None))
            trip = _meant(said)
            said.append(Said("go on", random.uniform(*BRIEFLY_S), trip))
        case _:
            pass
    return said


def _changed(trip: Trip, change: Change, random: Random) -> list[Said]:
    text, meant = change(trip, random)
    return [Said(text, random.uniform(*AT_WORK_S), meant)]


def _there_and_back(trip: Trip, random: Random) -> list[Said]:
    """Somewhere else, and back again to what was wanted before."""
    text, elsewhere = other_goal(trip, random)
    back = random.choice(("Go back to {}", "No, {} after all")).format(trip.goal)
    return [
        Said(text, random.uniform(*AT_WORK_S), elsewhere),
        Said(back, random.uniform(*AT_WORK_S), trip),
    ]


def _meant(said: Script) -> Trip:
    """What was meant last."""
    return next(each.means for each in reversed(said) if each.means is not None)


def _day(day: date) -> str:
    return f"{day:%-d %B}"
