"""Echoes a WebSocket's messages; closes with 4000 on `bye`."""


async def handle(request):
    return "open a WebSocket"


async def websocket(ws):
    await ws.accept(subprotocol=(ws.scope["subprotocols"] or [None])[0])
    while True:
        message = await ws.receive()
        if message["type"] == "websocket.disconnect":
            return
        if message.get("text") == "bye":
            await ws.close(4000, "as asked")
            return
        if message.get("bytes") is not None:
            await ws.send_bytes(message["bytes"])
        else:
            await ws.send_text(f"{ws.url.path}: {message['text']}")
