"""The questions and permissions that a task asks of its user, and how each is resolved. Pure values.

A question is asked once and resolved once. Its answer is a mapping of fields that fits its schema; the graph
that asked may get the value of one field instead (`bare`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Literal, NamedTuple, NotRequired, cast

from typing_extensions import TypedDict

from .encoding import encode, to_wire

# --- reviews -------------------------------------------------------------------------------------------
# Actions that a graph wants reviewed before it takes them, and the value that it expects for the decisions.
#
# Ordinary graphs ask in three shapes: LangChain's `HumanInTheLoopMiddleware` for all tool calls of a step
# ("decisions") or for one call ("decision"), and Agent Inbox's `HumanInterrupt` ("responses"). The user
# decides alike in all of them. Pure values.


Shape = Literal["decisions", "decision", "responses"]
Decision = Literal["allow", "edit", "respond", "deny"]

LANGCHAIN: Mapping[str, Decision] = {
    "approve": "allow",
    "edit": "edit",
    "respond": "respond",
    "reject": "deny",
}
"""LangChain's words for the decisions."""

AGENT_INBOX: Mapping[str, Decision] = {
    "accept": "allow",
    "edit": "edit",
    "response": "respond",
    "ignore": "deny",
}
"""Agent Inbox's words for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What a graph would do, and which decisions it takes on it."""

    name: str
    arguments: Mapping[str, Any]
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A decision on one action: `arguments` replace those of an edited one, `note` goes to the graph."""

    decision: Decision
    note: str = ""
    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Actions to decide on. `shape` says what the graph expects, and `schema`, if there is one, checks it."""

    shape: Shape
    actions: tuple[Action, ...]
    schema: Mapping[str, Any] | None = None

    @property
    def words(self) -> Mapping[str, Decision]:
        """The words that the graph has for the decisions."""
        return AGENT_INBOX if self.shape == "responses" else LANGCHAIN

    @property
    def facts(self) -> dict[str, Any]:
        """The arguments of the action; of several, by their names."""
        if len(self.actions) == 1:
            return dict(self.actions[0].arguments)
        return {f"{number}. {each.name}": each.arguments for number, each in enumerate(self.actions, 1)}

    def noted(self, action: Action) -> frozenset[Decision]:
        """Return the decisions on an action that the graph takes a note with."""
        # Agent Inbox's "ignore" has no room for one.
        noted: tuple[Decision, ...] = ("respond",) if self.shape == "responses" else ("respond", "deny")
        return frozenset(noted).intersection(action.decisions)

    def value(self, decided: Iterable[Decided]) -> Any:
        """Return what the graph expects for the decisions, one for each action."""
        asked = zip(self.actions, decided, strict=True)
        if self.shape == "responses":
            return [_response(action, each) for action, each in asked]
        values = [_decision(action, each) for action, each in asked]
        return values[0] if self.shape == "decision" else {"decisions": values}

    def items(self, value: Any) -> Sequence[Mapping[str, Any]]:
        """Return the parts of such a value, one for each action."""
        match self.shape:
            case "responses":
                return value
            case "decision":
                return [value]
            case "decisions":
                return value["decisions"]

    def declined(self) -> Any:
        """Return the value that denies every action; None if the graph takes no denial of one of them."""
        if all("deny" in each.decisions for each in self.actions):
            return self.value(Decided(decision="deny") for _ in self.actions)
        return None

    def allows(self, value: Any) -> bool:
        """Return whether such a value has the graph take one of the actions, as asked or with changes."""
        return any(self.words[each["type"]] in ("allow", "edit") for each in self.items(value))

    def in_words(self, value: Any) -> str:
        """Return such a value as a user would say it."""
        said = [self._item_in_words(each) for each in self.items(value)]
        if len(said) == 1:
            return said[0]
        return "; ".join(f"{action.name}: {each}" for action, each in zip(self.actions, said, strict=True))

    def _item_in_words(self, item: Mapping[str, Any]) -> str:
        value: Any = item.get("edited_action", item.get("message", item.get("args")))
        match self.words[item["type"]]:
            case "allow":
                return "Yes."
            case "edit":
                return f"Yes, with changes: {encode(value['args']).decode()}"
            case "respond":
                return str(value)
            case "deny":
                return f"No: {value}" if value and isinstance(value, str) else "No."


