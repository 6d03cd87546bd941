"""`detour chat`: looks whether the libraries are there before it imports what needs them."""

import importlib
import importlib.util
import sys
from collections.abc import Sequence

LIBRARIES = ("prompt_toolkit", "httpx2")


def main(given: Sequence[str]) -> int:
    """Run the client, or say what it needs; return the exit code."""
    missing = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        print(
            f"The terminal client needs {' and '.join(missing)}, which the extra `cli` brings: "
            'pip install "detour[cli]", or in a checkout `make chat`.',
            file=sys.stderr,
        )
        return 1
    return importlib.import_module(".client", __package__).main([*given])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
