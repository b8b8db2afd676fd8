"""Ways to a session and what may be changed in one: each a few requests, mails or codes that belong together."""
