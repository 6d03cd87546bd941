"""What one message tells beside a change: a question about what is found, or a change of something else."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

from .dialogue.found import agents_found, words_of_places
from .dialogue.slots import held_in
from .english.found.forms import in_turn, question_beside_a_remark
from .english.found.questions import read_question
from .english.language.text import Text, text_of
from .english.topics.topics import changes_apart
from .result import Agent, Understanding
from .slot_table import NOTHING, SLOTS

_MOST_CHANGES = 5

Reads = Callable[[str], Understanding]
"""Reads a message after the request before it."""


def read_each(text: Text, previous: Understanding, read: Reads) -> Understanding:
    """Return what a message means with the question beside its change, or with each of its changes."""
    understood = _with_question(text, previous, read)
    return understood or _with_each_change(text, previous, read(text.source), read)


def _with_question(text: Text, previous: Understanding, read: Reads) -> Understanding | None:
    """Return a change and the question beside it: "make it three people. How long is the flight?"; or None.

    The question is about what is found after the change. One by which offers may be narrowed is no question
    here: "only nonstop, and is there one with a bag?".
    """
    found, parts = agents_found(previous), in_turn(text)
    if not found or len(parts) == 1 or question_beside_a_remark(text):
        return None
    places = words_of_places(previous)
    asked = {one: read(one) for one in parts if read_question(text_of(one), places, found)[0] is not None}
    questions = [one.question for one in asked.values() if one.relation == "other" and one.question]
    rest = ". ".join(one for one in parts if one not in asked or not asked[one].question)
    if not (questions and rest):
        return None
    understood = read(rest)
    is_change = _changes(understood, previous) or understood.booking is not None
    if understood.relation in ("other", "stop") or not is_change or understood.question:
        return None
    return replace(understood, question=replace(questions[0], also=tuple(questions[1:])))


def _with_each_change(
    text: Text, previous: Understanding, understood: Understanding, read: Reads
) -> Understanding:
    """Return what is `understood`, or each change by itself: "go to Porto instead, four stars at least".

    A message is read as about one topic, so that "for 3 nights" behind "a hotel" moves no flight. Changes
    that are told apart, and of which each makes sense alone, are of what each is about.
    """
    is_of_some = {*understood.agents} < {*previous.wanted} or understood.wanted != previous.wanted
    is_whole = understood.booking is not None or understood.resumes is not None
    if understood.relation not in ("refine", "other") or not is_of_some or is_whole:
        return understood
    parts = changes_apart(text)
    if not 1 < len(parts) <= _MOST_CHANGES:
        return understood
    alone = [read(part) for part in parts]
    is_clear = all(_is_clear(one) and _changes(one, previous) for one in alone)
    are_others = len({one.agents for one in alone}) > 1
    return _merged(previous, understood, alone) or understood if is_clear and are_others else understood


def _is_clear(one: Understanding) -> bool:
    told = (one.refused, one.question, one.booking, one.tour, one.missing, one.alternatives, one.period)
    return one.relation == "refine" and one.resumes is None and not any(told)


def _changes(understood: Understanding, previous: Understanding) -> bool:
    is_same = held_in(understood).by_agent == held_in(previous).by_agent
    return not is_same or understood.wanted != previous.wanted


def _merged(
    previous: Understanding, understood: Understanding, alone: Sequence[Understanding]
) -> Understanding | None:
    """Return all changes in one; None where two change the same, or it is what is understood anyway."""
    last = next((one for one in alone if one.wanted != previous.wanted), alone[0])
    if any(one.wanted not in (previous.wanted, last.wanted) for one in alone):
        return None
    held: dict[str, Any] = {}
    for agent in SLOTS:
        before, changed = previous.of(agent), dict[str, Any]()
        for field in fields(before) if agent in last.wanted else ():
            was = getattr(before, field.name)
            some = [value for one in alone if (value := getattr(one.of(agent), field.name)) != was]
            if any(value != some[0] for value in some):
                return None
            changed |= {field.name: some[0]} if some else {}
        held[agent] = replace(before, **changed) if agent in last.wanted else NOTHING[agent]
    if all(held[agent] == understood.of(agent) for agent in SLOTS) and understood.wanted == last.wanted:
        return None
    agents: tuple[Agent, ...] = tuple(
        agent for agent in last.wanted if any(agent in one.agents for one in alone)
    )
    carried = [slot for slot in alone[0].carried if all(slot in one.carried for one in alone)]
    assumed = dict.fromkeys(slot for one in alone for slot in one.assumed)
    dropped = dict.fromkeys(slot for one in alone for slot in one.dropped)
    return replace(
        last, **held, agents=agents, carried=tuple(carried), assumed=tuple(assumed), dropped=tuple(dropped)
    )
