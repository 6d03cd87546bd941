"""What a program needs to talk to a Detour server. It imports nothing of the server.

`server` starts a server process, `api` calls it over HTTP, `follow` yields a user's events and reconnects
after a break, and `story` folds those events into what a client shows. The clients in the folders are built
on these four: `cli` in the terminal, `streamlit` in a Streamlit page, and `demo`, which plays interruptions.
"""
