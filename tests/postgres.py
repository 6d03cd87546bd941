"""The PostgreSQL server of the tests: one for all, with a database for each test that asks for one.

Stores connect as the role of servers, which may only read and call functions.
"""

from checks.cluster.postgres import SERVER_ROLE, Server, as_owner, programs, serving

FIXTURE = "postgres"
"""The fixture that is the server, and the marker of tests that ask for it by themselves."""

MISSING = "it is not installed (Debian's package postgresql)"

__all__ = ["FIXTURE", "MISSING", "SERVER_ROLE", "Server", "as_owner", "programs", "serving"]
