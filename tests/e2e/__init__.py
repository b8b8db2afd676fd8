"""Journeys through the whole product in a real browser."""
