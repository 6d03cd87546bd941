"""Several replicas on one machine: to try them, and to see what they stand."""
