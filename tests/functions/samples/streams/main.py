"""Server-sent events, one every 50 ms; `?count=` of them."""

import asyncio


async def events(count):
    for number in range(count):
        yield f"data: {number}\n\n"
        await asyncio.sleep(0.05)


async def handle(request):
    count = int(request.query_params.get("count", "3"))
    return events(count), 200, {"content-type": "text/event-stream", "cache-control": "no-cache"}
