"""What a message means: pure functions of the message, what was understood before, and today's date.

Enter at `understand.py`, whose answer is `result.Understanding`. A message is taken apart by `message.py`, with
the readers of `language`, `dates`, `places`, `details`, `topics` and `talk`; `dialogue` holds the parts against
what was said before; `bookings` and `tours` are kinds of message of their own. What is understood is stored by
`codec.py`, searched for by `queries.py`, told by `wording.py` and shown by `requested.py`. Imports go one way,
held by a contract in pyproject.toml: words know no dates, dates no message, a message no dialogue.
"""
