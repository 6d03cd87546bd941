"""The page in a real browser, in front of a real server."""
