"""Answers to questions about what was found, from the offers and nothing else."""
