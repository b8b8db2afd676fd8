"""Calls sys.exit in the middle of a request."""

import sys


async def handle(request):
    sys.exit(3)
