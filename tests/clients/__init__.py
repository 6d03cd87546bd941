"""What programs use to talk to a server: its process, its calls, its events, and the state they add up to."""
