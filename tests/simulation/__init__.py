"""A cluster in one process: real replicas over a model of their database, in virtual time."""
