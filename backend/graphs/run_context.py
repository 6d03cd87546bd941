"""Makes the context of a run (`context_schema`): what the setting gives, the user's id, and own defaults."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from ..errors import BadInput
from .graph_options import described
from .schema_fields import fields_of

SETTING = "DETOUR_GRAPH_CONTEXT"

_NOTHING: Mapping[str, Any] = {}


class RunContext:
    """The contexts of one graph's runs: `given` is the setting. A field `user_id` holds the user's id.

    `lenient` is true for a setting of several graphs: the schema gets those parts that it has fields for.
    """

    def __init__(self, schema: Any, given: Mapping[str, Any], *, lenient: bool = False) -> None:
        self._schema = schema
        self._given = dict(given)
        self.fields = (fields_of(schema) if schema is not None else None) or {}
        known = self.fields if lenient and self.fields else self._given
        self._given_to_schema = {name: value for name, value in self._given.items() if name in known}
        given_by_us = {*self._given, "user_id"}
        self.open_fields = {name: field for name, field in self.fields.items() if name not in given_by_us}
        """The fields that a message may bring: not the user's id, and not what the setting gives."""
        self.asked_of_messages = [name for name, field in self.open_fields.items() if field.required]
        """The fields that every message must bring, since neither a default nor the setting gives them."""

    @property
    def fault(self) -> str | None:
        """Which part of the setting does not fit the context, and what to change; None if all do."""
        if self.asked_of_messages:
            faults = [
                (name, self.fields[name].fault(value))
                for name, value in self._given_to_schema.items()
                if name in self.fields
            ]
            wrong = [f"{name}: {fault}" for name, fault in faults if fault is not None]
            return f"needs another context than {SETTING} gives: {', '.join(wrong)}" if wrong else None
        try:
            self.of("someone")
        except ValidationError as error:
            wrong = ", ".join(".".join(map(str, each["loc"])) or each["msg"] for each in error.errors())
            return f"needs another context than {SETTING} gives: {wrong}"
        except Exception as error:  # noqa: BLE001 - a schema is any class, and its sentence is what helps
            return f"needs another context than {SETTING} gives: {described(error)}"
        return None

    def of(self, user_id: str, more: Mapping[str, Any] = _NOTHING) -> Any:
        """Return a new context for a run of this user; a mapping for a graph that declares none.

        `more` is what the message brings. Whatever is given, `user_id` is the user's own: nodes name their
        memories by it.
        """
        if self._schema is None:
            return self.configurable(user_id, more)
        own = {"user_id": user_id} if "user_id" in self.fields else {}
        return self._schema(**{**self._given_to_schema, **more, **own})

    def configurable(self, user_id: str, more: Mapping[str, Any] = _NOTHING) -> dict[str, Any]:
        """Return the same for nodes that read `configurable`, as LangGraph's server gives both."""
        return {**self._given, **more, "user_id": user_id}

    def check(self, more: Mapping[str, Any]) -> None:
        """Raise `BadInput` that names a field of the context which a message may not bring, or not so."""
        for name in more:
            if name in self._given:  # the operator has decided it for all users
                raise BadInput(f"context.{name}: the server's setting gives it.")
            if name == "user_id" or (self._schema is not None and self.fields and name not in self.fields):
                known = ", ".join(sorted({*self.fields} - {"user_id"})) or "none"
                raise BadInput(
                    f"context.{name}: it is no field that a message may bring; those are: {known}."
                )
        for name in self.asked_of_messages:
            if name not in more:
                how = f"send it with the message, or set it for all in {SETTING}"
                raise BadInput(f"context.{name}: the graph needs it; {how}.")
        try:
            self.of("someone", more)
        except ValidationError as error:
            first = error.errors()[0]
            raise BadInput(f"context.{'.'.join(map(str, first['loc']))}: {first['msg']}.") from error
        except Exception as error:
            raise BadInput(f"context: {described(error)}.") from error
