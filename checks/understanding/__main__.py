"""Understand labelled utterances: `python -m checks.understanding predict < records > predictions`.

Both are lines of JSON. The time each took is told on standard error.
"""

import argparse
import sys
import time

import orjson

from .replay import Replay, percentile


def main() -> None:
    """Read records from standard input, write predictions to standard output."""
    parser = argparse.ArgumentParser(prog="python -m checks.understanding", description=__doc__)
    parser.add_argument("command", choices=["predict"])
    parser.add_argument(
        "--assumed", action="store_true", help="tell slots that are only assumed too, as they are searched by"
    )
    arguments = parser.parse_args()
    replay = Replay(time.perf_counter, tells_assumed=arguments.assumed)
    for line in sys.stdin.buffer:
        if line.strip():
            sys.stdout.buffer.write(orjson.dumps(replay.predict(orjson.loads(line))) + b"\n")
    median, slowest = (percentile(replay.seconds, part) * 1000 for part in (0.5, 0.99))
    count = len(replay.seconds)
    print(f"{count} utterances: median {median:.2f} ms, 99th percentile {slowest:.2f} ms", file=sys.stderr)


if __name__ == "__main__":
    main()
