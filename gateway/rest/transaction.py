"""The transaction around a request: its settings, its access mode and how it ends (contract sections 2 and 15)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

import orjson

from gateway.catalog.model import SchemaCache
from gateway.database import ConnectionLost, Database, DatabaseError, Encoded, Result, Scope, encode
from gateway.database.statement import Statement, Value, quote_name
from gateway.http.messages import Request
from gateway.identity.authenticator import Identity
from gateway.rest.parse.request import ApiRequest
from gateway.rest.planner.prepare import Prepared
from gateway.rest.render import check_result
from gateway.settings import Settings

_IMMEDIATE: Final = Statement("set constraints all immediate")
_SHUTDOWN: Final = "57P01"
# Settings that differ from request to request.
_VARYING: Final = (
    "request.jwt.claims",
    "request.method",
    "request.path",
    "request.headers",
    "request.cookies",
)
# What ties a statement to its request: for triggers, and in `pg_stat_activity` and Postgres' log.
_ID: Final = "request.id"
_SHOWN: Final = "application_name"
_NO_COOKIES: Final = b"{}"
_NONE: Final = ((), ())
BASES: Final = 200  # roles by schema whose settings are made ready; a token may name any role


_Settings = tuple[tuple[str, ...], tuple[bytes | None, ...]]
"""Names of settings, and their values as they are sent."""


def _encoded(pairs: Iterable[tuple[str, Value]]) -> _Settings:
    pairs = tuple(pairs)
    return tuple([name for name, _ in pairs]), tuple(encode([value for _, value in pairs]))


class Scopes:
    """Builds the settings of transactions. What they have of the schema and the settings is made ready once."""

    def __init__(self, settings: Settings, cache: SchemaCache) -> None:
        self._trace_header = (settings.trace_header or "x-request-id").lower().encode()
        further = "".join([", " + quote_name(name) for name in settings.db_extra_search_path])
        self._paths = {schema: encode([quote_name(schema) + further]) for schema in settings.db_schemas}
        self._roles = {role: _encoded(own.settings) for role, own in cache.roles.items()}
        self._shown = settings.access_log
        app = [(f"app.settings.{name}", value) for name, value in settings.app_settings.items()]
        self._bases: dict[tuple[str, str], _Settings] = {}
        self._ends = {
            False: _encoded(app),
            True: _encoded([*app, ("transaction_read_only", "on")]),
        }

    def scope(
        self,
        request: Request,
        asked: ApiRequest,
        identity: Identity,
        *,
        read_only: bool,
        function_settings: tuple[tuple[str, str], ...] = (),
        code_free: bool = False,
    ) -> Scope:
        """The settings of one request's transaction, in the contract's order.

        Raises DatabaseError for a value that Postgres cannot hold.
        """
        headers = asked.headers
        cookie = headers.cookie
        base = self._bases.get((asked.schema, identity.role))
        if base is None:
            base = self._base(asked.schema, identity.role)
        last, ends = self._ends[read_only]
        own: list[Value] = [
            identity.claims,
            asked.method,
            request.path,
            headers.text,
            _NO_COOKIES if cookie is None else cookies_json(cookie),
        ]
        timezone = asked.preferences.timezone
        names = base[0]
        traced = self._is_traced(request)
        if traced or request.method not in ("GET", "HEAD"):
            names += (_ID,)
            own.append(request.request_id)
            # Postgres tells its client of each change of this one: 13 µs of the 130 that an insert takes it.
            if traced or self._shown:
                names += (_SHOWN,)
                own.append(f"gateway tables {request.request_id}")
        if timezone is not None:
            names += ("timezone",)
            own.append(zone_of(timezone))
        for name, value in function_settings:
            names += (name,)
            own.append(value)
        return Scope(identity.role, names + last, Encoded((*base[1], *encode(own), *ends)), code_free)

    def _base(self, schema: str, role: str) -> _Settings:
        """What the transactions of a role in a schema begin with: the names of all that they have, and its values."""
        names, values = self._roles.get(role, _NONE)
        base = ("search_path", *names, "role", *_VARYING), (*self._paths[schema], *values, *encode([role]))
        if len(self._bases) >= BASES:
            self._bases.clear()
        self._bases[schema, role] = base
        return base

    def _is_traced(self, request: Request) -> bool:
        """Whether its client named the request; only then the transaction of a read bears its id, for two settings more
        cost a small read a tenth."""
        named = request.header(self._trace_header)
        return named is not None and named == request.request_id.encode()


_HOURS: Final = re.compile(r"([+-]?)(0?\d|1[0-5]):([0-5]\d)", re.ASCII)


def zone_of(asked: str) -> str:
    """A preferred time zone as Postgres takes it. It reads hours and minutes as POSIX does, west of Greenwich; the
    contract means east, as everywhere else.

    >>> zone_of("05:30"), zone_of("-03:00"), zone_of("-4"), zone_of("Asia/Tokyo")
    ('<+05:30>-05:30', '<-03:00>+03:00', '-4', 'Asia/Tokyo')
    """
    found = _HOURS.fullmatch(asked)
    if found is None:
        return asked
    sign, hours, minutes = found.groups()
    ahead, behind = ("-", "+") if sign == "-" else ("+", "-")
    return f"<{ahead}{hours.zfill(2)}:{minutes}>{behind}{hours.zfill(2)}:{minutes}"


MAX_COOKIES: Final = 1000  # that are told of; a browser keeps 180 for a site


def cookies_json(header: bytes) -> bytes:
    """The Cookie header as a JSON object; the first of a name wins.

    >>> cookies_json(b'a=1; b="2"; a=3')
    b'{"a":"1","b":"2"}'
    """
    cookies: dict[str, str] = {}
    for part in header.decode("utf-8", "replace").split(";", MAX_COOKIES)[:MAX_COOKIES]:
        name, _, value = part.partition("=")
        name = name.strip()
        if name and name not in cookies:
            cookies[name] = value.strip().strip('"')
    return orjson.dumps(cookies)


def ends_in_rollback(asked: ApiRequest, settings: Settings) -> bool:
    """Whether the transaction is undone although it succeeded."""
    if asked.preferences.tx is not None:
        return asked.preferences.tx == "rollback"
    return settings.db_tx_end.startswith("rollback")


class Ready(NamedTuple):
    """A request whose statements only have to be sent. `main` is the place of its own first one among them."""

    asked: ApiRequest
    prepared: Prepared
    scope: Scope
    statements: tuple[Statement, ...]
    main: int
    isolation: str | None
    rollback: bool


async def run(db: Database, ready: Ready, source: str = "") -> list[Result]:
    """Results of the statements in one transaction. Raises ApiError for results that undo it.

    A plain request is one implicit transaction and one round trip. A write whose results must be looked at before
    the commit, another isolation level and a rollback need an explicit transaction. A read whose connection broke is
    tried once more. `source` is who asks, for the share of the pool.
    """
    prepared = ready.prepared
    looked_at = prepared.checked and not prepared.read_only
    if looked_at or ready.rollback or ready.isolation is not None:
        results = await _run_explicitly(db, ready, looked_at, source)
    else:
        try:
            results = await db.run_all(ready.scope, *ready.statements, source=source)
        except (ConnectionLost, DatabaseError) as error:
            if not prepared.read_only or (isinstance(error, DatabaseError) and error.sqlstate != _SHUTDOWN):
                raise
            results = await db.run_all(ready.scope, *ready.statements, source=source)
    if prepared.checked and prepared.read_only:
        check_result(ready.asked, prepared, results[ready.main])
    return results


async def _run_explicitly(db: Database, ready: Ready, looked_at: bool, source: str) -> list[Result]:
    begin = f"begin isolation level {ready.isolation}" if ready.isolation in _ISOLATIONS else "begin"
    async with db.transaction(ready.scope, begin, source) as transaction:
        results = await transaction.run_all(*ready.statements)
        if looked_at:
            check_result(ready.asked, ready.prepared, results[-1])
        if ready.rollback:
            transaction.rollback()
            await transaction.run(_IMMEDIATE)
    return results


_ISOLATIONS: Final = frozenset({"serializable", "repeatable read", "read committed", "read uncommitted"})
