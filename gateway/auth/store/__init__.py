"""Queries by subject; nothing else in auth writes SQL of users and sessions."""
