"""OpenAI's API: chat completions, models and responses, as the `openai` packages call them.

A model is an agent, a conversation is a thread, and a completion or a response is a run.
"""
