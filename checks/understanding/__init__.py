"""Figures of the understanding: labelled utterances, replayed as in a conversation."""
