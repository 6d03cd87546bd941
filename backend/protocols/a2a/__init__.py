"""A2A, the protocol between agents, in its versions 1.0 and 0.3: JSON-RPC, and an agent card.

A context is a thread, and its id one of a user; a task is that of a message, over all its runs.
"""
