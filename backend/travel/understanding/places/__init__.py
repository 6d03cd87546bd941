"""Every place by its names: data, in no language, for readers and searches alike."""
