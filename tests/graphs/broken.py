"""A module that cannot be imported where a setting is missing, as many a graph's cannot."""

raise KeyError("MODEL_KEY")
