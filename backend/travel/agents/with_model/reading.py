"""Has a model read a message: beside the searches that the rules began, or alone where they read nothing.

An interruption, a stop and an answer never wait for it, nor does a search. Beside the searches it corrects
what they look for as long as nothing was shown that the correction would contradict. A bad answer, or a late
one, changes nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import structlog

from ....domain.errors import BadInput, ModelError, StoreUnavailable
from ....domain.model_usage import UsageMeter
from ....tasks.workflow import Reading, Situation
from ...models.base import LimitedModel, Question
from ...models.validity import Message
from ...read_in_situation import answer_of, reading_of
from ...spoken_of import after, spoken_of_in
from ...stored_requests import understanding_in
from ...understanding.dialogue.found import about_what_was_found
from ...understanding.queries import QUERIES, base_query, fits
from ...understanding.result import Agent, Understanding
from ...understanding.slot_table import SLOTS, searching
from ..answers import answers_in
from ..state import TravelRun
from .agreed import agreed, with_values
from .conversation import messages_of, state_in_lines, system, with_lines
from .turn import INSTRUCTIONS, SCHEMA, SLOTS_READ, Turn, turn_in, values_in

_SAID_AS = {"undo": "undo that", "redo": "redo that", "start_over": "start over", "stop": "stop"}

_log = structlog.get_logger(__name__)


def is_for_model(understanding: Understanding) -> bool:
    """Return whether a model reads a message beside the searches that the rules began.

    It reads no tours, and no act that names its offer or booking where the rules left no word unread.
    """
    wish = understanding.booking
    if not understanding.agents or understanding.tour is not None:
        return False
    if wish is None or understanding.refused or understanding.relation == "new":
        return True
    return wish.action != "list" and not (wish.reference or wish.shown or wish.number or wish.pick)


async def turn_said(
    model: LimitedModel, messages: Sequence[Message], *, within_s: float, meter: UsageMeter
) -> Turn | None:
    """Ask a model once what the last message means; None for a bad answer or a late one.

    When cancelled, the connection to the model is closed.
    """
    question = Question(messages=messages, schema=SCHEMA, within_s=within_s)
    try:
        answer = await model.answer(question, meter=meter)
    except ModelError as error:
        _log.warning("a message is read without the model", reason=error.message)
        return None
    try:
        return turn_in(answer.text)
    except BadInput as fault:
        model.failed()
        _log.warning("a message is read without the model", reason=fault.message)
        return None


async def read_beside(run: TravelRun, model: LimitedModel, message: str) -> None:
    """Have a model read the message of a run, and correct what its searches look for."""
    rules = run.understanding
    try:
        messages = await messages_of(run, INSTRUCTIONS, state_in_lines(rules, today=run.today))
    except StoreUnavailable:
        return
    turn = await turn_said(model, messages, within_s=run.read_within_s, meter=run.journal.usage)
    if turn is None:
        return
    read = _in_time(agreed(rules, turn, message=message, today=run.today), rules, run)
    if read != rules:
        run.understanding = read
        run.revise(read)
        run.tools.drop_reads([agent for agent in SLOTS if QUERIES[agent](read) != QUERIES[agent](rules)])


def _in_time(read: Understanding, rules: Understanding, run: TravelRun) -> Understanding:
    """Return a corrected reading without what would contradict offers that were shown already."""
    shown = run.context.found.to_json()
    late: list[Agent] = [
        agent
        for agent in SLOTS
        if shown.get(agent)
        and read.of(agent) != rules.of(agent)
        and not (
            base_query(agent, read) == base_query(agent, rules)
            and all(fits(agent, read.of(agent), item) for item in shown[agent])
        )
    ]
    if not late:
        return read
    kept = {agent: rules.of(agent) for agent in late}
    return replace(read, **kept, carried=rules.carried, refused=rules.refused, unused=rules.unused)  # pyright: ignore[reportArgumentType]


async def read_alone(
    message: str, situation: Situation, model: LimitedModel, *, today: date, within_s: float
) -> Turn | None:
    """Return what a model says of a message that the rules make nothing of, after the request before it.

    What that uses is not counted: there is no task yet.
    """
    lines = state_in_lines(understanding_in(situation.previous), today=today)
    lines += [f"You have asked: {each.question.prompt}" for each in situation.asked]
    said = [system(INSTRUCTIONS), {"role": "user", "content": with_lines(lines, message)}]
    return await turn_said(model, said, within_s=within_s, meter=UsageMeter())


def in_words_of_the_rules(turn: Turn) -> str:
    """Return the words for what the rules do by themselves, to take back and to stop; "" for all else."""
    return _SAID_AS.get(turn.relation, "")


def reading_of_turn(turn: Turn, situation: Situation, *, today: date) -> Reading | None:
    """Return what a message asks for that a model alone has read; None where that is nothing."""
    previous, spoken = situation.previous, spoken_of_in(situation.beside or situation.previous)
    before = understanding_in(previous)
    if turn.relation == "question" and turn.asked is not None and before is not None:
        return reading_of(about_what_was_found(turn.asked, before), before=previous, spoken=spoken)
    read = understood_alone(turn, before, today=today)
    if read is None:
        return None
    questions = [each for each in situation.asked if each.permission is None]
    if before is not None and questions and (answers := answers_in(read, before, questions)):
        return answer_of(replace(read, agents=before.agents), answers, before=previous)
    return reading_of(
        read,
        before=previous,
        spoken=after(spoken, read, before),
        drops_previous=before is None and previous is not None,
        read_by_model=True,
    )


def understood_alone(turn: Turn, before: Understanding | None, *, today: date) -> Understanding | None:
    """Return the request of a turn, after what was understood `before`; None where it asks for nothing."""
    values, wish = values_in(turn.slots, today=today), turn.wish
    is_new = before is None or turn.relation == "new"
    known = Understanding(relation="new") if before is None or is_new else before
    cleared = {name: SLOTS_READ[name].empty for name in turn.cleared if not SLOTS_READ[name].needed}
    agents = searching(
        {*turn.agents, *([wish.kind] if wish and wish.kind and wish.action != "cancel" else [])}
    )
    if not agents and wish is None:
        return None
    read = with_values(replace(known, booking=wish, question=None), {**cleared, **values})
    return replace(
        read,
        relation="new" if is_new else "add" if turn.relation == "add" else "refine",
        agents=agents,
        wanted=searching({*known.wanted, *agents}),
        carried=(),
        dropped=(),
        refused=(),
        resumes=None,
    )
