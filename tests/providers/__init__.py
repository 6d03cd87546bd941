"""Tests of the seams to whoever sells flights and hotels."""
