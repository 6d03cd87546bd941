"""Reads the thread of a user as versions before 8 kept it: one blob, with all values whole."""

from typing import Any

import ormsgpack

from ..log.state_store.thread_steps import ThreadStep
from .langgraph_internals import ENCODED
from .manifest import GraphState, Manifest
from .pieces import NOTHING, Packed, pack


def step_of_blob(body: bytes) -> ThreadStep:
    """Return a stored blob as the first step of its thread. Raises `ValueError` and `TypeError`."""
    turn, asked_in, calls, stored = ormsgpack.unpackb(body)
    held: dict[bytes, bytes] = {}
    graphs: dict[str, GraphState] = {}
    for name, (checkpoint, metadata, channels) in stored.items():
        values: dict[str, Packed] = {}
        for channel, (_, encoded) in channels.items():
            value = NOTHING if encoded[0] == "empty" else ENCODED.loads_typed(tuple(encoded))
            values[channel], new = pack(value, held.keys())
            held |= new
        graphs[name] = GraphState(tuple(checkpoint), tuple(metadata), values)
    checkpoint: Any = ENCODED.loads_typed(graphs[""].checkpoint)
    manifest, pages, pieces = Manifest(asked_in, calls, b"", graphs).packed()
    return ThreadStep(
        graph="",
        number=1,
        step_id=checkpoint["id"],
        parent=None,
        turn=turn,
        body=manifest,
        pages=pages,
        pieces=pieces,
        held=held,
    )
