"""Several replicas of the core, and of the server, over one database."""
