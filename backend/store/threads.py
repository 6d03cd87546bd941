"""The steps of a user's threads: a manifest each, and pieces of values that steps share.

A thread is what one graph keeps of one user from message to message. Its steps are numbered from 1. A step's
`body` is its graph's to read; the store knows which pieces it refers to, and drops those of no kept step.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Literal, cast

from ..domain.errors import NotFound

KEPT_STEPS = 200
"""The steps of a thread that stay: some 30 messages of an agent with tools. Nobody returns further back, and
each costs 1 to 2 KB beside its new values (measured, decision 0025)."""

KEPT_STEP_BYTES = 32 * 1024 * 1024
"""The most bytes of a thread's values, if it is not one step: a graph may rewrite megabytes at each step."""

TRIM_EVERY_STEPS = 50
"""At step numbers that this divides, a thread is trimmed: to look through its steps takes 4 ms (measured)."""

TRIM_EVERY_BYTES = 1024 * 1024
"""A step with more new bytes than this trims its thread as well, so that few of them are over the bound."""

ID_BYTES = 16
"""The length of a piece's id: what two values share by chance is less likely than a fault of the disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadStep:
    """One step of the thread of `graph`; it replaces the one of that `number`.

    - `step_id` names it to clients, `parent` is the step that it began from; `turn` is that of its task.
    - `pieces` are the ids of the pieces that `body` refers to, one after another; each of `pages` is the id
      of a piece that holds more such ids.
    - `held` are pieces by id: as it is written, those that may not be stored yet; as it is read, all.
    """

    graph: str
    number: int
    step_id: str
    parent: str | None
    turn: int
    body: bytes
    pages: bytes = b""
    pieces: bytes = b""
    held: Mapping[bytes, bytes] = field(default_factory=dict[bytes, bytes])

    @property
    def trims(self) -> bool:
        """Whether the thread is trimmed after this step."""
        return self.number % TRIM_EVERY_STEPS == 0 or sum(map(len, self.held.values())) > TRIM_EVERY_BYTES


Fetch = Callable[[Sequence[bytes]], Mapping[bytes, bytes]]
"""Returns those of the pieces that are stored."""


def ids_in(joined: bytes) -> list[bytes]:
    """Return the ids that a text of ids holds."""
    return [joined[at : at + ID_BYTES] for at in range(0, len(joined), ID_BYTES)]


References = tuple[int, bytes, bytes]
"""The number of a step, its pages, and its pieces."""


def kept_of(
    steps: Iterable[References], sizes: Mapping[bytes, int], fetch: Fetch, *, upto: int
) -> tuple[int, Set[bytes]]:
    """Return the number of the oldest step to keep, and all pieces that the kept ones refer to.

    `steps` come newest first; `sizes` are those of all stored pieces. Steps after `upto` are kept and do not
    count, so that a thread is trimmed alike whether or not they are stored by then.
    """
    oldest, size = 0, 0
    used: set[bytes] = set()
    later: set[bytes] = set()
    for number, pages, pieces in steps:
        ids = {*ids_in(pages), *ids_in(pieces)}
        for page in fetch([each for each in ids_in(pages) if each not in used]).values():
            ids |= {*ids_in(page)}
        if number > upto:
            later |= ids
            continue
        size += sum(sizes.get(each, 0) for each in ids - used)
        if oldest and (size > KEPT_STEP_BYTES or number <= upto - KEPT_STEPS):
            break
        oldest = number
        used |= ids
    return oldest, used | later


def unknown_step(step_id: str, *, field_name: str) -> NotFound:
    """Return the error for a step that a thread does not have, or has no more."""
    return NotFound(f"{field_name}: the thread has no step {step_id!r}.", code="unknown_checkpoint")


# --- saved threads -------------------------------------------------------------------------------------
# The index of threads: what other people's clients have made, or used, and search for by their metadata.
#
# A thread is a user's conversation. It may be in the index before its user is known, with its first message
# to come, and users who never used such a client are not in it.


SortBy = Literal["created_at", "updated_at", "thread_id"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedThread:
    """A thread in the index; it replaces the one of that user.

    `metadata` is the clients' own, JSON-ready. `runs` holds what clients asked of each of its last runs, by
    the run's id, JSON-ready. `updated_at` is when the last run was asked for, or the metadata changed. At
    `expires_at` its user is forgotten, `ttl_minutes` after a client has asked for that.
    """

    user_id: str
    created_at: datetime
    updated_at: datetime
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    runs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    expires_at: datetime | None = None
    ttl_minutes: float | None = None


def found_among(
    threads: Iterable[SavedThread], metadata: Mapping[str, Any] | None, *, limit: int, offset: int
) -> tuple[SavedThread, ...]:
    """Return a page of those threads, in the order in which they come, that hold the metadata."""
    matching = (each for each in threads if holds(each.metadata, metadata or {}))
    return tuple(islice(matching, offset, offset + limit))


def holds(value: Any, wanted: Any) -> bool:
    """Return whether a JSON value has all that is wanted: of an object, its keys with what they hold."""
    if isinstance(wanted, Mapping):
        if not isinstance(value, Mapping):
            return False
        found, keys = cast("Mapping[str, Any]", value), cast("Mapping[str, Any]", wanted)
        return all(key in found and holds(found[key], each) for key, each in keys.items())
    return value == wanted
