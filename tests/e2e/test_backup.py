"""`detour backup` copies what a running server stores, and a server of the copy goes on from there."""

from pathlib import Path

import pytest

from backend.backup import main
from tests.agents.booking_guest import FLIGHTS, HOTELS, a_house
from tests.contract.test_backup import put_back

pytestmark = pytest.mark.requirement("BACKUP-WHILE-SERVING")


async def test_server_is_copied_while_it_serves_and_lost_and_put_back(
    scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server, copy = scripted(), tmp_path / "copy.sqlite"
    folder = Path(server.settings["data_dir"])
    await server.start()
    await server.chat_to_end("ada", "find 1")
    main([str(copy), "--data-dir", str(folder)])
    assert capsys.readouterr().out == f"{copy} holds {copy.stat().st_size:,} bytes.\n"
    kept = (await server.history("ada"))["messages"]
    await server.chat_to_end("ada", "find 1")
    await server.kill()
    put_back(copy, folder / "detour.sqlite")
    await server.start()
    assert (await server.history("ada"))["messages"] == kept
    assert (await server.chat_to_end("ada", "find 1"))["status"] == "completed"


async def test_bookings_are_copied_beside_it_and_can_be_put_back(tmp_path: Path) -> None:
    folder, copy = tmp_path / "served", tmp_path / "copies" / "monday.sqlite"
    copy.parent.mkdir()
    async with a_house(folder, store="sqlite") as house:
        await house.say("ann", FLIGHTS)
        reference = await house.book("ann", "book the cheapest flight")
        main([str(copy), "--data-dir", str(folder)])
        await house.say("ann", HOTELS)
        await house.book("ann", "book the cheapest hotel")
    put_back(copy, folder / "detour.sqlite")
    put_back(copy.with_name("monday.bookings.sqlite"), folder / "bookings.sqlite")
    async with a_house(folder, store="sqlite") as house:
        booked = await house.call("GET", "/bookings/ann")
    assert [each["reference"] for each in booked.json()["bookings"]] == [reference]


def test_database_is_left_to_pg_dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DETOUR_POSTGRES", "postgresql://localhost/detour")
    with pytest.raises(SystemExit, match="use pg_dump"):
        main([str(tmp_path / "copy.sqlite")])
