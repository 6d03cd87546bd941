"""What programs use to talk to a Detour server. Imports nothing of the server."""
