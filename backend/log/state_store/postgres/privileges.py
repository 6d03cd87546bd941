"""What the role of a server may do: read the tables, and call the functions that change them.

So no statement of a server, however wrong, passes over what these functions check: the fence first of all.
"""

from collections.abc import Sequence
from typing import Any

from ....errors import StoreUnavailable
from ..migration_files import Schema

_OWNS_THE_TABLES = """
SELECT quote_ident(r.rolname), r.rolsuper OR pg_has_role(r.oid, n.nspowner, 'MEMBER')
FROM pg_roles r, pg_namespace n WHERE r.rolname = $1 AND n.nspname = 'detour'"""

_GRANT = """
REVOKE ALL ON ALL TABLES IN SCHEMA detour FROM {role};
REVOKE ALL ON ALL SEQUENCES IN SCHEMA detour FROM {role};
GRANT USAGE ON SCHEMA detour TO {role};
GRANT SELECT ON ALL TABLES IN SCHEMA detour TO {role};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA detour TO {role};
ALTER DEFAULT PRIVILEGES IN SCHEMA detour GRANT SELECT ON TABLES TO {role};
ALTER DEFAULT PRIVILEGES IN SCHEMA detour GRANT EXECUTE ON FUNCTIONS TO {role};
"""
"""The last two are for what later migrations make, if the same owner applies them."""

_GRANT_BESIDE = """
GRANT USAGE ON SCHEMA {schema} TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
REVOKE INSERT, UPDATE, DELETE ON {schema}.migrations FROM {role};
ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role};
"""
"""What lies beside the store belongs to no tenure: there is no fence to pass over."""


async def grant(connection: Any, role: str, beside: Sequence[Schema] = ()) -> None:
    """Give a role what a server needs and nothing more; takes away what it had beyond that of the tables.

    Raises `StoreUnavailable` if there is no such role, or if it could do everything anyway.
    """
    found = await connection.fetchrow(_OWNS_THE_TABLES, role)
    if found is None:
        raise StoreUnavailable(f"There is no role {role!r}: CREATE ROLE makes it.")
    quoted, owns = found
    if owns:
        raise StoreUnavailable(
            f"The role {role!r} owns the tables, or may act as who does: grant it to another one."
        )
    async with connection.transaction():
        await connection.execute(_GRANT.format(role=quoted))
        for schema in beside:
            await connection.execute(_GRANT_BESIDE.format(schema=schema.name, role=quoted))
