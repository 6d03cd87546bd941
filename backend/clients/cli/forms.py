"""A question as a form in words: a field at a time, each with what Enter alone would mean."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, cast

import orjson

from .lines import Line

_ALLOW = {"allow", "a", "yes", "y"}
_DENY = {"deny", "d", "no", "n"}
_TRUE = {"yes", "y", "true", "1"}
_FALSE = {"no", "n", "false", "0"}
_HINTS = {"date": ", a day as 2026-12-05", "boolean": ", yes or no"}


class Misfit(Exception):
    """What was typed does not fit; the message says what would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field: `choices` are pairs of value and title, `default` is what Enter alone leaves it at."""

    name: str
    title: str
    kind: str
    choices: tuple[tuple[Any, str], ...]
    required: bool
    default: Any

    def label(self) -> str:
        """Return what is asked for, and what Enter alone would mean."""
        hint = _HINTS.get(self.kind, "")
        if self.default is not None:
            return f"{self.title}{hint} [Enter: {self._title_of(self.default)}]"
        return f"{self.title}{hint}" if self.required else f"{self.title}{hint} [Enter: leave open]"

    def read(self, text: str) -> Any:
        """Return the value that `text` stands for. Raises `Misfit`."""
        if self.choices:
            return self._chosen(text)
        match self.kind:
            case "boolean":
                return _yes_or_no(text)
            case "date":
                return _day(text)
            case "integer" | "number":
                return _number(text, whole=self.kind == "integer")
            case "array" | "object":
                return _json(text)
            case _:
                return text

    def _chosen(self, text: str) -> Any:
        if text.isdecimal() and 0 < int(text) <= len(self.choices):
            return self.choices[int(text) - 1][0]
        for value, title in self.choices:
            if text.casefold() in {title.casefold(), str(value).casefold()}:
                return value
        raise Misfit(f"Please give a number from 1 to {len(self.choices)}, or one of these in full.")

    def _title_of(self, value: Any) -> str:
        return next((title for choice, title in self.choices if choice == value), str(value))


@dataclass(slots=True)
class Form:
    """A question that is being filled in; `fields` are left in the order in which they are asked."""

    request_id: str
    fields: list[Field]
    values: dict[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> "Form":
        """Begin the form of an `input_request`: what must be told first, then the rest."""
        schema: Mapping[str, Any] = request.get("schema") or {}
        defaults: Mapping[str, Any] = request.get("defaults") or {}
        required: set[str] = set(_listed(schema, "required"))
        properties: Mapping[str, Any] = schema.get("properties") or {}
        fields = [
            _field(name, about, required=name in required, default=defaults.get(name))
            for name, about in properties.items()
        ]
        fields.sort(key=lambda each: each.default is not None or not each.required)
        return cls(str(request["request_id"]), fields)

    def label(self) -> str:
        """Return what is asked for next."""
        return self.fields[0].label() if self.fields else "Enter to go on"

    def choices(self) -> list[Line]:
        """Return the choices of the field that is asked for next, numbered."""
        titles = [title for each in self.fields[:1] for _, title in each.choices]
        return [Line("ask", f"  {number}. {title}") for number, title in enumerate(titles, 1)]

    def fill(self, text: str) -> dict[str, Any] | None:
        """Take what was typed for the next field; return the whole answer once it is complete.

        Raises `Misfit`, and asks for the same field again.
        """
        if self.fields:
            asked, typed = self.fields[0], text.strip()
            if typed:
                self.values[asked.name] = asked.read(typed)
            elif asked.required and asked.default is None:
                raise Misfit("This is needed.")
            self.fields.pop(0)
        return None if self.fields else self.values


def decision(text: str) -> Literal["allow", "deny"]:
    """Return `allow` or `deny`. Raises `Misfit`: nothing else is taken for either."""
    word = text.strip().casefold()
    if word in _ALLOW:
        return "allow"
    if word in _DENY:
        return "deny"
    raise Misfit("Please type allow or deny; /say and a text is a message, and ends this.")


def _field(name: str, schema: Any, *, required: bool, default: Any) -> Field:
    about = _object(schema)
    told = [_object(each) for keyword in ("oneOf", "anyOf") for each in _listed(about, keyword)]
    choices = [(value, str(value)) for value in _listed(about, "enum")]
    choices += [(each["const"], str(each.get("title", each["const"]))) for each in told if "const" in each]
    kind = "date" if about.get("format") == "date" else str(about.get("type", "string"))
    return Field(
        name=name,
        title=str(about.get("title") or name.replace("_", " ")),
        kind=kind,
        choices=tuple(choices),
        required=required,
        default=default if choices or _fits(kind, default) else None,
    )


def _object(schema: Any) -> Mapping[str, Any]:
    """Return a schema's keywords; none of `true`, which is a schema as well: anything fits."""
    return cast("Mapping[str, Any]", schema) if isinstance(schema, dict) else {}


def _listed(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    told: Any = schema.get(keyword)
    return cast("list[Any]", told) if isinstance(told, list) else []


def _fits(kind: str, default: Any) -> bool:
    """Whether a field of a kind can begin with a value; whoever asks may suggest what does not fit."""
    match kind:
        case "date":
            return isinstance(default, str) and _is_day(default)
        case "boolean":
            return isinstance(default, bool)
        case "integer":
            return isinstance(default, int) and not isinstance(default, bool)
        case "number":
            return isinstance(default, int | float) and not isinstance(default, bool)
        case "array" | "object":
            return True
        case _:
            return isinstance(default, str)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _yes_or_no(text: str) -> bool:
    if text.casefold() in _TRUE | _FALSE:
        return text.casefold() in _TRUE
    raise Misfit("Please say yes or no.")


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise Misfit("Please give a day as 2026-12-05.") from None


def _number(text: str, *, whole: bool) -> float:
    try:
        return int(text) if whole else float(text)
    except ValueError:
        raise Misfit("Please give a whole number." if whole else "Please give a number.") from None


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise Misfit("Please give this as JSON.") from None
