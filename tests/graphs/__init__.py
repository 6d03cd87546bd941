"""Graphs as their authors write them: none knows that Detour runs it, so none imports `backend`."""
