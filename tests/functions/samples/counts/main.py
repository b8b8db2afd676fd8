"""Keeps a count in a module global."""

calls = 0


async def handle(request):
    global calls
    calls += 1
    return {"calls": calls}
