"""The cities Detour knows: the one hand-made table that everything about places starts from.

Airport data has no notion of a city that people ask for: Newark is no part of New York there, Vancouver's
airport lies in "Richmond", Istanbul's in "Arnavutköy", and nothing says which of 7,884 airports matter.
So names, groups of airports and sizes are ours; codes, coordinates of airports and time zones stay with
the `airportsdata` package, which the tests hold this table against.

A row is `country|name|subdivision|tier|airports|centre|metro|aliases`:

- `country` is ISO 3166 alpha-2 (XK for Kosovo), `subdivision` the state or province in US, CA, AU and MX;
- `tier` is 1 for a world hub, 2 for a large city, 3 for a regional or holiday one;
- `airports` are IATA codes, most used first, none where the city is reached by land only;
- `centre` is latitude and longitude of the middle of the city, to about a kilometre;
- `metro` is the IATA code of the group of airports, where there is one;
- `aliases` are other names people type, spelled as people spell them; capitals throughout mean an
  abbreviation. Accents need no alias, letters that do not decompose (ø, ł, ß) do. An alias may be shared by
  two cities (Saint Petersburg); telling them apart is the reader's business.
"""

from . import cities_africa_middle_east, cities_americas, cities_asia_pacific, cities_europe
from .travel import City


def _parse(row: str) -> City:
    country, name, subdivision, tier, airports, centre, metro, aliases = row.split("|")
    latitude, longitude = centre.split()
    return City(
        name=name,
        country=country,
        subdivision=subdivision,
        tier=int(tier),
        airports=tuple(airports.split()),
        centre=(float(latitude), float(longitude)),
        metro=metro,
        aliases=tuple(alias.strip() for alias in aliases.split(",") if alias.strip()),
    )


_ROWS = "".join(
    module.ROWS for module in (cities_europe, cities_americas, cities_asia_pacific, cities_africa_middle_east)
)

CITIES: tuple[City, ...] = tuple(_parse(row) for row in _ROWS.split("\n") if row)
"""Every city, grouped by region and country; a name alone is not unique, `City.label` is."""
