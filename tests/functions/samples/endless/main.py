"""Never yields and never ends."""


async def handle(request):
    while True:
        pass
