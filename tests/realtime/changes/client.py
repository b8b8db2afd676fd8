"""The official Python client listens to changes, makes some, and prints what it was told as JSON."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

from realtime import RealtimePostgresChangesListenEvent
from supabase import acreate_client


async def main() -> None:
    visitor = await acreate_client(os.environ["URL"], os.environ["KEY"])
    service = await acreate_client(os.environ["URL"], os.environ["SECRET"])
    told: list[Any] = []
    ready, enough = asyncio.Event(), asyncio.Event()

    def take(change: Any) -> None:
        data = change["data"]
        told.append([str(data["type"].value), data.get("record"), data.get("old_record"), data["errors"]])
        if data["type"].value == "DELETE":
            enough.set()

    channel = visitor.channel("room").on_postgres_changes(
        RealtimePostgresChangesListenEvent.All, take, schema="public", table="open"
    )
    channel.on_system(lambda _: ready.set())
    await channel.subscribe()
    async with asyncio.timeout(20):
        await ready.wait()
        await service.table("open").insert({"id": 9002, "title": "x"}).execute()
        await service.table("open").delete().eq("id", 9002).execute()
        await enough.wait()
    print(json.dumps(told))
    await visitor.remove_all_channels()


if __name__ == "__main__":
    asyncio.run(main())
