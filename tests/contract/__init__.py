"""One suite per seam, run on every implementation of it."""
