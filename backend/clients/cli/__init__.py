"""Talk to a running server in the terminal, through its public API alone: `python -m backend.clients.cli`.

`story` turns what the server tells into lines, `forms` what is typed into answers; both are pure. `link`
hears the server, `api` tells it things, `chat` joins all four, and `terminal` and `piped` are the two ways to
be in front of it.
"""
