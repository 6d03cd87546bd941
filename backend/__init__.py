"""Detour: a travel assistant backend whose users may change their mind at any moment."""
