"""The routes of the auth API, and the handlers that only read or change rows."""
