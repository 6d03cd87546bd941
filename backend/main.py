"""The composition root: builds every part from the settings, wires them, and serves.

`detour serve` and `python -m backend.main` run the server. `uvicorn backend.main:app` serves the same
application with the same guard, on uvicorn's host and port; but then uvicorn alone bounds slow clients and
large frames, and it closes the sockets before the tasks have settled.
"""

import gc

gc.disable()  # until all is imported: it would visit the same objects again and again, for 0.3 s of CPU

import asyncio
import contextlib
import importlib
import os
import socket
import sys
from collections.abc import AsyncGenerator, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, cast

import structlog
import uvicorn

from .conversation.agent_manager import AgentManager
from .conversation.conversation import Runtime
from .conversation.retention import Expiry, Sweeper
from .domain.encoding import Clock, system_clock
from .domain.errors import DetourError
from .domain.task import task_id_factory
from .graphs.hosted_calls import RunningNodes
from .http.application import build_application
from .http.edge.guard import BODY_LIMIT_BYTES, Guard
from .http.edge.headers import CrossOrigin
from .http.edge.limits import Limits
from .http.edge.shares import Quota
from .http.edge.transports import Bounds, bounded
from .http.identity.access import Access
from .http.identity.authentication import identity_of
from .http.logs import listen, prepare_process
from .http.metrics import Metrics, aged_counter
from .http.outgoing import ANY_ADDRESS, Drain, link
from .http.plugin import Database, Host
from .http.plugin_loading import load_plugin, settings_class
from .http.routes.page_files import Face
from .http.services import Services
from .http.settings import Settings, data_file, make_folder, settings_of_command
from .http.tracing.loading import load_tracing
from .interruption_manager import InterruptionManager
from .protocols.routes import groups_of
from .store.base import StateStore
from .store.event_bus import EventBus
from .store.event_log import EventLog
from .store.ownership import Alone
from .tasks.contained import contain_exits
from .tasks.ledger.fair_turns import ConcurrencyLimit
from .tasks.ledger.ledger import Ledger
from .tasks.loop_watch import LoopWatch
from .tasks.programs import Programs
from .tasks.task_owner import TaskOwner
from .tasks.user_threads import UserThreads

if TYPE_CHECKING:
    from .replicas.forwarding import ForwardingManager
    from .replicas.replica import Replica

gc.freeze()  # what is imported stays: the first collection would take 70 ms to find that out
gc.enable()

_log = structlog.get_logger(__name__)

ABOUT = "Serves a LangGraph graph, module:attribute or the path of a langgraph.json, or the travel assistant."

LAST_S = 1.0
"""Seconds that background work may take to end after tasks that took all the grace."""

COLLECT_AFTER = 50_000
"""New objects between two garbage collections; with Python's 700, a task took 7 % more CPU (measured)."""


def store_of(settings: Settings, owner: TaskOwner) -> StateStore:
    """Return the store that the settings name, not open yet; `owner` holds its asyncio tasks."""
    if settings.postgres is not None:
        url = settings.postgres.get_secret_value()
        return _module("replicas.replica").postgres_store(settings, url, owner)
    if settings.store == "memory":
        return _module("store.sqlite.memory").MemoryStateStore(keep_events=settings.events_kept)
    path = data_file(settings.data_dir)
    return _module("store.sqlite.store").SqliteStateStore(path, keep_events=settings.events_kept)


def _module(name: str) -> Any:
    # Imported where it is needed: most servers keep a SQLite file, and need no driver of PostgreSQL.
    return importlib.import_module(f".{name}", __package__)


