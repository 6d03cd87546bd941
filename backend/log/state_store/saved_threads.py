"""The index of threads: what other people's clients have made, or used, and search for by their metadata.

A thread is a user's conversation. It may be in the index before its user is known, with its first message
to come, and users who never used such a client are not in it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Literal, cast

SortBy = Literal["created_at", "updated_at", "thread_id"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedThread:
    """A thread in the index; it replaces the one of that user.

    `metadata` is the clients' own, JSON-ready. `runs` holds what clients asked of each of its last runs, by
    the run's id, JSON-ready. `updated_at` is when the last run was asked for, or the metadata changed.
    """

    user_id: str
    created_at: datetime
    updated_at: datetime
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    runs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])


class ThreadIndex(ABC):
    """What a store tells of the index of threads; all of it raises `StoreUnavailable`."""

    @abstractmethod
    async def get_saved_thread(self, user_id: str) -> SavedThread | None:
        """Return a thread of the index, None if it is not in it."""

    @abstractmethod
    async def find_threads(
        self,
        *,
        metadata: Mapping[str, Any] | None = None,
        ids: Sequence[str] | None = None,
        person: str | None = None,
        sort_by: SortBy = "created_at",
        descending: bool = True,
        limit: int,
        offset: int = 0,
    ) -> tuple[SavedThread, ...]:
        """Return at most `limit` threads whose metadata holds all of `metadata`, the newest first by default.

        With `ids` only these are searched, with `person` only that person's. The first `offset` of those
        found are left out.
        """


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
