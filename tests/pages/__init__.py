"""Pages of others over the LangGraph API, built from their packages and driven in a browser.

`make pages` runs the stories; building the pages takes too long for the suite, and fetches 500 packages.
"""
