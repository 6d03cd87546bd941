"""What a message asks for in the situation in which it arrives, by rules alone: pure, and quick.

`read_in_situation` takes a message through these steps; the first that makes something of it ends the way:

1. `permissions.decision_or_rest`: it allows or denies what the user is being asked to allow.
2. `answers.left_to_us`: it leaves open questions to us, which answers them with their defaults.
3. `understand` reads it against the requests before it.
4. `permissions.denied_in_passing`: it is a remark that begins with a no to what is asked.
5. `answers.answers_in`: it answers open questions. The task that asked them resumes with the changed request.
6. `_request_of_its_own`: it makes a request, which interrupts the last one, stops it or leaves it as it is.
"""

from dataclasses import replace
from datetime import date
from typing import Any

from ..tasks.workflow import Reading, Situation
from .agents.answers import answers_in, left_to_us, no_answer, with_defaults
from .agents.next_steps import BOOK_IT
from .agents.questions import asked_again
from .agents.router import with_agents_at_hand, with_agents_cut_short
from .agents.unclear import with_service
from .history import PastRequests
from .permissions import agrees_to_book, decision_or_rest, denied_in_passing
from .readings import answer_of, decision_of, reading_of
from .spoken_of import after, spoken_of_in, with_it, with_the_same_hotel
from .stored_requests import Request, understanding_in
from .understanding.english.found.choosing import wants_the_same_hotel
from .understanding.english.language.text import Text
from .understanding.english.talk.decisions import pauses
from .understanding.english.talk.undoing import takes_back
from .understanding.result import Understanding
from .understanding.understand import understand


def read_in_situation(message: str, situation: Situation, *, today: date) -> Reading:
    """Read a message against the request before it, what was asked about that, and those before."""
    before = understanding_in(situation.previous)
    questions = [each for each in situation.asked if each.permission is None]
    permissions = [each for each in situation.asked if each.permission is not None]
    rest = decision_or_rest(message, situation, permissions, before)
    if isinstance(rest, Reading):
        return rest
    message = BOOK_IT if not permissions and agrees_to_book(rest, situation.beside) else rest
    if before is not None and (left := left_to_us(message, questions)):
        return answer_of(*with_defaults(before, left, today=today), before=situation.previous)
    if before is not None and situation.stopped:
        before = replace(before, relation="stop")
    past = PastRequests(situation)
    beside = understanding_in(situation.beside)
    understanding = understand(
        message,
        previous=before,
        today=today,
        history=past.before_the_last(),
        redo_to=past.after_the_last(),
        recent=past.recent,
        alike=past.alike,
        deciding=bool(permissions),
        unfinished=situation.unfinished,
        answered=beside.question if beside else None,
    )
    if permissions and pauses(message) and understanding.relation == "stop":
        understanding = replace(understanding, relation="other")  # "hold on": the permission stays open
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
        understanding = with_agents_at_hand(understanding, before)
    understanding = with_service(understanding, understanding_in(situation.beside))
    spoken = spoken_of_in(situation.beside or situation.previous)
    if understanding.booking is not None:
        understanding = replace(understanding, booking=with_it(understanding.booking, spoken))
    asks_on = asked_again(situation.asked, before) if understanding.relation == "other" else []
    return reading_of(
        understanding,
        before=taken_up,
        asks_on=asks_on,
        spoken=after(spoken, understanding, before),
        drops_previous=before is None and situation.previous is not None,
        **more,
    )
