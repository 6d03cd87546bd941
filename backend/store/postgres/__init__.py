"""The state store over PostgreSQL, for several processes of which each owns some of the users."""
