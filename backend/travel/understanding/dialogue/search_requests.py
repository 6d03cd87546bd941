"""The way from a message to its understanding: take it apart, relate it to what was before, carry over."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from ...values.travel import City
from ..message import Act, Message
from ..reader import Background, Reader
from ..result import Agent, Refused, Relation, Understanding
from . import carry
from .choices import chosen
from .deltas import emptied, refused_by, shifted
from .prompt import Prompt, asking
from .relation import active_agents, find_relation, missing_of
from .returning import taken_up, told_in_full
from .slots import NO_FLIGHT, NO_HOTEL, Slots, overlay, slots_of, without
from .whole_requests import repeated, still_open, taken_up_again, with_what_was_waived, without_agents

_BOTH: tuple[Agent, ...] = ("flight", "hotel")


def understand_search(
    message: str,
    read: Reader,
    *,
    previous: Understanding | None,
    today: date,
    prompt: Prompt | None = None,
    recent: Sequence[Understanding] = (),
    alike: Sequence[Understanding] = (),
) -> Understanding:
    """Return what a message means, given what was understood before it and today's date.

    It is `read` once, and again after each earlier request that it may take up. `prompt` is what the
    assistant said in between; without one it asked for what was missing. `recent` are requests that were
    interrupted, latest first, and `alike` others about the same places, of which the message may take one up
    again. Never raises, whatever the message; what makes no sense is understood as `other`.
    """
    prompt = prompt or asking(*missing_of(previous))
    known = Slots(flight=previous.flight, hotel=previous.hotel) if previous else Slots()
    said = read(message, _background(previous, prompt, today))
    if said.is_of_another_place:
        prompt = replace(prompt, asked=tuple(slot for slot in prompt.asked if slot != "flight.origin"))
    said = _as_answer(said, prompt, active_agents(previous))
    if previous and not said.removed:  # "any airline" asks for no flights
        previous = with_what_was_waived(previous, said.agents)

    def read_after(before: Understanding) -> Understanding:
        # "The first one again" chooses a request, and none of the cities that it left open.
        return understand_search(
            message, read, previous=replace(before, alternatives=()), today=today, prompt=asking()
        )

    requests = (*recent, *alike)
    is_detailed = Act.GO_BACK in said.acts and any(part.start for part in said.parts)
    in_full = told_in_full(requests, previous, read_after, goal=said.goal) if is_detailed else None
    resumed = in_full
    if resumed is None:
        resumed = taken_up(said.returns_to, said.agents, recent, previous)
    if resumed is not None:
        before = requests[resumed]
        again = read_after(before) if in_full is None else before
        return _dropping(known, taken_up_again(again, before, resumed, previous, said.agents))
    waived: list[Agent] = [agent for agent in active_agents(previous) if agent in said.waived]
    understood = _related(said, previous, prompt, today)
    if previous and waived:
        understood = without_agents(
            understood, previous, waived, says_more=bool(said.says_something or said.agents)
        )
    understood = replace(understood, refused=_told_to(understood))
    return _in_conversation(_dropping(known, understood), said, previous, prompt)


def _background(previous: Understanding | None, prompt: Prompt, today: date) -> Background:
    known = Slots(flight=previous.flight, hotel=previous.hotel) if previous else Slots()
    return Background(
        today=today,
        after=known.flight.departure_date
        or known.hotel.check_in
        or prompt.proposed.flight.departure_date
        or prompt.proposed.hotel.check_in,
        since=previous.period.start if previous and previous.period else None,
        asked=prompt.asked,
        counts=prompt.counts,
        days=_days(known),
        running=active_agents(previous),
        is_hotel_named=known.hotel.name is not None,
        hotels=_hotels(previous, prompt),
        stay=_stay(known),
        open_readings=(*(previous.alternatives if previous else ()), *prompt.proposed.alternatives),
    )


def _told_to(understood: Understanding) -> tuple[Refused, ...]:
    """What could not be taken, as far as it matters: fares are those of flights."""
    flies = "flight" in understood.agents
    return tuple(one for one in understood.refused if flies or one.reason != "adult_fare")


def _dropping(known: Slots, understood: Understanding) -> Understanding:
    """The same, which drops only what the request before held: what was waived earlier was dropped then."""
    return replace(understood, dropped=tuple(slot for slot in understood.dropped if slot in known.filled))


def _days(known: Slots) -> tuple[date, ...]:
    flight, stay = known.flight, known.hotel
    days = (flight.departure_date, flight.return_date, stay.check_in, stay.check_out)
    return tuple(day for day in days if day)


def _stay(known: Slots) -> City | None:
    """The city to stay in, as far as it is known."""
    place = known.hotel.city or known.flight.destination
    return place.city if place else None


def _hotels(previous: Understanding | None, prompt: Prompt) -> tuple[str, ...]:
    """The names of hotels that are known, or were put forward."""
    stays = [prompt.proposed.hotel, prompt.offered.hotel]
    stays += [previous.hotel, previous.whole_hotel] if previous else []
    return tuple(stay.name for stay in stays if stay.name)


def _as_answer(message: Message, prompt: Prompt, running: tuple[Agent, ...]) -> Message:
    """The same without whom it names by the way only: "I'll stay until the 5th" may answer about a flight."""
    is_answer = prompt.is_elsewhere or (prompt.is_question and bool(running))
    by_the_way = message.is_trip or (message.is_loose and not set(message.agents) <= set(running))
    return message.unnamed() if is_answer and by_the_way else message


def _related(message: Message, previous: Understanding | None, prompt: Prompt, today: date) -> Understanding:
    """What a message means after what was understood before."""
    known = Slots(flight=previous.flight, hotel=previous.hotel) if previous else Slots()
    agents = _spoken_to(message, previous, prompt)
    departure = known.flight.departure_date
    agreed = prompt.agreed(message.acts) if previous else Slots()
    spoken = slots_of(
        message.parts,
        agents,
        asked=prompt.asked,
        departure=departure,
        hotel_name=message.hotel_wanted(known.hotel.name),
        told=message.slots,
    )
    named = message.agents or _BOTH
    spoken = replace(spoken, cleared=spoken.cleared | emptied(message, known, named))
    refused = message.refused
    if message.shift and previous:
        moved = shifted(message.shift, known, message.agents or active_agents(previous))
        cannot_be = refused_by(message.shift, moved, known, today=today)
        refused += cannot_be
        spoken = spoken if cannot_be else overlay(moved, spoken)
    spoken = _started(_narrowed(spoken, message, known), message, known, active_agents(previous))
    picked = chosen(message.choices)
    if picked.filled:
        agreed = overlay(agreed, picked)
        spoken = replace(spoken, cleared=frozenset[str](), alternatives=())
    said = overlay(agreed, spoken)
    is_nothing_else = not (message.says_something or agreed.filled)
    if previous and previous.wanted and is_nothing_else and Act.REPEAT in message.acts:
        return repeated(previous, message.agents)
    relation = find_relation(message, said, previous, prompt, is_agreed=bool(agreed.filled))
    if relation in ("other", "stop"):
        is_ours = (previous is not None or message.agents) and not message.is_elsewhere
        agreed = agreed if relation == "other" else Slots()
        told = refused if is_ours and relation == "other" else ()
        return replace(_unchanged(relation, previous, agreed), refused=told)
    if relation == "new" or previous is None:
        return replace(_new(message, said, known, previous), refused=refused)
    return replace(_continued(relation, message, said, previous, agents), refused=refused)


def _narrowed(spoken: Slots, message: Message, known: Slots) -> Slots:
    """A place that is only named tells of the start if it is there, or instead: "JFK only", "not Oslo"."""
    named, start = spoken.flight.destination, known.flight.origin
    is_only_named = any(part.named == named for part in message.parts) and spoken.flight.origin is None
    if not (named and start and is_only_named):
        return spoken
    is_instead = any(place.city == start.city for place in message.not_wanted)
    if named.city != start.city and not is_instead:
        return spoken
    return replace(spoken, flight=replace(spoken.flight, origin=named, destination=None))


def _started(spoken: Slots, message: Message, known: Slots, running: tuple[Agent, ...]) -> Slots:
    """A place that is only named where a flight joins a stay, whose city is known: it starts there."""
    named, stay = spoken.flight.destination, known.hotel.city
    joins = "flight" in message.agents and running == ("hotel",) and Act.CHANGE not in message.acts
    is_only_named = any(part.named == named for part in message.parts) and spoken.flight.origin is None
    if not (joins and named and stay and is_only_named and named.city != stay.city):
        return spoken
    return replace(spoken, flight=replace(spoken.flight, origin=named, destination=None))


def _in_conversation(
    understood: Understanding, message: Message, previous: Understanding | None, prompt: Prompt
) -> Understanding:
    """The same with what the conversation is about after the message, and which place it has come to."""
    about = understood.agents or prompt.about or (previous.about if previous else ())
    is_elsewhere = not understood.agents and (message.is_elsewhere or prompt.is_elsewhere)
    before = previous.mentioned if previous else None
    is_cut_now = understood.whole_flight != NO_FLIGHT or understood.whole_hotel != NO_HOTEL
    whole = previous if previous and not is_cut_now and understood.relation != "new" else understood
    return replace(
        understood,
        about=about,
        is_elsewhere=is_elsewhere,
        mentioned=message.goal or before,
        searched=_searched(understood, previous),
        whole_flight=whole.whole_flight,
        whole_hotel=whole.whole_hotel,
    )


def _searched(understood: Understanding, previous: Understanding | None) -> tuple[Agent, ...]:
    """The agents of the request that have had enough to search by, now or before."""
    before = previous.searched if previous and understood.relation != "new" else ()
    return tuple(agent for agent in _BOTH if agent in before or agent in understood.able)


def _spoken_to(message: Message, previous: Understanding | None, prompt: Prompt) -> tuple[Agent, ...]:
    """The agents that what a message leaves open is for: those asking, those spoken to before, or all."""
    if previous is None:
        return _BOTH
    if message.wished_of and not message.parts_say_something:
        return message.wished_of
    running = active_agents(previous)
    is_remark_on_both = prompt.about == _BOTH and not prompt.is_question
    about = running if is_remark_on_both and running else prompt.about
    agents = about or previous.agents or previous.about or running
    if prompt.is_question and set(about) < set(previous.agents) and not previous.searched:
        agents = previous.agents
    is_leaving = any(part.is_leaving for part in message.parts)
    is_of_flight = message.flies_back or is_leaving or any(part.origin for part in message.parts)
    is_apart = previous.hotel.check_in not in (None, previous.flight.departure_date)
    is_of_flight_alone = "flight" not in agents or (is_apart and is_leaving)
    if is_of_flight and "flight" in active_agents(previous) and is_of_flight_alone:
        return ("flight",)
    return agents or _BOTH


def _unchanged(relation: Relation, previous: Understanding | None, agreed: Slots) -> Understanding:
    """Nothing to do; what is known stays known, for the message after, along with what was agreed to."""
    if previous is None:
        return Understanding(relation=relation)
    known = Slots(flight=previous.flight, hotel=previous.hotel)
    settled = overlay(known, agreed)
    return Understanding(
        relation=relation,
        flight=settled.flight,
        hotel=settled.hotel,
        carried=tuple(sorted(known.filled - agreed.filled)),
        alternatives=previous.alternatives,
        wanted=previous.wanted,
        assumed=tuple(slot for slot in previous.assumed if slot not in agreed.filled),
        period=previous.period,
    )


def _new(message: Message, said: Slots, known: Slots, previous: Understanding | None) -> Understanding:
    agents = message.agents or _agents_of(message, said)
    said = replace(
        said,
        flight=said.flight if "flight" in agents else NO_FLIGHT,
        hotel=said.hotel if "hotel" in agents else NO_HOTEL,
        alternatives=tuple(one for one in said.alternatives if one.slot.partition(".")[0] in agents),
    )
    placed = carry.placed(said, agents, previous.mentioned) if previous and previous.mentioned else said
    result = carry.completed(placed, agents, open_goals=said.unplaced)
    return Understanding(
        relation="new",
        agents=agents,
        flight=result.flight,
        hotel=result.hotel,
        dropped=tuple(sorted(known.filled - result.filled)),
        alternatives=said.alternatives,
        wanted=agents,
        assumed=carry.assumed_names(result, said),
        period=still_open(result, said.period),
    )


def _agents_of(message: Message, said: Slots) -> tuple[Agent, ...]:
    """Whom an opening message means that names nobody: a route is a flight, nights are a stay, else both."""
    if said.flight.origin and said.flight.destination:
        return ("flight",)
    return ("hotel",) if message.is_of_stay else _BOTH


def _continued(
    relation: Relation, message: Message, said: Slots, previous: Understanding, spoken_to: tuple[Agent, ...]
) -> Understanding:
    known = Slots(flight=previous.flight, hotel=previous.hotel)
    named = message.agents
    is_about_others = any(not part.agents and part.says_something for part in message.parts)
    is_only_of_way_back = all(slot == "flight.return_date" for slot in said.filled) and message.flies_back
    spreads = not named or message.is_trip or is_about_others or is_only_of_way_back
    open_goals = said.unplaced | carry.left_open(previous)
    result = carry.completed(carry.continued(known, said, spreads=spreads), named, open_goals=open_goals)
    result = without(result, said.cleared - said.filled)
    changed = [
        agent
        for agent in carry.changed_agents(result, known)
        if agent in spoken_to or agent in previous.searched
    ]
    wanted = {*named, *(changed if spreads else ()), *(spoken_to if relation == "answer" else ())}
    agents: tuple[Agent, ...] = tuple(agent for agent in _BOTH if agent in wanted) or spoken_to
    carried = carry.carried_names(result, said, known)
    return Understanding(
        relation=relation,
        agents=agents,
        flight=result.flight,
        hotel=result.hotel,
        carried=carried,
        dropped=tuple(sorted(known.filled - result.filled)),
        alternatives=carry.open_alternatives(said, previous, result, carried),
        wanted=tuple(agent for agent in _BOTH if agent in (*agents, *previous.wanted)),
        assumed=carry.assumed_names(result, said, previous),
        period=still_open(result, said.period or previous.period),
    )
