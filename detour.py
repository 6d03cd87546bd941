"""Makes `import detour` work in a checkout, where the package is called `backend`.

An example then imports the same public names here as beside an installed server. Both names must lead to the
same module objects: a second copy of a module would have context variables of its own, and `use` would not
find the run that it belongs to. The wheel has no such file: there the package itself is called `detour`.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import backend


class _Backend(MetaPathFinder, Loader):
    """Finds `detour.x`, which is the module `backend.x`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Import the module under its own name."""
        if not fullname.startswith(f"{__name__}."):
            return None
        module = importlib.import_module(backend.__name__ + fullname.removeprefix(__name__))
        return ModuleSpec(fullname, self, loader_state=(module, module.__spec__))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module that is loaded already."""
        return spec.loader_state[0]

    def exec_module(self, module: ModuleType) -> None:
        """Give the module back its own spec, which the import system has replaced by that of this name."""
        assert module.__spec__ is not None, "the import system has set it"
        module.__spec__ = module.__spec__.loader_state[1]


if __name__ == "__main__":  # `python -m detour`, which is a package's `__main__` once installed
    sys.exit(importlib.import_module(f"{backend.__name__}.__main__").main())
sys.meta_path.insert(0, _Backend())
sys.modules[__name__] = backend
