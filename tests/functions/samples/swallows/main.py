"""Reads a body of any size, piece by piece, and says how much there was; with `?size=` sends as much back."""


async def chunks(size):
    block = b"x" * 65_536
    while size > 0:
        yield block[:size]
        size -= len(block)


async def handle(request):
    size = int(request.query_params.get("size", "0"))
    if size:
        return chunks(size), 200, {"content-type": "application/octet-stream"}
    total = 0
    async for chunk in request.stream():
        total += len(chunk)
    return {"size": total}
