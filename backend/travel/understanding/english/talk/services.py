"""What else travellers ask for: each service that is none of ours, by its words, and what is said of it.

A row is a service. One that an agent of ours offers is skipped where there is that agent.
"""

from collections.abc import Collection
from dataclasses import dataclass

from ...result import Agent
from ...slot_table import SLOTS
from ..language.cars import Cars, asks_for_car
from ..language.sentences import clauses
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text, phrases
from ..slot_words import FOUND

_SAID = phrases_of("services")
_WORDS = words_of("services")


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One service, as it is named in a sentence, its words, and what is said of it."""

    name: str
    words: Phrases
    reply: str
    agent: Agent | None = None
    """The agent that offers it, where there is that one."""
    is_bought: bool = False
    """Whether one asks for it beside a flight: its days and numbers are then its own."""


def _looked_up(name: str, *words: str, agent: Agent | None = None) -> Service:
    reply = f"I cannot look up {name}."
    return Service(name=name, words=phrases(*words), reply=reply, agent=agent, is_bought=True)


def _unknown(name: str, *words: str) -> Service:
    return Service(name=name, words=phrases(*words), reply=f"I do not know about {name}.")


SERVICES: tuple[Service, ...] = (
    _looked_up(
        "rental cars",
        "rental car", "rental cars", "rent a car", "rent cars", "renting a car", "hire a car", "car hire",
        "hire car", "car rental", "car rentals", "a car", "cars", "car to rent", "rent a van", "a van",
        agent="car",
    ),
    _looked_up(
        "motorbikes and campers",
        "a motorbike", "motorbikes", "a motorcycle", "motorcycles", "rent a scooter", "rent scooters",
        "scooter rental", "scooter hire", "a moped", "mopeds", "a vespa", "a quad bike", "a campervan",
        "campervans", "camper van", "a camper", "a motorhome", "motorhomes", "rent a bike", "rent bikes",
        "bike rental", "bike hire", "hire a bike", "hire bikes", "e-bikes",
    ),
    _looked_up(
        "trains", "train", "trains", "railway", "rail pass", "interrail", "eurail", "eurostar", "tgv",
        "train ticket", "train tickets", "by rail",
    ),
    _looked_up("buses", "bus", "buses", "flixbus", "coach trip", "bus ticket", "bus tickets", "shuttle bus"),
    _looked_up(
        "ferries and cruises", "ferry", "ferries", "cruise", "cruises", "a boat", "boat trip", "a yacht"
    ),
    _looked_up(
        "taxis and transfers",
        "taxi", "taxis", "a cab", "uber", "lyft", "airport transfer", "airport transfers", "a transfer",
        "pick me up", "pick us up", "shuttle", "a driver", "with driver", "with chauffeur", "a chauffeur",
        "limousine",
    ),
    _looked_up(
        "local transport", "metro", "subway", "tram", "public transport", "public transportation", "bus stop",
    ),
    _looked_up(
        "restaurants",
        "restaurant", "restaurants", "a table", "table for", "dinner reservation", "place to eat",
        "places to eat", "somewhere to eat", "where to eat", "good food", "pizza", "cafe", "cafes",
        "nightclub", "nightclubs", "bars",
    ),
    _looked_up(
        "events and tickets to them",
        "concert", "concerts", "event", "events", "festival", "festivals", "theatre tickets", "opera tickets",
        "tickets for the", "tickets to the", "tickets to see", "tickets for a", "ticket for the", "the opera",
        "a musical", "football match", "movie", "movies", "cinema", "theater", "theatre", "a show",
        "admission", "entrance fee",
    ),
    _looked_up(
        "sights and things to do",
        "things to do", "things to see", "what to do", "what to see", "sightseeing", "sights", "guided tour",
        "city tour", "excursion", "excursions", "activities", "attractions",
        "attraction", "museum", "museums", "landmarks", "places to visit", "place to visit", "ski pass",
        "ski passes", "something to do", "anything to do", "anything fun", "fun to do",
        "what's on", "whats on", "diving course", "surf lessons", "a tour guide",
    ),
    Service(
        name="the weather",
        words=phrases(
            "weather", "forecast", "temperature", "temperatures", "how warm", "how cold", "how hot",
            "is it sunny",
            "will it rain", "does it rain", "degrees",
        ),
        reply="I do not know the weather.",
    ),
    _unknown(
        "visas and entry rules", "visa", "visas", "passport", "passports", "esta", "entry requirements",
        "entry rules",
    ),
    _looked_up("insurance", "insurance", "insure", "insured", "travel insurance", "cancellation insurance"),
    _unknown("vaccinations", "vaccine", "vaccines", "vaccination", "vaccinations", "shots"),
    _unknown(
        "money and exchange rates", "exchange rate", "exchange rates", "currency", "an atm", "local money"
    ),
    _unknown(
        "pets", "my dog", "a dog", "our dog", "dogs", "my cat", "a cat", "our cat", "pets", "a pet", "my pet",
        "pet friendly", "pet-friendly",
    ),
    _unknown("how safe a place is", "is it safe", "safe to travel", "dangerous", "how safe", "safety"),
    _looked_up(
        "maps and directions", "directions", "a map", "how do i get to the", "how do i get to my",
        "how do i get from the",
        "how do i get from my", "how do we get to the", "how far"
    ),
)  # fmt: skip

_LONGEST_ON_IT = 8


def what_we_do(offered: Collection[Agent] = tuple(SLOTS)) -> str:
    """Return the sentence that tells what these agents find."""
    *others, last = [FOUND[agent] for agent in SLOTS if agent in offered]
    return f"I find {', '.join(others)} and {last}."


def services_in(text: Text, offered: Collection[Agent] = tuple(SLOTS)) -> tuple[Service, ...]:
    """Return the services of others that a message speaks of, unlike those by which it only tells where.

    What one of the `offered` agents finds is no service of others.
    """
    others = (service for service in SERVICES if service.agent not in offered)
    return tuple(service for service in others if _spoken_of(text, service.words, 0, text.length) >= 0)


def goes_on(text: Text, ours: Phrases, *, offered: Collection[Agent] = tuple(SLOTS)) -> bool:
    """Return whether a message may go on about the service of others that was spoken of before it.

    It is short, and has no word of `ours`: "which one can I check in after midnight" is of a hotel.
    """
    cars: Cars = "known" if "car" in offered else "none"
    is_ours = text.has(ours) or text.has(_SAID.of_a_stay) or asks_for_car(text, cars)
    return text.length <= _LONGEST_ON_IT and not is_ours


def others_in(
    text: Text, ours: Phrases, *, offered: Collection[Agent] = tuple(SLOTS)
) -> tuple[frozenset[int], tuple[str, ...]]:
    """Return the tokens of the clauses about a service of others, and the names of these services.

    A clause that has a word of `ours` is about that. What one of the `offered` agents finds is left out.
    """
    tokens: set[int] = set()
    names: dict[str, None] = {}
    bought = [
        one
        for one in SERVICES
        if one.is_bought and one.agent not in offered and not text.vocabulary.isdisjoint(one.words.begin)
    ]
    for first, after in _parts(text) if bought else ():
        if text.find(ours, first, after) < 0:
            told = [one.name for one in bought if _spoken_of(text, one.words, first, after) >= 0]
            names.update(dict.fromkeys(told[:1]))
            tokens.update(range(first, after) if told else ())
    return frozenset(tokens), tuple(names)


def _parts(text: Text) -> list[tuple[int, int]]:
    parts: list[tuple[int, int]] = []
    for first, after in clauses(text):
        begun = first
        for at in range(first, after):
            if text.norm(at) in _WORDS.and_word and at > begun:
                parts.append((begun, at))
                begun = at
        parts.append((begun, after))
    return parts


def _spoken_of(text: Text, words: Phrases, first: int, after: int) -> int:
    at = text.find(words, first, after)
    while at >= 0:
        if not (_only_tells_where(text, at) or _is_not_wanted(text, at)):
            return at
        at = text.find(words, at + 1, after)
    return -1


def _is_not_wanted(text: Text, at: int) -> bool:
    """Whether something else is wanted in its place: "a car instead of a cab"."""
    while text.norm(at - 1) in _WORDS.definite:
        at -= 1
    return text.norm(at - 1) in ("of", "than") and text.norm(at - 2) in ("instead", "rather")


def _only_tells_where(text: Text, at: int) -> bool:
    """Whether it is near which something is: "near the museum", "close to a metro"."""
    before = at - 1
    while text.norm(before) in _WORDS.definite:
        before -= 1
    is_close = text.norm(before) == "to" and text.norm(before - 1) in _WORDS.close
    return text.norm(before) in _WORDS.near or is_close
