"""Bounds on what clients hold at once, so that no address holds all of it, and on what is stored of a user.

`Places` are connections. While there are free ones, an address may have as many as it likes; once there are
none, a client of an address with fewer takes the place of one from the address with most. So an address keeps
as many as any other wants, and a server behind a proxy that nobody declared still has them all.
"""

import contextlib
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Protocol

from ...domain.errors import QuotaExceeded, TooManyRequests
from ...tasks.ledger.fair_turns import FairTurns

UNFINISHED_BYTES = 256 * 1024 * 1024
"""Bytes of unfinished bodies in all."""

ADDRESS_UNFINISHED_BYTES = 64 * 1024 * 1024
"""Those from one address: 16 of the longest bodies."""

ANSWERS_AT_ONCE = 4
"""Long answers made at once. Each holds 4 MiB several times over: rows, values, JSON."""

ADDRESS_ANSWERS_AT_ONCE = 2
"""Those for one address: beside them a read of another address waits for some 50 ms at most."""

ADDRESS_ANSWERS_WAITING = 100
"""Reads of one address that may wait for their turns: 2 s of the longest answers."""

RENDERINGS_AT_ONCE = 2
"""Threads that render Markdown at once, each of another address: they share the loop's core."""

ADDRESS_RENDERINGS_WAITING = 50
"""Those of one address that may wait: 50 pages that show a reply as it is written, each 2 ms."""

_TURNS_TAKEN_S = 2


class Connection(Protocol):
    """A connection that can be ended at once."""

    def abort(self) -> None: ...  # noqa: D102


class Places:
    """The places of a server for connections. All calls take constant time."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._taken = 0
        self._by_address: dict[str, dict[Connection, None]] = {}
        self._with: dict[int, dict[str, None]] = {}  # the addresses that have so many
        self._most = 0

    def __len__(self) -> int:
        """Return how many places are taken."""
        return self._taken

    def enter(self, address: str, connection: Connection) -> bool:
        """Give a connection a place, if need be that of one that is aborted; return whether it got one."""
        own = len(self._by_address.get(address, ()))
        if self._taken >= self._count:
            # At least two more, or the two addresses would push each other out for ever.
            if own + 1 >= self._most:
                return False
            richest = next(iter(self._with[self._most]))
            newest = next(reversed(self._by_address[richest]))
            self.leave(richest, newest)
            newest.abort()
        self._by_address.setdefault(address, {})[connection] = None
        self._taken += 1
        self._move(address, own, own + 1)
        return True

    def leave(self, address: str, connection: Connection) -> None:
        """Free the place of a connection. Idempotent."""
        held = self._by_address.get(address)
        if held is None or connection not in held:
            return
        del held[connection]
        self._taken -= 1
        self._move(address, len(held) + 1, len(held))
        if not held:
            del self._by_address[address]

    def _move(self, address: str, before: int, after: int) -> None:
        """Note that an address has another number of connections, one more or one less."""
        if before:
            del self._with[before][address]
            if not self._with[before]:
                del self._with[before]
        if after:
            self._with.setdefault(after, {})[address] = None
        # It changes by one, so if no address has the most any more, this one has one less.
        self._most = max(self._most, after) if self._most in self._with else after


class Unread:
    """Bytes that wait for clients; above `most` the connections with most of them are aborted.

    A connection counts with what it had buffered when its transport asked for a pause, or was last looked at:
    a client that reads counts with more than it has left.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._by_address: dict[str, dict[Connection, int]] = {}
        self._of_address: Counter[str] = Counter()
        self.total = 0

    def note(self, address: str, connection: Connection, count: int) -> None:
        """Note how many bytes a connection's client has not read. May abort connections, this one too."""
        self.forget(address, connection)
        self._by_address.setdefault(address, {})[connection] = count
        self._of_address[address] += count
        self.total += count
        # One alone is bounded by what a single answer may have.
        while self.total > self._most and (len(self._by_address) > 1 or len(self._by_address[address]) > 1):
            self._abort_largest()

    def forget(self, address: str, connection: Connection) -> None:
        """Note that a connection's client has read enough, or has gone. Idempotent."""
        held = self._by_address.get(address)
        count = held.pop(connection, None) if held is not None else None
        if held is None or count is None:
            return
        self.total -= count
        self._of_address[address] -= count
        if not held:
            del self._by_address[address], self._of_address[address]

    def _abort_largest(self) -> None:
        address = max(self._of_address, key=self._of_address.__getitem__)
        held = self._by_address[address]
        connection = max(held, key=held.__getitem__)
        self.forget(address, connection)
        connection.abort()


