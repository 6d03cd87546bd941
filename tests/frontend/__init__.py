"""The page's own code, tested in Node."""
