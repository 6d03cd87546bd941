"""Tools that work in threads and processes of their own, with real ones."""
