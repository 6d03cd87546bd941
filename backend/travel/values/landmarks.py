"""Sights people want to sleep near, and the district of ours that is nearest to each.

Its rows are in `landmarks.tsv`: the names, the `City.label` and a district that the city has by name.
"""

from dataclasses import dataclass

from .tables import listed, rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Landmark:
    """A sight by its names, the `City.label` it belongs to, and the district nearest to it."""

    names: tuple[str, ...]
    city: str
    district: str


LANDMARKS: tuple[Landmark, ...] = tuple(
    Landmark(names=listed(row["names"]), city=row["city"], district=row["district"])
    for row in rows("landmarks")
)
