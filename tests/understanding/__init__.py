"""Reading messages: what is said, what it relates to, what carries over."""
