async def handle(request:
    return "never"
