"""Interrupts everyday agents from outside: against scripted providers, and against a small real model."""
