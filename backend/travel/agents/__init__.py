"""The nodes of the travel graph: (state, runtime) -> update."""
