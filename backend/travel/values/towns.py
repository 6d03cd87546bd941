"""Towns without an airport of their own that people travel to: slept in, and reached through the nearest one.

Their rows are in `towns.tsv`, whose columns mean what they do in `cities.tsv`. They are no cities of that
table because their names decide less: "Essen" and "Tours" are words as well.
"""

from .tables import listed, rows
from .travel import City

TIER = 4
"""A town is below every city: of two namesakes the city is meant."""

TOWNS: tuple[City, ...] = tuple(
    City(
        name=row["name"],
        country=row["country"],
        subdivision=row["subdivision"],
        tier=TIER,
        airports=(),
        centre=(float(row["latitude"]), float(row["longitude"])),
        aliases=listed(row["aliases"]),
    )
    for row in rows("towns")
)
"""Every town; a name alone is not unique, `City.label` is."""
