"""`detour chat`: looks whether the libraries are there before it imports what needs them."""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

LIBRARIES = {"prompt_toolkit": "prompt-toolkit", "httpx2": "httpx2"}
"""What is imported, and what pip calls it."""


def main(given: Sequence[str]) -> int:
    """Run the client, or say what it needs; return the exit code."""
    missing = [pip for name, pip in LIBRARIES.items() if importlib.util.find_spec(name) is None]
    if missing:
        # Not the extra: where the wheel was installed from is not known here, and an index may have another
        # package of this one's name.
        print(
            f"The terminal client needs {' and '.join(missing)}: {Path(sys.executable).name} -m pip install "
            f"{' '.join(missing)}, or in a checkout `make chat`.",
            file=sys.stderr,
        )
        return 1
    return importlib.import_module(".terminal", __package__).main([*given])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
