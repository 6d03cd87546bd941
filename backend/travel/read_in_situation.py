"""What a message asks for in the situation in which it arrives, by rules alone: pure, and quick.

`read_in_situation` takes a message through these steps; the first that makes something of it ends the way:

1. `decision_or_rest`: it allows or denies what the user is being asked to allow.
2. `answers.left_to_us`: it leaves open questions to us, which answers them with their defaults.
3. `understand` reads it against the requests before it.
4. `denied_in_passing`: it is a remark that begins with a no to what is asked.
5. `answers.answers_in`: it answers open questions. The task that asked them resumes with the changed request.
6. `_request_of_its_own`: it makes a request, which interrupts the last one, stops it or leaves it as it is.

The core takes a `Reading`, with the request that is stored with its task. "Make it Rome" becomes
`reading_of(understanding, before=...)`, which interrupts; the words or the form that answer a question become
`answer_of(understanding, answers, before=...)`, which resumes the task that asked; a "yes" to a permission
becomes `decision_of(decisions)`, which leaves the request as it is.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Literal

from ..domain.errors import NotFound
from ..domain.questions import InputRequest
from ..tasks.workflow import Answers, Manner, Reading, Situation
from .agents.findings import BOOK_IT
from .agents.questions import answers_in, asked_again, left_to_us, no_answer, with_defaults
from .agents.talk import with_service
from .stored_requests import (
    PastRequests,
    Request,
    SpokenOf,
    UnderstoodRequest,
    after,
    in_language,
    kept_searches,
    renewed,
    spoken_in,
    spoken_of_in,
    subject_of,
    to_stored,
    understanding_in,
    with_it,
    with_the_same_hotel,
)
from .tools.booking import BookCar, BookFlight, BookHotel, CancelBooking, HoldFlight
from .understanding.dialogue.found import left_as_it_is
from .understanding.english.found.forms import asks
from .understanding.english.found.offers import wants_the_same_hotel
from .understanding.english.language.text import Text, text_of
from .understanding.english.talk.decisions import (
    Deed,
    decision_in,
    decision_without,
    declined_beside,
    declines_first,
    denies_in_passing,
    does_otherwise,
    pauses,
    prefers_another,
    said_of_both,
    withdraws,
)
from .understanding.english.talk.remarks import takes_back
from .understanding.english.talk.stops import asks_for_papers, says_nothing, without_put_offs
from .understanding.languages.detect import foreign_decision, foreign_in, is_spoken, language_after
from .understanding.languages.glosses import in_english
from .understanding.queries import filters, invalidated
from .understanding.result import BookingWish, Refused, Understanding
from .understanding.slot_table import NO_FLIGHT, searching
from .understanding.understand import understand

START = "start"
"""In place of a task: before the first message."""


def read_in_situation(message: str, situation: Situation, *, today: date) -> Reading:
    """Read a message against the request before it, what was asked about that, and those before."""
    spoken = spoken_in(situation.beside if situation.beside is not None else situation.previous)
    reading = _read_in_a_language(message, situation, spoken, today=today)
    if reading.request is None:
        return reading
    return replace(reading, request=in_language(reading.request, language_after(message, spoken)))


def _read_in_a_language(message: str, situation: Situation, spoken: str, *, today: date) -> Reading:
    english = in_english(message, spoken)
    if english is not None:
        reading = _read(message, english.text, english.unread, situation, today=today)
        if not english.unread or _may_leave_words_unread(reading, situation):
            return reading
    elif foreign_in(message) is None and spoken and is_spoken(message, spoken):
        return left_open(understanding_in(situation.previous), situation)  # not read as English: "sans hotel"
    return _read(message, message, (), situation, today=today)


def _may_leave_words_unread(reading: Reading, situation: Situation) -> bool:
    """Whether it only looks for something or changes that: it neither books, asks, drops nor decides."""
    before, now = understanding_in(situation.previous), understanding_in(reading.request)
    if now is None or not now.agents or any(each.permission for each in situation.asked):
        return False
    keeps = before is None or now.relation == "new" or {*before.wanted} <= {*now.wanted}
    is_other = (now.booking, now.question, now.tour, now.resumes) != (None, None, None, None)
    return keeps and not is_other and now.relation in ("new", "add", "refine", "answer")


def _read(said: str, message: str, unread: Sequence[str], situation: Situation, *, today: date) -> Reading:
    before = understanding_in(situation.previous)
    questions = [each for each in situation.asked if each.permission is None]
    permissions = [each for each in situation.asked if each.permission is not None]
    whole = message
    rest = decision_or_rest(message, situation, permissions, before, said=said)
    if isinstance(rest, Reading):
        return rest
    message = BOOK_IT if not permissions and agrees_to_book(rest, situation.beside) else rest
    if before is not None and (left := left_to_us(message, questions)):
        return answer_of(*with_defaults(before, left, today=today), before=situation.previous)
    if before is not None and situation.stopped:
        before = replace(before, relation="stop")
    past = PastRequests(situation)
    beside = understanding_in(situation.beside)
    # "Trains? Vienna to Prague on the 12th" leaves no request, but tells where "a flight, then" goes, and
    # "how's the weather in Lisbon" where "there" is.
    is_told = beside is not None and (beside.whole_flight != NO_FLIGHT or beside.mentioned is not None)
    trip = beside if before is None and is_told else None
    understanding = understand(
        message,
        previous=before or trip,
        today=today,
        unread=unread,
        history=past.before_the_last(),
        redo_to=past.after_the_last(),
        recent=past.recent,
        alike=past.alike,
        deciding=bool(permissions) and not declines_first(message),
        unfinished=situation.unfinished,
        answered=beside.question if beside else None,
    )
    if permissions and before is not None and _only_pauses(whole, understanding, before):
        understanding = left_as_it_is(before)  # "hold on", "wait, can we bring a cot?": the permission stays
    if denied := denied_in_passing(message, permissions, understanding):
        return decision_of(denied)
    taken_up, more = situation.previous, dict[str, Any]()
    if understanding.resumes is not None:
        taken_up = past.request(understanding.resumes)
        more = past.stands_for(understanding.resumes) if takes_back(message) else {}
        understanding = replace(understanding, resumes=past.place(understanding.resumes))
    if before is not None and understanding.relation == "answer":
        answers = answers_in(understanding, before, questions)
        if answers:
            understanding = replace(understanding, agents=before.agents)
            return answer_of(understanding, answers, before=situation.previous)
        understanding = no_answer(understanding, before)
    if wants_the_same_hotel(Text(message)):
        understanding = with_the_same_hotel(
            understanding, before, spoken_of_in(situation.beside or situation.previous)
        )
    return _request_of_its_own(understanding, situation, before, taken_up=taken_up, **more)


def read_after(message: str, task_id: str, situation: Situation, *, today: date) -> Reading:
    """Read a message as if it came right after the request of a task, or, at `START`, before all others.

    Its request begins a branch: what was found for that task is at hand again. Raises `NotFound` if the task
    is not among those of the situation.
    """
    branch = replace(situation, previous=None, unfinished=False, stopped=False, asked=(), beside=None)
    if task_id == START:
        return read_in_situation(message, branch, today=today)
    if task_id not in situation.task_ids:
        raise NotFound("That is too long ago to go back to.", code="unknown_task")
    requests = (situation.previous, *situation.recent, *situation.alike)
    place = situation.task_ids.index(task_id)
    branch = replace(branch, previous=requests[place], unfinished=True)
    reading = read_in_situation(message, branch, today=today)
    if place == 0 or reading.resumes is not None or reading.manner != "interrupt":
        return reading
    return replace(reading, resumes=place - 1)


def _request_of_its_own(
    understanding: Understanding,
    situation: Situation,
    before: Understanding | None,
    *,
    taken_up: Request | None,
    **more: Any,
) -> Reading:
    """Return the request that a message makes, with all that it leaves as it was in the one before it.

    `taken_up` is the request whose searches it keeps where they find what is wanted. The order matters: the
    agents at hand are those besides the ones that are cut short.
    """
    books_after_a_stop = understanding.booking is not None and situation.stopped
    if before is not None and situation.unfinished and not books_after_a_stop:
        understanding = with_agents_cut_short(understanding, before)
    if before is not None and not situation.stopped:
        understanding = _with_agents_at_hand(understanding, before)
    understanding = with_service(understanding, understanding_in(situation.beside))
    spoken = spoken_of_in(situation.beside or situation.previous)
    if understanding.booking is not None:
        understanding = replace(understanding, booking=with_it(understanding.booking, spoken))
    if books_after_a_stop and before is not None:
        understanding = _without_what_was_stopped(understanding, before)
    asks_on = asked_again(situation.asked, before) if understanding.relation == "other" else []
    return reading_of(
        understanding,
        before=taken_up,
        asks_on=asks_on,
        spoken=after(spoken, understanding, before),
        drops_previous=before is None and situation.previous is not None,
        **more,
    )


_MANNERS: Mapping[str, Manner] = {"other": "beside", "stop": "stop"}


def with_agents_cut_short(understanding: Understanding, before: Understanding) -> Understanding:
    """Add the agents that a message cuts short though it still wants what they were looking for.

    "And hotels there", said while flights are searched, wants both; "forget the hotel" does not.
    """
    if understanding.relation not in ("add", "refine"):
        return understanding
    cut_short = tuple(
        agent
        for agent in before.agents
        if agent in understanding.wanted and agent not in understanding.agents
    )
    return replace(understanding, agents=tuple(sorted(understanding.agents + cut_short)))


def _without_what_was_stopped(understanding: Understanding, before: Understanding) -> Understanding:
    """Leave stopped the searches that a booking changes nothing about, where it needs none of them.

    An offer as it was shown, or of an earlier request, is quoted anew from what is kept.
    """
    wish = understanding.booking
    if wish is None or not (wish.shown or wish.is_earlier):
        return understanding
    agents = searching(understanding.agents)
    changed = tuple(agent for agent in agents if understanding.of(agent) != before.of(agent))
    return replace(understanding, agents=changed)


def _with_agents_at_hand(understanding: Understanding, before: Understanding) -> Understanding:
    """Add the agents whose search a message leaves as it was: what they have found is shown with the rest.

    "Only 4-star hotels" is about the hotels; the flights are wanted still, and found again at once.
    """
    if understanding.relation not in ("add", "refine") or understanding.booking or not understanding.agents:
        return understanding
    out_of_date = invalidated(before, understanding)
    at_hand = tuple(
        agent
        for agent in before.searched
        if agent in understanding.wanted and agent not in (*understanding.agents, *out_of_date)
    )
    return replace(understanding, agents=tuple(sorted(understanding.agents + at_hand)))


def reading_of(
    understanding: Understanding,
    *,
    before: Request | None = None,
    asks_on: Sequence[str] = (),
    spoken: SpokenOf | None = None,
    drops_previous: bool = False,
    **more: Any,
) -> Reading:
    """Return the reading of a message that makes a request of its own, after the request `before`.

    `asks_on` are the prompts of questions that it leaves open. It `drops_previous` where the request before
    it cannot be read. `more` are further fields of the stored request.
    """
    spoken_of = to_stored(spoken) if spoken is not None else {}
    request = UnderstoodRequest(
        understanding, asks_on=list(asks_on), **kept_searches(understanding, before), **spoken_of, **more
    )
    if drops_previous:
        request["drops_previous"] = True
    return Reading(
        relation=understanding.relation,
        manner=_MANNERS.get(understanding.relation, "interrupt"),
        request=request,
        carried=understanding.carried if understanding.agents else (),
        dropped=understanding.dropped,
        resumes=understanding.resumes,
        subject=subject_of(understanding),
    )


def answer_of(understanding: Understanding, answers: Answers, *, before: Request | None) -> Reading:
    """Return the reading of an answer, with which the task of the request `before` resumes.

    That request keeps what was spoken of, the order of the list, its place in the history, and every field
    that is added later: an answer changes what is understood, and what is searched and asked for by that.
    """
    searches = kept_searches(understanding, before)
    request = renewed(before, understanding, without=["searches", "asks_on"], **searches)
    return Reading(relation="answer", manner="answer", request=request, answers=answers)


def decision_of(decisions: Answers) -> Reading:
    """Return the reading of a message that allows or denies, and changes nothing else."""
    return Reading(relation="answer", manner="answer", answers=decisions)


def left_open(
    before: Understanding | None,
    situation: Situation,
    *,
    came_early: bool = False,
    refused: tuple[Refused, ...] = (),
) -> Reading:
    """Return the reading of a message that changes nothing, after which what is open is asked again.

    It `came_early` if it was written before its user can have seen what is asked; why it changes nothing
    may be told by what is `refused`.
    """
    asks_on = [each.question.prompt for each in situation.asked]
    spoken = spoken_of_in(situation.beside or situation.previous)
    more = {"came_early": True} if came_early else {}
    left = replace(left_as_it_is(before), refused=refused)
    return reading_of(left, before=situation.previous, asks_on=asks_on, spoken=spoken, **more)


_DEEDS: Mapping[str, Deed] = {
    HoldFlight.name: "hold",
    BookFlight.name: "book_flight",
    BookHotel.name: "book_hotel",
    BookCar.name: "book_car",
    CancelBooking.name: "cancel",
}


def decided_by(message: str, asked: Sequence[InputRequest], *, said: str | None = None) -> Answers:
    """Return the decision of a message that only allows or denies the one permission that is open.

    It was `said` otherwise if in another language, in which only words that stand in its table allow.
    """
    deed = _deed(asked)
    if deed is None:
        return {}
    decision = decision_in(message, to=deed)
    if decision is None or (decision == "allow" and said is not None and said != message):
        decision = _in_another_language(said or message, deed)
    if decision is None and (does_otherwise(message) or (deed != "cancel" and withdraws(message))):
        decision = "deny"
    return {asked[0].request_id: {"decision": decision}} if decision else {}


def decision_or_rest(
    message: str,
    situation: Situation,
    asked: Sequence[InputRequest],
    before: Understanding | None,
    *,
    said: str,
) -> Reading | str:
    """Read a message that decides the one permission that is open, or leaves it open.

    Of any other, returns what is left to be read without what only puts its answer off. A yes that was
    written before its user can have seen what it would allow leaves it open.
    """
    papers = asks_for_papers(text_of(message)) if asked and said == message else range(0)
    agreed = text_of(message).spelled(0, papers.start).strip().removesuffix("and")
    yes: Answers = decided_by(agreed, asked) if papers else {}
    decided = yes or decided_by(message, asked, said=said) or _decided_without(message, asked, before)
    is_allowed = any(answer["decision"] == "allow" for answer in decided.values())
    if is_allowed and not situation.unseen.isdisjoint(decided):
        return left_open(before, situation, came_early=True)
    is_of_one = not (before and before.booking and before.booking.then)
    if is_allowed and is_of_one and (both := said_of_both(message)):
        return left_open(before, situation, refused=(Refused(said=both, reason="one_thing_asked"),))
    if not decided and said != message and decided_by(message, asked):
        return left_open(before, situation)  # a yes in other words than those which allow: it is asked again
    rest = without_put_offs(message) if asked and not decided else None
    if rest is not None and (rest.strip(" ,.!").count(" ") or not pauses(message)):  # unlike "no, wait"
        # Never allowed by what is left: "yes, once I have asked my wife".
        decided = {
            each: answer for each, answer in decided_by(rest, asked).items() if answer["decision"] == "deny"
        }
    if not decided:
        return left_open(before, situation) if rest is not None and says_nothing(rest) else rest or message
    only = _without_what_follows(message, asked, before)
    if is_allowed and yes and before is not None:
        untold = Refused(
            said=text_of(message).spelled(papers.start, papers.stop).strip(" ,.!"), reason="not_understood"
        )
        only = replace(only or before, refused=(untold,))
    return answer_of(only, decided, before=situation.previous) if only else decision_of(decided)


def _only_pauses(message: str, understanding: Understanding, before: Understanding) -> bool:
    """Whether a message that asks for time stops, or asks what changes nothing of the request."""
    is_same = not (invalidated(before, understanding) or understanding.booking)
    is_same = is_same and understanding.wanted == before.wanted and understanding.question is None
    is_asked = understanding.relation == "refine" and is_same and asks(Text(message))
    is_other = prefers_another(Text(message))  # "wait, show me others"
    return pauses(message) and (understanding.relation == "stop" or (is_asked and not is_other))


def _decided_without(message: str, asked: Sequence[InputRequest], before: Understanding | None) -> Answers:
    """Return the yes to an offer without what nobody has searched for: of one with that another is meant."""
    deed, kinds = _deed(asked), before.searched if before else ()
    wished = {slot.name for kind in kinds if before for slot, _ in filters(kind, before.of(kind))}
    is_allowed = deed is not None and decision_without(message, to=deed) == "allow"
    return {asked[0].request_id: {"decision": "allow"}} if is_allowed and wished.isdisjoint(_EXTRAS) else {}


_EXTRAS = frozenset({"flight.bags", "flight.refundable", "hotel.amenities", "hotel.free_cancellation"})


def agrees_to_book(message: str, beside: Request | None) -> bool:
    """Whether a message is a yes to the reply before it, which told an offer and asked whether to book it."""
    spoken = spoken_of_in(beside)
    return (
        spoken.is_proposed
        and decision_in(message, to=_DEEDS.get(f"book_{spoken.agent}", "book_flight")) == "allow"
    )


def _without_what_follows(
    message: str, asked: Sequence[InputRequest], before: Understanding | None
) -> Understanding | None:
    """Return the request without the booking that would follow, if the message declines that one.

    None if it does not: "yes to the flight, no to the hotel" does.
    """
    deed = _deed(asked)
    if deed is None or before is None or before.booking is None:
        return None
    declined = declined_beside(message, to=deed)
    if not declined:
        return None
    return replace(before, booking=_without(before.booking, declined, behind=deed))


def _without(wish: BookingWish, declined: Collection[Deed], *, behind: Deed) -> BookingWish:
    """The wish without what is declined of all that follows the deed."""
    tools = {each: f"book_{each.kind or 'flight'}" for each in wish.offers}
    deeds = [_DEEDS[tools.get(each, CancelBooking.name)] for each in wish.in_turn]
    asked_for = deeds.index(behind) if behind in deeds else 0
    kept: BookingWish | None = None
    for at, each in reversed(list(enumerate(wish.in_turn))):
        if at <= asked_for or deeds[at] not in declined:
            kept = replace(each, then=kept)
    return kept or wish


def denied_in_passing(message: str, asked: Sequence[InputRequest], understanding: Understanding) -> Answers:
    """Return the no that a message begins with, which wants nothing, to the one permission that is open."""
    is_remark = understanding.relation == "other" and not (understanding.booking or understanding.question)
    is_denied = is_remark and denies_in_passing(message)
    if understanding.relation == "other" and not understanding.booking:
        # What is answered beside it would leave open what is refused, and the next "ok" would allow that.
        is_denied = is_denied or prefers_another(Text(message)) or declines_first(message)
    is_denied = is_denied and _deed(asked) is not None
    return {asked[0].request_id: {"decision": "deny"}} if is_denied else {}


def _in_another_language(message: str, deed: Deed) -> Literal["allow", "deny"] | None:
    decision = foreign_decision(message)
    # Their tables do not tell a bare yes from "book it", which must neither cancel nor hold anything.
    return None if decision == "allow" and not deed.startswith("book_") else decision


def _deed(asked: Sequence[InputRequest]) -> Deed | None:
    """Return what the one open permission allows; None where words cannot decide it.

    Of a tool that has no words here ("book it" may mean something else) only the buttons decide.
    """
    if len(asked) != 1 or asked[0].permission is None:
        return None
    return _DEEDS.get(asked[0].permission.tool)
