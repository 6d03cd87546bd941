"""A program that finds something: one item when it starts, another one past its gate.

It is told for whom on its standard input, and ends with it: whoever started it may have died.
"""

import json
import os
import sys
import threading

from checks.conformance.gates import wait_in_thread_at


def main() -> None:
    """Print both items."""
    user = json.loads(sys.stdin.readline())["user"]
    threading.Thread(target=end_with_input, daemon=True).start()
    print(json.dumps({"found": 1}), flush=True)
    wait_in_thread_at(user, "program")
    print(json.dumps({"found": 2}), flush=True)


def end_with_input() -> None:
    """End the process once its standard input is closed."""
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    main()
