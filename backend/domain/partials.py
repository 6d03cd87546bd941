"""Partial results: what a task has found so far, kept as the JSON that clients get.

A batch is encoded once, when it is found. All results of a task are joined from these pieces without decoding
them, however often they are sent.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import orjson

from .encoding import embedded, encode
from .task import AgentProgress

MOST_TOGETHER_BYTES = 32 * 1024
"""The size up to which batches are joined."""

SHORT_BYTES = 2048
"""The size up to which what is kept is joined: to add to a long text copies it each time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialBatch:
    """Items that one agent found together. `items` is their JSON, comma-separated, without brackets.

    `call_id` is the tool call that they came from, if any.
    """

    agent: str
    items: bytes
    count: int
    source: str | None = None
    call_id: str | None = None

    @classmethod
    def of(
        cls, agent: str, items: Sequence[Any], *, source: str | None = None, call_id: str | None = None
    ) -> "PartialBatch":
        """Encode items (anything JSON-ready, dataclasses and decimals included)."""
        encoded = encode(list(items))[1:-1]
        return cls(agent=agent, items=encoded, count=len(items), source=source, call_id=call_id)

    def to_json(self) -> list[Any]:
        """Return the items as values."""
        return orjson.loads(b"[" + self.items + b"]")

    def filtered(self, result_filter: Callable[[str, Any], bool] | None) -> "PartialBatch":
        """Return the batch with the items for which `result_filter(agent, item)` holds; None keeps all."""
        if result_filter is None:
            return self
        items = self.to_json()
        kept = [item for item in items if result_filter(self.agent, item)]
        return self if len(kept) == len(items) else replace(self, items=encode(kept)[1:-1], count=len(kept))

    def can_take(self, more: object) -> bool:
        """Whether another batch can be joined to this one: same agent, source and call, not too long."""
        if not isinstance(more, PartialBatch):
            return False
        is_alike = (self.agent, self.source, self.call_id) == (more.agent, more.source, more.call_id)
        return is_alike and len(self.items) + len(more.items) <= MOST_TOGETHER_BYTES

    def joined(self, more: "PartialBatch") -> "PartialBatch":
        """Return this batch joined with another one."""
        # Not `replace`, which took half the time of a write: a node may write 20,000 times within one step.
        return PartialBatch(
            agent=self.agent,
            items=b"%b,%b" % (self.items, more.items),
            count=self.count + more.count,
            source=self.source,
            call_id=self.call_id,
        )


class PartialResults:
    """Batches by agent, in the order they were found, and the text that was said."""

    __slots__ = ("_batches", "_counts", "_pieces", "text_length")

    def __init__(self, batches: Iterable[PartialBatch] = (), *, text: str = "") -> None:
        self._batches: dict[str, list[PartialBatch]] = {}
        self._counts: dict[str, int] = {}
        # Pieces, joined when they are read: adding to one string copies it, and 20,000 pieces took 11.8 s.
        self._pieces: list[str] = []
        self.text_length = 0
        self.say(text)
        for batch in batches:
            self.add(batch)

    def add(self, batch: PartialBatch) -> None:
        """Add a batch; short ones are joined, or each item that is found alone would take 200 bytes more."""
        batches = self._batches.setdefault(batch.agent, [])
        last = batches[-1] if batches else None
        is_short = last is not None and 0 < len(last.items) < SHORT_BYTES and batch.count > 0
        if last is not None and is_short and last.can_take(batch):
            batches[-1] = last.joined(batch)
        else:
            batches.append(batch)
        self._counts[batch.agent] = self.count(batch.agent) + batch.count

    def count(self, agent: str) -> int:
        """Return how many items an agent has found."""
        return self._counts.get(agent, 0)

    def say(self, text: str) -> None:
        """Add a piece of text."""
        if text:
            self._pieces.append(text)
            self.text_length += len(text)

    @property
    def text(self) -> str:
        """All text that was said."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    def counts(self) -> dict[str, int]:
        """Return the number of items of each agent that found any."""
        return dict(self._counts)

    def encoded(self) -> bytes:
        """Return the JSON of `{"agent": [item, ...]}`."""
        agents = (
            encode(agent) + b":[" + b",".join(each.items for each in batches if each.count) + b"]"
            for agent, batches in self._batches.items()
        )
        return b"{" + b",".join(agents) + b"}"

    def fragment(self) -> Any:
        """Return `encoded` as a piece of JSON, ready to be embedded."""
        return embedded(self.encoded())

    def to_json(self) -> Mapping[str, list[Any]]:
        """Return `{"agent": [item, ...]}` as values."""
        return orjson.loads(self.encoded())


class Repeats:
    """Filters what agents that run again find again: drops each item as often as it was found before."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[str, Counter[bytes]] = {}

    @classmethod
    def of(cls, results: PartialResults, *, but: Set[str]) -> "Repeats":
        """Return the filter for results found so far; the agents of `but` do not run again."""
        repeats = cls()
        repeats._found = {
            agent: Counter(map(encode, items))
            for agent, items in results.to_json().items()
            if agent not in but
        }
        return repeats

    def new_in(self, batch: PartialBatch) -> PartialBatch | None:
        """Return the items of a batch that were not found before; None if all were."""
        found = self._found.get(batch.agent)
        if not found:
            return batch
        new: list[Any] = []
        for item in batch.to_json():
            encoded = encode(item)
            if found[encoded] > 0:
                found[encoded] -= 1
            else:
                new.append(item)
        return PartialBatch.of(batch.agent, new, source=batch.source, call_id=batch.call_id) if new else None


# --- shown results -------------------------------------------------------------------------------------
# What a request has found, as its user is shown it.


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownResults:
    """The results of the task of a `request`, by agent, and how far its `agents` are.

    With `is_active` the task has not ended: more may come.
    """

    task_id: str
    request: Mapping[str, Any] | None
    results: Mapping[str, Sequence[Any]]
    agents: Mapping[str, AgentProgress]
    is_active: bool = False
