"""Answers with what it was sent."""

import json
import os


async def handle(request):
    body = await request.body()
    return {
        "method": request.method,
        "path": request.scope["raw_path"].decode(),
        "query": str(request.url.query),
        "headers": dict(request.headers),
        "text": body.decode("utf-8", "replace"),
        "size": len(body),
        "env": dict(os.environ),
        "pid": os.getpid(),
    }
