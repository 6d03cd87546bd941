"""Cities, airports, regions and districts that a message names."""
