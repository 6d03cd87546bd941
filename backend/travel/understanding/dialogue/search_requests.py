"""The way from a message to its understanding: take it apart, relate it to what was before, carry over."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date

from ...values.travel import UNKNOWN_AGE, City
from ..calendar import later
from ..message import Act, Background, Message, Reader
from ..result import Agent, Place, Refused, Relation, Understanding, as_whole
from ..slot_table import NOTHING, ROWS, SLOTS, Link, links_of, searching
from . import carry
from .changes import (
    arriving,
    before_all_changes,
    emptied,
    from_the_start,
    narrowed,
    nudged,
    of_whole_party,
    refused_by,
    rescoped,
    shifted,
    started,
    with_children,
    with_further_airlines,
    with_moved_days,
    with_new_limit,
    with_what_was_right,
)
from .prompt import Prompt, Situation, asking
from .relation import active_agents, find_relation, goal_left_open, missing_of, taken_up, told_in_full
from .slots import NO_SLOTS, Slots, chosen, counts_told, first_known, held_in, overlay, slots_of, without
from .whole_requests import (
    refused_to,
    repeated,
    searched_by_now,
    still_open,
    taken_up_again,
    with_what_was_waived,
    without_agents,
)

_JOURNEY: tuple[Agent, ...] = ("flight", "hotel")
"""Whom a message is for that names nobody, where nothing was asked for before."""
_DAYS: tuple[Link, ...] = ("first_day", "last_day")
_DAYS_OF_FLIGHT = frozenset(slot.name for link in _DAYS for slot in links_of(link) if slot.agent == "flight")
_DAYS_OF_OTHERS = frozenset(slot.name for link in _DAYS for slot in links_of(link)) - _DAYS_OF_FLIGHT
_LAST_DAYS = frozenset(slot.name for slot in ROWS.values() if slot.link == "last_day")
_ASKING = {Act.ASK, Act.ASK_ON, Act.ASK_OF_SHOWN, Act.ASK_OF_FOUND, Act.ASK_MEANING}
_NO_HINTS = _ASKING | {Act.CLOSE, Act.GREET, Act.STOP, Act.TELL_LIKING}
"""A message that does one of these and says nothing else is not about what it happens to name."""
_TAKES_BACK = {Act.UNDO, Act.REDO, Act.START_OVER}


def understand_search(
    message: str, read: Reader, situation: Situation, undo_to: Sequence[int] = ()
) -> Understanding:
    """Return what a message means in its situation. Never raises; what makes no sense is `other`.

    It is `read` once, and again after each earlier request that it may take up. `undo_to` are the places of
    those before the last changes.
    """
    previous, today, requests = situation.previous, situation.today, situation.earlier
    prompt = situation.prompt or asking(*missing_of(previous))
    known = held_in(previous)
    said = read(message, _background(previous, known, prompt, today, situation.offered))
    if said.is_of_another_place:
        prompt = replace(prompt, asked=tuple(slot for slot in prompt.asked if slot != "flight.origin"))
    if Act.ONLY_STOP in said.acts:
        return _in_conversation(_unchanged("stop", previous, known, NO_SLOTS), said, previous, prompt)
    if said.acts & _TAKES_BACK:
        taken = _taken_back(said, previous, requests, undo_to=undo_to, redo_to=situation.redo_to)
        if taken or Act.UNDO_ALL not in said.acts:
            return _dropping(known, taken) if taken else _unchanged("other", previous, known, NO_SLOTS)
    before = [requests[at] for at in situation.history]
    said = with_new_limit(with_what_was_right(said, before, previous), previous)
    said = with_moved_days(said, before, known)
    said = _of_journey(_as_answer(said, prompt, active_agents(previous)), previous)
    if previous and not said.removed:  # "any airline" asks for no flights
        previous = with_what_was_waived(previous, said.agents)

    def read_after(before: Understanding) -> Understanding:
        # "The first one again" chooses a request, and none of the cities that it left open.
        before = replace(before, alternatives=())
        return understand_search(message, read, Situation(before, today, asking(), offered=situation.offered))

    is_detailed = Act.GO_BACK in said.acts and any(part.start for part in said.parts)
    in_full = told_in_full(requests, previous, read_after, goal=said.goal) if is_detailed else None
    resumed = in_full
    if resumed is None:
        resumed = taken_up(said.returns_to, said.agents, situation.recent, previous)
    if resumed is not None:
        before = requests[resumed]
        again = read_after(before) if in_full is None else before
        return _dropping(known, taken_up_again(again, before, resumed, previous, said.agents))
    afresh = (
        {*SLOTS} - {*said.agents} if said.agents and Act.START_AFRESH in said.acts else frozenset[Agent]()
    )
    waived: list[Agent] = [agent for agent in active_agents(previous) if agent in said.waived | afresh]
    understood = carry.staying_in_turn(_related(said, previous, prompt, today), said.nights_in_turn)
    if previous and waived:
        understood = without_agents(
            understood, previous, waived, says_more=bool(said.says_something or said.agents)
        )
    if understood.refused:
        understood = replace(understood, refused=refused_to(understood))
    return _in_conversation(_dropping(known, understood), said, previous, prompt)


def _taken_back(
    said: Message,
    previous: Understanding | None,
    requests: Sequence[Understanding],
    *,
    undo_to: Sequence[int],
    redo_to: int | None,
) -> Understanding | None:
    """The request of a message that takes something back; None where there is nothing to take back."""
    was_stopped = previous is not None and previous.relation == "stop"
    if previous is not None and was_stopped and previous.wanted:
        return repeated(previous, ())  # it was the stop that was said last
    if Act.START_OVER in said.acts:
        return from_the_start(previous)
    place = next(iter(undo_to), None) if Act.UNDO in said.acts else redo_to
    if Act.UNDO_BOTH in said.acts:
        place = next(iter(undo_to[1:]), None)
    elif Act.UNDO_ALL in said.acts:
        place = None if previous and previous.relation == "new" else before_all_changes(undo_to, requests)
    if place is None:
        return None
    return taken_up_again(requests[place], requests[place], place, previous, ())


def _background(
    previous: Understanding | None, known: Slots, prompt: Prompt, today: date, offered: Collection[Agent]
) -> Background:
    return Background(
        today=today,
        after=first_known(known, "first_day") or first_known(prompt.proposed, "first_day"),
        since=previous.period.start if previous and previous.period else None,
        offered=offered,
        asked=prompt.asked,
        counts=prompt.counts,
        counted=counts_told(known, previous.assumed if previous else ()),
        days=_days(known),
        running=active_agents(previous),
        filled=known.filled,
        is_hotel_named=known.hotel.name is not None,
        hotels=_hotels(previous, prompt),
        stay=_stay(known),
        start=known.flight.origin.city if known.flight.origin else None,
        open_readings=(*(previous.alternatives if previous else ()), *prompt.proposed.alternatives),
        untold_ages=max(known.value(slot.name).count(UNKNOWN_AGE) for slot in links_of("children")),
    )


def _dropping(known: Slots, understood: Understanding) -> Understanding:
    """The same, which drops only what the request before held: what was waived earlier was dropped then."""
    if not understood.dropped:
        return understood
    held = known.filled
    return replace(understood, dropped=tuple(slot for slot in understood.dropped if slot in held))


def _days(known: Slots) -> tuple[date, ...]:
    days = (known.value(slot.name) for link in _DAYS for slot in links_of(link))
    return tuple(day for day in days if day)


def _stay(known: Slots) -> City | None:
    """The city to stay in, as far as it is known."""
    place = known.hotel.city or known.flight.destination or known.car.city
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


def _of_journey(message: Message, previous: Understanding | None) -> Message:
    """The same without the hotel where a stay tells the days of a flight: "we want to stay till the 20th"."""
    if previous is None or not message.is_loose or previous.flight.return_date is None:
        return message
    running = active_agents(previous)
    ends = any(part.end or part.nights for part in message.parts)
    is_of_flight = running == ("flight",) and ends
    is_as_long = previous.hotel.told_last_day == previous.flight.return_date
    is_leaving = any(part.is_leaving for part in message.parts) or (ends and is_as_long and message.stays_on)
    is_of_both = set(running) >= set(_JOURNEY) and is_leaving
    return message.unnamed() if (is_of_flight or is_of_both) and not message.wished_of else message


def _related(message: Message, previous: Understanding | None, prompt: Prompt, today: date) -> Understanding:
    """What a message means after what was understood before."""
    known = held_in(previous)
    agents = _spoken_to(message, previous, prompt)
    departure = known.flight.departure_date
    agreed = prompt.agreed(message.acts) if previous else NO_SLOTS
    spoken = slots_of(
        message.parts,
        agents,
        asked=prompt.asked,
        departure=departure,
        pick_up=known.car.pick_up or first_known(known, "first_day"),
        hotel_name=message.hotel_wanted(known.hotel.name),
        told=nudged(message.slots, known),
    )
    spoken = with_further_airlines(spoken, message, known)
    if gone := emptied(message, known, message.agents or tuple(SLOTS)):
        spoken = replace(spoken, cleared=spoken.cleared | gone)
    cannot_be: tuple[Refused, ...] = ()
    if message.shift and previous:
        moved = shifted(message.shift, known, _moved_agents(message, previous, known))
        cannot_be = refused_by(message.shift, moved, known, spoken, today=today)
        spoken = spoken if cannot_be else overlay(moved, spoken)
    spoken = overlay(rescoped(message.scope, known, message.agents or active_agents(previous)), spoken)
    spoken = of_whole_party(with_children(spoken, message.slots, message.shift, known), message, known)
    spoken = started(narrowed(spoken, message, known), message, known, active_agents(previous))
    spoken = arriving(spoken, message, known)
    picked = chosen(message.choices)
    if picked.filled:
        agreed = overlay(agreed, picked)
        # To choose refers to what was left open, also where the message asks for something else beside it.
        wished_of = searching((*message.wished_of, *picked.agents))
        message = replace(message, acts=message.acts | {Act.REFER}, wished_of=wished_of)
        # "Alabama" has chosen the Birmingham to fly from, and names no goal.
        ends = {(ROWS[slot].agent, picked.value(slot)) for slot in picked.filled if ROWS[slot].type is Place}
        again = [one for one in spoken.filled - picked.filled if (ROWS[one].agent, spoken.value(one)) in ends]
        spoken = replace(without(spoken, again), cleared=frozenset[str](), alternatives=())
    said = overlay(agreed, spoken)
    is_nothing_else = not (message.says_something or agreed.filled or message.slots)
    is_asked_before = previous is not None and {*message.agents} <= {*previous.wanted}  # "hotel again"
    if previous and previous.wanted and is_nothing_else and Act.REPEAT in message.acts and is_asked_before:
        return repeated(previous, message.agents)
    relation = find_relation(message, said, previous, prompt, is_agreed=bool(agreed.filled))
    if relation == "other" and previous and previous.wanted and message.acts.isdisjoint(_NO_HINTS):
        hint = None if message.is_elsewhere or prompt.is_elsewhere else message.hinted()
        if hint is not None:
            return _related(hint, previous, prompt, today)
    if relation in ("other", "stop"):
        is_ours = (previous is not None or message.agents) and not message.is_elsewhere
        agreed = agreed if relation == "other" else NO_SLOTS
        is_told = is_ours and relation == "other"
        told = (*message.refused, *cannot_be) if is_told else ()
        unchanged = _unchanged(relation, previous, known, agreed)
        if relation == "other" and message.is_elsewhere and said.flight.origin and said.flight.destination:
            unchanged = replace(
                unchanged, whole_flight=said.flight
            )  # "trains? Vienna to Prague", "flight then"
        return replace(unchanged, refused=told) if told else unchanged
    refused = (*message.refused, *message.unread(), *cannot_be)
    if relation == "new" or previous is None:
        understood = _new(message, said, known, previous)
    else:
        understood = _continued(relation, message, said, known, previous, agents)
    return replace(understood, refused=refused) if refused else understood


def _moved_agents(message: Message, previous: Understanding, known: Slots) -> tuple[Agent, ...]:
    """The agents that a change by so much is for: where their people differ, those spoken to last."""
    if message.agents:
        return message.agents
    if message.shift and message.shift.what == "people":
        if any(part.facts.people for part in message.parts):
            return ()  # "my sister can't come, so just me": who is left is told
        flying, staying = known.flight.passengers, known.hotel.guests
        if flying and staying and flying != staying:
            # Who joined one of the two alone is the one that leaves it.
            more: Agent = "flight" if flying > staying else "hotel"
            return (more,) if message.shift.count < 0 else previous.agents or active_agents(previous)
    return active_agents(previous)


def _in_conversation(
    understood: Understanding, message: Message, previous: Understanding | None, prompt: Prompt
) -> Understanding:
    """The same with what the conversation is about after the message, and which place it has come to."""
    about = understood.agents or prompt.about or (previous.about if previous else ())
    is_elsewhere = not understood.agents and (message.is_elsewhere or prompt.is_elsewhere)
    before = previous.mentioned if previous else None
    is_cut_now = any(understood.whole(agent) != NOTHING[agent] for agent in SLOTS)
    whole = previous if previous and not is_cut_now and understood.relation != "new" else understood
    return replace(
        understood,
        about=about,
        is_elsewhere=is_elsewhere,
        mentioned=message.goal or before,
        searched=searched_by_now(understood, previous),
        open_goal=goal_left_open(understood, message, previous),
        **as_whole({agent: whole.whole(agent) for agent in SLOTS}),
    )


def _spoken_to(message: Message, previous: Understanding | None, prompt: Prompt) -> tuple[Agent, ...]:
    """The agents that what a message leaves open is for: those asking, those spoken to before, or all."""
    if previous is None:
        return _JOURNEY
    if message.wished_of and not message.parts_say_something:
        return message.wished_of
    running = active_agents(previous)
    is_remark_on_both = prompt.about == _JOURNEY and not prompt.is_question
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
    return agents or _JOURNEY


def _unchanged(
    relation: Relation, previous: Understanding | None, known: Slots, agreed: Slots
) -> Understanding:
    """Nothing to do; what is known stays known, for the message after, along with what was agreed to."""
    if previous is None:
        return Understanding(relation=relation)
    settled = overlay(known, agreed)
    return Understanding(
        relation=relation,
        **settled.by_agent,
        carried=tuple(sorted(known.filled - agreed.filled)),
        alternatives=previous.alternatives,
        wanted=previous.wanted,
        assumed=tuple(slot for slot in previous.assumed if slot not in agreed.filled),
        period=previous.period,
        length=previous.length,
    )


def _new(message: Message, said: Slots, known: Slots, previous: Understanding | None) -> Understanding:
    agents = message.agents or _agents_of(message, said)
    if previous and not previous.wanted and not said.flight.destination:
        said = overlay(known.only(agents), said)
    nights, leaves = said.hotel.nights, said.flight.departure_date
    if agents == ("flight",) and nights and said.flight.return_date is None:
        # "Munich to Lisbon on 6 May for 4 nights" asks for no bed, and for a flight back.
        said = replace(said, length=nights)
        said = said.changed("flight", return_date=later(leaves, days=nights)) if leaves else said
    said = replace(
        said,
        **said.only(agents).by_agent,
        alternatives=tuple(one for one in said.alternatives if one.slot.partition(".")[0] in agents),
    )
    placed = carry.placed(said, agents, previous.mentioned) if previous and previous.mentioned else said
    result = carry.completed(placed, agents, open_goals=said.unplaced)
    return Understanding(
        relation="new",
        agents=agents,
        **result.by_agent,
        dropped=tuple(sorted(known.filled - result.filled)),
        alternatives=said.alternatives,
        wanted=agents,
        assumed=carry.assumed_names(result, said),
        period=still_open(result, said.period),
        length=said.length,
    )


def _agents_of(message: Message, said: Slots) -> tuple[Agent, ...]:
    """Whom an opening message means that names nobody: a start is a flight, nights are a stay, else both."""
    if said.flight.origin and (said.flight.destination or not said.hotel.nights):
        return ("flight",)
    if said.flight.origin:
        return _JOURNEY
    return ("hotel",) if message.is_of_stay else _JOURNEY


def _continued(
    relation: Relation,
    message: Message,
    said: Slots,
    known: Slots,
    previous: Understanding,
    spoken_to: tuple[Agent, ...],
) -> Understanding:
    said = said if message.refused else carry.as_long_as_before(said, known)
    # "The car for the whole week" takes the days of the journey again.
    again = {slot for slot in said.cleared & _DAYS_OF_OTHERS if not said.cleared & _DAYS_OF_FLIGHT}
    known, said = without(known, again), replace(said, cleared=said.cleared - again)
    named = message.agents
    is_there = Act.ASK_FOR_WHAT_IS_THERE in message.acts and previous.mentioned
    placed = carry.following(said, known, named, previous.mentioned) if is_there else said
    is_about_others = any(not part.agents and part.says_something for part in message.parts)
    is_of_way_back = all(slot == "flight.return_date" for slot in said.filled) and message.flies_back
    spreads = not named or message.is_trip or message.brings_along or is_about_others or is_of_way_back
    open_goals = said.unplaced | carry.left_open(previous)
    # How long was told is overruled by the last day itself.
    ends = _LAST_DAYS | ({"hotel.nights"} if previous.length == known.hotel.nights else frozenset[str]())
    is_overruled = "flight.return_date" in said.cleared or not ends.isdisjoint(said.filled)
    length = said.length or (None if is_overruled else previous.length)
    result = carry.completed(carry.continued(known, placed, spreads=spreads), named, open_goals=open_goals)
    is_kept = message.shift is None  # "leave a day earlier" makes it longer
    result = carry.ending_after(result, length, known, is_kept=is_kept)
    result = carry.back_after_stay(carry.completed(result, named, open_goals=open_goals), said)
    result = without(result, said.cleared - said.filled)
    about = (*spoken_to, *previous.searched)
    changed: list[Agent] = [agent for agent in carry.changed_agents(result, known) if agent in about]
    # "A hotel with a pool, and leave in the morning" names the hotel alone, and tells of the flight as well.
    wished_of = dict.fromkeys((*message.wished_of, *(ROWS[name].agent for name in message.slots)))
    told: list[Agent] = [agent for agent in wished_of if named and agent in changed]
    answering = spoken_to if relation == "answer" else ()
    wanted: set[Agent] = {*named, *told, *(changed if spreads else ()), *answering}
    agents = searching(wanted) or spoken_to
    carried = carry.carried_names(result, said, known)
    return Understanding(
        relation=relation,
        agents=agents,
        **result.by_agent,
        carried=carried,
        dropped=tuple(sorted(known.filled - result.filled)),
        alternatives=carry.open_alternatives(said, previous, result, carried),
        wanted=searching((*agents, *previous.wanted)),
        assumed=carry.assumed_names(result, said, known, previous.assumed),
        period=still_open(result, said.period or previous.period),
        length=length,
    )
