"""Reads where it may not."""

import ctypes


async def handle(request):
    ctypes.string_at(0)
