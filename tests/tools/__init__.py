"""Tests of the tools by themselves, without a ledger."""
