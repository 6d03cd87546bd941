"""The cities Detour knows: the one hand-made table that everything about places starts from.

Airport data has no notion of a city that people ask for: Newark is no part of New York there, Vancouver's
airport lies in "Richmond", Istanbul's in "Arnavutköy", and nothing says which of 7,884 airports matter.
So names, groups of airports and sizes are ours; codes, coordinates of airports and time zones stay with
the `airportsdata` package, which the tests hold this table against.

Its rows are in `cities.tsv`:

- `country` is ISO 3166 alpha-2 (XK for Kosovo), `subdivision` the state or province in US, CA, AU and MX;
- `tier` is 1 for a world hub, 2 for a large city, 3 for a regional or holiday one;
- `airports` are IATA codes, most used first, none where the city is reached by land only;
- `metro` is the IATA code of the group of airports, where there is one;
- `aliases` are other names people type, spelled as people spell them; capitals throughout mean an
  abbreviation. Accents need no alias, letters that do not decompose (ø, ł, ß) do. An alias may be shared by
  two cities (Saint Petersburg); telling them apart is the reader's business;
- `latitude` and `longitude` are those of the middle of the city, to about a kilometre.
"""

from .tables import listed, rows
from .travel import City


def _city(row: dict[str, str]) -> City:
    return City(
        name=row["name"],
        country=row["country"],
        subdivision=row["subdivision"],
        tier=int(row["tier"]),
        airports=listed(row["airports"], " "),
        centre=(float(row["latitude"]), float(row["longitude"])),
        metro=row["metro"],
        aliases=listed(row["aliases"]),
    )


CITIES: tuple[City, ...] = tuple(map(_city, rows("cities")))
"""Every city, grouped by region and country; a name alone is not unique, `City.label` is."""
