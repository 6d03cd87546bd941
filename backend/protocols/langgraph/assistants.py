"""The assistants that people make: a graph with a configuration, a context and metadata of its own.

Each person has their own; without a sign-in all share them. They are stored as items of one store
(`graphs.state.user_stores`), by their ids, in all versions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...domain.encoding import Clock
from ...domain.errors import BadInput, Conflict, NotFound
from ...graphs.state.user_stores import items_in
from ...http.identity.access import unknown_user
from ...http.services import Services
from ...store.persons import id_for
from ...store.records import ASSISTANTS
from ..threads import Agents, uuid_of
from .wire import RunRequest, config_of

MOST_VERSIONS = 50
"""Of an assistant: the oldest go. All assistants of a person together have 1 MiB."""

_NAMESPACE = ("assistants",)
_TRIES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of an assistant; `graph` is the name of its agent."""

    version: int
    graph: str
    name: str
    description: str | None
    created_at: str
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    context: Mapping[str, Any] = field(default_factory=dict[str, Any])
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """An assistant; runs get its version `latest`. `versions` are in order."""

    assistant_id: str
    created_at: str
    updated_at: str
    latest: int
    versions: Sequence[Version]
    stored_at: str | None = None

    @property
    def now(self) -> Version:
        """The version that runs get."""
        return next(each for each in self.versions if each.version == self.latest)

    def with_version(self, version: Version, at: str) -> "Assistant":
        """Return it with one more version, which becomes the latest."""
        number = self.versions[-1].version + 1
        versions = (*self.versions, replace(version, version=number, created_at=at))
        return replace(self, versions=versions[-MOST_VERSIONS:], latest=number, updated_at=at)

    def with_latest(self, number: int, at: str) -> "Assistant":
        """Return it with another of its versions as the latest. Raises `NotFound`."""
        if all(each.version != number for each in self.versions):
            raise NotFound(f"The assistant has no version {number}.", code="unknown_version")
        return replace(self, latest=number, updated_at=at)

    def view(self, version: Version | None = None) -> dict[str, Any]:
        """Return the API's form of it, or of one of its versions."""
        shown = version or self.now
        return {
            "assistant_id": self.assistant_id,
            "graph_id": shown.graph,
            "name": shown.name,
            "description": shown.description,
            "config": shown.config,
            "context": shown.context,
            "metadata": shown.metadata,
            "version": shown.version,
            "created_at": version.created_at if version is not None else self.created_at,
            "updated_at": version.created_at if version is not None else self.updated_at,
        }


Change = Callable[[Assistant], Assistant]


class OwnAssistants:
    """The assistants of the person who calls."""

    def __init__(self, services: Services, agents: Agents) -> None:
        self._services = services
        self._agents = agents
        self.clock: Clock = services.clock

    async def all(self) -> Sequence[Assistant]:
        """Return all, in no order. Raises `StoreUnavailable`."""
        stored = await self._services.store.get_checkpoint(self._user, ASSISTANTS)
        return [
            _read(item.key, item.value, item.updated_at.isoformat())
            for item in items_in(stored.body if stored is not None else b"")
        ]

    async def get(self, assistant_id: str) -> Assistant | None:
        """Return one by its id. Raises `StoreUnavailable`."""
        return next((each for each in await self.all() if each.assistant_id == assistant_id), None)

    async def known(self, assistant_id: str) -> Assistant:
        """Return one by its id. Raises `NotFound` and `StoreUnavailable`."""
        found = await self.get(assistant_id)
        if found is None:
            raise self._unknown(assistant_id)
        return found

    async def make(self, assistant: Assistant) -> bool:
        """Store a new one; false: there is one of its id. Raises `BadInput` and `StoreUnavailable`."""
        return await self._put(assistant, None)

    async def change(self, assistant_id: str, change: Change) -> Assistant:
        """Change one, and return it. Raises `NotFound`, what `change` raises, and as `make`."""
        for _ in range(_TRIES):
            known = await self.known(assistant_id)
            changed = change(known)
            if await self._put(changed, known.stored_at):
                return changed
        raise Conflict("The assistant is being changed by others; please try again.")

    async def delete(self, assistant_id: str) -> None:
        """Delete one with all its versions. Raises `NotFound` and `StoreUnavailable`."""
        await self.known(assistant_id)
        await self._use({"do": "delete", "namespace": _NAMESPACE, "key": assistant_id})

    async def for_run(self, request: RunRequest) -> tuple[str, str, RunRequest]:
        """Return the agent of a run, the id of its assistant, and the request with what that brings.

        What the request brings itself counts. A message that is to steer a run brings nothing. Raises
        `NotFound` and `StoreUnavailable`.
        """
        wanted = request.assistant_id
        own = None if self._agents.knows(wanted) else await self.get(wanted or "")
        if own is None:
            agent = self._agents.named(wanted)
            return agent, uuid_of(agent), request
        agent = self._agents.named(own.now.graph)
        if (request.policy or self._services.policy) == "steer":
            return agent, own.assistant_id, request
        configurable, limit = config_of({"config": own.now.config})
        brought = replace(
            request,
            context={**own.now.context, **request.context},
            configurable={**configurable, **request.configurable},
            recursion_limit=request.recursion_limit or limit,
        )
        return agent, own.assistant_id, brought

    async def agent_of(self, assistant_id: str) -> str:
        """Return the agent of an assistant, or of one that is served. Raises `NotFound`."""
        own = None if self._agents.knows(assistant_id) else await self.get(assistant_id)
        return self._agents.named(assistant_id if own is None else own.now.graph)

    def _unknown(self, assistant_id: str) -> NotFound:
        return NotFound(f"There is no assistant {assistant_id!r}.", code="unknown_agent")

    @property
    def _user(self) -> str:
        access = self._services.access
        if access.knows_persons and access.person is None:
            raise unknown_user("")
        return id_for(access.person)

    async def _put(self, assistant: Assistant, unless: str | None) -> bool:
        value = {
            "created_at": assistant.created_at,
            "updated_at": assistant.updated_at,
            "latest": assistant.latest,
            "versions": [_written(each) for each in assistant.versions],
        }
        place = {"namespace": _NAMESPACE, "key": assistant.assistant_id}
        try:
            return await self._use({"do": "put", **place, "value": value, "unless": unless})
        except BadInput as error:
            raise BadInput("config: all assistants together would be larger than 1 MiB.") from error

    async def _use(self, operation: Mapping[str, Any]) -> Any:
        [done] = await self._services.conversations.use_items(self._user, [operation], turn=ASSISTANTS)
        return done


def _written(version: Version) -> dict[str, Any]:
    return {name: getattr(version, name) for name in Version.__dataclass_fields__}


def _read(assistant_id: str, value: Mapping[str, Any], stored_at: str) -> Assistant:
    versions = [Version(**each) for each in value["versions"]]
    own = {name: value[name] for name in ("created_at", "updated_at", "latest")}
    return Assistant(assistant_id=assistant_id, versions=versions, stored_at=stored_at, **own)
