"""Has a model read a message: beside the searches that the rules began, or alone where they read nothing.

A model is asked for one structured answer, a `Turn`. Its schema is generated from the table of slots and
sent as each service's strict structured output. Values are texts, so that a slot takes a line of it and
services need no union of types; `values_in` reads them as the rules' own values. A mistake in one slot costs
that slot.

Where rules have read a message as well, theirs stands: no value that they have read is changed or emptied. A
model fills gaps, and only where the rules left words unread. Where it reads other values in words that the
rules have read as well, they are told as what could have been meant.

An interruption, a stop and an answer never wait for a model, nor does a search. Beside the searches it
corrects what they look for as long as nothing was shown that the correction would contradict. A bad answer,
or a late one, changes nothing.
"""

import math
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, time
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, cast, get_args, get_origin

import structlog
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, WithJsonSchema

from ....domain.errors import BadInput, ModelError, StoreUnavailable
from ....domain.model_usage import UsageMeter
from ....tasks.workflow import Reading, Situation
from ...models.base import LimitedModel, Question
from ...models.history import Message
from ...read_in_situation import answer_of, reading_of
from ...stored_requests import after, spoken_of_in, understanding_in
from ...understanding.dialogue.found import about_what_was_found
from ...understanding.english.details.airlines import names_airline
from ...understanding.english.slot_words import WORDS
from ...understanding.found import FoundQuestion, Kind, Topic, Which
from ...understanding.places.gazetteer import in_full
from ...understanding.queries import QUERIES, base_query, fits
from ...understanding.result import (
    Agent,
    Alternative,
    BookingAction,
    BookingWish,
    Pick,
    Place,
    Reason,
    Refused,
    Understanding,
)
from ...understanding.slot_table import SLOTS, Slot, given_by, searching
from ...values.offers import AMENITIES, By, plain
from ...values.travel import Money
from ..questions import answers_in, value_of
from ..state import TravelRun
from .conversation import messages_of, state_in_lines, system, with_lines

# --- what a model says ---------------------------------------------------------------------------------


SLOTS_READ: Mapping[str, Slot] = {
    slot.name: slot for agent in SLOTS for slot in given_by(agent) if slot.is_read_by_models
}
"""The slots that a model may fill, by their names."""

_WORDS = '[^"\\\\\\n]{1,24}'
_NUMBER = "[0-9]{1,5}"
_PATTERNS: Mapping[Any, str] = {
    date: "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    time: "[0-9]{2}:[0-9]{2}",
    bool: "(true|false)",
    int: _NUMBER,
    float: f"{_NUMBER}([.][0-9])?",
    Money: f"{_NUMBER}([.][0-9]{{2}})?",
}
_TYPES: Mapping[Any, str] = {
    date: "YYYY-MM-DD",
    bool: "true or false",
    int: "a number",
    float: "a number",
    Place: "a city or an airport's code",
}


def _text(pattern: str) -> Any:
    """A text by its pattern: OpenAI's strict schemas take no `maxLength`."""
    return WithJsonSchema({"type": "string", "pattern": f"^{pattern}$"})


def _at_most(count: int) -> Any:
    """A bound for the service's model. A list that is longer all the same is no reason to refuse the rest."""
    return Field(json_schema_extra={"maxItems": count})


def _pattern_of(slot: Slot) -> str:
    """Return the pattern of a slot's values."""
    if get_origin(slot.type) is Literal:
        return f"({'|'.join(get_args(slot.type))})"
    return _PATTERNS.get(slot.type, _WORDS)


def _slot_values() -> str:
    """Return the pattern of "flight.origin: Berlin": the names of slots, each with values of its type."""
    names: dict[str, list[str]] = {}
    for slot in SLOTS_READ.values():
        names.setdefault(_pattern_of(slot), []).append(slot.name.replace(".", "[.]"))
    either = (f"({'|'.join(those)}): {pattern}" for pattern, those in names.items())
    return f"({'|'.join(either)})"


