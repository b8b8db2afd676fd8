"""The HTTP face: tables, auth and functions paths on one port, on real Postgres."""

__version__ = "0.10.0"
POSTGREST = "16.1"  # the version whose contract the tables API serves
