"""The conversations of travellers, the program that plays them, and the verdicts of a reader."""
