"""Write the pages that are generated: promises, settings and public names. Run it with `make docs`.

The promises come from tests/requirements.toml and the marks of the tests, the settings from their classes,
the public names from the modules that have them.
Tests fail while a page differs from what this script writes.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from backend.http.settings import Settings, TravelSettings, as_typed, meanings
from scripts import public_names
from tests.requirement_marks import PROMISES, marked_files

ROOT = Path(__file__).resolve().parent.parent

PROMISES_INTRO = """\
# What is promised

<!-- Written by `make docs` from tests/requirements.toml and the marks of the tests. -->

Each promise has an id, and the tests with that id fail when it is broken. A test also fails when a promise
has no test, or when a test names a promise that is not made.
"""

CONFIGURATION_INTRO = """\
# Configuration

<!-- Written by `make docs` from backend/http/settings.py. -->

A setting is a flag of `detour serve` (`--task-timeout-s 30`), an environment variable
(`DETOUR_TASK_TIMEOUT_S=30`), or a line of a `.env` file in the folder where the server is started. A flag
counts before the environment, the environment before `.env`, and that before the default. All are optional; a
variable that is set to nothing counts as not set. `detour serve --help` lists them.

Whatever is wrong ends the start, with a line for each mistake: a value that does not fit, and a variable that
begins with `DETOUR_` and is no setting, with the setting that is most like it:

```
DETOUR_PROT is no setting; did you mean DETOUR_PORT?
--task-timeout-s: Input should be greater than 0
```
"""

CONFIGURATION_END = """
## Beside the settings
The server raises its own limit of open files, of which each socket is one, as far as the system lets it.

`uvicorn backend.main:app` (`detour.main:app` once installed) serves the same application, with the same
checks, on uvicorn's `--host` and `--port`. Uvicorn's options then bound the time a slow client gets and the
size of a frame, and when it ends, sockets close before their tasks have settled.
"""

SETTINGS_OF_EVERY_SERVER: Mapping[str, tuple[str, ...]] = {
    "Where it listens, and who gets in": (
        "host", "port", "public_url", "proxy_addresses", "allowed_hosts", "allowed_origins", "auth", "token",
        "jwt_issuer", "jwt_audience", "jwt_jwks", "jwt_key", "jwt_scope_prefix", "jwt_types",
        "jwt_rsa_bits", "proxy_header", "proxy_scopes_header", "default_scopes", "session_hours",
        "session_idle_hours", "sign_in_url",
    ),
    "What it serves": (
        "graph", "graph_default", "graph_context", "graph_input", "graph_reply", "graph_store",
        "graph_start_s", "protocols", "policy",
    ),
    "The page": ("title", "examples"),
    "Storage": (
        "store", "data_dir", "events_kept", "user_mib", "keep_days", "postgres", "migrate", "replica",
        "lease_s", "hints", "postgres_direct",
    ),
    "Tasks": (
        "task_timeout_s", "task_results_mib", "blocked_warning_s", "blocked_attempt_s", "input_timeout_s",
        "permission_timeout_s", "drain_s", "shutdown_grace_s",
    ),
    "Limits": (
        "messages_per_minute", "address_messages_per_minute", "total_messages_per_minute",
        "address_requests_per_minute", "address_conversations_per_minute", "address_guesses_per_minute",
        "sockets_per_user", "address_streams", "unread_mib", "heartbeat_s", "calls_per_user", "calls_at_once",
    ),
    "What it calls": ("plain_hosts", "webhook_hosts"),
    "Logs and traces": ("log_format", "log_level", "tracing", "tracing_words", "tracing_users"),
}  # fmt: skip
OF_TRAVEL = "The travel assistant"


def promises() -> str:
    """Return the page of the promises: a table for each group."""
    tests = marked_files()
    page = [PROMISES_INTRO]
    for group, promised in PROMISES.items():
        rows = [(promise, f"`{id}`", _links(tests.get(id, []))) for id, promise in promised.items()]
        page.append(f"\n## {group}\n" + _table(("promise", "id", "tests"), rows))
    return "".join(page)


def configuration() -> str:
    """Return the page of the settings: a table for each group. Raises LookupError for one in no group."""
    page = [CONFIGURATION_INTRO]
    meaning = meanings(TravelSettings)
    for group, names in groups_of_settings(Settings, TravelSettings).items():
        rows = [_setting(name, TravelSettings.model_fields[name], meaning[name]) for name in names]
        page.append(f"\n## {group}\n" + _table(("setting", "default", "type", "meaning"), rows))
    return "".join([*page, CONFIGURATION_END])


def groups_of_settings(every: type[Settings], travel: type[Settings]) -> dict[str, Iterable[str]]:
    """Return the names of all settings by group. Raises LookupError for one of every server that has none."""
    placed = [name for names in SETTINGS_OF_EVERY_SERVER.values() for name in names]
    for name in every.model_fields:
        if placed.count(name) != 1:
            raise LookupError(f"The setting '{name}' must be in one group of {Path(__file__).name}.")
    own = [name for name in travel.model_fields if name not in every.model_fields]
    return {**SETTINGS_OF_EVERY_SERVER, OF_TRAVEL: own}


def _setting(name: str, field: FieldInfo, meaning: str) -> tuple[str, str, str, str]:
    default = "none" if field.default in (None, "", (), {}) else f"`{as_typed(field.default)}`"
    return f"`DETOUR_{name.upper()}`", default, _type(field), meaning


def _type(field: FieldInfo) -> str:
    """Return in words what a setting may be."""
    annotation: Any = field.annotation
    if isinstance(field.json_schema_extra, dict):
        return str(field.json_schema_extra["written"])
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{value}`" for value in get_args(annotation))
    if get_origin(annotation) is UnionType:
        annotation = get_args(annotation)[0]
    words: dict[Any, str] = {
        bool: "`true` or `false`", int: "whole number", float: "number", str: "text", Path: "path",
        SecretStr: "secret text", tuple: "list, comma-separated",
        dict: "JSON object",
    }  # fmt: skip
    return words[get_origin(annotation) or annotation] + _bounds(field.metadata)


def _bounds(metadata: list[Any]) -> str:
    """Return in words which numbers a setting may be, "" where it may be any."""
    match metadata:
        case [Gt(gt)]:
            return f", above {gt}"
        case [Ge(ge), Le(le)]:
            return f", {ge} to {le}"
        case [Ge(ge)]:
            return f", {ge} or more"
        case _:
            return ""


def _links(tests: Iterable[Path]) -> str:
    names = [path.relative_to(ROOT).as_posix() for path in tests]
    return ", ".join(f"[{name.removeprefix('tests/')}](../{name})" for name in names)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


PAGES: Mapping[Path, Callable[[], str]] = {
    ROOT / "docs/promises.md": promises,
    ROOT / "docs/configuration.md": configuration,
    ROOT / "docs/public-names.md": public_names.page,
}


def main() -> None:
    """Write all of them."""
    for path, page in PAGES.items():
        path.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
