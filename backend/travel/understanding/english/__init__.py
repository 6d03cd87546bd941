"""All that knows English: the readers of messages, their tables of words, and the sentences for users.

`reader.py` is the `Reader` of single messages; beside it `bookings` and `tours` read messages of a kind of
their own, and `assistant` the words of an assistant that is not ours. What a message means beside the
requests before it is not decided here.
"""
