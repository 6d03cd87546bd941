"""The LangGraph API: threads, runs and assistants, as LangGraph's SDKs and hooks speak it."""
