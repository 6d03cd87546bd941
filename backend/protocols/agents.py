"""What other protocols call an agent, an assistant or a graph: the graphs of this server, by name."""

from collections.abc import Sequence

from ..errors import NotFound
from ..serving.services import Services
from .ids import uuid_of

TRAVEL = "travel"


class Agents:
    """The agents of a server: its graphs, or the travel assistant."""

    def __init__(self, services: Services) -> None:
        self._graphs = services.graphs

    @property
    def names(self) -> Sequence[str]:
        """All names, the default's first; the only graph of a server is called by its module."""
        if self._graphs is None:
            return (TRAVEL,)
        if self._only_module:
            return (self._only_module,)
        default = self._graphs.default
        return (default, *(name for name in self._graphs.names if name != default))

    @property
    def default(self) -> str:
        """The agent of a message that names none."""
        return self.names[0]

    def named(self, wanted: str | None) -> str:
        """Return the agent of a name or of a UUID; `agent` is anybody's. Raises `NotFound`.

        The only graph of a server also has the name of its attribute.
        """
        for name in self.names:
            if wanted in {name, uuid_of(name)}:
                return name
        own = self.graph_of(self.default)
        if wanted in {None, "agent", own, uuid_of(own)}:
            return self.default
        raise NotFound(
            f"There is no assistant {wanted!r}; there are: {', '.join(self.names)}.", code="unknown_agent"
        )

    def graph_of(self, name: str) -> str:
        """Return what an agent is called among the graphs of the server."""
        return self._graphs.default if self._graphs is not None and self._only_module else name

    @property
    def _only_module(self) -> str:
        return self._graphs.module if self._graphs is not None and len(self._graphs.names) == 1 else ""

    def given_for(self, name: str | None) -> dict[str, str]:
        """Return what a message brings so that this agent gets it; nothing unless there are several."""
        several = self._graphs is not None and len(self._graphs.names) > 1
        return {"graph": name} if several and name is not None else {}
