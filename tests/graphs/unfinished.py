"""A module that imports what is not installed."""

import no_such_package as missing

graph = missing.graph
