"""Passwords, tokens and codes: made, hashed, compared; no I/O."""