class Server(uvicorn.Server):
    """Settles running tasks before it closes the sockets, so that clients see how their tasks ended.

    Opens and closes the application's parts without ASGI's lifespan: a failure is an error, not a log line.
    """

    def __init__(self, settings: Settings) -> None:
        self.detour = Detour(settings)
        self._life = contextlib.AsyncExitStack()
        unread_bytes, https_alone = settings.unread_mib * 2**20, settings.public_url.startswith("https://")
        http, ws = bounded(Bounds(unread_bytes=unread_bytes, https_alone=https_alone))
        super().__init__(
            uvicorn.Config(
                self.detour.app,
                loop="uvloop",
                http=http,
                ws=ws,
                ws_max_size=BODY_LIMIT_BYTES,
                ws_ping_interval=settings.heartbeat_s,
                ws_ping_timeout=settings.heartbeat_s,
                ws_per_message_deflate=False,
                lifespan="off",  # `startup` and `shutdown` below open and close everything
                log_config=None,  # `configure_logging` has set up the logs
                access_log=False,
                server_header=False,
                # The guard judges by the peer's address; a client must not be able to state another one.
                proxy_headers=False,
                timeout_graceful_shutdown=int(settings.shutdown_grace_s) + 1,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start serving, then print the address. Raises `StoreUnavailable` if the store cannot be opened."""
        self._loop = asyncio.get_running_loop()
        # Everything before uvicorn accepts connections: no request meets a store that is not open.
        await self._life.enter_async_context(self.detour.life())
        await super().startup(sockets)
        # Not to a file or a log: a reader of the token could use the server.
        shown = self.detour.link if sys.stdout.isatty() else self.detour.link.partition("#")[0]
        sys.stdout.write(f"Detour is at {shown}\n")
        sys.stdout.flush()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin the shutdown in the event loop's next step; a second signal ends the drain."""
        told_before = self.should_exit
        super().handle_exit(sig, frame)
        # At once, because uvicorn checks for the signal ten times a second only: if nodes block the loop,
        # each message accepted and each task started before that check would block it again.
        if self.started:
            self._loop.call_soon_threadsafe(self.detour.drain.end if told_before else self.detour.go_down)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End in this order: tasks, sockets, everything else."""
        self.detour.go_down()
        await self.detour.end_tasks()
        await super().shutdown(sockets)
        await self._life.aclose()


class Detour:
    """One server: all its parts, from start to end."""

    def __init__(self, settings: Settings, *, clock: Clock = system_clock) -> None:
        self.settings = settings
        make_folder(settings.data_dir)
        self._owner = TaskOwner()
        self._ending: asyncio.Task[None] | None = None
        self._to_end_by = 0.0
        # Apart from the other tasks, which all end before the store is closed.
        self._store_owner = TaskOwner()
        self.store = store_of(settings, self._store_owner)
        new_task_id = task_id_factory(clock)
        self.metrics = Metrics(clock=clock)
        self._replica: Replica | None = None
        kind = AgentManager
        if settings.postgres is not None:
            self._replica = _module("replicas.replica").Replica(
                self.store,
                self._store_owner,
                name=settings.replica,
                lease_s=settings.lease_s,
                polls=settings.hints == "poll",
            )
            kind = _module("replicas.forwarding").ForwardingManager
        self.drain = Drain(settings.drain_s, replicated=self._replica is not None)
        self._ownership = self._replica.ownership if self._replica else Alone(self.store.unfinished_users)
        bus = self._replica.bus if self._replica else EventBus()
        self._tracing = load_tracing(settings, os.environ, clock=clock)
        self._log = EventLog(self.store, bus, observer=self._tracing.seeing(self.metrics))
        self._ledger = Ledger(
            self._owner,
            store=self.store,
            log=self._log,
            clock=clock,
            new_id=new_task_id,
            limit=ConcurrencyLimit(per_user=settings.calls_per_user, in_all=settings.calls_at_once),
        )
        self._interruptions = InterruptionManager(
            store=self.store,
            log=self._log,
            ledger=self._ledger,
            owner=self._owner,
            clock=clock,
            task_timeout_s=settings.task_timeout_s,
            most_shown=int(settings.task_results_mib * 2**20),
            answer_within_s=settings.input_timeout_s,
            allow_within_s=settings.permission_timeout_s,
        )
        self._watch = LoopWatch(
            self.store,
            RunningNodes(self._interruptions.contexts_of),
            tell_after_s=settings.blocked_warning_s,
            note_after_s=settings.blocked_attempt_s,
            ended=self.metrics.blocked,
        )
        self._plugin = load_plugin(
            settings,
            Host(
                ledger=self._ledger,
                owner=self._owner,
                store=self.store,
                clock=clock,
                database=cast("Database", self.store) if self._replica else None,
            ),
        )
        self.conversations: AgentManager = kind(
            Runtime(
                store=self.store,
                log=self._log,
                ownership=self._ownership,
                interruptions=self._interruptions,
                ledger=self._ledger,
                workflow=self._tracing.traced(self._plugin.workflow),
                owner=self._owner,
                clock=clock,
                new_task_id=new_task_id,
                advise=self._plugin.advise,
                use_items=self._plugin.use_items,
            )
        )
        self._sweeper = Sweeper(
            self.conversations,
            self.store,
            self._interruptions,
            keep_days=settings.keep_days,
            now=self.conversations.earliest_now,
            tally=aged_counter(self.metrics),
        )
        self._expiry = Expiry(self.conversations, self.store, now=self.conversations.earliest_now)
        identity = identity_of(settings, self.store, clock, self._owner.spawn_detached)
        self._authentication = identity.authentication
        limits = Limits(settings, shared=self._replica.levels if self._replica else None)
        self._services = Services(
            conversations=self.conversations,
            clock=clock,
            store=self.store,
            log=self._log,
            owner=self._owner,
            limits=limits,
            quota=Quota(self.store, settings.user_mib * 2**20),
            metrics=self.metrics,
            sockets_per_user=settings.sockets_per_user,
            streams_per_address=settings.address_streams,
            policy=settings.policy,
            webhook_hosts=settings.webhook_hosts,
            heartbeat_s=settings.heartbeat_s,
            access=Access(
                self.store, clock, knows_persons=identity.knows_persons, admit=limits.take_conversation
            ),
            authentication=identity.authentication,
            graphs=self._plugin.graphs,
            in_cluster=self._replica.is_alive if self._replica else lambda: True,
        )
        streams = "Open WebSockets and event streams."
        self.metrics.gauge("detour_open_streams", streams, lambda: {"": self.open_streams})
        self.metrics.gauge("detour_tool_calls", "Tool calls under way.", self._ledger.standing, label="state")
        self._protocols = groups_of(self._services, settings.protocols)
        self.app: Guard = build_application(
            self._services,
            plugin=self._plugin,
            lifespan=lambda _app: self.life(),
            clock=clock,
            name="" if settings.host in ANY_ADDRESS else settings.host,
            hosts=settings.allowed_hosts,
            identity=identity,
            cross_origin=CrossOrigin(settings.allowed_origins),
            protocols=self._protocols,
            is_traced=self._tracing.is_on,
            face=Face(
                file="graph.html" if self._plugin.graphs else "index.html",
                title=settings.title,
                examples=settings.examples,
                sign_in=settings.sign_in,
                steers=lambda: self._plugin.workflow.steer_policy(None) == "steer",
            ),
        )
        self.link = link(settings)

    @property
    def open_streams(self) -> int:
        """How many sockets and event streams are open."""
        return sum(self._services.open_streams.values())

    def go_down(self) -> None:
        """Serve everything until the drain is over, then end every task within the grace. Idempotent."""
        self._begin_to_end(self.drain)

    def _begin_to_end(self, after: Drain | None = None) -> None:
        """Accept nothing more, and have every running task settle within the grace. Idempotent."""
        self._services.phase = "draining"  # `/ready` fails, so a load balancer sends nothing more
        if self._ending is None:
            self._ending = self._owner.spawn(self._end(after), name="shutdown")

    async def _end(self, after: Drain | None) -> None:
        if after is not None and after.seconds:
            await after.wait(self.conversations.leave())
        grace_s = self.settings.shutdown_grace_s
        self._to_end_by = asyncio.get_running_loop().time() + grace_s
        await self.conversations.close(grace_s=grace_s)

    async def end_tasks(self) -> None:
        """Return once every running task has settled, or the grace is over. Idempotent."""
        self._begin_to_end()
        if self._ending is not None:
            # `wait` does not cancel it if the caller is cancelled, as awaiting it would.
            await asyncio.wait([self._ending])
            self._ending.result()

    @contextlib.asynccontextmanager
    async def life(self) -> AsyncGenerator[None, None]:
        """Open the store and recover what an old process left; on exit, close everything.

        The server serves during recovery: a request of a user with an unfinished task waits until that user
        is recovered, `/health` succeeds at once, `/ready` once recovery is complete. Raises
        `StoreUnavailable`, and `GraphNotFoundError` if an async factory makes no graph.
        """
        # LangGraph runs plain `def` nodes in the loop's default executor: it must be fair to all users.
        asyncio.get_running_loop().set_default_executor(UserThreads())
        contain_exits(asyncio.get_running_loop())
        Programs(self._owner).follow(asyncio.get_running_loop())
        if self._authentication is not None and not self._authentication.knows_persons:
            _log.info("all who have the token are one party: each may read and change every conversation")
        # Entered first: recovery resumes tasks, which need what is served. Exited after all that uses it.
        async with self._plugin.life(), contextlib.AsyncExitStack() as parts:
            await self._log.open(self.conversations.end_lease)
            parts.enter_context(self._watch.watching())
            if self._replica is not None:
                await parts.enter_async_context(
                    self._replica.life(cast("ForwardingManager", self.conversations), self.metrics)
                )
            # Awaited before anything is served: from here on, requests of these users wait for recovery.
            unfinished = await self.conversations.begin_recovery()
            recovery = self._owner.spawn_detached(self._recover(), name="recovery")
            if not unfinished:
                await asyncio.wait({recovery})  # nothing to do: ready at once
            background = [
                recovery,
                self._owner.spawn_detached(self.conversations.expire_questions(), name="question sweeper"),
                self._owner.spawn_detached(self._sweeper.sweep_for_ever(), name="age sweeper"),
                self._owner.spawn_detached(self._expiry.sweep_for_ever(), name="expiry"),
            ]
            background += [
                self._owner.spawn_detached(group.begin(), name=f"begin {group.name}")
                for group in self._protocols
                if group.begin is not None
            ]
            try:
                yield
            finally:
                await self.end_tasks()
                for task in background:
                    task.cancel()
                # At least `LAST_S`. Half, since `finish` waits twice so long: for the work to end, and for
                # what it cancels.
                await self._owner.finish(grace_s=self._left_s() / 2)
                if self._authentication is not None:
                    await self._authentication.close()
                # Last of all that tasks use.
                await self.store.close()
                await self._tracing.close(within_s=self._left_s())

    async def _recover(self) -> None:
        await self.conversations.recover_users()
        self._services.phase = "serving" if self._ending is None else "draining"

    def _left_s(self) -> float:
        return max(self._to_end_by - asyncio.get_running_loop().time(), LAST_S)


def create_app() -> Guard:
    """Return the ASGI application for the environment's settings. Raises SystemExit if one is invalid."""
    settings = settings_of_command(settings_class(), (), about=ABOUT)
    prepare_process(settings)
    try:
        return Detour(settings).app
    except DetourError as error:
        raise SystemExit(error.message) from None


def __getattr__(name: str) -> Guard:
    """Build the application of `backend.main:app` when a server asks for it.

    At import would be too early: this module is also imported by tests and by `python -m`.
    """
    if name == "app":
        return create_app()
    raise AttributeError(name)


def main(given: Sequence[str] = ()) -> None:
    """Serve, with these flags, until a signal ends the server. Raises SystemExit where it cannot start."""
    settings = settings_of_command(settings_class(), given, about=ABOUT)
    prepare_process(settings)
    with listen(settings.host, settings.port) as listener:
        # Port 0 asks the system for a free one; the printed link must name it.
        settings = settings.model_copy(update={"port": listener.getsockname()[1]})
        try:
            server = Server(settings)
            # All objects alive now stay until the end: the collector need not visit them again.
            gc.collect()
            gc.freeze()
            gc.set_threshold(COLLECT_AFTER, 20, 20)
            with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
                # uvicorn raises the signal again after the shutdown.
                with contextlib.suppress(KeyboardInterrupt):
                    runner.run(server.serve(sockets=[listener]))
                _leave()
        except DetourError as error:
            raise SystemExit(error.message) from None


def _leave() -> NoReturn:
    """End the process at once: the loop and the interpreter would wait for a node that blocks its thread."""
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
