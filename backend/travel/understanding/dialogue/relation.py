"""How a message relates to the request before it: a new one, a change, an addition, an answer, or neither.

The rules look at three things: whom the message names, whether what it says contradicts what is known,
and acts that only make sense after something ("actually", "instead", "there"). A message may also take up
an earlier request: "back to the Tokyo flights", "the first again".
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from ...values.travel import City
from ..message import Act, Message, Return
from ..queries import QUERIES, filters
from ..result import Agent, OpenGoal, Place, Relation, Understanding
from ..slot_table import SLOTS, links_of
from .prompt import Prompt
from .slots import Slots, first_known, held_in


def find_relation(
    message: Message, said: Slots, previous: Understanding | None, prompt: Prompt, *, is_agreed: bool
) -> Relation:
    """Return how a message relates to what went before.

    `said` is what it says, for whom it may be about; with `is_agreed` that includes what it agrees to.
    """
    acts, named = message.acts, message.agents
    known = held_in(previous)
    active = active_agents(previous)
    if _is_stop(message, active):
        return "stop"
    is_opening = not active and _is_complete(said, named)  # "..., I think that's everything"
    if (Act.CLOSE in acts and not is_opening) or Act.ASK_MEANING in acts or _only_tells_a_liking(message):
        return "other"
    says_nothing = not (message.says_something or message.hotel_names or message.wished_of)
    says_nothing_new = says_nothing and set(named) <= set(active)
    if active and says_nothing_new and Act.ASK_OF_FOUND in acts:
        return "other"
    is_refusal = says_nothing_new and not prompt.asks_details and Act.DECLINE in acts
    if active and is_refusal and not _takes_a_place_away(message, said, previous):
        return "other"
    if not named:
        # "Forget Dubai, Goa with a taxi there" is about the journey.
        is_of_journey = bool(message.not_wanted and said.cleared and message.goal)
        if (message.is_elsewhere or prompt.is_elsewhere) and not is_of_journey:
            return "other"
        return "answer" if is_agreed else _of_unnamed(message, said, previous, prompt)
    hotel = said.hotel.name
    names_another = hotel is not None and not message.is_same_hotel(hotel, known.hotel.name)
    if _is_about_something_else(message, names_another=names_another, is_running=bool(active)):
        return "answer" if is_agreed else "other"
    is_turn = Act.CHANGE in acts
    refers = is_turn or Act.REFER in acts
    if not active or previous is None or (previous.relation == "stop" and not refers):
        return "new"
    contradicts = _contradicts(said, known)
    if Act.START_AFRESH in acts and _is_complete(said, named):
        return "new"
    if not set(named) <= set(active):
        # "Chicago flights and a rental car" goes on with the flights.
        goes_on = not set(named).isdisjoint(active) and not _is_complete(said, named)
        return "new" if contradicts and not (refers or goes_on) else "add"
    answers = is_agreed or prompt.is_answered_by(said) or prompt.asks_details
    answers = answers or (_is_praise(message) and prompt.is_reply)
    if contradicts and not is_turn and not answers and _is_complete(said, named):
        return "new"
    return "answer" if answers and not (is_turn and _changes(said, known)) else "refine"


def active_agents(previous: Understanding | None) -> tuple[Agent, ...]:
    """Return the agents of a request that is still known, whether or not the last message was about it."""
    return previous.wanted if previous else ()


def missing_of(previous: Understanding | None) -> tuple[str, ...]:
    """Return what the request before still lacks, also when something else was said since."""
    if previous is None:
        return ()
    agents = previous.agents or active_agents(previous)
    return (previous if agents == previous.agents else replace(previous, agents=agents)).missing


def _of_unnamed(message: Message, said: Slots, previous: Understanding | None, prompt: Prompt) -> Relation:
    """The relation of a message that names neither flights nor hotels."""
    acts, active = message.acts, active_agents(previous)
    known = held_in(previous)
    wishes = bool(message.wished_of) or ("hotel" in active and Act.TELL_WISH in acts)
    if not message.says_something:
        if active and (Act.ASK_FOR_MORE in acts or _takes_a_place_away(message, said, previous)):
            return "refine"
        if wishes:
            return "answer" if prompt.asks_details else "refine"
        if active and prompt.asks_details and not acts & {Act.ASK, Act.GREET}:
            return "answer"
        if not active and message.is_bare and Act.BOOK in acts:
            return "new"
        return "answer" if prompt.asked and Act.DECIDE in acts else "other"
    if Act.ASK in acts and not (Act.ASK_FOR_MORE in acts or wishes) and not said.filled & {"flight.origin"}:
        return "other"
    if not active:
        return "new" if message.is_bare or _is_begun(said) else "other"
    if not said.filled and not said.cleared and (said.length is None or "flight" not in active):
        return "other"
    is_route = said.flight.origin is not None and said.flight.destination is not None
    is_whole = is_route and said.flight.departure_date is not None and message.shift is None
    if is_whole and _differ(said.flight.destination, known.flight.destination) and Act.CHANGE not in acts:
        return "new"
    answers = prompt.is_answered_by(said) or prompt.asks_details
    return "answer" if answers and not (Act.CHANGE in acts and _changes(said, known)) else "refine"


def _takes_a_place_away(message: Message, said: Slots, previous: Understanding | None) -> bool:
    """Whether a place is spoken against that the request holds, or may yet come to: "not from Berlin"."""
    is_open = previous is not None and lacks_a_goal(previous)
    is_against = bool(message.not_wanted) and (bool(said.cleared) or is_open)
    return is_against and message.acts.isdisjoint({Act.ASK, Act.ACCEPT})


def _is_begun(said: Slots) -> bool:
    """Whether enough is said to look for a journey: from where and whither or when, or whither and when."""
    has_day = bool(said.flight.departure_date or said.hotel.check_in or said.period)
    if said.flight.origin is not None:
        return bool(has_day or said.flight.destination or said.unplaced)
    is_open = any(not one.taken for one in said.alternatives)  # somewhere in Sicily
    return has_day and bool(said.flight.destination or said.hotel.city or is_open)


def _is_praise(message: Message) -> bool:
    """Whether a message likes what was found, and wants nothing else: "that flight works for me"."""
    return not message.says_something and Act.ACCEPT in message.acts and Act.ASK_FOR_MORE not in message.acts


def _only_tells_a_liking(message: Message) -> bool:
    """Whether somebody tells what they like doing, and nothing they want: "I love reading on planes"."""
    return Act.TELL_LIKING in message.acts and not message.says_something


def _is_stop(message: Message, active: tuple[Agent, ...]) -> bool:
    """Whether a message breaks off, and wants nothing in the same breath.

    "Stop looking for hotels" is none while only flights are looked for.
    """
    explains = Act.BEGIN_WITH_STOP in message.acts  # "stop, the flight is too expensive"
    names_some = bool(message.agents) and not (explains and message.agents == active)
    is_only_that = not (message.says_something or names_some or (message.is_elsewhere and not explains))
    is_of_others = bool(message.waived and active) and message.waived.isdisjoint(active)
    return is_only_that and not is_of_others and Act.STOP in message.acts


def _is_about_something_else(message: Message, *, names_another: bool, is_running: bool) -> bool:
    """Whether flights or hotels are only mentioned: "find a restaurant near the hotel".

    A question about a hotel not spoken of before (`names_another`) asks for that hotel. While a request
    `is_running`, what it is asked about says nothing new: "is it a flight to Rome?".
    """
    if message.says_something:
        return is_running and not names_another and Act.ASK_OF_SHOWN in message.acts
    if message.is_elsewhere:
        return True
    return Act.ASK in message.acts and not names_another and Act.ASK_FOR_MORE not in message.acts


def _changes(said: Slots, known: Slots) -> bool:
    """Whether anything is said that is known to be otherwise; amenities add up."""
    both = (said.filled & known.filled) - {"hotel.amenities"}
    return any(said.value(slot) != known.value(slot) for slot in both)


def _contradicts(said: Slots, known: Slots) -> bool:
    """Whether a place is said that is another than the known one."""
    known_goal = first_known(known, "goal")
    goals = [said.value(goal.name) for goal in links_of("goal")]
    is_from_elsewhere = _differ(said.flight.origin, known.flight.origin)
    return is_from_elsewhere or any(_differ(goal, known_goal) for goal in goals)


def _differ(one: Place | None, other: Place | None) -> bool:
    return one is not None and other is not None and one.city != other.city


def _is_complete(said: Slots, named: tuple[Agent, ...]) -> bool:
    """Whether a message says enough to stand alone."""
    route = said.flight.destination is not None and (said.flight.origin or said.flight.departure_date)
    stay = said.hotel.city is not None and said.hotel.check_in
    rental = said.car.city is not None and said.car.pick_up
    return bool(("flight" in named and route) or ("hotel" in named and stay) or ("car" in named and rental))


def told_in_full(
    requests: Sequence[Understanding],
    previous: Understanding | None,
    read_after: Callable[[Understanding], Understanding],
    *,
    goal: Place | None,
) -> int | None:
    """Return which of the requests, latest first, a message tells by all that it asks for; None if none.

    It tells one about which it changes nothing: `read_after` understands the message, which names the `goal`,
    after a request. Where it tells several so, it is the one that asks for the least beside what was said.
    """

    def is_told(one: Understanding) -> bool:
        is_there = goal is not None and goal.city in _cities(one)
        return is_there and _searches(read_after(one)) == _searches(one)

    told = [(_asks_for(one), at) for at, one in enumerate(requests) if is_told(one)]
    if not told or (previous and is_told(previous) and _asks_for(previous) <= min(told)[0]):
        return None
    return min(told)[1]


def _searches(understood: Understanding) -> tuple[object, ...]:
    """What is searched for, from whichever airport of the cities, and what narrows it."""
    flight = understood.flight
    places = {"origin": flight.origin, "destination": flight.destination}
    cities = {name: Place(city=place.city) for name, place in places.items() if place}
    anywhere = replace(understood, flight=replace(flight, **cities))
    return tuple((QUERIES[agent](anywhere), filters(agent, anywhere.of(agent))) for agent in SLOTS)


def _asks_for(understood: Understanding) -> int:
    return len(held_in(understood).filled)


def taken_up(
    wanted: Return | None,
    agents: Collection[Agent],
    recent: Sequence[Understanding],
    previous: Understanding | None,
) -> int | None:
    """Return which of the `recent` requests, latest first, a message wants again; None if none.

    A request is told by its city, or by its place among those that have all the `agents`.
    """
    if wanted is None:
        return None
    fitting = [at for at, one in enumerate(recent) if set(agents) <= set(one.wanted)]
    if wanted.cities:
        is_there = previous is not None and wanted.cities & _cities(previous)
        return next((at for at in fitting if not is_there and wanted.cities & _cities(recent[at])), None)
    if not fitting:
        return None
    if wanted.which == "oldest":
        return fitting[-1]
    if wanted.which == "second":
        return fitting[-2] if len(fitting) > 1 else None
    return fitting[0] if wanted.which == "latest" else None


def _cities(understood: Understanding) -> set[City]:
    places = (understood.flight.destination, understood.hotel.city)
    return {place.city for place in places if place}


def lacks_a_goal(understood: Understanding) -> bool:
    """Return whether flights are wanted, and nobody has told where to."""
    return "flight" in understood.wanted and understood.flight.destination is None


def goal_left_open(
    understood: Understanding, message: Message, previous: Understanding | None
) -> OpenGoal | None:
    """Return how a request leaves open where to fly after a message; None where it does not.

    Places that are spoken against add up: none of them is to be put forward.
    """
    if not lacks_a_goal(understood):
        return None
    before = previous.open_goal if previous and understood.relation != "new" else None
    against = [place for place in message.not_wanted if not place.airport]
    left_out = tuple(dict.fromkeys((*(before.left_out if before else ()), *against)))
    told = message.open_goal or before or (OpenGoal() if left_out else None)
    return OpenGoal(is_warm=told.is_warm, left_out=left_out) if told else None
