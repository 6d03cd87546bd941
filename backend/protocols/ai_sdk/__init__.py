"""The UI message stream of Vercel's AI SDK: `useChat` of `ai` 7 works against this server, unchanged.

A chat is a thread, and its id one of a user; an assistant message is a run, and has its id.
"""
