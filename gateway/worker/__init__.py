"""What a worker is made of, for gateway/app.py to put together: its databases, its services, and its reports."""
