"""Requests of `net`, sent once they are committed: the extension pg_net as the embedded server has it.

Each is tried once, and its answer is kept for six hours. Where a request may go is decided here, because whoever may
run SQL may ask for one, functions that visitors call included: this machine's own addresses and those of its network
link (where clouds answer with keys) are refused, save the gateway itself and what GATEWAY_NET_ALLOW names. An address
is looked up once and the request goes to what was found and judged.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from gateway.database import NO_SCOPE, Database, DatabaseError, DatabaseUnavailable, Listener, PoolTimeout
from gateway.database.statement import Statement
from gateway.system.lasting import lasting

log = logging.getLogger("gateway.jobs")

CHANNEL: Final = "gateway_net"
BATCH: Final = 200
AT_ONCE: Final = 20
LOOK: Final = 5.0  # seconds between looks without being told
MOST: Final = 8_000_000  # bytes of an answer
REDIRECTS: Final = 5
LONGEST: Final = 300.0  # seconds
EVERY: Final = 300.0  # seconds between removals of old answers
# None where the extension is another's, such as the real one, whose own worker sends its requests.
IS_OURS: Final = Statement("select to_regprocedure('net._tell_gateway()') is not null")
TAKE: Final = Statement(f"""
  with found as (select ctid from net.http_request_queue order by id limit {BATCH} for update skip locked)
  delete from net.http_request_queue as queue using found where queue.ctid = found.ctid
  returning id, method, url, headers::text as headers, encode(body, 'hex') as body, timeout_milliseconds
""")
ANSWERED: Final = """
  insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
  values ($1, $2, $3, $4::jsonb, $5, $6::boolean, $7)
"""
FORGET: Final = Statement("delete from net._http_response where created < now() - interval '6 hours'")
# The gateway, as it is called within the containers of the local stack that triggers were written for.
INNER_NAMES: Final = ("kong", "host.docker.internal", "api.supabase.internal")


@dataclass(frozen=True, slots=True)
class QueuedRequest:
    """A row of the queue."""

    id: int
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    seconds: float


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came of it."""

    status: int | None = None
    content_type: str | None = None
    headers: Mapping[str, str] | None = None
    content: str | None = None
    timed_out: bool = False
    error: str | None = None


class RequestRefused(Exception):
    """A request that is not sent; the message says why."""


