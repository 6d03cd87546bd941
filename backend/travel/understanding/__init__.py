"""What a message means: pure functions of the message, what was understood before, and today's date.

Enter at `understand.py`, whose answer is `result.Understanding`. A message is read in `english`, which fills
in a `message.Message`: values, and no words. `dialogue` relates that to what was said before, in no language.
An understanding is stored by `codec.py`, searched for by `queries.py`, put in words by `english/wording.py`
and shown by `requested.py`. A contract in pyproject.toml holds that imports go one way: the dialogue knows no
English.
"""
