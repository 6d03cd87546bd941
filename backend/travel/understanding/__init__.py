"""What a message means: pure functions of the message, what was understood before, and today's date.

Enter at `understand.py`, whose answer is `result.Understanding`. `reading.py` takes a message apart with the
readers of `language`, `dates`, `places`, `details`, `topics` and `talk`; `dialogue` relates its parts to what
was said before; `bookings` and `tours` read messages of a kind of their own. An understanding is stored by
`codec.py`, searched for by `queries.py`, put in words by `wording.py` and shown by `requested.py`. Imports go
one way, which a contract in pyproject.toml holds: words know no dates, and messages no dialogue.
"""
