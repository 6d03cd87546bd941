"""Whether a message asks for a rental car, or only speaks of cars: "a car", unlike "a car park", "by car"."""

from typing import Literal

from .text import Text, phrases, word_set

Cars = Literal["none", "offered", "known"]
"""Whether nobody searches for cars here, somebody does, or the request has one."""

_RENTALS = phrases(
    "rental car", "rental cars", "rent a car", "rent cars", "renting a car", "car rental", "car rentals",
    "car hire", "hire car", "hire cars", "hire a car", "hiring a car", "car to rent", "car for rent",
    "cars to rent", "cars for rent", "car for hire", "cars for hire", "rental suv", "rental van",
    "rent a van", "hire a van", "rent a minivan", "hire a minivan", "van rental", "van hire", "rent an suv",
    "hire an suv", "rent a convertible", "hire a convertible",
    "one way rental", "one-way rental", "one way car rental", "one-way car rental",
    "vehicle hire", "vehicle rental", "rent a vehicle", "hire a vehicle", "rental vehicle",
)  # fmt: skip
"""What asks for a car wherever it stands."""
_CARS = word_set("car cars suv suvs convertible convertibles minivan minivans vehicle vehicles")
_NOTHING_ELSE = word_set("suv suvs minivan minivans convertible convertibles")
_LIKE = word_set(
    """
    small compact big bigger large larger cheap cheaper nice automatic manual family electric hybrid estate
    standard economy full-size mid-size midsize medium rental different other another seven-seater decent
    """
)
_TELLS_WHERE = word_set("in at from for pick pickup needed wanted required hire rental please")
"""Behind a "car" that begins a message these make it one to rent: "car in Faro from the 3rd"."""
_DOES = word_set("is was were has had and or to by with broke breaks will can could then would should")
_AND = word_set("and & + plus")
_BESIDE = word_set("flight flights hotel hotels room rooms stay fly airfare")
_GREETED = 4
"""Tokens that a greeting may take up before it."""
_NEEDS = word_set("need needs want wants rent hire book reserve find get require")
_PRICED = phrases(
    "how much would", "how much will", "how much is", "how much does", "how much for", "what would",
    "what will", "what does", "whats", "what's", "what is", "price of", "price for", "cost of", "cost for",
)  # fmt: skip
"""Before "a car" these ask what one to rent costs."""
_COSTS = word_set("cost costs price much")
_ARTICLES = word_set("a an some another any")
_WANTED = word_set(
    """
    and plus also & + , need needs want wants rent hire book find get show add including include incl like me
    us reserve arrange i we then for offer search
    """
)
_NOT_RENTED = word_set(
    """
    park parks parking seat seats free ferry train wash crash accident show museum race racing bomb key keys
    sick sickness deck dealer insurance journey ride rides trip trips boot trunk port alarm chase pool
    """
)
"""Behind "car" these make it something else."""
_NOT_A_RENTAL = word_set(
    """
    cable dining sleeping sleeper street tram railway toy my our own by their his her your police company
    classic racing buffet lounge
    """
)
"""Before "car" these do."""
_DRIVEN = phrases(
    "with a driver", "with driver", "with a chauffeur", "with chauffeur", "and a driver", "and driver",
    "including driver", "including a driver", "service", "transfer", "with a private driver",
)  # fmt: skip
"""Behind a car these make it a transfer, which is no rental."""
_IN_PLACE_OF = phrases("instead of", "rather than")
_DRIVES_US = word_set("cab cabs taxi taxis uber shuttle transfer transfers bus buses train trains driver")
"""In the place of one of these a car is wanted, whatever leads it: "Goa with car instead of cab"."""
_OWNED = phrases("have", "has", "own", "got", "bring", "brought", "in", "take our", "with", "leave", "park")


BEGINNINGS = _RENTALS.keys() | _CARS
"""The words with which all that asks for a car begins."""


def car_at(text: Text, index: int, cars: Cars) -> int:
    """Return how many tokens at `index` ask for a rental car, 0 if none do.

    Where one is known to be wanted, "the car" is that one.
    """
    if cars == "none" or text.norm(index) not in BEGINNINGS:
        return 0
    length = text.match(_RENTALS, index)
    if length:
        return 0 if _is_not_rented(text, index + length) else length
    if text.norm(index) not in _CARS or _is_glued(text, index):
        return 0
    if _is_not_rented(text, index + 1) or text.norm(index - 1) in _NOT_A_RENTAL:
        return 0
    if text.match(_IN_PLACE_OF, index + 1) and not text.vocabulary.isdisjoint(_DRIVES_US):
        return 1
    before = index - 1
    while text.norm(before) in _LIKE:
        before -= 1
    is_led = text.norm(before) in _ARTICLES
    before -= is_led
    is_begun = before < 0 or not text[before].is_word
    if text.match_before(_OWNED, before + 1, within=1) or text.norm(before) in _NOT_A_RENTAL:
        return 0
    if cars == "known":
        return 1
    if is_led and text.match_before(_PRICED, before + 1, within=3) and not _COSTS.isdisjoint(text.vocabulary):
        return 1  # "what would a car cost for 18-19 May"
    is_several = text.norm(index).endswith("s")
    is_wanted = is_begun or text.norm(before) in _WANTED
    # "Suv from the 13th": a "car" alone is as well the one they come in.
    if is_begun and (text.norm(index) in _NOTHING_ELSE or _tells_where(text, before, index + 1)):
        return 1
    if not is_led and (text.norm(before) in _NEEDS or _is_coupled(text, before)):
        return 1  # "need car in Malaga"
    return int(is_wanted and (is_led or is_several or before < index - 1))


def _is_not_rented(text: Text, behind: int) -> bool:
    """Whether what stands behind a car makes it another thing: "car service", "car with a driver"."""
    return bool(text.match(_DRIVEN, behind)) or text.norm(behind) in _NOT_RENTED


def _is_coupled(text: Text, before: int) -> bool:
    """Whether it stands beside what else is looked for: "flights and car", "hotel + car"."""
    return text.norm(before) in _AND and text.norm(before - 1) in _BESIDE


def _tells_where(text: Text, before: int, behind: int) -> bool:
    """Whether a "car" that begins a message, or a sentence of it, has a place or days behind it."""
    if text.norm(behind) in _TELLS_WHERE:
        return before < _GREETED or text.norm(before) in (".", "!")
    is_named = text[behind].is_word and text.norm(behind) not in _DOES
    return before < 0 and text.has_figures and is_named


def asks_for_car(text: Text, cars: Cars) -> bool:
    """Return whether a message asks for a rental car anywhere."""
    if cars == "none" or BEGINNINGS.isdisjoint(text.vocabulary):
        return False
    return any(car_at(text, index, cars) for index in text.each_of(BEGINNINGS))


def _is_glued(text: Text, index: int) -> bool:
    """Whether it is half of a word: "car-free", "side-car"."""
    return text.norm(index + 1) == "-" or text.norm(index - 1) == "-"
