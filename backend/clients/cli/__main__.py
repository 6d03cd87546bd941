"""`python -m backend.clients.cli`: looks whether its libraries are there before it needs them."""

import importlib
import importlib.util
import sys

LIBRARIES = ("prompt_toolkit", "httpx2")


def main() -> int:
    """Run the client, or say what it needs; return the exit code."""
    missing = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        print(
            f"The terminal client needs {' and '.join(missing)}: `make chat` installs what it needs, "
            "as does pip with the extra `cli` of this project.",
            file=sys.stderr,
        )
        return 1
    return importlib.import_module(".client", __package__).main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
