"""The schemas of a graph that hold its state to themselves: pydantic models and dataclasses.

LangGraph makes one of the state before each node that reads it so, and fails where that raises.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Set
from typing import Any, cast

from langgraph.graph import START
from pydantic import BaseModel, ValidationError

from .graph_options import Graph, described
from .schema_fields import fields_of

_MISSING = "missing"
"""Pydantic's type of the error that a required field was not given."""


class SchemaModel:
    """One such schema; `kept` are the channels that are given up last, such as the conversation.

    `is_first` is the schema of the whole state, or one that the first node of a run reads. A later node may
    well refuse what a run leaves behind: the nodes before it write anew what it reads.
    """

    def __init__(self, schema: Any, kept: Set[str], *, is_first: bool) -> None:
        self.is_first = is_first
        self._schema = schema
        self._fields = fields_of(schema) or {}
        self._kept = kept

    def faults(self, state: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the channels whose values the schema refuses, with the reason.

        A rule of several fields names none: then it is the first one without which the rest is taken, or else
        all of them. What is missing is no fault: a message or a node may bring it.
        """
        values = {name: state[name] for name in self._fields if name in state}
        faults = self._of(values)
        for name in faults.keys() - {""}:
            values.pop(name, None)
            yield name, faults[name]
        rule = self._of(values).get("") if values else None
        if rule is None:
            return
        # The latest field first: the schema names the conversation, and what else is lasting, before.
        latest = [*values][::-1]
        names = sorted(latest, key=lambda name: (name in self._kept, self._fields[name].required))
        without = ({each: values[each] for each in values if each != name} for name in names)
        cured = next((name for name, rest in zip(names, without, strict=True) if not self._of(rest)), None)
        for name in [cured] if cured is not None else names:
            yield name, rule

    def _of(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return the faults by field, "" for a rule of the whole."""
        try:
            self._schema(**values)
        except ValidationError as error:
            found: dict[str, str] = {}
            for each in error.errors(include_url=False, include_input=False):
                if each["type"] != _MISSING or len(each["loc"]) > 1:
                    path = [*map(str, each["loc"])] or [""]
                    within = ".".join(path[1:])
                    found.setdefault(path[0], f"{within}: {each['msg']}" if within else each["msg"])
            return found
        except TypeError as error:
            return {} if "required positional argument" in str(error) else {"": described(error)}
        except Exception as error:  # noqa: BLE001 - a schema is any class, and fails each run of the user
            return {"": described(error)}
        return {}


def models_of(graph: Graph) -> list[SchemaModel]:
    """Return the schemas of a graph's state and of its nodes' input that are classes which may refuse it."""
    builder: Any = getattr(graph, "builder", None)
    if builder is None:
        return []
    nodes: Mapping[str, Any] = builder.nodes
    begins = [nodes[end] for start, end in builder.edges if start == START and end in nodes]
    first = {builder.state_schema, *(each.input_schema for each in begins)}
    schemas = dict.fromkeys([builder.state_schema, *(each.input_schema for each in nodes.values())])
    return [SchemaModel(each, {"messages"}, is_first=each in first) for each in schemas if _is_model(each)]


def _is_model(schema: Any) -> bool:
    if not isinstance(schema, type):
        return False
    return issubclass(schema, BaseModel) or dataclasses.is_dataclass(cast("type[Any]", schema))
