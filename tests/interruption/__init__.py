"""Tests of the interruption core: what must hold whenever a user changes their mind."""
