"""Which words of a message name places, and what each place is to the journey."""
