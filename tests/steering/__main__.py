"""Plays many seeds: `make steering ARGS="--seeds 10000 --first 80"`. Prints those that fail, and how many.

`--replicas` plays a simulated cluster; `--steps` has everything come at every step of a steered run instead.
"""

import argparse
import itertools
import sys
import traceback
from collections import Counter

from tests.interruption.conftest import drop_all_entries
from tests.steering.replicas import play_cluster
from tests.steering.test_step_sweep import OFTEN, SELDOM, sweep
from tests.steering.world import play
from tests.virtual_time import run_seeded


def main() -> int:
    """Play the seeds; return whether one has failed."""
    parser = argparse.ArgumentParser(prog="make steering", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1000, help="how many")
    parser.add_argument("--steps", action="store_true", help="sweep the steps of a run, and play no seeds")
    parser.add_argument("--replicas", action="store_true", help="of a simulated cluster")
    chosen = parser.parse_args()
    drop_all_entries()
    if chosen.steps:
        return _sweep()
    failed = 0
    fates: Counter[str] = Counter()
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        try:
            fates += play_cluster(seed) if chosen.replicas else _of_server(seed)
        except Exception as error:  # noqa: BLE001 - told, and the next seed is played
            failed += 1
            if chosen.seeds == 1:
                traceback.print_exception(error)
            sys.stdout.write(f"seed {seed}: {type(error).__name__}: {str(error)[:300]}\n")
            sys.stdout.flush()
    told = ", ".join(f"{many} {fate}" for fate, many in sorted(fates.items()))
    sys.stdout.write(f"{chosen.seeds} seeds, {failed} failed; {told}\n")
    return int(failed > 0)


def _of_server(seed: int) -> Counter[str]:
    return Counter(run_seeded(lambda: play(seed), seed))


def _sweep() -> int:
    failed = 0
    for calls, interruption in itertools.product((True, False), (*OFTEN, *SELDOM)):
        where = f"{interruption.__name__} {'while tools work' if calls else 'during the answer'}"
        try:
            sys.stdout.write(f"{where}: {sweep(interruption, calls=calls)} steps\n")
        except Exception as error:  # noqa: BLE001 - told, and the next is swept
            failed += 1
            sys.stdout.write(f"{where}: {error!r:.300} {error.__notes__}\n")
        sys.stdout.flush()
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
