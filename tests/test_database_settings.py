"""Whether a database is reached by an encrypted connection is never left to chance."""

from collections.abc import Sequence

import pytest

from backend.http.settings import Settings, WrongSettingsError, read_settings

pytestmark = pytest.mark.requirement("DATABASE-TRANSPORT-IS-STATED")


@pytest.fixture(autouse=True)
def nothing_else_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGHOST", "PGSSLMODE", "DETOUR_POSTGRES", "DETOUR_POSTGRES_DIRECT", "DETOUR_HINTS"):
        monkeypatch.delenv(name, raising=False)


def refusals(**given: str) -> Sequence[str]:
    try:
        read_settings(Settings, given)
    except WrongSettingsError as error:
        return str(error).splitlines()
    return []


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("postgresql://a:S3CRET@db.example/detour", "db.example"),
        ("postgresql://a:S3CRET@[2001:db8::1]:5432/detour", "2001:db8::1"),
        ("postgresql://a:S3CRET@localhost,db.example:5433/detour", "db.example"),
        ("postgresql://a:S3CRET@/detour?host=db.example", "db.example"),
        ("postgresql://a:S3%40CRET@db.example/detour?sslmode=prefer", "db.example"),
        ("postgresql://a:S3CRET@db.example/detour?sslmode=", "db.example"),
    ],
)
def test_remote_database_without_a_stated_transport_is_refused(address: str, host: str) -> None:
    for name in ("postgres", "postgres_direct"):
        (refusal,) = refusals(**{name: address})
        assert refusal.startswith(f"--{name.replace('_', '-')}: {host} is not this machine")
        assert "sslmode=verify-full" in refusal
        assert "S3" not in refusal


@pytest.mark.parametrize("mode", ["verify-full", "verify-ca", "require", "disable"])
def test_stated_transport_is_accepted(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusals(postgres=f"postgresql://a@db.example/detour?sslmode={mode}") == []
    assert refusals(postgres="postgresql://a@db.example/detour") != []
    monkeypatch.setenv("PGSSLMODE", mode)
    assert refusals(postgres="postgresql://a@db.example/detour") == []
    # What the address says goes before.
    assert refusals(postgres="postgresql://a@db.example/detour?sslmode=prefer") != []


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://a@localhost/detour",
        "postgresql://a@[::1]:5432/detour",
        "postgresql://a@/detour?host=/run/postgresql",
        "postgresql://a@%2Frun%2Fpostgresql/detour",
        "postgresql:///detour",
    ],
)
def test_local_database_needs_no_stated_transport(address: str) -> None:
    assert refusals(postgres=address, postgres_direct=address) == []


def test_host_from_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "db.example")
    assert refusals(postgres="postgresql:///detour") != []
    assert refusals(postgres="postgresql://a@localhost/detour") == []


def test_direct_address_is_refused_where_nothing_uses_it() -> None:
    database = "postgresql:///detour"
    (refusal,) = refusals(postgres=database, postgres_direct=database, hints="poll")
    assert refusal.startswith("--postgres-direct: it is of no use with DETOUR_HINTS=poll")


@pytest.mark.parametrize(("name", "value"), [("postgres_direct", "postgresql:///detour"), ("hints", "poll")])
def test_database_setting_without_a_database_is_refused(name: str, value: str) -> None:
    assert refusals(**{name: value}) == [
        f"--{name.replace('_', '-')}: it is of no use without DETOUR_POSTGRES."
    ]
    assert refusals(postgres="postgresql:///detour", **{name: value}) == []
    assert refusals(hints="listen") == []
    # A database that is named, and refused, is told of alone.
    (refusal,) = refusals(postgres="postgresql://a@db.example/detour", **{name: value})
    assert refusal.startswith("--postgres: db.example")
