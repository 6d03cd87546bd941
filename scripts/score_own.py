"""Score predictions for the project's own messages with the labelled utterances' scorer.

`score_own.py SCORER --gold FILE --pred FILE [...]`: the scorer knows which slots each source labels;
the project's own messages label all of a flight's and a stay's.
"""

import importlib.util
import sys
from pathlib import Path

FLIGHT = (
    "origin", "destination", "departure_date", "return_date", "passengers", "cabin_class", "airline",
    "max_stops", "max_price",
)  # fmt: skip
HOTEL = ("city", "check_in", "check_out", "nights", "rooms", "guests", "stars", "name", "max_price")


def main() -> None:
    """Run the scorer with what is left of the command line."""
    path = Path(sys.argv.pop(1))
    spec = importlib.util.spec_from_file_location("scorer", path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path} is no Python file.")
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    scorer.ANNOTATED["own"] = [f"flight.{slot}" for slot in FLIGHT] + [f"hotel.{slot}" for slot in HOTEL]
    scorer.main()


if __name__ == "__main__":
    main()
