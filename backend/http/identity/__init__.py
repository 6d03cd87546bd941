"""Who somebody is, and what they may do: tokens, sessions, tickets, trusted proxies, conversations."""