class AddressTurns:
    """Turns for long work, in rotation by address: else a thousand reads of one would hold up all."""

    def __init__(self, *, of_address: int, in_all: int, waiting: int) -> None:
        self._turns = FairTurns(per_key=of_address, in_all=in_all)
        self._most_waiting = waiting

    @contextlib.asynccontextmanager
    async def turn(self, address: str) -> AsyncGenerator[None]:
        """Wait for a turn. Cancelling the wait passes the turn on."""
        await self._turns.take(address)
        try:
            yield
        finally:
            self._turns.give_back(address)

    def check_waiting(self, address: str) -> None:
        """Raise `TooManyRequests` if too many of an address wait already."""
        if self._turns.waiting(address) >= self._most_waiting:
            raise TooManyRequests(
                f"More than {self._most_waiting} reads of one address wait already; "
                f"try again in {_TURNS_TAKEN_S} s.",
                retry_after_s=_TURNS_TAKEN_S,
            )


def answers() -> AddressTurns:
    """Return the turns of long answers."""
    return AddressTurns(
        of_address=ADDRESS_ANSWERS_AT_ONCE, in_all=ANSWERS_AT_ONCE, waiting=ADDRESS_ANSWERS_WAITING
    )


def renderings() -> AddressTurns:
    """Return the turns of rendering Markdown."""
    return AddressTurns(of_address=1, in_all=RENDERINGS_AT_ONCE, waiting=ADDRESS_RENDERINGS_WAITING)


class Bodies:
    """What has arrived of unfinished bodies, from each address and in all."""

    def __init__(self, *, of_address: int = ADDRESS_UNFINISHED_BYTES, in_all: int = UNFINISHED_BYTES) -> None:
        self._most_of_address = of_address
        self._most_in_all = in_all
        self._of_address: Counter[str] = Counter()
        self.total = 0

    @contextlib.contextmanager
    def unfinished(self, address: str, *, retry_after_s: int) -> Generator[Callable[[int], None]]:
        """Yield a function that counts bytes of a body, and raises `TooManyRequests`."""
        counted = 0

        def count(more: int) -> None:
            nonlocal counted
            counted += more
            self.total += more
            self._of_address[address] += more
            if self._of_address[address] > self._most_of_address or self.total > self._most_in_all:
                raise TooManyRequests(
                    "Too many bodies arrive too slowly; send this again later.", retry_after_s=retry_after_s
                )

        try:
            yield count
        finally:
            self.total -= counted
            self._of_address[address] -= counted
            if not self._of_address[address]:
                del self._of_address[address]


# --- quota ---------------------------------------------------------------------------------------------


MEASURED_EVERY = 32
"""Messages of a user between two measurements, which take time with all that is stored: 1 ms for 3,000 rows.

Between them a user may exceed the quota by the results of so many tasks.
"""

SELDOM_MEASURED_EVERY = 256
"""The same for a user who has stored less than half: each 32nd time cost 1 to 4 % of a message (measured)."""

MOST_USERS = 10_000
"""Users who are remembered."""


class Measured(Protocol):
    """A store that measures what it holds of a user."""

    def stored_bytes(self, user_id: str) -> Awaitable[int]: ...  # noqa: D102


class Quota:
    """At most `most` bytes of a user, measured now and then; 0 is no limit."""

    def __init__(self, store: Measured, most: int) -> None:
        self._store = store
        self._most = most
        # Messages since the last measurement; the user of the latest comes last.
        self._unmeasured: dict[str, int] = {}

    async def check(self, user_id: str) -> None:
        """Raise `QuotaExceeded` if a user has stored too much, and `StoreUnavailable`."""
        if not self._most:
            return
        count = self._unmeasured.pop(user_id, 0) + 1
        if count >= MEASURED_EVERY:
            stored = await self._store.stored_bytes(user_id)
            # A user who is over it is measured with every message: a deletion makes room at once.
            if stored > self._most:
                self._remember(user_id, MEASURED_EVERY)
                raise QuotaExceeded(
                    f"This conversation holds {stored >> 20} MiB and may hold {self._most >> 20}: delete it "
                    f"(DELETE /users/{user_id}), or begin another one."
                )
            count = 0 if 2 * stored > self._most else MEASURED_EVERY - SELDOM_MEASURED_EVERY
        self._remember(user_id, count)

    def _remember(self, user_id: str, count: int) -> None:
        if len(self._unmeasured) >= MOST_USERS:
            del self._unmeasured[next(iter(self._unmeasured))]
        self._unmeasured[user_id] = count
