"""Measures Detour against the bare graph and against a thin server without guarantees; see README.md."""
