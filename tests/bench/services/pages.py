"""A rendered page beside its bytes as a file of the site, and files of the site beside a bare hello of their bytes."""

from __future__ import annotations

from typing import Final

import httpx

from tests.bench.compare import floor
from tests.bench.crowd import crowd
from tests.bench.load import Call
from tests.bench.servers import Measured
from tests.bench.services.sides import Side, asked, browsing, compared
from tests.bench.tables import Served

PAGE: Final = "/insights"
SAME: Final = "bench-page.html"


def main(at: Measured, served: Served) -> None:
    """Print the figures."""
    assert at.server.pid is not None
    (gateway, keys), postgres = served, at.server.pid
    visitors = [browsing(visitor) for visitor in crowd(keys, "anon")]

    def of(url: str, pid: int, path: str) -> Side:
        return asked(url, [Call.of(url + path, headers=sent) for sent in visitors], pid, postgres)

    def fetched(path: str) -> bytes:
        """What is on the wire for a browser."""
        with httpx.stream("GET", gateway.url + path, headers=visitors[0], timeout=60) as answer:
            assert answer.status_code == 200, path
            return b"".join(answer.iter_raw())

    site = at.folder / "site"
    page = httpx.get(gateway.url + PAGE, timeout=60)
    assert page.status_code == 200 and len(page.content) > 1_000, page.text[:200]
    (site / SAME).write_bytes(page.content)
    routes = site / "routes.json"  # by which a newer build is known
    routes.write_text(routes.read_text())
    assert httpx.get(f"{gateway.url}/{SAME}").content == page.content
    mine = (gateway.url, gateway.process.pid)
    compared("a rendered page of Insights", of(*mine, PAGE), of(*mine, f"/{SAME}"))
    asset = max((site / "assets").glob("*.js"), key=lambda path: path.stat().st_size)
    for title, path in (("a page as it was built", "/"), ("a script of the site", f"/assets/{asset.name}")):
        with floor(fetched(path)) as hello:
            compared(title, of(*mine, path), of(*hello, "/"))
