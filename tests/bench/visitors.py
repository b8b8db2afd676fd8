"""What each cache saves at visitors that differ: processor time of a request, all but Postgres, with and without it.

Visitors send what a browser's client does: user agents, tokens and values are drawn from thousands, so that no two of
them are the same byte for byte; what they ask for is one of a few pages. All ways are asked in turn, and a figure is
the mean of the quickest quarter of many short rounds, so that it holds on a machine that has other things to do.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import jwt

from gateway.catalog.model import Column, Name, SchemaCache, Table
from gateway.database import Result
from gateway.http.messages import HeaderList, Request
from gateway.identity.authenticator import Authenticator
from gateway.identity.keyring import KeyRing
from gateway.lru_cache import Caches
from gateway.rest.endpoint import RestService
from gateway.settings import Settings

VISITORS = 4_000
REQUESTS = 200  # a round of each way
ROUNDS = 80
WARM = 10  # rounds that are not counted
SECRET = "a secret of the benchmark, which signs nothing else"

_COLUMNS = {
    "id": "bigint", "title": "text", "slug": "text", "excerpt": "text", "featured_image_url": "text",
    "author_name": "text", "published_at": "timestamptz", "tags": "text[]", "reading_time_minutes": "integer",
    "published": "boolean",
}  # fmt: skip
_LIST = (
    "select=id,title,slug,excerpt,featured_image_url,author_name,published_at,tags,reading_time_minutes"
    "&published=eq.true&order=published_at.desc&offset=0&limit=10"
)
PAGES: Sequence[tuple[str, Callable[[int], str], bytes]] = (
    ("list, exact count", lambda _: _LIST, b"count=exact"),
    ("single article", lambda n: f"select=*&slug=eq.post-{n}&published=eq.true", b""),
    ("search", lambda n: f"{_LIST}&or=(title.ilike.*w{n}*,excerpt.ilike.*w{n}*)&tags=cs.%7BTopic {n % 9}%7D", b""),
)


class _Pretended:
    """A database that answers at once."""

    async def run_all(self, _: object, *statements: object, **__: object) -> list[Result]:
        return [Result(("c",) * 5, [(b"3", b"3", b"[{},{},{}]", b"", b"")], "SELECT 1") for _ in statements]


@dataclass
class Way:
    """The tables API of a worker, without the cache that it is named by."""

    title: str
    service: RestService
    authenticator: Authenticator

    async def ask(self, request: Request) -> int:
        identity = self.authenticator.identify(request)
        return (await self.service.handle(request, identity)).status


def _way(title: str, without: Sequence[str]) -> Way:
    settings = Settings(rest_prefix="", jwt_secret=SECRET, publishable_key="sb_publishable_x", secret_key="sb_secret_x")
    table = Table(Name("public", "blog_posts"), {k: Column(k, v, v) for k, v in _COLUMNS.items()}, ("id",))
    caches = Caches(True)
    cache = SchemaCache(tables={table.name: table})
    authenticator = Authenticator(settings, KeyRing.load(settings), caches=caches)
    service = RestService(settings, _Pretended(), lambda: cache, caches=caches)  # type: ignore[arg-type]
    service.current_cache()
    for name in without:
        caches._caches[name]._most_bytes = 0
    return Way(title, service, authenticator)


def _visitors() -> list[tuple[bytes, bytes]]:
    """User agents and tokens."""
    found = []
    for number in range(VISITORS):
        claims = {"role": "authenticated", "sub": f"{number:032x}", "exp": int(time.time()) + 3600,
                  "session_id": f"{number:032x}", "email": f"visitor-{number}@example.org"}  # fmt: skip
        agent = f"Mozilla/5.0 (X11; Linux x86_64; rv:{number}.0) Gecko/20100101 Firefox/{number}.0"
        found.append((agent.encode(), jwt.encode(claims, SECRET, "HS256").encode()))
    return found


def _headers(visitor: tuple[bytes, bytes], prefer: bytes) -> HeaderList:
    agent, token = visitor
    return [
        (b"host", b"api.example.org"), (b"user-agent", agent), (b"accept", b"*/*"), (b"accept-language", b"en"),
        (b"accept-encoding", b"gzip, deflate, br"), (b"apikey", b"sb_publishable_x"),
        (b"authorization", b"Bearer " + token), (b"x-client-info", b"supabase-js-web/2.58.0"),
        (b"origin", b"https://www.example.org"), *([(b"prefer", prefer)] if prefer else []),
    ]  # fmt: skip


async def _measure() -> None:
    names = list(_way("", ()).service._caches.stats())
    ways = [_way("all caches", ()), *(_way(f"without {name}", (name,)) for name in names), _way("none", names)]
    visitors = _visitors()
    chance = random.Random(7)
    for page, query, prefer in PAGES:
        samples: list[list[float]] = [[] for _ in ways]
        for number in range(WARM + ROUNDS):
            drawn = [(chance.choice(visitors), query(chance.randrange(VISITORS))) for _ in range(REQUESTS)]
            for way, sample in zip(ways, samples, strict=True):
                asked = [Request("GET", "/blog_posts", text, _headers(who, prefer)) for who, text in drawn]
                began = time.process_time()
                for request in asked:
                    status = await way.ask(request)
                spent = (time.process_time() - began) / REQUESTS * 1e6
                assert status in (200, 206), status
                if number >= WARM:
                    sample.append(spent)
        print(f"  {page}")
        first = samples[0]
        for way, sample in zip(ways, samples, strict=True):
            print(f"    {way.title:<24} {_quick(sample):6.1f} µs   {_quick(sample) - _quick(first):+6.1f}")


def _quick(sample: list[float]) -> float:
    return statistics.mean(sorted(sample)[: ROUNDS // 4])


def main() -> None:
    """Print the figures of each cache."""
    print(f"visitors: {VISITORS} that differ, {REQUESTS} requests, the quickest quarter of {ROUNDS} interleaved rounds")
    asyncio.run(_measure())
