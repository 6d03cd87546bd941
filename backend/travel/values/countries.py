"""Countries by their ISO 3166 alpha-2 code, and what people call them in English.

The first name is the one that is shown. Airport data has codes only; nobody is told that their flight goes
to "LA", which may be Laos or Los Angeles.
"""

from .tables import listed, rows

COUNTRIES: dict[str, tuple[str, ...]] = {row["code"]: listed(row["names"]) for row in rows("countries")}
"""Code to the names of the country, the one that is shown first."""
