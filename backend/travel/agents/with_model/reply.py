"""Streams a reply that a model words from the facts of the rules' own reply, a sentence at a time.

A sentence is shown once it is whole and the guard has found all of it in the facts; so what a client was
shown is never taken back, and whatever follows agrees with it. One that says more is dropped. After the
second, or where the model is late, the rules' reply follows whole. Facts that must be told and were not are
added at the end.
"""

import asyncio
import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import structlog

from ....domain.errors import ModelError, StoreUnavailable
from ...models.base import LimitedModel, Question
from ...understanding.english.wording import describe
from ...understanding.result import Agent
from ..state import TravelRun
from .conversation import in_lines, messages_of, state_in_lines
from .guard import COMMON, KINDS, NEGATIONS, NOTHING, Guard, Line

FIRST_WITHIN_S = 2.5
"""Seconds until the first sentence."""

WITHIN_S = 15.0
"""Seconds for the whole reply."""

MOST_FAULTS = 2

_INSTRUCTIONS = (
    "You are the voice of a travel assistant. Answer the user's message in English, in one to three short, "
    "plain sentences, from the facts and the offers and from nothing else. Name offers, prices, "
    "days and hours exactly as they are written there. Never say that something was booked, held or "
    "cancelled unless a fact does."
)
_ENDS = re.compile(r"(?<!\b[ap]\.m)(?<!\bno)[.!?]+[\"\u201d\u2019')]*(?=\s)|\n")

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence of the rules' reply; of it must be told nothing, what was found, or all.

    What was found are its prices, and of what kind there is nothing.
    """

    text: str
    must: Literal["nothing", "found", "all"] = "nothing"


class _Untrue(ModelError):
    """A model has said too much that no fact bears out."""


class _Repeats(ModelError):
    """A model says again what it has said: it would go on so until its last token."""


class _Voice:
    """Shows what a model says once the guard has no objection."""

    def __init__(self, run: TravelRun, guard: Guard) -> None:
        self._run, self._guard = run, guard
        self._held = ""
        self._faults = 0
        self.said: list[str] = []

    def __call__(self, piece: str) -> None:
        self._held += piece
        while end := _ENDS.search(self._held):
            sentence, self._held = self._held[: end.end()], self._held[end.end() :]
            self._look_at(sentence)

    def end(self) -> None:
        """Look at the last sentence; one that has no end was cut short, and is not shown."""
        sentence, self._held = self._held.rstrip(), ""
        if sentence.endswith((".", "!", "?", ")", '"')):
            self._look_at(sentence)

    def _look_at(self, sentence: str) -> None:
        if not re.search(r"\w", sentence):
            return
        objection = self._guard.objection(sentence)
        if objection:
            self._faults += 1
            _log.warning("a sentence of a model is not shown", missing=objection.partition(" ")[0])
            if self._faults == MOST_FAULTS:
                raise _Untrue("It said what no fact bears out.")
            return
        if sentence.strip() in (each.strip() for each in self.said):
            self._held = ""
            raise _Repeats("It repeats itself.")
        gap = "" if not self.said else "\n" if "\n" in sentence[:-1] or self.said[-1].endswith("\n") else " "
        self.said.append(sentence)
        self._run.context.say(f"{gap}{sentence.strip()}")


async def reply_of(
    run: TravelRun,
    model: LimitedModel,
    message: str,
    facts: Sequence[Fact],
    *,
    opening: str = "",
    asks: str = "",
) -> str:
    """Say the reply to a message and return all that was said.

    It begins with an `opening` and ends with a question `asks`, both word for word.

    What had been said of an earlier attempt stays. When cancelled, the model's stream is closed, and what was
    said until then is what the user has seen.
    """
    context = run.context
    whole = " ".join(fact.text for fact in facts)
    if context.found.text:
        context.say("\n\n")
    context.say(f"{opening} " if opening else "")
    begun = context.found.text_length
    found = context.found.to_json()
    offers = [
        f"{agent if agent in KINDS else 'plan'}: {line}"
        for agent, items in found.items()
        for line in in_lines(items, run.understanding)
    ]
    granted = {agent: _asked_for(run, (agent,)) for agent in run.understanding.wanted if found.get(agent)}
    lines = [
        "; ".join([line, *(granted[kind] for kind in Line(line).kinds & granted.keys())])
        for line in _lines(facts)
    ]
    asked = f"{message}. {_asked_for(run, run.understanding.wanted)}"
    guard = Guard([*lines, *granted.values()], offers, asked)
    voice = _Voice(run, guard)
    try:
        await _speak(run, model, voice, facts, offers)
        rest = (
            " ".join(fact.text for fact in facts if not _is_told(fact, voice.said)) if voice.said else whole
        )
        context.say(f"{' ' if voice.said and rest else ''}{rest}")
    except (ModelError, StoreUnavailable, TimeoutError) as error:
        if isinstance(error, TimeoutError):
            model.failed()
        _log.warning("the rules' reply follows", reason=str(error) or "it took too long")
        context.say(f"\n\n{whole}" if context.found.text_length > begun else whole)
    if asks:
        context.say(f"\n\n{asks}" if context.found.text_length > begun else asks)
    return context.found.text


async def _speak(
    run: TravelRun, model: LimitedModel, voice: _Voice, facts: Sequence[Fact], offers: Sequence[str]
) -> None:
    """Have the model speak. Raises `TimeoutError` without a first sentence in time."""
    lines = [
        *state_in_lines(run.understanding, today=run.today),
        "Facts:",
        *(f"- {fact.text}" for fact in facts),
        # Without numbers: they are not those of the list that the user sees.
        *(("Offers:", *(f"- {line}" for line in offers)) if offers else ()),
    ]
    async with asyncio.timeout(FIRST_WITHIN_S) as first:

        def say(piece: str) -> None:
            voice(piece)
            if voice.said:
                first.reschedule(None)  # from now on the question's own limit holds

        messages = await messages_of(run, _INSTRUCTIONS, lines)
        question = Question(messages=messages, within_s=WITHIN_S)
        with contextlib.suppress(_Repeats):
            await model.answer(question, meter=run.journal.usage, say=say)
    voice.end()


def _asked_for(run: TravelRun, agents: tuple[Agent, ...]) -> str:
    return f"You asked for {describe(replace(run.understanding, agents=agents))}"


def _lines(facts: Sequence[Fact]) -> Iterator[str]:
    """Yield what the facts say, a line for each thing: "I found 2 flights ...; 3 hotels ..." are two."""
    for fact in facts:
        yield from re.split(r";\s+|(?<=[.!?])\s+|\n+", fact.text)


def _is_told(fact: Fact, said: Sequence[str]) -> bool:
    """Whether what must be told of a fact was said: what was found anywhere, or all in one sentence."""
    if fact.must == "nothing":
        return True
    sentences = [Line(each) for each in said]
    if fact.must == "found":
        found = {each for each in Line(fact.text).claims if each[0] == "money" or each in NOTHING}
        return found <= {claim for sentence in sentences for claim in sentence.claims}
    told = Line(fact.text)
    numbers = {claim for claim in told.claims if claim[0] not in ("word", "not", "name")}
    return any(
        _plain_words(told) <= _plain_words(sentence)
        and numbers <= sentence.claims
        and bool(told.words & NEGATIONS) == bool(sentence.words & NEGATIONS)
        for sentence in sentences
    )


def _plain_words(line: Line) -> set[str]:
    """The words that can make a claim and are no names: the "Demo" of an airline is none of the offers."""
    return {
        each.word
        for each in line.tokens
        if each.kind == "word" and (each.starts or not each.is_name) and each.word not in COMMON | NEGATIONS
    }
