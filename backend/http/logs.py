"""Log lines on stderr, for people or machines, with secrets and users' words masked; and the process's port.

Our own lines (structlog) and all others (standard logging, the web server's) pass the same processors. The
last one before rendering masks values under names such as `token` or `message`, the configured secrets
anywhere (exceptions included), and whatever looks like a credential. A user's words are masked by name: code
logs them as `message` or `text`, or not at all.
"""

import contextlib
import json
import logging
import os
import re
import resource
import socket
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import quote

import structlog
from pydantic import SecretStr
from structlog.typing import EventDict, Processor, WrappedLogger

from .settings import Settings

LogFormat = Literal["console", "json"]

MASK = "***"

_MASKED_NAMES = frozenset(
    {"token", "authorization", "cookie", "set_cookie", "api_key", "apikey", "password", "secret"}
    | {"message", "text", "detour_session"}
)
_MASKED_ENDINGS = ("_token", "_api_key", "_password", "_secret", "_authorization", "_cookie")
_CREDENTIAL_IN_TEXT = re.compile(
    r"""(\bbearer\s+|(?:token|authorization|cookie|api[_-]?key|password|secret|detour_session)["']?\s*[=:]\s*)"""
    r"""(["']?)(?!bearer\b)[^\s"'&,;]+""",
    re.IGNORECASE,
)
_HANDLER_NAME = "detour"


class Masker:
    """A structlog processor that masks; `secrets` are values that may appear nowhere."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        spellings = {spelling for secret in secrets if secret for spelling in _spellings(secret)}
        longest_first = sorted(spellings, key=len, reverse=True)
        self._secrets = re.compile("|".join(re.escape(spelling) for spelling in longest_first) or r"(?!)")

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        """Return the event with everything masked and every value reduced to JSON's types."""
        return cast("EventDict", self._masked(event))

    def text(self, text: str) -> str:
        """Return `text` without secrets and credentials."""
        return _CREDENTIAL_IN_TEXT.sub(rf"\1\2{MASK}", self._secrets.sub(MASK, text))

    def _masked(self, value: object) -> object:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bytes):
            return self.text(value.decode(errors="backslashreplace"))
        if isinstance(value, dict):
            items = cast("dict[Any, Any]", value).items()
            return {
                self.text(str(name)): MASK if _is_masked(str(name)) else self._masked(item)
                for name, item in items
            }
        if isinstance(value, list | tuple | set | frozenset):
            return [self._masked(item) for item in cast("Iterable[Any]", value)]
        return self.text(repr(value))


def configure_logging(log_format: LogFormat, level: str, *, secrets: Iterable[str] = ()) -> None:
    """Send every log line of this process to stderr, masked. May be called again; the last call counts.

    `level` is a name of the standard library's ("info"), in any case; raises ValueError for another.
    `secrets` are the configured tokens and keys. The web server's access log, which holds addresses and
    paths, is silenced.
    """
    threshold = logging.getLevelNamesMapping().get(level.upper())
    if threshold is None:
        raise ValueError(f"{level!r} is no log level")
    masker = Masker(secrets)
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = _StderrHandler(sys.stderr)
    handler.set_name(_HANDLER_NAME)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.ExtraAdder(), _drop_repetitions, *shared],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                masker,
                _renderer(log_format),
            ],
        )
    )
    root = logging.getLogger()
    for old in [old for old in root.handlers if old.get_name() == _HANDLER_NAME]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(threshold)
    _take_over_web_server()


class _StderrHandler(logging.StreamHandler[Any]):
    """Reports only the place of a broken log call; the standard library would print its arguments too.

    If stderr itself cannot be written (a file on a full disk), the line is lost and nothing else happens.
    """

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        with contextlib.suppress(OSError, ValueError):
            self.stream.write(f"a log line could not be written: {record.pathname}:{record.lineno}\n")


def _renderer(log_format: LogFormat) -> Processor:
    if log_format == "json":
        return structlog.processors.JSONRenderer()
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )


def _take_over_web_server() -> None:
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    # At INFO uvicorn writes two lines for every socket, and nothing that this server does not log itself.
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    logging.getLogger("uvicorn.access").disabled = True


def _drop_repetitions(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Drop what other handlers add to a record, and the web server's coloured copy of its message."""
    for name in ("message", "asctime", "color_message"):
        event.pop(name, None)
    return event


def _is_masked(name: str) -> bool:
    plain = name.lower().replace("-", "_")
    return plain in _MASKED_NAMES or plain.endswith(_MASKED_ENDINGS)


def _spellings(secret: str) -> set[str]:
    """Return the ways a secret appears inside other text: verbatim, in a repr, in JSON, in a URL."""
    quoted = {repr(secret)[1:-1], ascii(secret)[1:-1], repr(secret.encode())[2:-1], json.dumps(secret)[1:-1]}
    return {secret, quote(secret), quote(secret, safe="")} | quoted


# --- process -------------------------------------------------------------------------------------------


def prepare_process(settings: Settings) -> None:
    """Set the logs up, the folder that graphs are imported from, and how many files may be open."""
    secrets = [each.get_secret_value() for _, each in settings if isinstance(each, SecretStr)]
    configure_logging(settings.log_format, settings.log_level, secrets=[each for each in secrets if each])
    sys.path.insert(0, os.fspath(Path.cwd()))  # DETOUR_GRAPH is imported from the working directory
    # Every socket is an open file, and the usual limit is 1,024 unless a process raises it.
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):  # some systems state "unlimited" and refuse it
        resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))


def listen(host: str, port: int) -> socket.socket:
    """Open the port before anything else: a server that cannot be reached must not recover any tasks."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        where = f"{host}:{port}"
        raise SystemExit(f"DETOUR_HOST, DETOUR_PORT: cannot listen on {where}: {error.strerror}.") from None
    # Connections inherit it. asyncio's own loop does not set it on a listener that it is given; the body of a
    # response then waits 40 ms for the acknowledgement of its head (measured; uvloop sets it).
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
