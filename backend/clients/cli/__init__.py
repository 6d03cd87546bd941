"""A chat with a running server in the terminal: `detour chat`, or `python -m backend.clients.cli`.

`narrator` turns events into lines and is pure. `chat` turns typed lines into messages and answers, and
`terminal` shows it all, in a terminal or through a pipe.
"""
