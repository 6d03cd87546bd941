"""The input of a graph for a message: a mapping of fields, the text, or the conversation.

A state graph gets those of `FILLED` that its input declares. A functional `@entrypoint` gets what the type
of its first parameter asks for: a string the message, a list the conversation, a `dict` all of `FILLED`, a
schema its fields. Without a type, a parameter that is named for messages gets the conversation, any other
the message.
"""

import inspect
from collections.abc import Mapping, Set
from typing import Any, Literal

from langchain_core.messages import convert_to_messages
from pydantic import ValidationError

from ..domain.errors import BadInput, GraphFailedError
from .graph_options import Graph, SchemaField, describe_error, fields_of, is_list, is_mapping, unwrap_type
from .langgraph_internals import entry_function, input_type
from .page_tools import PageTools

FILLED = ("message", "messages", "user_id", "previous_context", "partial_results")
"""Fields that the server can fill. `messages` and the two last cost a read of the store."""

REPLY_KEYS = ("answer", "response")
"""The keys of a final state that hold its reply; never taken for the field of the message."""

InputForm = Literal["fields", "mapping", "text", "messages", "other"]
"""The form of an input; the fields of "fields" are described."""


class GraphInput:
    """The input of one graph. `message_field` is its own field that gets the message, "" if none does.

    By default that is, for a graph without `message` and `messages`, its only required text field, or else
    its only text field at all: `research_topic`, `question`. The setting `chosen` overrides the rule. If it
    names a field that no text fits, that is `brought_field`, which each message must bring.
    """

    def __init__(self, graph: Graph, chosen: str = "") -> None:
        name, annotation = input_type(graph)
        self._functional = bool(name)
        self.type = unwrap_type(annotation)
        self.fields: Mapping[str, SchemaField] = fields_of(self.type) or {}
        self.kind: InputForm = "fields" if self.fields else _form(name, self.type)
        if chosen and self.kind == "text" and self.type is Any:
            self.kind = "mapping"  # an input without a type, of which the setting names a field
        known: Set[str] = {*FILLED} if self.kind == "mapping" else {*FILLED} & self.fields.keys()
        self._chosen = chosen
        self.message_field = chosen or ("" if {"message", "messages"} & known else self._only_text_field())
        own = self.fields.get(self.message_field)
        # A field that no text fits, such as the mapping that an email is: messages bring it as `input`.
        no_text = own is not None and not own.is_list and own.fault("text") is not None
        self.brought_field = self.message_field if no_text else ""
        if no_text:
            self.message_field = ""
        self.filled: Set[str] = known | ({self.message_field} - {""})
        self._holds_conversation = own is not None and own.is_list
        self.conversation_field = self.message_field if self._holds_conversation else "messages"
        function = entry_function(graph)
        self.gets_previous = function is not None and "previous" in inspect.signature(function).parameters

    @property
    def receives(self) -> bool:
        """Whether a message reaches the graph at all."""
        fields = {"message", "messages", self.message_field} - {""}
        return bool(self.brought_field) or self.kind in ("text", "messages") or bool(fields & self.filled)

    @property
    def fault(self) -> str | None:
        """Why the graph can receive no message, and what to change; None if it can."""
        names = ", ".join(self.fields) or "none"
        if self._chosen and self.kind != "mapping" and self._chosen not in self.fields:
            return f"has no input field {self._chosen} as DETOUR_GRAPH_INPUT says; its fields: {names}"
        if self.receives:
            return None
        if self.kind == "other":
            return f"takes {_name(self.type)} as its input, which no message can be"
        return f"has no input field for a message; name one of its own in DETOUR_GRAPH_INPUT: {names}"

    def wants(self, name: str) -> bool:
        """Tell whether a run needs one of `FILLED`."""
        if name == "messages" and (self.kind == "messages" or self._holds_conversation):
            return True
        return name in self.filled

    def of(self, values: Mapping[str, Any], more: Mapping[str, Any], page: PageTools | None = None) -> Any:
        """Return the input for a run, of `message` and the values of those of `FILLED` that it wants.

        `more` are fields that the message has brought, and `page` is what its page has sent. Raises
        `GraphFailedError` if `brought_field` is none.
        """
        if self.brought_field and self.brought_field not in more:
            raise GraphFailedError(f"The graph needs {self.brought_field}: send it in the message's input.")
        if self.kind == "text":
            return values["message"]
        conversation: Any = values.get("messages")
        if self._functional and conversation is not None:
            # A function uses its input as it is; of a state graph's input LangGraph makes what is declared.
            conversation = convert_to_messages(conversation)
        if self.kind == "messages":
            return conversation
        given = {name: values[name] for name in FILLED if name in self.filled}
        if "messages" in given:
            given["messages"] = conversation
        if self.message_field not in ("", *FILLED):
            given[self.message_field] = conversation if self._holds_conversation else values["message"]
        if page is not None:
            given |= page.fields(self.fields)
        given |= more
        return self.type(**given) if self._functional and self.fields else given

    @property
    def open_fields(self) -> Mapping[str, SchemaField]:
        """The fields that a message may bring: those that neither the server nor the reply fills."""
        filled = {*self.filled, *REPLY_KEYS}
        return {name: field for name, field in self.fields.items() if name not in filled}

    def check(self, more: Mapping[str, Any]) -> None:
        """Raise `BadInput` that names a field of the input which a message may not bring, or not so."""
        own = self.open_fields
        for name, value in more.items():
            if self.kind == "mapping" and name not in self.filled:
                continue
            if name not in own:
                known = ", ".join(sorted(own)) or "none"
                raise BadInput(f"input.{name}: it is no field that a message may bring; those are: {known}.")
            fault = own[name].fault(value)
            if fault is not None:
                raise BadInput(f"input.{name}: {fault}.")

    def _only_text_field(self) -> str:
        texts = [
            name
            for name, field in self.fields.items()
            if field.is_text and name not in FILLED and name not in REPLY_KEYS
        ]
        required = [name for name in texts if self.fields[name].required]
        return next((names[0] for names in (required, texts) if len(names) == 1), "")


def _form(name: str, annotation: Any) -> InputForm:
    """Return the form of an input without fields, by its name and type."""
    if annotation is Any:
        return "messages" if name.endswith("messages") else "text"
    if annotation is str:
        return "text"
    if is_list(annotation):
        return "messages"
    return "mapping" if is_mapping(annotation) else "other"


def _name(annotation: Any) -> str:
    return getattr(annotation, "__name__", str(annotation))


# --- run context ---------------------------------------------------------------------------------------
# The context of a run (`context_schema`): values of the setting, the user's id, and defaults of the schema.


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
        """The fields that a message may bring: all but the user's id and those of the setting."""
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
            return f"needs another context than {SETTING} gives: {describe_error(error)}"
        return None

    def of(self, user_id: str, more: Mapping[str, Any] = _NOTHING) -> Any:
        """Return a new context for a run of this user; a mapping for a graph that declares none.

        `more` comes with the message. `user_id` is always the user's own: nodes name their memories by it.
        """
        if self._schema is None:
            return self.configurable(user_id, more)
        own = {"user_id": user_id} if "user_id" in self.fields else {}
        return self._schema(**{**self._given_to_schema, **more, **own})

    def configurable(self, user_id: str, more: Mapping[str, Any] = _NOTHING) -> dict[str, Any]:
        """Return the values for nodes that read `configurable`, as LangGraph's server gives both."""
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
            raise BadInput(f"context: {describe_error(error)}.") from error
