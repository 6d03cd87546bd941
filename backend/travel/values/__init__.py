"""Travel values: offers, bookings, tours, cities. Pure: no asyncio, no I/O, no clock."""
