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
        """All names, the default's first."""
        if self._graphs is None:
            return (TRAVEL,)
        default = self._graphs.default
        return (default, *(name for name in self._graphs.names if name != default))

    @property
    def default(self) -> str:
        """The agent of a message that names none."""
        return self.names[0]

    def named(self, wanted: str | None) -> str:
        """Return the agent of a name or of a UUID; `agent` is anybody's. Raises `NotFound`.

        The only graph of a server also has the name of its module.
        """
        for name in self.names:
            if wanted in {name, uuid_of(name)}:
                return name
        module = self._graphs.module if self._graphs is not None else ""
        if wanted in {None, "agent", module or None}:
            return self.default
        raise NotFound(
            f"There is no assistant {wanted!r}; there are: {', '.join(self.names)}.", code="unknown_agent"
        )

    def given_for(self, name: str | None) -> dict[str, str]:
        """Return what a message brings so that this agent gets it; nothing unless there are several."""
        several = self._graphs is not None and len(self._graphs.names) > 1
        return {"graph": name} if several and name is not None else {}
