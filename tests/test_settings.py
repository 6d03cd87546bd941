"""Sources of settings, their precedence, and the messages for wrong ones."""

import os

import pytest

from backend.http.settings import (
    Settings,
    TravelSettings,
    WrongSettingsError,
    flag_of,
    meanings,
    read_flags,
    read_settings,
    variable_of,
)


@pytest.fixture(autouse=True)
def no_settings(monkeypatch, tmp_path):
    """Begin each test without a setting, in a folder without a file of them."""
    for name in os.environ:
        if name.startswith("DETOUR_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def flags(*given: str) -> dict[str, str]:
    return read_flags(given, TravelSettings, program="detour serve", about="")


def refusal(given: dict[str, str] | None = None, kind: type[Settings] = TravelSettings) -> list[str]:
    with pytest.raises(WrongSettingsError) as refused:
        read_settings(kind, given)
    return str(refused.value).splitlines()


VALUES = {
    "host": "::1", "port": "9", "allowed_hosts": "a.example, b.example:90",
    "allowed_origins": "https://a.example", "protocols": "ag-ui", "policy": "steer",
    "token": "a-long-random-token-22",
    "store": "memory", "hints": "poll", "migrate": "false", "replica": "r1", "data_dir": "elsewhere",
    "drain_s": "7",
    "graph_context": '{"fast": true}', "graph_store": "shared",
    "title": "Shelves", "examples": "Rome | Carthage",
    "auth": "jwt", "jwt_jwks": "https://id.example/keys", "default_scopes": "read", "jwt_types": "at+jwt",
    "jwt_rsa_bits": "3072",
    "public_url": "https://a.example",
    "sign_in_url": "https://a.example/in", "proxy_addresses": "10.0.0.0/8, ::1",
    "proxy_header": "X-Person", "proxy_scopes_header": "X-Scopes",
    "tracing": "true", "tracing_words": "true", "tracing_users": "plain",
    "log_format": "json", "log_level": "debug", "model_key": "key", "model_streams": "false",
    "model_searches": "true",
    "live": "true", "duffel_token": "duffel_test_one", "liteapi_key": "sand_one", "nationality": "GB",
    "travellers_key": "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
}  # fmt: skip


@pytest.mark.requirement("EVERY-SETTING-IS-A-FLAG")
class TestPrecedence:
    @pytest.mark.parametrize("name", TravelSettings.model_fields)
    def test_setting_is_the_same_as_flag_variable_and_file_line(self, name, monkeypatch, tmp_path):
        if name in {"hints", "postgres_direct"}:  # which are refused where there is no database
            monkeypatch.setenv("DETOUR_POSTGRES", "postgresql:///detour")
        numbers = {int: "7", float: "7.5"}
        value = VALUES.get(name) or numbers.get(TravelSettings.model_fields[name].annotation, "some:text")
        value = "200" if name == "events_kept" else value
        typed = read_settings(TravelSettings, flags(flag_of(name), value))
        (tmp_path / ".env").write_text(f"{variable_of(name)}='{value}'\n", "utf-8")
        filed = read_settings(TravelSettings)
        (tmp_path / ".env").unlink()
        monkeypatch.setenv(variable_of(name), value)
        assert read_settings(TravelSettings) == typed == filed
        assert getattr(typed, name) != TravelSettings.model_fields[name].default

    def test_flag_precedes_environment_and_file(self, monkeypatch, tmp_path):
        (tmp_path / ".env").write_text(
            "DETOUR_PORT=1\nDETOUR_EVENTS_KEPT=101\nDETOUR_DEMO_SEED=11\n", "utf-8"
        )
        monkeypatch.setenv("DETOUR_PORT", "2")
        monkeypatch.setenv("DETOUR_EVENTS_KEPT", "102")
        settings = read_settings(TravelSettings, flags("--port", "3"))
        assert isinstance(settings, TravelSettings)
        assert (settings.port, settings.events_kept, settings.demo_seed) == (3, 102, 11)

    def test_graph_needs_no_flag(self):
        assert flags("trip:graph", "--port", "3") == {"graph": "trip:graph", "port": "3"}
        assert flags("--port=3", "./project:a,b") == {"graph": "./project:a,b", "port": "3"}

    def test_graph_given_twice_is_refused(self, capsys):
        with pytest.raises(SystemExit) as refused:
            flags("trip:graph", "--graph", "other:graph")
        assert refused.value.code == 2
        assert capsys.readouterr().err.endswith("give the graph once, with --graph or without\n")

    def test_help_has_every_flag(self, capsys):
        with pytest.raises(SystemExit) as ended:
            flags("--help")
        assert ended.value.code == 0
        told = " ".join(capsys.readouterr().out.split())
        assert meanings(TravelSettings).keys() == TravelSettings.model_fields.keys()
        for name, meaning in meanings(TravelSettings).items():
            assert f"{flag_of(name)} VALUE {meaning.replace('`', '')} ({variable_of(name)}" in told
        assert "(DETOUR_POLICY; interrupt or enqueue or reject or steer; default interrupt)" in told


@pytest.mark.requirement("MISTYPED-SETTING-IS-NAMED")
class TestMistyped:
    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            ("DETOUR_PROT", "DETOUR_PORT"),
            ("DETOUR_TASK_TIMEOUT", "DETOUR_TASK_TIMEOUT_S"),
            ("detour_prot", "DETOUR_PORT"),
            ("DETOUR_DEMO_PASE", "DETOUR_DEMO_PACE"),
        ],
    )
    def test_unknown_variable_is_refused_with_the_nearest(self, typed, meant, monkeypatch):
        monkeypatch.setenv(typed, "1")
        assert refusal() == [f"{typed} is no setting; did you mean {meant}?"]

    def test_unknown_line_of_the_file_is_refused(self, tmp_path):
        (tmp_path / ".env").write_text("OPENAI_API_KEY=x\nexport DETOUR_PROT=1\n", "utf-8")
        assert refusal() == ["DETOUR_PROT in .env is no setting; did you mean DETOUR_PORT?"]

    def test_unlike_variable_gets_no_proposal(self, monkeypatch):
        monkeypatch.setenv("DETOUR_XYZZY", "1")
        assert refusal() == ["DETOUR_XYZZY is no setting"]

    @pytest.mark.parametrize(
        "name",
        [
            "DETOUR_API", "DETOUR_TESTS_COMPLETE", "DETOURS", "detour_port",
            "DETOUR_SERVICE_HOST", "DETOUR_SERVICE_PORT_HTTP", "DETOUR_PORT_8000_TCP_ADDR",
        ],
    )  # fmt: skip
    def test_foreign_and_lowercase_variables_are_accepted(self, name, monkeypatch):
        monkeypatch.setenv(name, "1")
        read_settings(TravelSettings)

    def test_empty_variable_is_unset(self, monkeypatch):
        monkeypatch.setenv("DETOUR_PROT", "")
        read_settings(TravelSettings)

    def test_travel_setting_without_travel_is_refused(self, monkeypatch):
        monkeypatch.setenv("DETOUR_DEMO_PACE", "0")
        assert refusal(kind=Settings) == [
            "DETOUR_DEMO_PACE is no setting of a server without the travel assistant"
        ]

    @pytest.mark.parametrize(("typed", "meant"), [("--prot", "--port"), ("--demo-se", "--demo-seed")])
    def test_mistyped_flag_is_refused_with_the_nearest(self, typed, meant, capsys):
        with pytest.raises(SystemExit) as refused:
            flags(typed, "1")
        assert refused.value.code == 2
        assert capsys.readouterr().err.endswith(f"{typed} is no flag; did you mean {meant}?\n")

    def test_every_error_is_reported_at_once(self, monkeypatch):
        monkeypatch.setenv("DETOUR_PROT", "1")
        monkeypatch.setenv("DETOUR_HEARTBEAT_S", "0")
        monkeypatch.setenv("DETOUR_STORE", "redis")
        assert [line.partition(":")[0] for line in refusal({"port": "eighty", "demo_seed": "x"})] == [
            "DETOUR_PROT is no setting; did you mean DETOUR_PORT?",
            "--port",
            "DETOUR_STORE",
            "DETOUR_HEARTBEAT_S",
            "--demo-seed",
        ]


