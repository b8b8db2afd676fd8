"""Answers too late, politely or not."""

import asyncio
import time


async def handle(request):
    if request.query_params.get("blocking"):
        time.sleep(60)
    await asyncio.sleep(60)
    return "late"
