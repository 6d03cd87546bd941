"""A database that cannot be used refuses the start in a sentence that names it, and never its password."""

import ssl

import asyncpg
import pytest

from backend.domain.errors import StoreUnavailable
from backend.store.postgres.database import unusable
from backend.store.postgres.store import PostgresStateStore
from backend.tasks.task_owner import TaskOwner
from checks.cluster.replicas import free_port
from tests.postgres import Server


@pytest.fixture(autouse=True)
def nothing_else_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGSSLMODE"):
        monkeypatch.delenv(name, raising=False)


async def refusal(address: str) -> str:
    """Return what refuses a start with this address."""
    with pytest.raises(StoreUnavailable) as raised:
        await PostgresStateStore(address, TaskOwner().spawn).open(lambda _user_id, _events: None)
    assert "S3CRET" not in raised.value.message
    return raised.value.message


async def test_nothing_listens_there() -> None:
    port = free_port()
    told = f"DETOUR_POSTGRES: nothing listens at 127.0.0.1:{port}."
    assert await refusal(f"postgresql://ann:S3CRET@127.0.0.1:{port}/trips") == told


async def test_there_is_no_socket_there(postgres: Server) -> None:
    assert await refusal(f"postgresql://ann@/trips?host={postgres.folder}/none") == (
        f"DETOUR_POSTGRES: nothing listens at {postgres.folder}/none."
    )


async def test_nobody_knows_the_host() -> None:
    told = "DETOUR_POSTGRES: the host of no-such-host.invalid:5432 is not known."
    assert await refusal("postgresql://ann:S3CRET@no-such-host.invalid/trips") == told


async def test_there_is_no_such_role(postgres: Server) -> None:
    told = await refusal(postgres.address("postgres", "nobody"))
    assert told.startswith(f"DETOUR_POSTGRES: {postgres.folder} does not let the role 'nobody' in: ")


async def test_there_is_no_such_database(postgres: Server) -> None:
    assert await refusal(postgres.address("trips")) == (
        f"DETOUR_POSTGRES: {postgres.folder} has no database 'trips'; `createdb trips` makes it."
    )


@pytest.mark.parametrize(
    "address",
    [
        "http://ann:S3CRET@localhost/trips",
        "trips",
        "postgresql://ann@localhost:port/trips",
        "postgresql://ann@[::1/trips",
        "postgresql://ann:S3CRET/@localhost/trips",
    ],
)
async def test_it_is_no_address(address: str) -> None:
    assert (await refusal(address)).startswith("DETOUR_POSTGRES: it is no address of a database, such as")


@pytest.mark.parametrize(
    "address", ["postgresql://ann:12/S3CRET@db/trips", "postgresql://ann:12#S3CRET@db/t"]
)
def test_a_password_that_is_not_written_as_one_is_not_taken_for_a_name(address: str) -> None:
    told = unusable(ConnectionRefusedError(), address).message
    assert told.startswith("DETOUR_POSTGRES: it is no address of a database")
    assert "12" not in told


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            asyncpg.InvalidPasswordError("of S3CRET"),
            "db.example:5433 does not let the role 'ann@work' in: the password is wrong, there is no",
        ),
        (
            ssl.SSLCertVerificationError("S3CRET"),
            "the certificate of db.example:5433 is not one that this machine trusts.",
        ),
        (TimeoutError("S3CRET"), "db.example:5433 does not answer."),
        (
            asyncpg.TooManyConnectionsError("S3CRET"),
            "the database 'trips' at db.example:5433 cannot be used: TooManyConnectionsError 53300.",
        ),
    ],
)
def test_other_reasons_have_a_sentence(error: Exception, told: str) -> None:
    message = unusable(error, "postgresql://ann%40work:S3CRET@db.example:5433/trips").message
    assert message.startswith(f"DETOUR_POSTGRES: {told}")
    assert "S3CRET" not in message


def test_what_the_address_leaves_open_is_read_where_the_driver_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGHOST", "db.example")
    monkeypatch.setenv("PGUSER", "ann")
    missing = asyncpg.InvalidCatalogNameError("trips")
    assert unusable(missing, "postgresql:///").message == (
        "DETOUR_POSTGRES: db.example:5432 has no database 'ann'; `createdb ann` makes it."
    )
