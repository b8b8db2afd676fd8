"""Takes memory until there is none."""


async def handle(request):
    hoard = []
    while True:
        hoard.append(bytearray(8_000_000))
