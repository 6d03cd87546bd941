"""A chat with a running server in the terminal: `detour chat`, or `python -m backend.clients.cli`.

`narrator` turns what the server tells into lines, `forms` turns what is typed into answers; both are pure.
`chat` joins them to the server, and `terminal` and `piped` are the two ways to sit in front of it.
"""
