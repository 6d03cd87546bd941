"""The protocols of other clients: each folder lists its calls. Those that are not spoken are not imported."""

import importlib
from collections.abc import Container, Sequence

from ..http.routes.calls import Group
from ..http.services import Services

_FOLDERS = {"langgraph": "langgraph", "ai-sdk": "ai_sdk", "ag-ui": "ag_ui"}


def groups_of(services: Services, protocols: Container[str]) -> Sequence[Group]:
    """Return the calls of these protocols."""
    folders = [folder for name, folder in _FOLDERS.items() if name in protocols]
    modules = [importlib.import_module(f".{folder}.routes", __package__) for folder in folders]
    return [group for module in modules for group in module.groups(services)]