def _decision(action: Action, decided: Decided) -> dict[str, Any]:
    value: dict[str, Any] = {"type": _word(LANGCHAIN, decided.decision)}
    if decided.decision == "edit":
        value["edited_action"] = {"name": action.name, "args": decided.arguments}
    if decided.note:
        value["message"] = decided.note
    return value


def _response(action: Action, decided: Decided) -> dict[str, Any]:
    given: Any = None
    if decided.decision in ("allow", "edit"):
        edited = decided.arguments if decided.decision == "edit" else action.arguments
        given = {"action": action.name, "args": edited}
    elif decided.decision == "respond":
        given = decided.note
    return {"type": _word(AGENT_INBOX, decided.decision), "args": given}


def _word(words: Mapping[str, Decision], decision: Decision) -> str:
    return next(word for word, meant in words.items() if meant == decision)


# --- page calls ----------------------------------------------------------------------------------------
# Tool calls that a page executes, and their results. Pure values.
#
# A graph asks for one as LangGraph's own clients know it: by an interrupt whose value is `{"type": "tool",
# "tool_call": {"id", "name", "args"}}`. Nobody is asked anything, so it adds no words to the conversation.


class PageCall(NamedTuple):
    """A call that a page executes."""

    call_id: str
    tool: str


class PageResult(NamedTuple):
    """The result of such a call, and the id of the message that holds it."""

    message_id: str
    text: str


def page_call_of(value: Any) -> PageCall | None:
    """Return the call that the value of a question leaves to the page; None if it is any other question."""
    asked = _mapping(value)
    call = _mapping(asked.get("tool_call"))
    if asked.get("type") != "tool":
        return None
    call_id, tool = call.get("id"), call.get("name")
    return PageCall(call_id, tool) if isinstance(call_id, str) and isinstance(tool, str) else None


def page_results(answer: Any, call_id: str) -> Mapping[str, Any] | None:
    """Return an answer that holds results by the ids of their calls, this one's among them; else None."""
    by_call = _mapping(answer)
    return by_call if call_id in by_call else None


def page_result(answer: Any, call_id: str) -> PageResult:
    """Return the result of a call in an answer: the text of a message of the page, or any JSON."""
    by_call = page_results(answer, call_id)
    result = answer if by_call is None else by_call[call_id]
    told = _mapping(result)
    if {*told} == {"message_id", "text"}:
        return PageResult(str(told["message_id"]), str(told["text"]))
    return PageResult(f"{call_id}.result", result if isinstance(result, str) else encode(result).decode())


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, and an empty one in place of anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


# --- inputs --------------------------------------------------------------------------------------------


InputKind = Literal["question", "permission"]
Resolution = Literal["answered", "allowed", "denied", "withdrawn", "expired"]

GIVEN = frozenset[Resolution]({"answered", "allowed", "denied"})
"""Resolutions by the user's own answer or decision."""

BARE_FIELD = "answer"
"""The field whose value a `bare` question gives to the graph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What an agent wants to know: `schema` is the JSON Schema of the answer, `defaults` fill its form.

    A field that has a default need not be answered. With `bare` the graph gets the value of `BARE_FIELD`.
    With `any_json` that may be any JSON but null: the schema only says what a client should ask for.

    The answer to a question with a `review` holds, under `BARE_FIELD`, the value that the graph expects for
    its decisions. `facts` are shown with the question, under short titles, JSON-ready. `value` is what the
    graph handed to `interrupt()`, as JSON has it, if that says more.
    """

    agent: str
    prompt: str
    schema: Mapping[str, Any]
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
    bare: bool = False
    any_json: bool = False
    review: Review | None = None
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    value: Any = None

    @property
    def page_call(self) -> PageCall | None:
        """The tool call that a page is to execute, if that is what is asked."""
        return page_call_of(self.value)


