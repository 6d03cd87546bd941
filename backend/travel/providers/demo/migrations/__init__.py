"""The files of SQL that make the tables of bookings in PostgreSQL, numbered, and the schema they are in."""

from .....store.migration_files import Schema

BOOKINGS = Schema("detour_demo", __name__)
