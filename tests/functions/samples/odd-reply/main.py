"""Returns something that is no reply."""


async def handle(request):
    return object()
