"""Fails on every call, and prints a secret on the way."""

import os


async def handle(request):
    raise RuntimeError("broken with " + os.environ["SUPABASE_SERVICE_ROLE_KEY"])
