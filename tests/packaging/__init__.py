"""Other shapes of the same code: the installed wheel, and a checkout without its travel wing."""
