"""The changes of an SQLite data file, each applied once, in order; `indices.sql` at every start."""
