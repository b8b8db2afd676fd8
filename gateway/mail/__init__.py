"""Mails: one message made and delivered, and the trap that keeps them while one develops."""