class HttpSender:
    """Sends what is queued. `own` is the gateway's port on this machine, `allowed` further hosts or `host:port`."""

    def __init__(self, database: Database, own: int, allowed: Iterable[str] = ()) -> None:
        self._database = database
        self._own = own
        self._allowed = frozenset(name.lower() for name in allowed)
        self._told = asyncio.Event()

    async def run(self, database_url: str) -> None:
        """Send until cancelled."""
        listener = asyncio.create_task(
            lasting(Listener(database_url, CHANNEL, lambda _: self._told.set(), self._told.set).run)
        )
        forgotten = 0.0
        try:
            while True:
                try:
                    if (await self._database.run(NO_SCOPE, IS_OURS)).value == b"t":
                        while await self.send_queued():
                            pass
                        if (now := asyncio.get_running_loop().time()) - forgotten > EVERY:
                            await self._database.run(NO_SCOPE, FORGET)
                            forgotten = now
                except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
                    log.debug("requests of net wait: %s", error)
                try:
                    async with asyncio.timeout(LOOK):
                        await self._told.wait()
                except TimeoutError:
                    pass
                self._told.clear()
        finally:
            listener.cancel()

    async def send_queued(self) -> int:
        """Send a batch; how many. Raises what the database raises."""
        rows = (await self._database.run(NO_SCOPE, TAKE)).texts()
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(request: QueuedRequest) -> None:
            async with gate:
                await self._note(request, await self.send(request))

        await asyncio.gather(*(one(_request(row)) for row in rows))
        return len(rows)

    async def send(self, request: QueuedRequest) -> HttpAnswer:
        """Send one and read its answer; never raises."""
        import httpx  # loaded with the first request

        try:
            async with asyncio.timeout(request.seconds):
                return await self._send(request)
        except TimeoutError:
            return HttpAnswer(timed_out=True, error=f"Timeout of {request.seconds * 1000:.0f} ms reached.")
        except RequestRefused as error:
            return HttpAnswer(error=str(error))
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as error:
            return HttpAnswer(error=str(error) or type(error).__name__)

    async def _send(self, request: QueuedRequest) -> HttpAnswer:
        import httpx

        method, url, body, headers = request.method, request.url, request.body, dict(request.headers)
        async with httpx.AsyncClient(timeout=None, trust_env=False) as client:
            for _ in range(REDIRECTS + 1):
                parts, address, port = await self._place(url)
                host = parts.netloc.rpartition("@")[2]
                target = httpx.URL(url).copy_with(host=address, port=port)
                async with client.stream(
                    method,
                    target,
                    headers={**headers, "Host": host},
                    content=body,
                    extensions={"sni_hostname": parts.hostname or ""},
                ) as answer:
                    if answer.has_redirect_location:
                        following = str(httpx.URL(url).join(answer.headers["location"]))
                        if urlsplit(following).netloc != parts.netloc:
                            headers = {k: v for k, v in headers.items() if k.lower() not in ("authorization", "apikey")}
                        if answer.status_code == 303 or (answer.status_code in (301, 302) and method == "POST"):
                            method, body = "GET", None
                        url = following
                        continue
                    content = b""
                    async for piece in answer.aiter_bytes():
                        content += piece
                        if len(content) > MOST:
                            raise RequestRefused(f"the answer has more than {MOST} bytes")
                    return HttpAnswer(
                        answer.status_code,
                        answer.headers.get("content-type"),
                        dict(answer.headers),
                        content.decode("utf-8", "replace").replace("\0", ""),
                    )
        raise RequestRefused("too many redirects")

    async def _place(self, url: str) -> tuple[Any, str, int]:
        """The parts of a URL and the address to ask. Raises RequestRefused, OSError, ValueError."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RequestRefused("only http and https are sent")
        name, port = parts.hostname.lower(), parts.port or (443 if parts.scheme == "https" else 80)
        if parts.scheme == "http" and (name in INNER_NAMES or name.startswith("supabase_kong_")):
            return parts, "127.0.0.1", self._own
        found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
        addresses = [str(entry[4][0]) for entry in found]
        if not self._is_allowed(name, port) and not all(is_open(address) for address in addresses):
            if port == self._own and all(ip_address(address).is_loopback for address in addresses):
                return parts, addresses[0], port  # the gateway itself
            raise RequestRefused(f"{name} is an address of this machine or its link; GATEWAY_NET_ALLOW may name it")
        return parts, addresses[0], port

    def _is_allowed(self, name: str, port: int) -> bool:
        return bool({"*", name, f"{name}:{port}"} & self._allowed)

    async def _note(self, request: QueuedRequest, answer: HttpAnswer) -> None:
        params: Sequence[str | None] = (
            str(request.id),
            None if answer.status is None else str(answer.status),
            answer.content_type,
            None if answer.headers is None else orjson.dumps(answer.headers).decode(),
            answer.content,
            "t" if answer.timed_out else "f",
            answer.error,
        )
        try:
            await self._database.run(NO_SCOPE, Statement(ANSWERED, tuple(params)))
        except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
            log.warning("the answer to request %d of net could not be stored: %s", request.id, error)


def is_open(address: str) -> bool:
    """Whether anybody may have requests sent to an address: neither this machine's own nor its link's.

    >>> [is_open(each) for each in ("93.184.215.14", "10.0.0.7", "127.0.0.1", "169.254.169.254", "::ffff:127.0.0.1")]
    [True, True, False, False, False]
    """
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return not (found.is_loopback or found.is_link_local or found.is_unspecified or found.is_multicast)


def _request(row: dict[str, str | None]) -> QueuedRequest:
    try:
        headers = {str(k): str(v) for k, v in orjson.loads(row["headers"] or "{}").items()}
    except (ValueError, AttributeError):
        headers = {}
    return QueuedRequest(
        int(row["id"] or 0),
        (row["method"] or "GET").upper(),
        row["url"] or "",
        headers,
        None if row["body"] is None else bytes.fromhex(row["body"]),
        min(LONGEST, max(0.001, int(row["timeout_milliseconds"] or 5000) / 1000)),
    )