class TestPage:
    @pytest.mark.parametrize(
        ("given", "examples"),
        [
            ("Rome | Oslo, in May", ("Rome", "Oslo, in May")),
            ("Rome\nOslo\n", ("Rome", "Oslo")),
            ('["a | b", "c"]', ("a | b", "c")),
            ("only one", ("only one",)),
        ],
    )
    def test_examples_are_split_by_bars_lines_or_json(self, given, examples):
        assert read_settings(TravelSettings, {"examples": given}).examples == examples

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ('["a', "it begins as a JSON list and is none"),
            ("[1, 2]", "should be a valid string"),
            ("|".join("abcdefg"), "an empty page has room for 6 of them"),
            ("x" * 201, "each has 1 to 200 characters"),
            ('[""]', "each has 1 to 200 characters"),
        ],
    )
    def test_invalid_examples_are_refused(self, given, said):
        (line,) = {
            line.rpartition(": ")[2] if "valid" in line else line for line in refusal({"examples": given})
        }
        assert said in line

    @pytest.mark.parametrize("title", ["x" * 61, "two\nlines", "a\x07"])
    def test_title_is_one_short_line(self, title):
        (line,) = refusal({"title": title})
        assert line.startswith("--title: ")


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("duffel_token", "duffel_live_one", "it is no key of a test mode, which begins with duffel_test_."),
        ("liteapi_key", "prod_one", "it is no key of a test mode, which begins with sand_."),
        ("travellers_key", "short", "it is no key; `openssl rand -base64 32` prints one."),
        ("nationality", "Germany", "String should match pattern"),
    ],
)
def test_key_of_a_seller_is_refused_by_its_name(field, value, told):
    (said,) = refusal({field: value})
    assert said.startswith(f"{flag_of(field)}: ")
    assert told in said


def test_live_keys_are_taken_where_money_may_move():
    keys = {"duffel_token": "duffel_live_one", "liteapi_key": "prod_one"}
    settings = read_settings(TravelSettings, {"live": "yes", **keys})
    assert isinstance(settings, TravelSettings)
    assert settings.duffel_token is not None
