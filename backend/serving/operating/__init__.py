"""What an operator sees of tasks: who has what at work, and how it went; never what anybody said."""
