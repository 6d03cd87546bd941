"""The log: one shape for all lines, and no secret in any."""

import json
import logging
import re
import sys
from dataclasses import dataclass

import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.http.logs import MASK, Masker, configure_logging
from tests import plain_logs
from tests.conventions import ROOT

CANARY = "zq7f3acanary/'\"\\é"
WORDS = "fly me to Lisbon on the fourth"


@dataclass
class Holder:
    value: str


@pytest.fixture(params=["console", "json"])
def log_format(request):
    return request.param


class Output:
    """Everything that was written to stderr so far."""

    def __init__(self, capsys) -> None:
        self.capsys = capsys
        self.written = ""

    def getvalue(self):
        self.written += self.capsys.readouterr().err
        return self.written


@pytest.fixture
def output(capsys):
    root = logging.getLogger()
    access = logging.getLogger("uvicorn.access")
    level, disabled = root.level, access.disabled
    yield Output(capsys)
    for handler in [handler for handler in root.handlers if handler.get_name() == "detour"]:
        root.removeHandler(handler)
    root.setLevel(level)
    access.disabled = disabled
    plain_logs.configure()


def spoken(output):
    """Everything that was written, also as it reads once JSON's escapes are undone."""
    text = output.getvalue()
    return text + text.replace("\\\\", "\\").replace('\\"', '"').encode().decode("unicode_escape", "replace")


def fail_with(text):
    try:
        int(text)
    except ValueError as error:
        raise LookupError(f"because of {text}") from error


@pytest.mark.requirement("LOGS-KEEP-SECRETS")
def test_configured_secret_never_appears(output, log_format):
    configure_logging(log_format, "debug", secrets=[CANARY])
    ours, theirs = structlog.get_logger("ours"), logging.getLogger("theirs")
    structlog.contextvars.bind_contextvars(request=f"?key={CANARY}")
    ours.info(f"event {CANARY}", plain=CANARY, nested={"a": [CANARY, {CANARY: 1}]}, holder=Holder(CANARY))
    ours.info("bytes", raw=CANARY.encode(), pair=("x", CANARY), group={CANARY})
    theirs.warning("to %s", CANARY, extra={"detail": CANARY, "holder": Holder(CANARY)})
    theirs.error("args %r", {"x": CANARY}, stack_info=True)
    for log in (ours, theirs):
        try:
            fail_with(CANARY)
        except LookupError:
            log.exception("failed")
    logging.getLogger("uvicorn.error").warning('"WebSocket /ws/ann?token=%s" [accepted]', CANARY)
    structlog.contextvars.clear_contextvars()
    assert "zq7f3a" not in spoken(output)
    assert output.getvalue().count(MASK) >= 15
    assert "LookupError" in output.getvalue()


@pytest.mark.requirement("LOGS-KEEP-SECRETS")
@pytest.mark.parametrize(
    "name",
    ["message", "text", "token", "Authorization", "cookie", "set-cookie", "password", "openai_api_key"],
)
def test_value_under_a_telling_name_is_masked(output, log_format, name):
    configure_logging(log_format, "info")
    structlog.get_logger().info("accepted", user_id="ann", **{name: WORDS})
    structlog.get_logger().info("accepted", body={"list": [{name: {"deep": WORDS}}]})
    logging.getLogger("theirs").info("accepted", extra={f"{name}": WORDS} if name != "message" else {})
    assert "Lisbon" not in output.getvalue()
    assert "ann" in output.getvalue()


@pytest.mark.requirement("LOGS-KEEP-SECRETS")
@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abc123xyz",
        "> authorization: bearer abc123xyz",
        "GET /ws/ann?since=4&token=abc123xyz&epoch=1",
        "Cookie: detour_session=abc123xyz; other=1",
        "Cookie: other=1; detour_session=abc123xyz",
        "{'api_key': 'abc123xyz'}",
        '{"password":"abc123xyz"}',
        "api-key=abc123xyz",
    ],
)
def test_credentials_in_text_are_masked(text):
    assert "abc123xyz" not in Masker().text(text)


