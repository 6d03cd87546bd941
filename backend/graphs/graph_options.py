"""Types that all modules of graphs share: the graph, its settings, its refusal, fields of schemas."""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, Required, Union, get_args, get_origin, get_type_hints

from langgraph.pregel import Pregel
from pydantic import BaseModel, PydanticUserError, TypeAdapter, ValidationError
from typing_extensions import ReadOnly, TypedDict

from ..domain.errors import DetourError

Graph = Pregel[Any, Any, Any, Any]
"""A compiled `StateGraph`, a functional `@entrypoint`, or any other graph that runs in this process."""


class GraphNotFoundError(DetourError):
    """`DETOUR_GRAPH` names no graph that can be served; the message is one sentence that says why."""

    code = "graph_not_found"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOptions:
    """The settings `DETOUR_GRAPH_*`, and whether they are for `several` graphs.

    Each of several graphs takes those that it has a field for. `start_s` bounds each import and factory.
    """

    context: Mapping[str, Any] = field(default_factory=dict[str, Any])
    input_field: str = ""
    reply_key: str = ""
    shares_store: bool = False
    start_s: float = 60.0
    several: bool = False


def describe_error(error: Exception | SystemExit) -> str:
    """Return an error's type and message in one line, for a sentence at the start."""
    if isinstance(error, KeyError) and _comes_from_environment(error):
        return f"the environment variable {error.args[0]} is not set"
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _comes_from_environment(error: KeyError) -> bool:
    """Tell whether `os.environ[...]` raised an error: its name alone would not say what is missing."""
    frames = error.__traceback__
    while frames is not None and frames.tb_next is not None:
        frames = frames.tb_next
    return frames is not None and frames.tb_frame.f_globals.get("__name__") == "os"


# --- schema fields -------------------------------------------------------------------------------------
# Reads the fields that a graph's schema declares, be it a `TypedDict`, a dataclass or a pydantic model.


@dataclasses.dataclass(frozen=True, slots=True)
class SchemaField:
    """One field: its type without `Annotated` and the like, and whether it must be given."""

    type: Any
    required: bool

    @property
    def is_text(self) -> bool:
        """Whether the field takes a string, or a string or None."""
        return self.type is str or (
            get_origin(self.type) in (Union, UnionType) and {*get_args(self.type)} == {str, NoneType}
        )

    @property
    def is_list(self) -> bool:
        """Whether the field takes a list."""
        return is_list(self.type)

    def fault(self, value: Any) -> str | None:
        """Return why a value from JSON does not fit; None if it does, or pydantic cannot tell."""
        try:
            TypeAdapter(self.type).validate_python(value)
        except ValidationError as error:
            return error.errors()[0]["msg"]
        except PydanticUserError:
            return None
        return None


def fields_of(schema: Any) -> dict[str, SchemaField] | None:
    """Return a schema's fields by name; None for a type that has none, such as `str` or `dict`."""
    if not isinstance(schema, type):
        return None
    declared: Any = schema  # pyright: ignore[reportUnknownVariableType]
    if issubclass(declared, BaseModel):
        return {
            name: SchemaField(unwrap_type(each.annotation), each.is_required())
            for name, each in declared.model_fields.items()
        }
    hints = type_hints(declared)
    if dataclasses.is_dataclass(declared):
        return {
            each.name: SchemaField(unwrap_type(hints.get(each.name, each.type)), _must_be_given(each))
            for each in dataclasses.fields(declared)
            if each.init
        }
    if not hints:
        return None
    required = getattr(declared, "__required_keys__", hints)
    return {name: SchemaField(unwrap_type(hint), name in required) for name, hint in hints.items()}


def schema_of(fields: Mapping[str, SchemaField], *, required: Collection[str]) -> dict[str, Any]:
    """Return the JSON Schema of an object with these fields; one whose type has no schema may be anything."""
    types = {name: _type_with_schema(field.type) for name, field in fields.items()}
    declared: Any = TypedDict  # typed so that it may be called: the fields are known at run time alone
    shape = declared("Fields", {
        name: each if name in required else NotRequired[each] for name, each in types.items()
    })  # fmt: skip
    schema = TypeAdapter(shape).json_schema()
    return {name: value for name, value in schema.items() if name != "title"}


def _type_with_schema(annotation: Any) -> Any:
    try:
        TypeAdapter(annotation).json_schema()
    except (PydanticUserError, NameError):  # no JSON form, or a part of it is not imported at run time
        return Any
    return annotation


def unwrap_type(annotation: Any) -> Any:
    """Return a type without what `Annotated`, `Required` and the like add to it."""
    while get_origin(annotation) in (Annotated, Required, NotRequired, ReadOnly):
        annotation = get_args(annotation)[0]
    return annotation


def is_list(annotation: Any) -> bool:
    """Tell whether a type is `list`, `Sequence` or a tuple, of anything."""
    kind = get_origin(annotation) or annotation
    return isinstance(kind, type) and issubclass(kind, Sequence) and not issubclass(kind, str | bytes)


def is_mapping(annotation: Any) -> bool:
    """Tell whether a type is `dict` or `Mapping`, of anything."""
    kind = get_origin(annotation) or annotation
    return isinstance(kind, type) and issubclass(kind, Mapping)


def type_hints(declared: Any) -> dict[str, Any]:
    """Return the annotations of a class or function; {} if one names what is not imported at run time."""
    try:
        return get_type_hints(declared, include_extras=True)
    except (NameError, TypeError, AttributeError):
        return {}


def _must_be_given(field: "dataclasses.Field[Any]") -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
