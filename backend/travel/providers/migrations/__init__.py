"""The numbered files of SQL that make the tables for real sellers in PostgreSQL, and their schema."""

from ....store.migration_files import Schema

SELLERS = Schema("detour_sellers", __name__)
