"""The JSON Schemas of a graph, as LangGraph's own server tells them."""

from collections.abc import Callable, Mapping
from typing import Any

import structlog
from pydantic import create_model

from ..domain.encoding import encode
from .graph_options import Graph, described

Schema = Mapping[str, Any]

_log = structlog.get_logger(__name__)


def schemas_of(name: str, graph: Graph) -> Mapping[str, Schema | None]:
    """Return the schemas of a graph's input, output, state and context; None for one that cannot be made.

    Takes some 10 ms for each that holds messages.
    """
    make: Mapping[str, Callable[[], Schema | None]] = {
        "input_schema": graph.get_input_jsonschema,
        "output_schema": graph.get_output_jsonschema,
        "state_schema": lambda: _state_schema(graph),
        "context_schema": graph.get_context_jsonschema,
    }
    return {kind: _made(name, kind, each) for kind, each in make.items()}


def _made(name: str, kind: str, make: Callable[[], Schema | None]) -> Schema | None:
    try:
        schema = make()
        encode(schema)
    except Exception as error:  # noqa: BLE001 - the types are any code, and none has to have a schema
        _log.warning("a graph has no JSON Schema", graph=name, schema=kind, reason=described(error))
        return None
    return schema


def _state_schema(graph: Graph) -> Schema:
    outermost: Any = graph
    channels: Mapping[str, Any] = outermost.channels
    fields: Any = {each: (channels[each].UpdateType, None) for each in graph.stream_channels_list}
    return create_model(graph.get_name("State"), **fields).model_json_schema()
