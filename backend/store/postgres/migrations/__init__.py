"""The files of SQL that make the tables in PostgreSQL, numbered: a module, so that the wheel holds them."""
