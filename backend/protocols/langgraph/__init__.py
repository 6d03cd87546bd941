"""The LangGraph API: threads, runs and assistants, as LangGraph's SDKs and hooks speak it.

`routes` lists all calls. `wire` reads requests, `views` and `rendering` write answers and streams; the steps
that runs may begin from are in `checkpoints`.
"""
