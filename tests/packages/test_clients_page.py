"""The examples of docs/clients.md do what the page says."""

import re

import pytest
import pytest_asyncio

from tests.api.live import serving
from tests.conventions import ROOT
from tests.packages.npm import NODE, install, pack, run

PAGE = (ROOT / "docs/clients.md").read_text("utf-8")
WORDS = {
    "python": [("flight has found", "assistant says:", "completed"), ("taken over:", "Osaka")],
    "js": [
        ("flight has found", "assistant says:"),
        ("thanks (sending)", "live", "welcome"),
        ("message", "status_update"),
    ],
}

pytestmark = pytest.mark.asyncio(loop_scope="module")


def examples(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory):
    """A server with the travel assistant."""
    async with serving(tmp_path_factory.mktemp("data"), graph="") as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def folder(tmp_path_factory):
    """A folder in which the JavaScript client is installed."""
    folder = tmp_path_factory.mktemp("installed")
    await install((await pack(folder))[:1], folder)
    return folder


async def test_clients_page_has_an_example_per_client() -> None:
    assert {language: len(examples(language)) for language in WORDS} == {
        language: len(words) for language, words in WORDS.items()
    }


@pytest.mark.parametrize("number", range(len(WORDS["python"])))
async def test_python_example_works(server, tmp_path, number: int) -> None:
    code = examples("python")[number].replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
    (tmp_path / "example.py").write_text(code)
    program = f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); runpy.run_path('example.py')"
    said = await run(("-c", program), folder=tmp_path)
    assert all(word in said for word in WORDS["python"][number]), said


@pytest.mark.parametrize("number", range(len(WORDS["js"])))
async def test_javascript_example_works(server, folder, number: int) -> None:
    code = examples("js")[number].replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
    (folder / "example.mjs").write_text(code)
    said = await run(NODE, "example.mjs", folder=folder)
    assert all(word in said for word in WORDS["js"][number]), said
