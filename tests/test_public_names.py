"""What may be imported is on one page, is all that pages and examples import, and is cheap to import."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator

import detour.tools
import pytest

import backend
import backend.tools
import detour
from backend.graphs import hosted_tools
from scripts.public_names import MODULES, page, public_names
from tests.conventions import ROOT, our_files
from tests.test_docs import PAGES

pytestmark = pytest.mark.requirement("PUBLIC-NAMES-ARE-LISTED")

PUBLIC = {f"{module}.{name}" for module, names in public_names().items() for name in names}


def imports_of_ours(source: str) -> Iterator[str]:
    """Yield the dotted names that a source imports of this package, by either of its names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{each.name}" for each in node.names]
        else:
            continue
        yield from (name for name in names if name.partition(".")[0] in {"detour", "backend"})


def not_public(source: str) -> list[str]:
    return [name for name in imports_of_ours(source) if name not in PUBLIC and name not in MODULES]


def code_of_pages() -> Iterator[str]:
    for path in PAGES:
        yield from re.findall(r"^```python\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_public_names_page_is_up_to_date() -> None:
    assert (ROOT / "docs/public-names.md").read_text("utf-8") == page(), "run `make docs`"


def test_public_names_are_all_on_the_page() -> None:
    lines = page().splitlines()
    for name in PUBLIC:
        short = name.rpartition(".")[2]
        assert any(re.match(rf"- `{short}\b", line) for line in lines), name


def test_pages_and_examples_import_only_public_names() -> None:
    examples = [path.read_text("utf-8") for path in our_files(".py") if "examples" in path.parts]
    assert any("detour.tools.use" in imports_of_ours(each) for each in examples)
    assert [name for each in (*examples, *code_of_pages()) for name in not_public(each)] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from backend.graphs.hosted_tools import tool", ["backend.graphs.hosted_tools.tool"]),
        ("from detour.tools import tool, HostedTool", ["detour.tools.HostedTool"]),
        ("import detour.domain.task", ["detour.domain.task"]),
        ("import detour\nfrom detour import say\nfrom detour.tools import use", []),
    ],
)
def test_private_import_is_found(source: str, found: list[str]) -> None:
    assert not_public(source) == found


def test_detour_and_backend_are_the_same_modules_in_a_checkout() -> None:
    assert detour is backend
    assert detour.tools is backend.tools
    assert backend.tools.__spec__ is not None
    assert backend.tools.__spec__.name == "backend.tools"


def test_hosted_tools_module_still_exports_the_tools() -> None:
    names = {**public_names()["detour.tools"], "say": detour.say}
    assert {name: getattr(hosted_tools, name) for name in names} == names


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'sya'"):
        _ = detour.sya
    with pytest.raises(ModuleNotFoundError):
        __import__("detour.nothing")


def test_package_imports_without_langgraph() -> None:
    code = "import sys, detour; print(detour.__version__, 'langgraph' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"{backend.__version__} False\n"