DECISION_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"decision": {"enum": ["allow", "deny"], "title": "Decision"}, "note": {"type": "string"}},
    "required": ["decision"],
}
"""The schema of the decision on a permission, or on what an agent asks to be allowed by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """What a user is asked to allow: one call, once, with exactly the arguments that its `key` is made of.

    `facts` describe the call under short titles, JSON-ready.
    """

    call_id: str
    tool: str
    key: str
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


class InputRequestView(TypedDict):
    """An open question: `schema` is a JSON Schema, `defaults` fill its form.

    A permission request names the `tool` of its call, and has `facts`: what the call would do, under titles.
    A question about an action has both as well, if it has them. `value` is what a graph handed to
    `interrupt()`, if that says more.
    """

    request_id: str
    kind: InputKind
    agent: str
    prompt: str
    schema: Mapping[str, Any]
    defaults: Mapping[str, Any]
    expires_at: str
    call_id: NotRequired[str]
    tool: NotRequired[str]
    facts: NotRequired[Mapping[str, Any]]
    value: NotRequired[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRequest:
    """A task's `number`th question or permission request; `resolution` is None while it is open.

    The `answer` to a permission request holds a `decision`, "allow" or "deny", and perhaps a `note`.

    `pause_id` and `branch` identify the graph's pause and the branch that paused; a branch waits for its last
    question only.
    """

    request_id: str
    user_id: str
    task_id: str
    turn: int
    number: int
    question: Question
    pause_id: str
    branch: str
    asked_at: datetime
    expires_at: datetime
    kind: InputKind = "question"
    resolution: Resolution | None = None
    answer: Mapping[str, Any] | None = None
    permission: Permission | None = None

    @property
    def open(self) -> bool:
        """Whether it can still be answered."""
        return self.resolution is None

    @property
    def graph_value(self) -> Any:
        """What the graph gets for the answer."""
        answer = self.answer or {}
        if self.permission is not None:
            return answer.get("decision")
        if self.question.review is not None and not answer:  # waived
            return self.question.review.declined()
        return answer.get(BARE_FIELD) if self.question.bare else dict(answer)

    @property
    def told_by_page(self) -> Mapping[str, PageResult]:
        """What the page has told, by call: one answer may have the results of other calls, too."""
        call = self.question.page_call
        if call is None or self.resolution != "answered":
            return {}
        told = self.graph_value
        calls = page_results(told, call.call_id) or {call.call_id: told}
        return {call_id: page_result(told, call_id) for call_id in calls}

    def allows(self, answer: Mapping[str, Any]) -> bool:
        """Return whether an answer that fits it permits an action."""
        if (review := self.question.review) is not None:
            return review.allows(answer[BARE_FIELD])
        return answer.get("decision") not in (None, "deny")

    def answered(self, answer: Mapping[str, Any]) -> "InputRequest":
        """Return it as answered, or as allowed or denied."""
        if self.permission is None:
            return self.resolved("answered", answer)
        return self.resolved("allowed" if answer.get("decision") == "allow" else "denied", answer)

    def waived(self) -> "InputRequest":
        """Return it as withdrawn because its agent was stopped: the graph resumes without an answer."""
        return self.resolved("withdrawn", {})

    @property
    def resumes_graph(self) -> bool:
        """Whether the graph resumes with it: it was answered, or waived."""
        return self.resolution in GIVEN or (self.resolution == "withdrawn" and self.answer is not None)

    def resolved(self, resolution: Resolution, answer: Mapping[str, Any] | None = None) -> "InputRequest":
        """Return it with a resolution."""
        return replace(self, resolution=resolution, answer=answer)

    def to_wire(self) -> InputRequestView:
        """Return the contract's form; only a permission request has the id of its call."""
        view: InputRequestView = {
            "request_id": self.request_id,
            "kind": self.kind,
            "agent": self.question.agent,
            "prompt": self.question.prompt,
            "schema": self.question.schema,
            "defaults": self.question.defaults,
            "expires_at": to_wire(self.expires_at),
        }
        if call := self.permission:
            view["tool"] = call.tool
            view["call_id"] = call.call_id
            view["facts"] = call.facts
        if self.question.facts:
            view["facts"] = self.question.facts
        if (review := self.question.review) is not None:
            view["facts"] = review.facts
            if len(review.actions) == 1:
                view["tool"] = review.actions[0].name
        if self.question.value is not None:
            view["value"] = self.question.value
        return view


