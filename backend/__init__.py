"""Detour: a server for LangGraph agents whose users may change their mind at any moment.

`say` is loaded when it is first used: a client, or `detour --version`, needs no LangGraph.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graphs.hosted_tools import say

__all__ = ["__version__", "say"]

__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    if name == "say":
        return importlib.import_module(".graphs.hosted_tools", __name__).say
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
