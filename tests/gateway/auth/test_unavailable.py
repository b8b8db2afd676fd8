"""A database that is away is 503 with the time to come back by every route of auth, and nothing has to be restarted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, NoReturn

import pytest

from gateway.database import ConnectionLost, Database, DatabaseUnavailable, PoolTimeout, ReadOnlyDatabase, Unresponsive
from tests.gateway.auth.service import PASSWORD, serving

AWAY: list[tuple[Exception, int, str | None]] = [
    (DatabaseUnavailable("no server", 8), 503, "8"),
    (ConnectionLost("it broke", 4), 503, "4"),
    (Unresponsive("it is silent", 2), 503, "2"),
    (ReadOnlyDatabase("a restore", 30), 503, "30"),
    (PoolTimeout(), 504, None),
]


def test_promise_13_every_route_of_auth_is_told_when_to_come_back(database_url: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(database_url, tmp_path) as auth:
            user = await auth.create()
            session = await auth.sign_in()

            async def each() -> list[Any]:
                token, by = session["access_token"], f"/admin/users/{user['id']}"
                return [
                    await auth.password(),
                    await auth.refresh(session["refresh_token"]),
                    await auth.call("GET", "/user", token=token),
                    await auth.call("PUT", "/user", {"data": {"a": 1}}, token=token),
                    await auth.call("POST", "/verify", {"type": "recovery", "token_hash": "x"}),
                    await auth.admin("GET", "/admin/users"),
                    await auth.admin("GET", by),
                    await auth.admin("PUT", by, {"user_metadata": {}}),
                    await auth.admin("POST", "/admin/users", {"email": "new@example.com", "password": PASSWORD}),
                ]

            for failure, status, retry in AWAY:
                with pytest.MonkeyPatch.context() as patch:

                    def fail(*_: object, failure: Exception = failure, **__: object) -> NoReturn:
                        raise failure

                    for name in ("run", "run_all", "transaction"):
                        patch.setattr(Database, name, fail)
                    told = [(answer.status, answer.headers.get("retry-after")) for answer in await each()]
                assert told == [(status, retry)] * len(told)
            healed = [answer.status for answer in await each()]
            assert not {status for status in healed if status >= 500}, healed

    asyncio.run(main())