SlotName = Annotated[str, WithJsonSchema({"type": "string", "enum": list(SLOTS_READ)})]
SlotValue = Annotated[str, _text(_slot_values())]
"""A slot's name and its value, as "flight.origin: Berlin": half the tokens of an object with two fields."""
Words = Annotated[str, _text(_WORDS)]


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Meant(_Said):
    """Which offer or booking is meant: by its number in the list, an order, or a name."""

    kind: Kind | None
    number: int | None
    first_by: By | None
    name: Words | None


class Turn(_Said):
    """What the last message means."""

    relation: Literal[
        "new", "refine", "add", "answer", "question", "act", "undo", "redo", "start_over", "stop", "talk",
        "other",
    ]  # fmt: skip
    agents: Annotated[list[Kind], _at_most(3)]
    slots: Annotated[list[SlotValue], _at_most(6)]
    cleared: Annotated[list[SlotName], _at_most(2)]
    act: BookingAction | None
    question: Topic | None
    which: Meant | None
    unused: Annotated[list[Words], _at_most(2)]

    @property
    def wish(self) -> BookingWish | None:
        """The act as the rules have it."""
        if self.act is None:
            return None
        which = self.which or _NONE
        is_reference = which.name is not None and _REFERENCE.fullmatch(which.name) is not None
        return BookingWish(
            action=self.act,
            kind=which.kind,
            pick=_PICKS.get(which.first_by or ""),
            number=which.number if which.number and 0 < which.number <= _MOST_OFFERS else None,
            name=None if is_reference else which.name,
            reference=which.name if is_reference else None,
        )

    @property
    def asked(self) -> FoundQuestion | None:
        """The question as the rules have it."""
        if self.question is None:
            return None
        which = self.which or _NONE
        numbers = (which.number,) if which.number and 0 < which.number <= _MOST_OFFERS else ()
        meant = Which(numbers=numbers, by=which.first_by, name=which.name or "")
        return FoundQuestion(topic=self.question, agent=which.kind, which=meant, by=which.first_by)


def _plausible(turn: Turn, message: str) -> Turn:
    """Return a turn without an act and a question if it has both, or a name that the message has not."""
    named = (turn.which and turn.which.name) or ""
    is_named = not named or any(_is_said(word, message) for word in named.split())
    if is_named and (turn.act is None or turn.question is None):
        return turn
    return turn.model_copy(update={"act": None, "question": None})


_NONE = Meant(kind=None, number=None, first_by=None, name=None)
_PICKS: Mapping[str, Pick] = {"price": "cheapest", "duration": "fastest", "best": "best"}
_REFERENCE = re.compile("[A-Z]+-[A-Z0-9]+")
_MOST_OFFERS = 500


