"""How much is stored of a user: the columns of the tables that hold it, for both databases."""

COLUMNS_OF_USERS = {
    "tasks": ("document",),
    "messages": ("document",),
    "events": ("bodies",),
    "partials": ("found",),
    "receipts": ("body",),
    "acceptances": ("body",),
    "contexts": ("document",),
    "inputs": ("document",),
    "checkpoints": ("body",),
    "tool_calls": ("document",),
    "model_steps": ("document",),
    "thread_steps": ("body", "pages", "pieces"),
    "thread_pieces": ("body",),
    "threads": ("document",),
}
"""Whatever grows with what a user does; the rest of a row, and the progress of agents, is small."""


def stored_bytes_query(*, schema: str = "", length: str = "length", user: str = "?1") -> str:
    """Return the query that sums the sizes up; `length` is the function that tells one."""
    sums = (
        f"SELECT coalesce(sum({' + '.join(f'{length}({column})' for column in columns)}), 0) AS size"
        f" FROM {schema}{table} WHERE user_id = {user}"
        for table, columns in COLUMNS_OF_USERS.items()
    )
    return f"SELECT sum(size) FROM ({' UNION ALL '.join(sums)}) AS sizes"
