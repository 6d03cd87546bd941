"""What a message means: pure functions of the message, what was understood before, and today's date."""
