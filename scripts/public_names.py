"""The page of the public names: what a program may import of the package, with its signature and a sentence.

What is public is said in one place, the `__all__` of each of these modules.
"""

import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

MODULES = ("detour", "detour.client", "detour.tools")

INTRO = """\
# Public names

<!-- Written by `make docs` from the `__all__` of the modules. -->

These names are public, and nothing else that can be imported is. Public are also:

- the command `detour`: its programs, their flags and exit codes, and the [settings](configuration.md);
- `detour.main:app`, the application for another ASGI server;
- what clients see: the calls, events and codes of [the reference](INTERRUPTION_SYSTEM.md);
- what a [graph of your own](your-own-graph.md) is given, and what becomes of what it gives.

Versions follow [Semantic Versioning](https://semver.org/spec/v2.0.0.html) from 0.2.0 on. Before 1.0.0,
`0.x.0` may change or remove something public, and `0.x.y` does not. From 1.0.0 on only a new major version
may. The [changelog](../CHANGELOG.md) has each change of something public. `detour.__version__` and
`detour --version` say which version is installed.

All other modules may change with any version. `detour.graphs.hosted_tools`, from which graphs imported their
tools before 0.2.0, can still be imported.

In a checkout the package is the folder `backend`, and `import detour` leads to the same modules.
"""


def public_names() -> Mapping[str, Mapping[str, Any]]:
    """Return the public objects of each module, by name."""
    modules = {name: importlib.import_module(name) for name in MODULES}
    return {name: {each: getattr(module, each) for each in _all(module)} for name, module in modules.items()}


def page() -> str:
    """Return the page. Raises LookupError for a name without a docstring."""
    parts = [INTRO]
    for module, names in public_names().items():
        parts += [
            f"\n## {module}\n",
            *(line for name, value in names.items() for line in _lines(name, value)),
        ]
    return "".join(parts)


def _all(module: ModuleType) -> list[str]:
    return sorted(module.__all__)


def _lines(name: str, value: Any) -> Iterator[str]:
    """Yield the line of a name, and one for each property of a class and each method of a protocol."""
    if not callable(value):
        yield f"- `{name}: {type(value).__name__}`\n"
        return
    is_protocol = getattr(value, "_is_protocol", False)
    yield f"- `{name}{'' if is_protocol else _signature(value)}`: {_sentence(name, value)}\n"
    for member, each in vars(value).items() if inspect.isclass(value) else ():
        if isinstance(each, property) and not member.startswith("_"):
            yield f"  - `{member}`: {_sentence(member, each)}\n"
        elif is_protocol and not member.startswith("_"):
            yield f"  - `{member}{_signature(each)}`: {_sentence(member, each)}\n".replace("(self, ", "(")


def _signature(value: Any) -> str:
    """Return a signature as it is written, without the modules that its types come from."""
    text = re.sub(r"\b(?:\w+\.)+(?=[A-Za-z])", "", str(inspect.signature(value)))
    text = re.sub(r"Optional\[(Literal\[[^]]*\])\]", r"\1 | None", text)  # before Python 3.14
    return text.replace("<factory>", "{}").replace("'", '"').removesuffix(" -> None")


def _sentence(name: str, value: Any) -> str:
    """Return the first sentence of a docstring."""
    text = " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())
    if not text:
        raise LookupError(f"The public name {name} must have a docstring.")
    return re.split(r"(?<=\.) (?=[A-Z])", text)[0]
