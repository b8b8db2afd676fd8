"""Answers with its environment, and asks for the secret keys."""

import os


async def handle(request):
    return dict(os.environ)
