"""The travel assistant; the server runs without this package."""
