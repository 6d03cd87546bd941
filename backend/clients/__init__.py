"""What a program needs to talk to a Detour server. It imports nothing of the server.

`server` starts a server process, `api` calls it and follows a user's events, `story` folds those events into
what a client shows, and `wire` has the types of answers and frames. The clients in the folders are built on
these: `cli` in the terminal, `streamlit` in a Streamlit page, and `demo`, which plays interruptions.
`..client` is the client for programs.

    user = User(url="http://127.0.0.1:8000", user_id="ada")
    async with httpx2.AsyncClient() as http, aclosing(follow(user)) as events:
        await Api(user, http).send("Find flights from Berlin to Tokyo")
        story = Story()
        async for heard in events:
            if not isinstance(heard, Connection) and story.hear(heard, time.monotonic()):
                ...  # show what the story has now
"""
