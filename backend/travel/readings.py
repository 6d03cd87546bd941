"""What a message asks for, as the core takes it: a `Reading` with the request that is stored with its task.

"Make it Rome" becomes `reading_of(understanding, before=...)`, which interrupts; the words or the form that
answer a question become `answer_of(understanding, answers, before=...)`, which resumes the task that asked; a
"yes" to a permission becomes `decision_of(decisions)`, which leaves the request as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..tasks.workflow import Answers, Manner, Reading, Situation
from .searches import kept_searches
from .spoken_of import SpokenOf, spoken_of_in, to_stored
from .stored_requests import Request, UnderstoodRequest, renewed, subject_of
from .understanding.dialogue.found import left_as_it_is
from .understanding.result import Understanding

_MANNERS: Mapping[str, Manner] = {"other": "beside", "stop": "stop"}


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


def left_open(before: Understanding | None, situation: Situation, *, came_early: bool = False) -> Reading:
    """Return the reading of a message that changes nothing, after which what is open is asked again.

    It `came_early` if it was written before its user can have seen what is asked.
    """
    asks_on = [each.question.prompt for each in situation.asked]
    spoken = spoken_of_in(situation.beside or situation.previous)
    more = {"came_early": True} if came_early else {}
    return reading_of(
        left_as_it_is(before), before=situation.previous, asks_on=asks_on, spoken=spoken, **more
    )
