"""The protocols of other clients: each folder lists its calls. Those that are not spoken are not imported."""

import importlib
import importlib.util
from collections.abc import Container, Sequence

from ..domain.errors import DetourError
from ..http.routes.calls import Group
from ..http.services import Services

_FOLDERS = {
    "langgraph": "langgraph",
    "ai-sdk": "ai_sdk",
    "ag-ui": "ag_ui",
    "mcp": "mcp",
    "openai": "openai",
    "a2a": "a2a",
}

_NEEDED = {"mcp": "mcp_types"}
"""The package that a protocol needs beside the server's own, which its extra brings."""


class NoProtocolError(DetourError):
    """A protocol is to be spoken, and what it needs is not installed."""

    code = "no_protocol"


def groups_of(services: Services, protocols: Container[str]) -> Sequence[Group]:
    """Return the calls of these protocols. Raises `NoProtocolError`."""
    for name, package in _NEEDED.items():
        if name in protocols and importlib.util.find_spec(package) is None:
            install = f"python -m pip install {package.replace('_', '-')}"
            raise NoProtocolError(f"DETOUR_PROTOCOLS: {name} needs {package.replace('_', '-')}: {install}")
    folders = [folder for name, folder in _FOLDERS.items() if name in protocols]
    modules = [importlib.import_module(f".{folder}.routes", __package__) for folder in folders]
    return [group for module in modules for group in module.groups(services)]
