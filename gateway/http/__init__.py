"""Requests and responses as the services see them, and small parsers of what comes in."""
