"""What one message says, in no language: the values that a reader fills in and the dialogue relates.

A reader is told what is known before the message (`Background`). What the message means beside the
requests before it is not for the reader to say: that is the dialogue's.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from operator import attrgetter
from typing import Any, Literal, Protocol

from ..values.travel import UNKNOWN_AGE, CabinClass, City, Money
from .calendar import later, valid
from .result import Agent, Alternative, BookingWish, OpenGoal, Period, Place, Refused, TourWish
from .slot_table import SLOTS, FlightSlots


class Act(StrEnum):
    """What a message does in the dialogue, whatever it is about. A message may do several of these."""

    ACCEPT = "accept"
    """Agrees to what was put to the user, or praises it: "yes", "that works for me"."""
    DECLINE = "decline"
    """Declines what was put to the user, or puts it off, and wants nothing instead."""
    DECIDE = "decide"
    """Answers a yes-or-no question in few words, without a courtesy."""
    CHANGE = "change"
    """Says that something is to become different: "actually", "make it", "what about"."""
    REFER = "refer"
    """Refers to what was asked for before: "there", "the same dates", "and"."""
    ASK_FOR_WHAT_IS_THERE = "ask_for_what_is_there"
    """Asks for a stay or a car at the place that was spoken of last: "a hotel there"."""
    START_AFRESH = "start_afresh"
    """Leaves the requests before behind: "now another trip", "from scratch"."""
    START_OVER = "start_over"
    """Begins from the start, and tells nothing yet."""
    UNDO = "undo"
    """Takes back the last change, and says nothing else."""
    UNDO_BOTH = "undo_both"
    """Takes back the last two changes."""
    UNDO_ALL = "undo_all"
    """Takes back all changes of the trip: "back to what I had at the start"."""
    REDO = "redo"
    """Takes back that it took back."""
    GO_BACK = "go_back"
    """Begins by going back to an earlier request: "back to the Tokyo flights"."""
    REPEAT = "repeat"
    """Asks for the same once more, and for nothing else: "try again", "go on"."""
    STOP = "stop"
    """Breaks off what runs: "never mind", "forget the whole trip"."""
    BEGIN_WITH_STOP = "begin_with_stop"
    """Begins with a sentence that stops: "stop, the flight is too expensive"."""
    ONLY_STOP = "only_stop"
    """Breaks off, and says nothing else but what becomes of it without us: "never mind, I'll drive"."""
    CLOSE = "close"
    """Takes leave, and asks for nothing beside."""
    GREET = "greet"
    """Begins with a greeting."""
    ASK = "ask"
    """Asks a question rather than for something."""
    ASK_ON = "ask_on"
    """Begins with a question about what is shown: "Ok, where is it?"."""
    ASK_OF_SHOWN = "ask_of_shown"
    """Asks about the flight that is shown in every sentence, and wants nothing."""
    ASK_OF_FOUND = "ask_of_found"
    """Asks what has been found: "which one is the cheapest?"."""
    ASK_FOR_MORE = "ask_for_more"
    """Wants other results than those shown: "something cheaper"."""
    ASK_MEANING = "ask_meaning"
    """Asks what a word means."""
    TELL_LIKING = "tell_liking"
    """Tells what somebody likes doing: "I love reading on planes"."""
    TELL_WISH = "tell_wish"
    """Tells a wish that no search takes: how dear a hotel should be, in which part of a town."""
    BOOK = "book"
    """Has a word for booking, of whatever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is said of numbers, comfort and price; None where nothing is."""

    people: int | None = None
    are_at_least: bool = False
    """Whether they are told by who comes along, and are no fewer than before for it: "with my husband"."""
    are_adults: bool = False
    """Whether adults are counted, and no children: those who are known come with them, unless `are_all`."""
    are_all: bool = False
    """Whether nobody else comes: "just 2 adults", "3 adults, no kids"."""
    is_alone: bool = False
    """Whether that is the speaker, who is left alone: "just me"."""
    rooms: int | None = None
    stars: int | None = None
    max_stops: int | None = None
    cabin_class: CabinClass | None = None
    max_price: Money | None = None
    is_per_night: bool = False
    airline: str | None = None
    airlines: tuple[str, ...] = ()
    amenities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class District:
    """Part of a city, by its name or in the user's words, and the cities that have one so called."""

    name: str
    cities: tuple[City, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """What else a part could have meant: `what` is "origin", "destination", "named", "start" or "end".

    The other fields are those of `Alternative`.
    """

    what: str
    taken: str
    others: tuple[str, ...]
    said: str = ""
    is_choice: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one part of a message says, and whom it is about (`agents`, () if that is open).

    `named` is a place that is named without a word that says what it is to the journey. Of `period` the day
    is still to be said; of a region among the `others`, the city. With `is_leaving` the start is a day on
    which somebody leaves; `arrival` is one on which somebody lands. Nights `nights_in_hotel` are told
    of a bed, and not of the whole journey.
    """

    agents: tuple[Agent, ...] = ()
    origin: Place | None = None
    destination: Place | None = None
    named: Place | None = None
    start: date | None = None
    end: date | None = None
    nights: int | None = None
    nights_in_hotel: bool = False
    period: Period | None = None
    is_leaving: bool = False
    arrival: date | None = None
    district: District | None = None
    facts: Facts = Facts()
    others: tuple[Other, ...] = ()
    has_unknown_goal: bool = False
    """Whether it names a place to go to, or to stay in, that nobody knows."""

    @property
    def says_something(self) -> bool:
        """Whether there is anything in it that could fill a slot."""
        return _values_of(self) != _NO_VALUES or any(not one.taken for one in self.others)


_values_of: Callable[[Part], object] = attrgetter(
    *(
        each.name
        for each in fields(Part)
        if each.name not in ("agents", "others", "nights_in_hotel", "has_unknown_goal")
    )
)
_NO_VALUES = _values_of(Part())


Scope = Literal["person", "night", "stay", "total", ""]
"""What a limit of price is for; "" where a message does not tell."""

Moved = Literal["journey", "start", "end", "people", "rooms", "direction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A change told by how much it changes, in the user's words `said`: so many days, months, people, rooms.

    With a `weekday` the day is the one before or after what is known (`days` is -1 or 1); with a `month` it
    bears the same number in that one.
    """

    what: Moved
    days: int = 0
    months: int = 0
    count: int = 0
    weekday: int | None = None
    month: int | None = None
    is_night: bool = False
    """Whether it is one night that is told: "the night before"."""
    is_counted_on: bool = False
    """Whether it tells a last day from the first one as well as it moves one: "back a week later"."""
    is_to_a_day: bool = False
    """Whether all of the journey moves to the day that the message names: "move everything to the 15th"."""
    is_of_children: bool = False
    """Whether all children that are known stay behind."""
    child: Literal["", "oldest", "youngest", "middle"] = ""
    """Which of several children stays behind."""
    said: str = ""
    also: "Shift | None" = None
    """The change of the other end of the journey: "leave a day earlier and come back a day later"."""

    def day(self, known: date) -> date | None:
        """The day to which a known one is moved; None beyond the calendar."""
        if self.month:
            same = [valid(known.year + ahead, self.month, known.day) for ahead in (-1, 0, 1)]
            return min((day for day in same if day), key=lambda day: abs(day - known), default=None)
        if self.weekday is None:
            return later(known, days=self.days, months=self.months)
        if self.days < 0:
            return known - timedelta(days=(known.weekday() - self.weekday - 1) % 7 + 1)
        return known + timedelta(days=(self.weekday - known.weekday() - 1) % 7 + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nudge:
    """The value of a slot told against the known one: more or later (1), less or earlier (-1)."""

    direction: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgesOfKnown:
    """The ages of children who are counted already. Where nobody is, so many `adults` come with them."""

    ages: tuple[int, ...]
    adults: int

    def filling(self, known: tuple[int, ...]) -> tuple[int, ...]:
        """Return the ages of the `known` children, where these are told of those whose age was not."""
        if len(self.ages) >= len(known):
            return self.ages
        left = list(self.ages)
        filled = [left.pop(0) if age == UNKNOWN_AGE and left else age for age in known]
        return (*filled[: len(filled) - len(left)], *left)


@dataclass(frozen=True, slots=True, kw_only=True)
class HotelName:
    """A hotel by its name; `is_rejected` if it is named as one that is not wanted."""

    name: str
    is_rejected: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a message chooses among the readings of a slot that an earlier message left open."""

    slot: str
    value: Place | date


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """Which of the earlier requests a message wants again: by a city, else by its place in their row.

    `cities` are all that the message names. `which` is None where no place in the row is told.
    """

    cities: frozenset[City] = frozenset()
    which: Literal["oldest", "second", "latest"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """What was right in an earlier request: "Paris was right", "the first date was right".

    `what` is the kind: "day", "last_day", "place", "start", "people", "max_price", "departs_after", "stars",
    "airline" or "" where a value tells it. With `is_before` an earlier value is meant that is not named, with
    `is_oldest` the first of them. With `is_beside` the message says more. `count` is a number beside it.
    """

    what: str = ""
    count: int | None = None
    is_oldest: bool = False
    is_before: bool = False
    is_beside: bool = False


def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message, read. `agents` are those that it names, in the order flight, hotel."""

    parts: tuple[Part, ...] = ()
    agents: tuple[Agent, ...] = ()
    acts: frozenset[Act] = frozenset()
    is_trip: bool = False
    """Whether it names its agents by a whole trip, and not one by one."""
    is_loose: bool = False
    """Whether it names its agents by the way only: "I'll stay until the 5th"."""
    is_elsewhere: bool = False
    """Whether it is about another service than flights and hotels."""
    is_bare: bool = False
    """Whether it says when, how long and for how many, and nothing else."""
    is_of_stay: bool = False
    """Whether it has words for a stay, if it names nobody."""
    is_of_another_place: bool = False
    """Whether its places are no answer to where the flight starts: asked about, or in place of the goal."""
    flies_back: bool = False
    """Whether it tells the day of the journey back."""
    brings_along: bool = False
    """Whether whom it names without a day follows the days of the others: "and the hotel to match"."""
    stays_on: bool = False
    """Whether it tells of staying, and not of a check-in or a check-out alone."""
    hotel_names: tuple[HotelName, ...] = ()
    same_hotels: tuple[frozenset[str], ...] = ()
    """Names that mean one hotel, of those told here or known before: "Hilton" and "the Hilton Hotel"."""
    goal: Place | None = None
    """The last place it names that is not one to come from."""
    nights_in_turn: tuple[int, int] | None = None
    """Behind how many nights of the journey, or from how many before its end (below 0), it wants how many."""
    waived: frozenset[Agent] = frozenset()
    """The agents that it can do without, or whose place another takes."""
    also_airlines: bool = False
    """Whether the airlines that it names come beside those wanted before: "or Lufthansa"."""
    removed: frozenset[str] = frozenset()
    """The slots that it empties."""
    not_wanted: tuple[Place, ...] = ()
    """The places that it speaks against."""
    open_goal: OpenGoal | None = None
    """How it leaves open where to fly, None where it does not."""
    shift: Shift | None = None
    scope: Scope = ""
    """What a limit that was told before is for, where the message says just that."""
    slots: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What it tells of slots by their names, beside its parts. One with None is emptied."""
    choices: tuple[Choice, ...] = ()
    amount: Decimal | None = None
    """An amount that it tells and nothing else, which replaces a limit of price: "make that 170"."""
    right: Right | None = None
    """What it says was right before."""
    returns_to: Return | None = None
    """Which earlier request it takes up again; None if it does not say that it does."""
    wished_of: tuple[Agent, ...] = ()
    """The agents of its `slots`, and those for which it has wishes that no search takes."""
    refused: tuple[Refused, ...] = ()
    """What could not be read."""
    unread: Callable[[], tuple[Refused, ...]] = field(default=tuple[Refused, ...], compare=False, repr=False)
    """Finds the words that nothing was made of. It costs several readings: only a request asks for it."""

    hinted: Callable[[], "Message | None"] = field(default=_nothing, compare=False, repr=False)
    """What it only names, if nothing else can be made of it. It costs several readings, too."""

    @property
    def says_something(self) -> bool:
        """Whether any part could fill a slot, or change one."""
        is_change = bool(self.removed or self.scope) or self.shift is not None
        return is_change or self.parts_say_something

    @property
    def parts_say_something(self) -> bool:
        """Whether any part could fill a slot."""
        return any(part.says_something for part in self.parts)

    def unnamed(self) -> "Message":
        """The same as if it named nobody: what it says is for those who are spoken to."""
        parts = tuple(replace(part, agents=()) for part in self.parts)
        return replace(self, agents=(), is_trip=False, parts=parts)

    def is_same_hotel(self, name: str, other: str | None) -> bool:
        """Return whether two names, told here or known before, mean one hotel."""
        return name == other or any({name, other} <= names for names in self.same_hotels)

    def hotel_wanted(self, known: str | None) -> str | None:
        """Return the hotel that is asked for: none rejected, rather another than the known one, the last."""
        wanted = [one.name for one in self.hotel_names if not one.is_rejected]
        others = [name for name in wanted if not self.is_same_hotel(name, known)]
        return (others or wanted or [None])[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class BookingAct:
    """What a message wants done about an offer or a booking.

    `rest` is the message without the words of the act, and `rest_by_name` the same with the name of the
    wish's kind: what is left may say more, and is read like any other message. With `is_bare` the offer may
    as well be what is to be looked for; with `is_loose` the verb is one of many uses. `unread` are words for
    the offer by which none is picked, `also` those for what is to be booked beside it, which is `also_wish`,
    and `beside` wishes that are neither. On `conditions` nothing is picked: they are told with the act.
    """

    wish: BookingWish
    rest: str
    rest_by_name: str
    is_bare: bool = False
    is_loose: bool = False
    is_of_request: bool = False
    """Whether it may as well be about what is searched for: "cancel my flight"."""
    is_dropped: bool = False
    """Whether it is about that rather than a booking: "drop the hotels"."""
    has_reason: bool = False
    """Whether more is told, which may be why: "cancel it, the meeting got called off"."""
    unread: str = ""
    also: str = ""
    beside: tuple[Refused, ...] = ()
    conditions: tuple[Refused, ...] = ()
    also_wish: BookingWish | None = None
    is_of_all: bool = False
    """Whether it is about one of each that there is: "book both", "the cheapest of each"."""
    cancelled: BookingWish | None = None
    """What is to be cancelled once that is booked: "cancel it and book the second"."""

    @property
    def is_conditional(self) -> bool:
        """Whether it tells no offer, and depends on something: "book it only if it is refundable"."""
        return bool(self.conditions) and self.wish == BookingWish(
            action=self.wish.action, kind=self.wish.kind
        )

    @property
    def alone(self) -> "BookingAct":
        """The same act of a message that says nothing else."""
        name = self.rest_by_name.removeprefix(self.rest).strip()
        return replace(self, rest="", rest_by_name=name, beside=(), conditions=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Tour:
    """A tour that a message asks for, with what could not be taken of it; a `trip` comes in its place."""

    wish: TourWish
    trip: FlightSlots | None = None
    refused: tuple[Refused, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """What is known when a message arrives, as far as its words are read by it.

    After the day `after` people go on in days, and `since` is the first day of a period that was left open.
    `offered` are the agents that there are.
    `asked` are the slots that the assistant asked for, `counts` those that a bare number may be for,
    `counted` the counts that were told, and `days` the days that the request before holds. `running` are its
    agents: if only a hotel was spoken of, to leave is to check out, unless the message brings in flights.
    `filled` are the slots that it holds. `is_hotel_named` tells whether a hotel has been named before, and
    `hotels` all names of hotels that the conversation knows, also as put forward. `stay` is the city to stay
    in and `start` the one that a flight starts in, if known. `open_readings` are those that an
    earlier message left open. Of so many children the age was not told (`untold_ages`).
    """

    today: date
    after: date | None = None
    since: date | None = None
    offered: Collection[Agent] = tuple(SLOTS)
    asked: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()
    days: Collection[date] = ()
    running: tuple[Agent, ...] = ()
    filled: Collection[str] = ()
    is_hotel_named: bool = False
    hotels: tuple[str, ...] = ()
    stay: City | None = None
    start: City | None = None
    open_readings: tuple[Alternative, ...] = ()
    untold_ages: int = 0


class Reader(Protocol):
    """Reads single messages. It never raises, whatever the message, and holds no state of a conversation."""

    def __call__(self, message: str, background: Background) -> Message:
        """Return what a message says."""
        ...
