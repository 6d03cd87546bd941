"""What agents may use, and the ledger that every use is on."""