def _without_titles(schema: Any) -> Any:
    """Return a schema without what pydantic says of each field, which costs a third of its tokens."""
    if isinstance(schema, list):
        return [_without_titles(each) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    told = cast("dict[str, Any]", schema).items()
    return {name: _without_titles(each) for name, each in told if name not in ("title", "description")}


SCHEMA: Mapping[str, Any] = {"title": "turn", **_without_titles(Turn.model_json_schema())}
"""The JSON Schema of a `Turn`: no field is optional, none is left open."""


def _described(slot: Slot) -> str:
    choices = " or ".join(get_args(slot.type)) if get_origin(slot.type) is Literal else ""
    told = ", ".join(filter(None, [WORDS[slot.name].for_models or _TYPES.get(slot.type, ""), choices]))
    return f"{slot.name}: {told}" if told else slot.name


INSTRUCTIONS = "\n".join(
    [
        "You read the last message to a travel assistant that finds flights, hotels and rental cars, and fill"
        " in a JSON object that says what it means after what was said before.",
        "relation: new (another trip), refine (changes the request), add (a further kind of search), answer"
        " (to what was asked), question (about offers that were found), act (hold, book, cancel or list),"
        " undo (the last change), redo, start_over, stop, talk (small talk), other.",
        "agents: those that must search because of the message; none for a question or talk.",
        "slots: only what the last message itself says, each as name: value, with commas between several.",
        "cleared: slots that it takes back. unused: its wishes that fit no slot, in the user's own words.",
        "act, question: null unless it is one; which: the offer or booking that it is about, else null.",
        "Invent nothing.",
        "The slots:",
        *map(_described, SLOTS_READ.values()),
    ]
)


def turn_in(text: str) -> Turn:
    """Return the turn in a model's answer. Raises `BadInput` if it is none."""
    try:
        return Turn.model_validate_json(text)
    except ValidationError as error:
        first, *_ = error.errors(include_url=False, include_context=False, include_input=False)
        raise BadInput(f"{'.'.join(map(str, first['loc'])) or 'answer'}: {first['msg']}.") from None


def values_in(slots: Sequence[str], *, today: date) -> dict[str, Any]:
    """Return the values of slots by their names, without those that no search could use."""
    read: dict[str, Any] = {}
    for name, _, text in (said.partition(":") for said in slots):
        slot = SLOTS_READ.get(name.strip())
        if slot is None:
            continue
        try:
            value, _ = value_of(slot, _as_given(slot, text.strip()), today)
        except ValueError:
            continue
        bounds = slot.least if slot.least is not None else -math.inf, slot.most or math.inf
        if isinstance(value, int | float) and not bounds[0] <= value <= bounds[1]:
            continue
        if value != ():
            read[slot.name] = value
    return read


def _as_given(slot: Slot, text: str) -> Any:
    """Return a text as a form gives the slot's value. Raises `ValueError` where it is none."""
    if get_origin(slot.type) is tuple:
        [kind, *_] = get_args(slot.type)
        several = [_given(kind, each.strip()) for each in text.split(",") if each.strip()]
        return [each for each in several if slot.name != "hotel.amenities" or each in AMENITIES]
    return _given(slot.type, text)


def _given(kind: Any, text: str) -> Any:
    if kind is Money:
        try:
            amount = Decimal("".join(each for each in text if each.isdigit() or each == "."))
        except InvalidOperation:
            raise ValueError("that is no price") from None
        if amount <= 0:
            raise ValueError("that is no price")
        return amount
    if kind is Place or not text:
        if not text:
            raise ValueError("that is no value")
        return text
    # Checked as its type, though days and hours are handed on as texts. What it raises is a `ValueError`.
    read = TypeAdapter(kind).validate_python(text)
    return text if not isinstance(read, int | float) else read


# --- what rules and a model agree on -------------------------------------------------------------------


_MISREAD: Collection[Reason] = (
    "not_understood", "unknown_place", "no_such_day", "day_has_passed", "ends_before_it_begins",
    "impossible_count",
)  # fmt: skip
"""Why rules may refuse what a model can read."""


def has_unread(rules: Understanding) -> bool:
    """Return whether rules have left words of a message unread, which a model may read."""
    return any(one.reason in _MISREAD for one in rules.refused)


def certain(rules: Understanding) -> dict[str, Any]:
    """Return the values, by the names of their slots, that no model changes: all but assumptions.

    Those of earlier messages are not among them while a message has words that the rules could not read.
    """
    open_to_change = {*rules.assumed, *(rules.carried if has_unread(rules) else ())}
    return {
        name: value
        for name, slot in SLOTS_READ.items()
        if (value := getattr(rules.of(slot.agent), slot.field)) != slot.empty and name not in open_to_change
    }


def agreed(rules: Understanding, turn: Turn, *, message: str, today: date) -> Understanding:
    """Return what rules and a model make of one message between them."""
    fixed, is_open, known = certain(rules), has_unread(rules), _named_by(rules)
    turn = _plausible(turn, message)
    given: dict[str, Any] = {}
    doubts: list[Alternative] = []
    for name, theirs in values_in(turn.slots, today=today).items():
        slot = SLOTS_READ[name]
        ours = getattr(rules.of(slot.agent), slot.field)
        is_told_otherwise = slot.instead_of and getattr(rules.of(slot.agent), slot.instead_of) is not None
        if is_told_otherwise or _is_same(ours, theirs):
            continue
        if name not in fixed:
            is_guess = isinstance(theirs, date) and not _is_said(theirs, message)
            if is_guess and rules.period and rules.period.start <= theirs <= rules.period.end:
                continue  # "in January": the reply asks on which day, and tells the cheapest ones
            if is_open and not _is_invented(slot, theirs, f"{message} {known}"):
                given[name] = theirs
                if is_guess:
                    # Nobody wrote the day: the words may tell it ("the Sunday after"), or no word does.
                    doubts.append(Alternative(slot=name, taken=_told(theirs), others=()))
            elif is_open and slot.needed and ours is None and slot.agent in rules.agents:
                # "To the city of takoyaki": nothing is replaced, and the reply tells what was taken.
                given[name] = theirs
                doubts.append(Alternative(slot=name, taken=_told(theirs), others=()))
        elif _is_said(theirs, message):
            doubts.append(Alternative(slot=name, taken=_told(ours), others=(_told(theirs),)))
    if not is_open:
        doubted = {one.slot for one in doubts}
        kept = tuple(one for one in rules.alternatives if one.slot not in doubted)
        return replace(rules, alternatives=(*kept, *doubts)) if doubts else rules
    cleared = {name for name in turn.cleared if name in rules.carried and not SLOTS_READ[name].needed}
    given |= {name: SLOTS_READ[name].empty for name in cleared - fixed.keys() - given.keys()}
    # One that is added must be able to search: a model does not make the reply ask for more.
    result = with_values(rules, given)
    added = {agent for agent in searching(turn.agents) if not replace(result, agents=(agent,)).missing}
    agents = cast("tuple[Agent, ...]", tuple(sorted({*rules.agents, *added})))
    given = {name: each for name, each in given.items() if SLOTS_READ[name].agent in {*rules.wanted, *agents}}
    result = with_values(rules, given)
    is_changed = bool(given) or (turn.asked is not None and rules.question is None)
    refused = _refused(rules, turn, message) if is_changed else rules.refused
    return replace(
        result,
        agents=agents,
        wanted=cast("tuple[Agent, ...]", tuple(sorted({*rules.wanted, *agents}))),
        booking=rules.booking or turn.wish,
        question=rules.question or turn.asked,
        alternatives=(*result.alternatives, *doubts),
        refused=refused,
        unused=_unused(rules, refused),
    )


def with_values(understanding: Understanding, given: dict[str, Any]) -> Understanding:
    """Return what is understood with other values of slots, by their names."""
    slots: dict[str, Any] = {
        agent: replace(
            understanding.of(agent),
            **{
                SLOTS_READ[name].field: value
                for name, value in given.items()
                if SLOTS_READ[name].agent == agent
            },
        )
        for agent in SLOTS
    }
    return replace(
        understanding,
        **slots,
        assumed=tuple(name for name in understanding.assumed if name not in given),
        carried=tuple(name for name in understanding.carried if name not in given),
        alternatives=tuple(one for one in understanding.alternatives if one.slot not in given),
    )


def _is_same(ours: Any, theirs: Any) -> bool:
    """Whether two readings are one. A city is the same as one of its airports, which the rules have read."""
    if isinstance(ours, Place) and isinstance(theirs, Place):
        return ours.city == theirs.city and theirs.airport in ("", ours.airport)
    return ours == theirs


_GENERIC = frozenset({"airline", "airlines", "airways", "air", "lines", "hotel", "the"})


def _is_name(slot: Slot) -> bool:
    """Whether a slot holds a place, an airline, a hotel or an amount, for which nobody has own words."""
    is_open = slot.type in (Place, str, Money, tuple[Place, ...], tuple[str, ...])
    return is_open and slot.name != "hotel.amenities"


_FEW = 10
"""Numbers below it are often told in words, such as "nonstop", "a couple"."""


def _is_invented(slot: Slot, value: Any, said: str) -> bool:
    """Whether nobody has said a name or an amount, or a number that people write in digits, if in hours."""
    if isinstance(value, int | float):
        return value >= _FEW and not any(_is_said(each, said) for each in (value, value / 60))
    return _is_name(slot) and not _is_said(value, said)


def _is_said(value: Any, said: str) -> bool:
    """Whether what was said has the words of a value: what it does not have a model may have invented.

    Words in other letters name any place: nobody has its names in all of them.
    """
    words = plain(said)
    if isinstance(value, tuple):
        return all(_is_said(each, said) for each in cast("tuple[Any, ...]", value))
    numbers = [float(each) for each in re.findall(r"\d+", words.replace(",", ""))]
    if isinstance(value, date):
        return value.day in numbers
    if isinstance(value, Money):
        return int(value.amount) in numbers
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value in numbers
    if not isinstance(value, Place):
        telling = [word for word in plain(str(value)).split() if word not in _GENERIC]
        return all(word in words for word in telling or [plain(str(value))]) or names_airline(
            said, str(value)
        )
    if not all(map(_is_latin, filter(str.isalpha, said))):
        return True
    codes = {plain(code) for code in (*value.airports, value.city.metro) if code}
    names = (value.city.name, *value.city.aliases)
    return any(plain(name) in words for name in names if plain(name)) or not codes.isdisjoint(words.split())


def _is_latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("LATIN")


def _named_by(understanding: Understanding) -> str:
    """The places and names that a request has already."""
    places = [getattr(understanding.of(slot.agent), slot.field) for slot in SLOTS_READ.values()]
    choices = (other for one in understanding.alternatives for other in one.others)
    return " ".join([*map(_told, places), *choices])


def _told(value: Any) -> str:
    if isinstance(value, Place):
        return in_full(value.city)
    if isinstance(value, tuple):
        return ", ".join(map(str, cast("tuple[Any, ...]", value)))
    return value.isoformat() if isinstance(value, date) else str(value)


def _refused(rules: Understanding, turn: Turn, message: str) -> tuple[Refused, ...]:
    """What neither could use: of the rules what they could not have misread, and what the model tells.

    A model may put a wish in words of its own, or invent one: what is told is what the user wrote.
    """
    sure = [one for one in rules.refused if one.reason not in _MISREAD]
    known = {one.said.casefold() for one in sure}
    quoted = (said for said in turn.unused if said and said.casefold() in message.casefold())
    told = (Refused(said=said, reason="not_understood") for said in quoted if said.casefold() not in known)
    return (*sure, *told)


def _unused(rules: Understanding, told: tuple[Refused, ...]) -> tuple[str, ...]:
    """The wishes that stay with the request: those of earlier messages, and what nobody could use of this."""
    of_rules = {one.said for one in rules.refused if one.reason == "not_understood"}
    earlier = (said for said in rules.unused if said not in of_rules)
    return tuple(dict.fromkeys((*earlier, *(one.said for one in told if one.reason == "not_understood"))))


# --- reading -------------------------------------------------------------------------------------------


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


def reading_of_turn(turn: Turn, situation: Situation, *, message: str, today: date) -> Reading | None:
    """Return what a message asks for that a model alone has read; None where that is nothing."""
    previous, spoken = situation.previous, spoken_of_in(situation.beside or situation.previous)
    turn = _plausible(turn, message)
    before = understanding_in(previous)
    if turn.relation == "question" and turn.asked is not None and before is not None:
        return reading_of(about_what_was_found(turn.asked, before), before=previous, spoken=spoken)
    read = understood_alone(turn, before, message=message, today=today)
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


def understood_alone(
    turn: Turn, before: Understanding | None, *, message: str, today: date
) -> Understanding | None:
    """Return the request of a turn, after what was understood `before`; None where it asks for nothing."""
    turn = _plausible(turn, message)
    said = f"{message} {_named_by(before) if before else ''}"
    read = values_in(turn.slots, today=today).items()
    values = {name: each for name, each in read if not _is_invented(SLOTS_READ[name], each, said)}
    wish = turn.wish
    is_new = before is None or turn.relation == "new"
    known = Understanding(relation="new") if before is None or is_new else before
    cleared = {name: SLOTS_READ[name].empty for name in turn.cleared if not SLOTS_READ[name].needed}
    agents = searching(
        {*turn.agents, *([wish.kind] if wish and wish.kind and wish.action != "cancel" else [])}
    )
    if not agents and wish is None:
        return None
    request = with_values(replace(known, booking=wish, question=None), {**cleared, **values})
    return replace(
        request,
        relation="new" if is_new else "add" if turn.relation == "add" else "refine",
        agents=agents,
        wanted=searching({*known.wanted, *agents}),
        carried=(),
        dropped=(),
        refused=(),
        resumes=None,
    )
