"""The durable log: a user's records and numbered events, stored first and published then."""
