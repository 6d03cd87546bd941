"""What the replicas say to their database, word for word, and what the model does about each of it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from backend.replicas.postgres import ALIVE, CLAIM, LEASES, TAKE
from backend.store.postgres import database as connecting
from backend.store.postgres.migrate import migrations
from backend.store.postgres.rows import WRITE
from tests.simulation.database import Database

Do = Callable[..., Any]


class Waits(NamedTuple):
    """The statement cannot be carried out yet: another session holds the lock."""


class Notify(NamedTuple):
    """What to tell which channels."""

    told: list[tuple[str, str]]


def _words(statement: str) -> str:
    return " ".join(statement.split())


def _lock(database: Database, session: object, lock_id: int) -> Any:
    holder = database.locks.setdefault(lock_id, session)
    return None if holder is session else Waits()


def _unlock(database: Database, session: object, lock_id: int) -> bool:
    return database.locks.get(lock_id) is session and bool(database.locks.pop(lock_id))


def _told(do: Do, values: tuple[Any, ...]) -> Notify:
    *values_of_the_command, channel, hint = values
    do(*values_of_the_command)
    return Notify([(channel, hint)])


_NOTHING: Do = lambda *_: None  # noqa: E731

_KNOWN: dict[str, Do] = {
    # the registry
    "SELECT detour.join($1, make_interval(secs => $2), $3, $4, $5)": lambda d, _, *values: d.join(*values),
    "SELECT detour.renew($1, make_interval(secs => $2))": lambda d, _, me, ttl: d.renew(me, ttl),
    "SELECT detour.note_sessions()": lambda d, _: d.note_sessions(),
    "SELECT detour.watch_sessions()": lambda d, _: d.watch_sessions(),
    "SELECT detour.leave($1)": lambda d, _, me: d.leave(me),
    "SELECT detour.drain($1, $2)": lambda d, _, me, wanted: d.drain(me, wanted),
    ALIVE: lambda d, _: d.alive(),
    LEASES: lambda d, _, users, replicas: d.tenures(users, replicas),
    CLAIM: lambda d, _, of, me: d.claim(of, me),
    TAKE: lambda d, _, me, most: d.take(me, most),
    f"SELECT ARRAY({ALIVE}) FROM detour.give_up($1, $2)": lambda d, _, of, fence: d.give_up(of, fence),
    "SELECT detour.leave_command($1, $2, $3, $4, $5, $6, $7, make_interval(secs => $8))": (
        lambda d, _, *values: _told(d.leave_command, (*values[:5], values[7], *values[5:7]))
    ),
    "SELECT withdrawn, reply FROM detour.withdraw_command($1, $2)": lambda d, _, *of: d.withdraw_command(*of),
    "SELECT detour.begin_command($1, $2, $3)": lambda d, _, *values: d.begin_command(*values),
    "SELECT detour.release_command($1, $2, $3)": lambda d, _, *values: d.release_command(*values),
    """SELECT command_id, kind, body, sender FROM detour.commands
    WHERE user_id = $1 AND reply IS NULL
        AND wanted_until > clock_timestamp() ORDER BY number""": lambda d, _, of: d.commands_of(of),
    """SELECT DISTINCT c.user_id FROM detour.commands c JOIN detour.users u USING (user_id)
    WHERE c.reply IS NULL AND c.wanted_until > clock_timestamp()
        AND u.owner = $1""": lambda d, _, me: d.waiting_commands(me),
    "SELECT detour.answer_command($1, $2, $3, $4, $5)": lambda d, _, *values: _told(d.answer_command, values),
    """SELECT reply FROM detour.commands
    WHERE user_id = $1 AND command_id = $2""": lambda d, _, of, name: d.reply_to(of, name),
    "SELECT user_id FROM detour.users WHERE owner = $1 AND occupied": lambda d, _, me: d.occupied(me),
    """SELECT user_id FROM detour.users
    WHERE owner = $1 AND user_id = ANY ($2)""": lambda d, _, me, users: d.owned(me, users),
    "SELECT detour.follow($1, $2, true)": lambda d, _, of, me: d.follow(of, me, wanted=True),
    "SELECT detour.follow($1, $2, false)": lambda d, _, of, me: d.follow(of, me, wanted=False),
    "SELECT user_id, writes FROM detour.users WHERE user_id = ANY ($1)": lambda d, _, users: d.counted(users),
    "SELECT detour.tell($1, $2)": lambda _d, _, channels, told: Notify([*zip(channels, told, strict=True)]),
    "SELECT pg_advisory_lock(detour.lock_class(), $1)": _lock,
    "SELECT pg_advisory_unlock(detour.lock_class(), $1)": _unlock,
    "SELECT 1": lambda *_: 1,
    # the store
    WRITE: lambda d, _, *values: d.write(*values),
    """SELECT user_id, seq, writes FROM detour.users
    WHERE user_id = ANY ($1)""": lambda d, _, users: d.written(users),
    "SELECT detour.was_stored($1, $2, $3)": lambda d, _, *values: d.was_stored(*values),
    "SELECT detour.let_go($1, $2)": lambda d, _, of, fence: d.let_go(of, fence),
    """SELECT user_id, followers FROM detour.users
    WHERE user_id = ANY ($1) AND followers <> '{}'""": lambda d, _, users: d.followers(users),
    "SELECT detour.delete_user($1, $2, $3)": lambda d, _, *values: d.delete_user(*values),
    "SELECT epoch FROM detour.users WHERE user_id = $1": lambda d, _, of: d.epoch(of),
    "SELECT name FROM detour.identity": lambda d, _: d.identity,
    "SELECT person FROM detour.conversations WHERE user_id = $1": lambda *_: [],  # people are not told apart
    connecting._TIMELINE: lambda d, _: d.timeline,
    # what a start looks at: the tables are up to date
    "SELECT pg_advisory_xact_lock($1)": _NOTHING,
    "SELECT to_regclass($1) IS NOT NULL": lambda *_: True,
    "SELECT number, least_program FROM detour.migrations": lambda *_: [
        {"number": each.number, "least_program": 0} for each in migrations()
    ],
}
_BY_WORDS = {_words(statement): do for statement, do in _KNOWN.items()}
_BY_TEXT: dict[str, Do] = {}


def meaning(statement: str) -> Do:
    """Return what carries a statement out, for the database, a session and values.

    It returns the value, the row or the rows, and raises what the database raises.
    """
    do = _BY_TEXT.get(statement)
    if do is None:
        do = _BY_WORDS.get(_words(statement))
        if do is None:
            raise AssertionError(f"the model of the database does not know: {_words(statement)}")
        _BY_TEXT[statement] = do
    return do
