"""Ends its process without a word."""

import os


async def handle(request):
    os._exit(7)
