"""Other languages than English: which one a message is in, what it is in English, and the reply."""
