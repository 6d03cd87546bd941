"""Pure values: no asyncio, no I/O, no clock."""
