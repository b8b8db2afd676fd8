"""Recording and replaying, without a server."""
