"""The HTTP face: tables, auth and functions paths on one port, on real Postgres."""

__version__ = "0.6.0"
