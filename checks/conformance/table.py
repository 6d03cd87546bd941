"""The table: the outcome of each cell, a phase and an event. It is data, in `table.toml`.

A cell may have several outcomes where the instant decides between them; one must match as a whole.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, cast

TABLE = Path(__file__).with_name("table.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of an event, as seen from outside.

    `old` and `new` are how the task that was met, and the one after it, ended: a status and, in brackets,
    its reason; `new` is "" where there is none. `calls` is the outcome of each tool call in the old one's
    account; `kept` how many of the items it had found can be looked up, `text` the text that it had sent.
    `input_request` is what the account says of what it had asked. `adopted` are the tools whose calls the
    new task told that it took over, under way or with what they had found. `steer` is what became of a
    message that was to steer the old task: `new` is its own task, if it is one. `came` counts how often work
    came to each gate, `writes` how often something was ordered. `runs_on` are the gates at which work of
    the old task still waits when it has ended. `history` is the conversation: the role of each entry, with
    "(cut short)" where an answer is marked as interrupted. `accounts` is how many different accounts were
    given of the old task, `meanwhile` the outcome of each call in the one that was given while something of
    it still ran that nothing can end, and `agrees` whether the last one counts what can be looked up, and
    names the new task where and only where calls go on there. `not_compared` are the fields of an expected
    outcome that a server has no way to tell.
    """

    old: str
    new: str = ""
    calls: Mapping[str, str] = field(default_factory=dict[str, str])
    kept: int = 0
    text: str = ""
    input_request: str = ""
    adopted: tuple[str, ...] = ()
    steer: str = ""
    came: Mapping[str, int] = field(default_factory=dict[str, int])
    writes: int = 0
    runs_on: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    accounts: int = 1
    meanwhile: Mapping[str, str] = field(default_factory=dict[str, str])
    agrees: bool = True
    not_compared: frozenset[str] = field(default=frozenset(), compare=False)

    def differences(self, seen: "Outcome") -> dict[str, tuple[Any, Any]]:
        """Return the fields that differ from a seen outcome: the expected value, and the seen one."""
        names = [each.name for each in fields(self) if each.compare and each.name not in self.not_compared]
        pairs = {name: (getattr(self, name), getattr(seen, name)) for name in names}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def to_json(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        values = asdict(self)
        del values["not_compared"]
        return values


Table = Mapping[tuple[str, str], tuple[Outcome, ...]]
"""The outcomes of each cell, by phase and event."""


def read_table(path: Path = TABLE) -> Table:
    """Return the table in a file. Raises TypeError for a field that is none of an outcome's."""
    phases: dict[str, dict[str, Any]] = tomllib.loads(path.read_text("utf-8"))
    return {
        (phase, event): tuple(map(_outcome, cast("list[Any]", cell) if isinstance(cell, list) else [cell]))
        for phase, events in phases.items()
        for event, cell in events.items()
    }


def _outcome(cell: Mapping[str, Any]) -> Outcome:
    values: dict[str, Any] = {
        name: tuple(cast("list[Any]", value)) if isinstance(value, list) else value
        for name, value in cell.items()
    }
    return Outcome(**values)
