"""Who may write for a user."""
