"""Groups of writes: which of them can be written at once, and what is known of each.

Nobody knows of a group whose connection was lost whether it was stored, until the database is asked.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ....errors import StoreUnavailable
from ...ownership.base import Tenure, TenureEnded
from ...retry import retry_pauses
from ..pending_writes import Write, Written
from .rows import has_condition

DOUBT_PAUSES_S = (0.0, 0.05, 0.1, 0.2, 0.5)
"""Seconds before each of these tries; the last pause repeats. Mostly only the connection was lost."""


@dataclass(slots=True)
class Group:
    """A group under way: its writes, and by identity the outcomes of those of which it is known.

    `failed` are the users of whom a write has failed that will be retried. `until` is set once its connection
    was lost: the loop's time until which it is tried again.
    """

    writes: Sequence[Write]
    outcomes: dict[int, Written] = field(default_factory=dict[int, Written])
    failed: dict[str, Exception] = field(default_factory=dict[str, Exception])
    until: float | None = None
    pauses: Iterator[float] = field(default_factory=lambda: retry_pauses(DOUBT_PAUSES_S))

    def note(self, outcomes: Iterable[Written]) -> None:
        """Take the outcomes of some of the writes."""
        for each in outcomes:
            self.outcomes[id(each.write)] = each
            if each.write.durable is None and isinstance(each.error, StoreUnavailable):
                self.failed[each.write.tenure.user_id] = each.error

    def left(self) -> list[Write]:
        """Return the writes without an outcome."""
        return [each for each in self.writes if id(each) not in self.outcomes]


@dataclass(slots=True)
class InDoubt:
    """Writes of which nobody knows whether they were stored: all of them, or none.

    So one user tells it of all, of those whose tenures last; `writes` is how many each had before. Once it is
    known, `stored` keeps it: what follows may take several tries, and changes what was asked.
    """

    group: Group
    writes: Mapping[Tenure, int]
    outcomes: Sequence[Written]
    stored: bool | None = None


def parts_of(group: Sequence[Write]) -> Iterator[list[Write]]:
    """Yield a group's writes in parts, in order: one with a condition alone, and one tenure of each user."""
    part: list[Write] = []
    tenures: dict[str, Tenure] = {}
    for each in group:
        alone = has_condition(each.records)
        if part and (alone or tenures.setdefault(each.tenure.user_id, each.tenure) != each.tenure):
            yield part
            part, tenures = [], {}
        part.append(each)
        tenures[each.tenure.user_id] = each.tenure
        if alone:
            yield part
            part, tenures = [], {}
    if part:
        yield part


def never_known(write: Write) -> Written:
    """Return the outcome of a write that may have been stored, by a process that owns its user no more."""
    # Not `TenureEnded` to who waits: that would be decided once more, and may be there already.
    error = StoreUnavailable("The database does not answer right now.") if write.durable is not None else None
    return Written(write, error=error or TenureEnded(write.tenure))
