"""The LangGraph API: threads, runs and assistants, as LangGraph's SDKs and hooks speak it.

`rendering` and `views` are what clients are shown, `wire` what they send; the routes are by subject.
`branches` and `checkpoints` decide which messages a run shows, and where it may begin.
"""
