"""How much one client may ask: token buckets by address, by API key and by route, shared by all workers.

A bucket is one number in memory that the supervisor made before it forked the workers: the time at which it will be
full again (the generic cell rate algorithm). Taking a token is a read, a comparison and a write, without a lock: two
workers that write at the same instant cost one token less, which a limit of this kind can bear. Subjects share a bucket
where their digests meet, one in a million. What must survive a restart or count exactly (sign-in, mails) has its own
limits in Postgres, gateway/auth/store/limits.py.
"""

from __future__ import annotations

import math
import mmap
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from gateway.errors import TOO_MANY, URL_TOO_LONG, ApiError
from gateway.http.client_address import client_address, limit_subject, parse_networks
from gateway.http.messages import Request
from gateway.middleware.cors import RETRY_EXPOSED
from gateway.settings import Settings

BUCKETS: Final = 1 << 20
BURST: Final = 10.0  # seconds' worth that may come at once
REMEMBERED: Final = 10_000  # addresses whose subject is remembered
LONGEST: Final = 200  # bytes of a forwarded header that is remembered: a client writes the beginning of it


class Buckets:
    """Shared memory for the buckets of all workers."""

    def __init__(self, count: int = BUCKETS) -> None:
        self._full_at = memoryview(mmap.mmap(-1, count * 8)).cast("d")
        self._count = count

    def take(self, subject: tuple[str, str], rate: float, now: float) -> float:
        """Take one of `rate` tokens a second; 0, or the seconds until there is one."""
        place = hash(subject) % self._count  # forks share the seed, strangers do not know it
        full_at = max(self._full_at[place], now)
        wait = full_at - now - max(BURST - 1 / rate, 0.0)
        if wait > 0:
            return wait
        self._full_at[place] = full_at + 1 / rate
        return 0.0


@dataclass(frozen=True, slots=True)
class _Rates:
    by_address: Mapping[str, float]
    by_key: float
    by_route: Mapping[str, float]


class Limits:
    """Says how long a request has to wait; one in each worker."""

    def __init__(
        self, settings: Settings, buckets: Buckets | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Raises ValueError for a rate that is none."""
        self.max_url_bytes = settings.max_url_bytes
        self._buckets = buckets or Buckets()
        self._clock = clock
        self._proxies = parse_networks(settings.trusted_proxies)
        self._subjects: dict[tuple[str | None, bytes | None], str] = {}
        self._rates = _Rates(
            {
                "tables": settings.rate_limit_tables,
                "auth": settings.rate_limit_auth,
                "functions": settings.rate_limit_functions,
                "storage": settings.rate_limit_storage,
                "realtime": settings.rate_limit_realtime,
            },
            settings.rate_limit_key,
            {route: _rate(route, text) for route, text in settings.rate_limit_routes.items()},
        )

    def check(self, service: str, prefix: str, request: Request) -> None:
        """Refuse a client that asks too much or too long. Raises ApiError TOO_MANY, URL_TOO_LONG."""
        wait = self.wait(service, prefix + request.path, request)
        if wait > 0:
            seconds = math.ceil(wait)
            raise ApiError(TOO_MANY, seconds=seconds, headers=((b"retry-after", b"%d" % seconds), RETRY_EXPOSED))
        if len(request.path) + len(request.query) > self.max_url_bytes:
            raise ApiError(URL_TOO_LONG, limit=self.max_url_bytes)

    def wait(self, service: str, route: str, request: Request) -> float:
        """Seconds until this request may be made; 0 is now. `route` is a path without its query."""
        address = self._subject(request.client, request.header(b"x-forwarded-for") if self._proxies else None)
        if not address:
            return 0.0
        rates, now, take = self._rates, self._clock(), self._buckets.take
        if rates.by_route:
            rate = rates.by_route.get(route)
            if rate is not None and (wait := take((route, address), rate, now)):
                return wait
        if (rate := rates.by_address[service]) > 0 and (wait := take((service, address), rate, now)):
            return wait
        if rates.by_key > 0 and (key := request.header(b"apikey")) is not None:
            return take(("key", key.decode("latin-1")), rates.by_key, now)
        return 0.0

    def take(self, subject: tuple[str, str], rate: float) -> float:
        """Count what has a limit of its own, of `rate` a second; 0, or the seconds until it may be."""
        return self._buckets.take(subject, rate, self._clock())

    def source(self, request: Request) -> str:
        """Whom a request is counted under, this machine's own programs included; empty where that is unknown."""
        forwarded = request.header(b"x-forwarded-for") if self._proxies else None
        return self._subject(request.client, forwarded) or request.client or ""

    def _subject(self, peer: str | None, forwarded: bytes | None) -> str:
        """What the client is counted under; empty for this machine's own programs, which are not limited."""
        if forwarded is not None and len(forwarded) > LONGEST:
            return self._read_subject(peer, forwarded)
        known = self._subjects.get((peer, forwarded))
        if known is None:
            known = self._read_subject(peer, forwarded)
            if len(self._subjects) >= REMEMBERED:
                self._subjects.clear()
            self._subjects[(peer, forwarded)] = known
        return known

    def _read_subject(self, peer: str | None, forwarded: bytes | None) -> str:
        said = forwarded.decode("latin-1") if forwarded is not None else None
        address = client_address(peer, said, self._proxies)
        is_local = address is None or address == "::1" or address.startswith("127.")
        return "" if is_local or address is None else limit_subject(address)


def _rate(route: str, text: str) -> float:
    """Requests a second of `30/m`, `2/s` or a plain number.

    >>> _rate("/x", "30/m"), _rate("/x", "2")
    (0.5, 2.0)
    """
    count, _, unit = text.partition("/")
    seconds = {"": 1, "s": 1, "m": 60, "h": 3600}.get(unit.strip())
    try:
        rate = float(count) / (seconds or 0)
    except (ValueError, ZeroDivisionError):
        rate = 0.0
    if rate <= 0:
        raise ValueError(f"GATEWAY_RATE_LIMIT_ROUTES: {text!r} of {route} is no rate such as 30/m")
    return rate
