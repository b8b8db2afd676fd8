"""Returns nothing."""


async def handle(request):
    return None