@pytest.mark.parametrize(
    "text", ["3 tokens left", "the bearer of good news", "GET /status/ann?since=4", "cookies are sweet: yes"]
)
def test_ordinary_text_stays_readable(text):
    assert Masker().text(text).replace(MASK, "") in (text, "the bearer of good news".replace("of", ""))


def test_broken_log_call_names_its_place_alone(output, log_format):
    configure_logging(log_format, "info", secrets=[CANARY])
    (handler,) = [handler for handler in logging.getLogger().handlers if handler.get_name() == "detour"]
    handler.handle(logging.LogRecord("theirs", logging.INFO, "theirs.py", 12, "broken %d", (CANARY,), None))
    assert output.getvalue() == "a log line could not be written: theirs.py:12\n"


def test_json_line_is_one_object(output):
    configure_logging("json", "info")
    structlog.get_logger("ours").info("started", port=8000)
    logging.getLogger("theirs").warning("slow %s", "disk")
    ours, theirs = (json.loads(line) for line in output.getvalue().splitlines())
    assert (ours["event"], ours["level"], ours["logger"], ours["port"]) == ("started", "info", "ours", 8000)
    assert (theirs["event"], theirs["level"], theirs["logger"]) == ("slow disk", "warning", "theirs")
    assert ours["timestamp"].endswith("Z")


def test_lines_below_the_level_are_dropped(output, log_format):
    configure_logging(log_format, "warning")
    structlog.get_logger("ours").info("quiet")
    logging.getLogger("theirs").info("quiet")
    structlog.get_logger("ours").warning("loud")
    assert "quiet" not in output.getvalue()
    assert "loud" in output.getvalue()


def test_unknown_level_is_refused():
    with pytest.raises(ValueError, match="no log level"):
        configure_logging("json", "chatty")


def test_web_server_lines_come_once_without_access_log(output, log_format):
    own = logging.StreamHandler(sys.stderr)
    for name in ("uvicorn", "uvicorn.access"):
        logging.getLogger(name).addHandler(own)
    configure_logging(log_format, "info")
    configure_logging(log_format, "info")
    logging.getLogger("uvicorn.error").warning("Lost %s", "it", extra={"color_message": "\x1b[1mLo"})
    logging.getLogger("uvicorn.error").info("connection open")
    logging.getLogger("uvicorn.access").info("GET /status/ann")
    assert output.getvalue().count("Lost it") == 1
    assert "connection open" not in output.getvalue()
    assert "\x1b" not in output.getvalue()
    assert "/status/ann" not in output.getvalue()


SECRETS = st.text(st.characters(codec="utf-8"), min_size=6, max_size=30).filter(
    lambda text: MASK not in text and text.strip("*")
)


@pytest.mark.requirement("LOGS-KEEP-SECRETS")
@given(secret=SECRETS, before=st.text(max_size=10), after=st.text(max_size=10))
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_no_secret_survives(secret, before, after):
    event = {
        "event": before + secret + after,
        "list": [(secret, {secret: secret})],
        "holder": Holder(secret),
        "error": ValueError(secret),
        "bytes": secret.encode(),
    }
    masked = Masker([secret])(None, "info", event)
    assert secret not in json.dumps(masked, ensure_ascii=False)


def test_log_goes_to_stderr_alone(output):
    elsewhere = re.compile(r"\w*(?:File|SysLog|HTTP|Socket|Datagram|SMTP|NTEvent)Handler\b|\bsyslog\b")
    sources = (ROOT / "backend").rglob("*.py")
    assert [path for path in sources if elsewhere.search(path.read_text("utf-8"))] == []
    before = [*logging.getLogger().handlers]
    configure_logging("json", "info")
    (added,) = [each for each in logging.getLogger().handlers if each not in before]
    assert isinstance(added, logging.StreamHandler)
    assert added.stream is sys.stderr
