"""Text as tokens, sentences and numbers, before anything of travel."""