def in_words(question: Question, answer: Mapping[str, Any]) -> str:
    """Return an answer that fits its question as a user would say it, field by field; "" if it has none.

    "From: Berlin; Leaving on: 5 December 2026", by the titles in the schema.
    """
    if question.schema is DECISION_SCHEMA or question.schema == DECISION_SCHEMA:
        decided = "Yes" if answer["decision"] == "allow" else "No"
        return f"{decided}: {answer['note']}" if answer.get("note") else f"{decided}."
    if question.review is not None and answer:
        return question.review.in_words(answer[BARE_FIELD]).replace("\0", "")
    if question.bare and list(answer) == [BARE_FIELD]:
        return _value_in_words(answer[BARE_FIELD], {})
    fields: Mapping[str, Any] = question.schema.get("properties", {})
    in_order = [name for name in dict.fromkeys((*fields, *answer)) if name in answer]
    return "; ".join(_field_in_words(name, fields.get(name), answer[name]) for name in in_order)


def _field_in_words(name: str, field: Any, value: Any) -> str:
    known = cast("Mapping[str, Any]", field if isinstance(field, Mapping) else {})
    return f"{known.get('title', name)}: {_value_in_words(value, known)}"


def _value_in_words(value: Any, field: Mapping[str, Any]) -> str:
    if not isinstance(value, str):
        return encode(value).decode()
    try:
        day = date.fromisoformat(value) if field.get("format") == "date" else None
    except ValueError:
        day = None  # in some dialects of JSON Schema `format` is a mere annotation
    return f"{day.day} {day:%B %Y}" if day else value.replace("\0", "")  # no message has a NUL


class TaskInputs:
    """All that one task has asked, in order; its open questions, and the answers that its graph is owed.

    A question whose answer is being stored is *held*: it is no longer open, and the graph does not get the
    answer yet.
    """

    def __init__(self, requests: Iterable[InputRequest] = ()) -> None:
        self._requests = {each.request_id: each for each in requests}
        self._held: set[str] = set()
        self._handed: set[str] = set()

    def __len__(self) -> int:
        """Return how many questions were asked."""
        return len(self._requests)

    def get(self, request_id: str) -> InputRequest | None:
        """Return a question of this task."""
        return self._requests.get(request_id)

    def of_pause(self, pause_id: str) -> InputRequest | None:
        """Return what was asked at a pause; a branch that runs again asks the same there."""
        return next((each for each in self._requests.values() if each.pause_id == pause_id), None)

    @property
    def all(self) -> tuple[InputRequest, ...]:
        """The questions in the order in which they were asked."""
        return (*self._requests.values(),)

    @property
    def open(self) -> tuple[InputRequest, ...]:
        """The questions that can still be answered, in the order in which they were asked."""
        requests = self._requests.values()
        return tuple(each for each in requests if each.open and each.request_id not in self._held)

    @property
    def unanswered(self) -> tuple[InputRequest, ...]:
        """The questions without an answer: open ones, and those that an interruption withdrew.

        Without the questions of agents that the user has stopped, which are not asked again.
        """
        requests = self._requests.values()
        return tuple(
            each for each in requests if each.resolution in (None, "withdrawn") and not each.resumes_graph
        )

    def of_call(self, call_id: str) -> InputRequest | None:
        """Return the last permission that was asked for a call."""
        asked = [
            each for each in self._requests.values() if each.permission and each.permission.call_id == call_id
        ]
        return asked[-1] if asked else None

    @property
    def waiting(self) -> bool:
        """Whether the graph can resume later: a question is open, or an answer not handed over."""
        return any(each.open for each in self._requests.values()) or bool(self.pending_answers())

    def put(self, request: InputRequest) -> None:
        """Add or update a question."""
        self._requests[request.request_id] = request
        self._held.discard(request.request_id)

    def hold(self, request_ids: Iterable[str]) -> None:
        """Close questions whose answers are about to be stored."""
        self._held.update(request_ids)

    def release(self, request_ids: Iterable[str]) -> None:
        """Reopen questions whose answers could not be stored."""
        self._held.difference_update(request_ids)

    def pending_answers(self) -> dict[str, Any]:
        """Return the answers that the graph has not got yet, by pause."""
        # Only the last question of each branch: a branch that has asked again got its earlier answers.
        last = {each.branch: each for each in self._requests.values()}
        return {
            each.pause_id: each.graph_value
            for each in last.values()
            if each.resumes_graph and each.request_id not in self._handed
        }

    def take_answers(self) -> dict[str, Any]:
        """Return the answers that are owed, and mark them as handed to the graph."""
        owed = self.pending_answers()
        self._handed |= {each.request_id for each in self._requests.values() if each.pause_id in owed}
        return owed
