"""Plays many seeds: `make simulate ARGS="--seeds 5000 --first 80"`. Prints those that fail, and how many."""

import argparse
import sys
import traceback

from tests.interruption.conftest import drop_all_entries
from tests.simulation.play import run


def main() -> int:
    """Play the seeds; return whether one has failed."""
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1000, help="how many")
    chosen = parser.parse_args()
    drop_all_entries()
    failed = 0
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        try:
            run(seed)
        except Exception as error:  # noqa: BLE001 - told, and the next seed is played
            failed += 1
            if chosen.seeds == 1:
                traceback.print_exception(error)
            sys.stdout.write(f"seed {seed}: {type(error).__name__}: {str(error)[:300]}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{chosen.seeds} seeds, {failed} failed\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
