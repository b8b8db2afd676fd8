"""Slow requests of one address hold up nobody else's, whatever proxy they come through."""

from __future__ import annotations

import threading

import httpx

from gateway.database import SyncConnection
from tests.fixtures.server import GatewayStarter, LiveGateway
from tests.ops.procs import NAPS, until

FLOOD = 24


def ask(gateway: LiveGateway, address: str, path: str, key: str = "", **arguments: float) -> httpx.Response:
    headers = {"apikey": key or gateway.publishable_key, "x-forwarded-for": address}
    url = f"{gateway.url}/rest/v1/{path}"
    if arguments:
        return httpx.post(url, headers=headers, json=arguments, timeout=60)
    return httpx.get(url, headers=headers, timeout=60)


def test_a_flood_of_slow_requests_leaves_the_pool_to_other_addresses(
    gateways: GatewayStarter, connection: SyncConnection
) -> None:
    connection.script(NAPS)
    database = connection.rows("select quote_ident(current_database())")[0][0]
    connection.script(f"alter role anon in database {database} set statement_timeout = '60s'")
    gateway = gateways(extra={"GATEWAY_TRUSTED_PROXIES": "127.0.0.1"})
    until(lambda: ask(gateway, "203.0.113.1", "rpc/nap", seconds=0).status_code == 200, "the function is known")
    for _ in range(5):
        assert ask(gateway, "203.0.113.1", "blog_posts?select=id").status_code == 200
    answers: list[int] = []

    def nap() -> None:
        answers.append(ask(gateway, "203.0.113.9", "rpc/nap", seconds=15).status_code)

    threads = [threading.Thread(target=nap) for _ in range(FLOOD)]
    for thread in threads:
        thread.start()
    held = (
        "select count(*) from pg_stat_activity"
        " where state = 'active' and query like '%nap%' and pid <> pg_backend_pid()"
    )
    until(lambda: int(connection.rows(held)[0][0] or 0) >= 5, "the flood has its share")
    for number in range(10):
        # One that nobody asked before, one that everybody does, one of the flood's own address, one of the site itself.
        assert ask(gateway, "203.0.113.2", f"blog_posts?select=id&limit={number}&title=eq.{number}").status_code == 200
        assert ask(gateway, "198.51.100.7", "blog_posts?select=id").status_code == 200
        assert ask(gateway, "203.0.113.9", "blog_posts?select=id").status_code == 200
        assert ask(gateway, "203.0.113.9", "rpc/nap", gateway.secret_key, seconds=0).status_code == 200
    assert connection.rows(held) == [("5",)]
    assert not answers  # had anything waited for the flood, some of it would be over
    for thread in threads:
        thread.join()
    assert set(answers) <= {200, 504} and answers.count(200) >= 5
