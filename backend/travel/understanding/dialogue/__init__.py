"""A message against the requests before it: what it answers, changes, adds, keeps and takes up again."""
