"""Tests of the pure values."""
