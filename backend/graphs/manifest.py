"""What a step of a thread says of the state it stands for: which pieces each channel's value consists of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ormsgpack

from ..log.state_store.thread_steps import ID_BYTES, ThreadStep
from .pieces import Packed

Encoded = tuple[str, bytes]
"""The kind of an encoding, and its bytes."""


@dataclass(frozen=True, slots=True)
class GraphState:
    """The state of one graph: LangGraph's checkpoint without its values, its metadata, and the values."""

    checkpoint: Encoded
    metadata: Encoded
    channels: Mapping[str, Packed]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The state at a step.

    `asked_in` is the id of the first task of the message, `calls` are the ids of the tool calls that the
    committed steps of its task have made. `shape` names the server's start at which the state was last held
    to its graph (`state_fit`). `graphs`
    holds the state of the graph, under "", and of graphs within it that keep their own. `advanced` are those
    graphs within that have gone on since the step: who returns to the step begins without that.
    """

    asked_in: str
    calls: list[str]
    shape: bytes
    graphs: Mapping[str, GraphState]
    advanced: Mapping[str, GraphState] = field(default_factory=dict[str, GraphState])

    @classmethod
    def of(cls, step: ThreadStep) -> "Manifest":
        """Read the manifest of a step. Raises `ValueError` and `TypeError` for what is none."""
        asked_in, calls, shape, graphs, advanced = ormsgpack.unpackb(step.body)
        reader = _Reader(step.pages, step.pieces)
        return cls(asked_in, calls, shape, reader.states(graphs), reader.states(advanced))

    def packed(self) -> tuple[bytes, bytes, bytes]:
        """Return the body of its step, and the ids of its pages and of its pieces."""
        body = (self.asked_in, self.calls, self.shape, _rows(self.graphs), _rows(self.advanced))
        values = [
            value
            for states in (self.graphs, self.advanced)
            for state in states.values()
            for value in state.channels.values()
        ]
        pages, pieces = (b"".join(each) for each in ([v.pages for v in values], [v.pieces for v in values]))
        return ormsgpack.packb(body), pages, pieces


def _rows(states: Mapping[str, GraphState]) -> dict[str, Any]:
    # How many ids a channel has, and not which: those are beside the body, where the store reads them.
    return {
        name: (
            state.checkpoint,
            state.metadata,
            {
                channel: (form, len(pages) // ID_BYTES, len(pieces) // ID_BYTES, tail)
                for channel, (form, pages, pieces, tail) in state.channels.items()
            },
        )
        for name, state in states.items()
    }


class _Reader:
    """Gives each channel its ids, in the order in which `_rows` has counted them."""

    def __init__(self, pages: bytes, pieces: bytes) -> None:
        self._pages = pages
        self._pieces = pieces

    def states(self, rows: Mapping[str, Any]) -> dict[str, GraphState]:
        return {
            name: GraphState(tuple(checkpoint), tuple(metadata), dict(self._values(channels.items())))
            for name, (checkpoint, metadata, channels) in rows.items()
        }

    def _values(self, rows: Iterable[tuple[str, Any]]) -> Iterable[tuple[str, Packed]]:
        for channel, (form, pages, pieces, tail) in rows:
            yield channel, Packed(form, self._next_pages(pages), self._next_pieces(pieces), tail)

    def _next_pages(self, count: int) -> bytes:
        taken, self._pages = self._pages[: count * ID_BYTES], self._pages[count * ID_BYTES :]
        return taken

    def _next_pieces(self, count: int) -> bytes:
        taken, self._pieces = self._pieces[: count * ID_BYTES], self._pieces[count * ID_BYTES :]
        return taken
