"""What an assistant other than ours asked and offered, read from its words."""
