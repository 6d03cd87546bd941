"""Checks of a server from outside: speed, conformance, attacks, lost replicas, real models."""
