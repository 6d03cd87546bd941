"""The travel agents and the search tools, over sources that do what a test says."""
