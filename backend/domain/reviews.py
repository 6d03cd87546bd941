"""Actions that a graph wants reviewed before it takes them, and the value that it expects for the decisions.

Ordinary graphs ask in three shapes: LangChain's `HumanInTheLoopMiddleware` for all tool calls of a step
("decisions") or for one call ("decision"), and Agent Inbox's `HumanInterrupt` ("responses"). The user decides
alike in all of them. Pure values.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .encoding import encode

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
        """Tell whether such a value has the graph take one of the actions, as asked or with changes."""
        return any(self.words[each["type"]] in ("allow", "edit") for each in self.items(value))

    def in_words(self, value: Any) -> str:
        """Return such a value as a user would say it."""
        said = [self._item_in_words(each) for each in self.items(value)]
        if len(said) == 1:
            return said[0]
        return "; ".join(f"{action.name}: {each}" for action, each in zip(self.actions, said, strict=True))

    def _item_in_words(self, item: Mapping[str, Any]) -> str:
        told: Any = item.get("edited_action", item.get("message", item.get("args")))
        match self.words[item["type"]]:
            case "allow":
                return "Allowed."
            case "edit":
                return f"Allowed with changes: {encode(told['args']).decode()}"
            case "respond":
                return str(told)
            case "deny":
                return f"Not allowed: {told}" if told and isinstance(told, str) else "Not allowed."


def _decision(action: Action, decided: Decided) -> dict[str, Any]:
    value: dict[str, Any] = {"type": _word(LANGCHAIN, decided.decision)}
    if decided.decision == "edit":
        value["edited_action"] = {"name": action.name, "args": decided.arguments}
    if decided.note:
        value["message"] = decided.note
    return value


def _response(action: Action, decided: Decided) -> dict[str, Any]:
    told: Any = None
    if decided.decision in ("allow", "edit"):
        edited = decided.arguments if decided.decision == "edit" else action.arguments
        told = {"action": action.name, "args": edited}
    elif decided.decision == "respond":
        told = decided.note
    return {"type": _word(AGENT_INBOX, decided.decision), "args": told}


def _word(words: Mapping[str, Decision], decision: Decision) -> str:
    return next(word for word, meant in words.items() if meant == decision)
