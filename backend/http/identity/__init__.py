"""Identity and access: tokens, sessions, tickets, trusted proxies, owners of conversations."""
