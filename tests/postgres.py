"""The PostgreSQL server of the tests: one for all, with a database for each test that asks for one."""

from cluster.postgres import Server, programs, serving

FIXTURE = "postgres"
"""The fixture that is the server, and the marker of tests that ask for it by themselves."""

MISSING = "it is not installed (Debian's package postgresql)"

__all__ = ["FIXTURE", "MISSING", "Server", "programs", "serving"]
