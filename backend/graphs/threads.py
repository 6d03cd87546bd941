"""A user's thread: the state of a graph that lives on from message to message, as committed after each step.

Each step is stored with its events, in one write (`thread_writer`). A run begins from the newest, or from the
one that its message names (`stored_threads`), and adds only the new message. So after an interruption, or the
end of the process, the state is as it was after the last step that had finished.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..domain.tool_call import ToolCall
from ..log.state_store.thread_steps import ThreadStep
from ..tasks.task_context import TaskContext
from .langgraph_internals import ENCODED
from .manifest import GraphState, Manifest
from .pieces import NOTHING, Marks, Pieces

UNREADABLE = (ValueError, TypeError, KeyError)
"""What reading a step raises that is damaged, or of a later version."""

Place = tuple[str, str]
"""A channel: the name of its graph, "" for the outermost, and its own."""


@dataclass(frozen=True, slots=True)
class CommittedStep:
    """The newest step of a thread as it was committed, to begin the next run from without reading it.

    The `step` is without its body, `held` has all pieces of its `manifest`, `size` are their bytes. They are
    encoded, as they are stored: a node may go on with the values themselves, and mutate them, after its step.
    `marks` are those of its lists.
    """

    step: ThreadStep
    manifest: Manifest
    held: Mapping[bytes, bytes]
    marks: dict[Place, Marks]
    size: int


@dataclass(slots=True)
class LoadedState:
    """The state of one graph, decoded: LangGraph's checkpoint and metadata, and each channel's value."""

    checkpoint: Any
    metadata: Any
    values: dict[str, Any]


class Thread:
    """One step of a thread, to begin from. Raises one of `UNREADABLE`.

    With `as_it_went_on` it includes what graphs within have done since the step (`advanced`). `faults` say
    what of a channel cannot be decoded, once the state is `loaded`. `revised` are the channels that a run
    begins with otherwise than they are stored.
    """

    def __init__(
        self,
        step: ThreadStep,
        *,
        as_it_went_on: bool = True,
        pieces: Pieces | None = None,
        manifest: Manifest | None = None,
    ) -> None:
        self.step = step
        self.is_newest = as_it_went_on
        manifest = manifest or Manifest.of(step)
        self.asked_in = manifest.asked_in
        self.calls = manifest.calls
        self.shape = manifest.shape
        self.own = manifest.graphs
        self.advanced: Mapping[str, GraphState] = manifest.advanced if as_it_went_on else {}
        self.graphs = {**self.own, **self.advanced}
        self.faults: dict[Place, list[str]] = {}
        self.revised: set[Place] = set()
        self.marks: dict[Place, Marks] = {}
        self._pieces = pieces or Pieces(step.held)
        # Here and not when the values are: what raises for them is among the faults.
        self._heads = {
            name: (_numbered(ENCODED.loads_typed(each.checkpoint)), ENCODED.loads_typed(each.metadata))
            for name, each in self.graphs.items()
        }
        self._loaded: dict[str, LoadedState] | None = None

    @property
    def turn(self) -> int:
        """The turn of the task that committed the step."""
        return self.step.turn

    @classmethod
    def of(cls, committed: CommittedStep) -> "Thread":
        """Begin from the newest step, which was committed and is in memory."""
        thread = cls(committed.step, pieces=Pieces(committed.held), manifest=committed.manifest)
        thread.marks = committed.marks
        return thread

    @property
    def held(self) -> Mapping[bytes, bytes]:
        """All pieces of the step."""
        return self._pieces.held

    @property
    def loaded(self) -> dict[str, LoadedState]:
        """The state of each graph, decoded once."""
        if self._loaded is None:
            self._loaded = {name: self._load(name, state) for name, state in self.graphs.items()}
        return self._loaded

    def value(self, channel: str) -> Any:
        """Return the value of a channel, None if it has none."""
        state = self.loaded.get("")
        return state.values.get(channel) if state is not None else None

    def replace(self, channel: str, value: Any, *, graph: str = "") -> None:
        """Have a run begin with another value of a channel of the outermost graph, or of one within it."""
        self.loaded[graph].values[channel] = value
        self.revised.add((graph, channel))

    def decode_again(self, channel: str) -> Any:
        """Return a value of the outermost graph that nobody else has."""
        return self._pieces.value(self.graphs[""].channels[channel])[0]

    def _load(self, name: str, state: GraphState) -> LoadedState:
        values: dict[str, Any] = {}
        for channel, packed in state.channels.items():
            value, faults = self._pieces.value(packed)
            if faults:
                self.faults[name, channel] = faults
            if value is not NOTHING:
                values[channel] = value
        return LoadedState(*self._heads[name], values)


def _numbered(checkpoint: Any) -> Any:
    """Give a checkpoint of an earlier version numbers in place of texts: see `TaskCheckpointer`."""
    seen = checkpoint.get("versions_seen", {})
    for each in (checkpoint.get("channel_versions", {}), *seen.values()):
        for channel, version in each.items():
            if isinstance(version, str):
                each[channel] = int(version.partition(".")[0])
    return checkpoint


def is_attempt_at(context: TaskContext, thread: Thread | None) -> bool:
    """Tell whether a step was committed for the message of a task: its run goes on from there."""
    task = context.task
    return thread is not None and thread.asked_in == (task.asked_in or task.task_id)


def cut_off_calls(context: TaskContext, thread: Thread | None) -> list[ToolCall]:
    """Return the calls of earlier attempts at a message that no committed step has the results of."""
    committed = () if thread is None else thread.calls
    calls = context.tool_calls.values()
    return [each for each in calls if each.observed and each.call_id not in committed]
