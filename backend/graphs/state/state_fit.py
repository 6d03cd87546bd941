"""Sets aside the parts of a stored state that its graph refuses; the rest is used.

Such parts come from an upgrade, or from a node that has written a value against its schema: LangGraph checks
no write, but each read. Only values that LangGraph itself would refuse count. A `TypedDict` checks no values,
and many graphs keep None where a string is declared.
"""

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, cast

import structlog
from langgraph.channels import BinaryOperatorAggregate, DeltaChannel
from langgraph.graph import START
from pydantic import BaseModel, ValidationError

from ..graph_options import Graph, describe_error, fields_of
from ..langgraph_internals import MISSING, node_of_branch
from .thread import Beginning, Place, Thread

# --- schema models -------------------------------------------------------------------------------------
# The schemas of a graph that hold its state to themselves: pydantic models and dataclasses.
#
# LangGraph makes one of the state before each node that reads it so, and fails where that raises.


_MISSING = "missing"
"""Pydantic's type of the error that a required field was not given."""


class SchemaModel:
    """One such schema; `kept` are the channels that are given up last, such as the conversation.

    `is_first` is the schema of the whole state, or one that the first node of a run reads. A later node may
    well refuse values that a run leaves behind: the nodes before it write them anew.
    """

    def __init__(self, schema: Any, kept: Set[str], *, is_first: bool) -> None:
        self.is_first = is_first
        self._schema = schema
        self._fields = fields_of(schema) or {}
        self._kept = kept

    def faults(self, state: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the channels whose values the schema refuses, with the reason.

        A rule of several fields names none: then it is the first one without which the rest is taken, or else
        all of them. A missing field is no fault: a message or a node may bring it.
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
            return {} if "required positional argument" in str(error) else {"": describe_error(error)}
        except Exception as error:  # noqa: BLE001 - a schema is any class, and fails each run of the user
            return {"": describe_error(error)}
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


# --- state fit -----------------------------------------------------------------------------------------


_GONE = "the graph has no such channel any more"

_log = structlog.get_logger(__name__)


class StateFit:
    """Holds stored states to the channels of one graph; `shape` is new at each start of the server."""

    def __init__(self, graph: Graph) -> None:
        outermost: Any = graph
        self._channels: Mapping[str, Any] = outermost.channels
        self._models = models_of(graph)
        self._doubted: set[str] = set()
        # Drawn, not derived: nothing tells that the code of a reducer or of a nested type has changed, and an
        # upgrade needs a start. A user's first message after one reads the state twice: 0.9 ms more for 100
        # messages, 9 ms for 1,000 (measured).
        self.shape = os.urandom(8)

    def doubt(self, user_id: str) -> None:
        """Have the next message of a user look at all of the state again: a run has failed."""
        self._doubted.add(user_id)

    def forget(self, user_id: str) -> None:
        """Forget a user."""
        self._doubted.discard(user_id)

    def refusal(self, error: BaseException, state: Any, wrote: Mapping[str, str]) -> str | None:
        """Return why a run failed outside its nodes, if its state refuses a value; None for another reason.

        `state` is the last that it had, `wrote` tells which node has written a channel last.
        """
        values = cast("dict[str, Any]", state) if isinstance(state, dict) else dict[str, Any]()
        found = {channel: why for model in self._models for channel, why in model.faults(values)}
        found = found or {name: type(error).__name__ for name in _reducers_in(error)}
        if not found:
            return None
        by = {channel: f" (by the node {wrote[channel]})" if channel in wrote else "" for channel in found}
        told = "; ".join(f"{channel}{by[channel]}: {why}" for channel, why in sorted(found.items()))
        return f"The graph's state refuses what was written to it. {told.rstrip('.')}."

    def set_aside(self, beginning: Beginning, user_id: str, *, goes_on: bool = False) -> tuple[str, ...]:
        """Have a run begin without what does not fit; return a sentence for each channel, for people.

        The steps that hold it stay as they are stored. A run that `goes_on` runs the nodes that were next.
        """
        thread, in_doubt = beginning.thread, user_id in self._doubted
        self._doubted.discard(user_id)
        if thread is None:
            found = {("", "the whole state"): beginning.fault} if beginning.fault else {}
        else:
            found = self._misfits(thread, in_doubt=in_doubt)
            values = thread.loaded[""].values
            # What can be decoded of a list is kept, what its graph refuses is not.
            dropped = {*found.keys() - thread.faults.keys()}
            if in_doubt and not goes_on:
                # LangGraph prepares the nodes that were next, though the message takes their place: the one
                # that could not read its input would fail this run as it has failed the last.
                dropped |= {("", channel) for channel in values if node_of_branch(channel)}
            for _, channel in dropped:
                values.pop(channel, None)
            thread.revised |= {*found, *dropped}
        told = tuple(f"{' '.join(place).strip()}: {why}" for place, why in sorted(found.items()))
        if told:
            _log.warning("a part of a stored state does not fit its graph and is set aside", channels=told)
        return told

    def _misfits(self, thread: Thread, *, in_doubt: bool) -> dict[Place, str]:
        values = thread.loaded[""].values
        found = {place: _first_of(faults) for place, faults in thread.faults.items()}
        # Values committed since this start fit its channels and reducers unless a run has failed.
        for channel in () if thread.shape == self.shape and not in_doubt else values:
            if channel not in self._channels:
                # A name of LangGraph's own, such as `branch:to:node`, holds nothing that anybody would miss.
                if ":" not in channel and not channel.startswith("__"):
                    found["", channel] = _GONE
            elif ("", channel) not in found:
                fault = self._fault(channel, thread)
                found |= {("", channel): fault} if fault is not None else {}
        left = {name: value for name, value in values.items() if ("", name) not in found}
        for model in (each for each in self._models if each.is_first or in_doubt):
            found |= {("", channel): why for channel, why in model.faults(left)}
        return found

    def _fault(self, channel: str, thread: Thread) -> str | None:
        """Return why the reducer of a channel refuses the value that it holds; None if it takes it."""
        spec: Any = self._channels[channel]
        channel_of: Callable[[Any], Any] = spec.from_checkpoint
        if not isinstance(spec, BinaryOperatorAggregate | DeltaChannel):
            return None
        # The initial value of a channel, added to its value, changes nothing: if the reducer takes that.
        try:
            nothing: Any = channel_of(MISSING).get()
            channel_of(nothing).update([nothing])
        except Exception:  # noqa: BLE001 - a reducer is anybody's code; without that the value cannot be judged
            return None
        try:
            # Not the value that the run begins with, to which a reducer may add in place.
            channel_of(thread.decode_again(channel)).update([nothing])
        except Exception as error:  # noqa: BLE001 - the reducer would fail each run of the user
            return f"its reducer refuses what was stored: {describe_error(error)}"
        return None


def _reducers_in(error: BaseException) -> Iterator[str]:
    """Yield the channel whose reducer has raised an error, from the frames that it passed."""
    frames = error.__traceback__
    while frames is not None:
        holder = frames.tb_frame.f_locals.get("self")
        if isinstance(holder, BinaryOperatorAggregate | DeltaChannel):
            yield holder.key
        frames = frames.tb_next


def _first_of(faults: Sequence[str]) -> str:
    return faults[0] if len(faults) == 1 else f"{faults[0]}, and {len(faults) - 1} more"
