"""`detour chat`: checks that its libraries are installed before it imports them."""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

LIBRARIES = {"prompt_toolkit": "prompt-toolkit", "httpx2": "httpx2"}
"""Import names and their names in pip."""


def main(given: Sequence[str]) -> int:
    """Run the client, or say what is missing; return the exit code."""
    missing = [pip for name, pip in LIBRARIES.items() if importlib.util.find_spec(name) is None]
    if missing:
        # Not the extra: the wheel's origin is unknown here, and an index may have another package of this
        # name.
        print(
            f"The terminal client needs {' and '.join(missing)}: {Path(sys.executable).name} -m pip install "
            f"{' '.join(missing)}, or in a checkout `make chat`.",
            file=sys.stderr,
        )
        return 1
    return importlib.import_module(".terminal", __package__).main([*given])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
