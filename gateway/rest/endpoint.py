"""The tables API: parse → plan → sql → run → render.

`RestService.handle` is the whole service. A request whose shape was seen before skips planning and SQL building: its
values are bound to the statement of its plan. A request that came before byte for byte skips that too, and runs at
once; its key and token are checked before, and what it reads is never kept.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from gateway import POSTGREST
from gateway.catalog.model import Name, Routine, SchemaCache, Table, Volatility
from gateway.database import (
    ConnectionLost,
    Database,
    DatabaseError,
    DatabaseUnavailable,
    PoolTimeout,
    ReadOnlyDatabase,
    Result,
    Unresponsive,
)
from gateway.database.statement import Statement, quote_name
from gateway.errors import ApiError
from gateway.http.messages import Request, Response
from gateway.identity.authenticator import AnonymousRefused, Identity
from gateway.identity.tokens import Fault, TokenError
from gateway.lru_cache import Caches, LruCache, size_of
from gateway.middleware.metrics import Shortages
from gateway.rest import errors, limits
from gateway.rest.body.htmlguard import guarded_columns
from gateway.rest.body.reader import BodyReader
from gateway.rest.grant_hint import NOT_ALLOWED, add_hint
from gateway.rest.grants import check_grants
from gateway.rest.parse.plan_key import PlanKey, Wishes
from gateway.rest.parse.query_shape import Parameter, ParameterKey, query_of
from gateway.rest.parse.request import ApiRequest, WishKey, parse_headers, parse_request
from gateway.rest.planner.call import choose_routine
from gateway.rest.planner.lookups import Lookup
from gateway.rest.planner.prepare import DEPRECATED, Prepared, prepare
from gateway.rest.planner.read import find_table
from gateway.rest.reader import Reader
from gateway.rest.render import render, render_document, render_info
from gateway.rest.replica import Replica
from gateway.rest.transaction import Ready, Scopes, ends_in_rollback, run
from gateway.rest.types import Action, Payload, Resource
from gateway.settings import Settings

log = logging.getLogger("gateway.rest")

PLANS: Final = 32_000_000  # bytes of plans
_PLANNER: Final = ThreadPoolExecutor(1, "planner")  # one, so that large plans share no more than half of the processor
# Bytes of parameters without values and of logic trees by their exact text (`select=…`, `order=…`, `or=(…)`). Visitors
# that differ in all else ask for the same columns: docs/decisions/0016-three-memories.md has what reading anew costs.
PARAMETERS: Final = 4_000_000
WISHES: Final = 1_000_000  # bytes of what `Accept`, `Prefer` and `Content-Type` say, by their texts
LOOKUPS: Final = 500  # columns noted as looked up by
_SERVER: Final = (b"server", f"postgrest/{POSTGREST}".encode())
_CLAIM_FAULTS: Final = frozenset(
    {
        Fault.CLAIMS,
        Fault.EXP_NUMBER,
        Fault.NBF_NUMBER,
        Fault.IAT_NUMBER,
        Fault.AUD_TEXT,
        Fault.EXPIRED,
        Fault.NOT_YET,
        Fault.FUTURE,
        Fault.AUDIENCE,
    }
)


def _plan(key: PlanKey, cache: SchemaCache, settings: Settings) -> tuple[Prepared, int]:
    """A plan, and about how many bytes it takes with its key."""
    prepared = prepare(key, cache, settings)
    return prepared, size_of(key, prepared, shared=(Table, Routine))


def key_of(asked: ApiRequest, payload: Payload | None) -> PlanKey:
    """What the plan of a request is made of."""
    form = payload.fields if payload is not None else None
    return PlanKey(
        asked.action,
        asked.schema,
        asked.name,
        asked.root_spec,
        asked.direct_call,
        asked.method == "HEAD",
        asked.parsed_query.shape,
        asked.headers.wishes,
        asked.range.limit,
        asked.range.offset > 0,
        payload.columns if payload is not None else None,
        payload.is_object if payload is not None else False,
        tuple([name for name, _ in form]) if form is not None else None,
    )


class Inspector(Protocol):
    """Makes the document of the root path: JSON text for the schema in `asked`, as its role may see it."""

    async def __call__(self, reader: Reader, request: Request, asked: ApiRequest, identity: Identity) -> bytes: ...


@dataclass(slots=True)
class _Timer:
    """Seconds spent in each stage, for Server-Timing."""

    spans: list[tuple[str, float]]
    last: float

    def end(self, stage: str) -> None:
        now = time.perf_counter()
        self.spans.append((stage, now - self.last))
        self.last = now

    def header(self) -> bytes:
        return ", ".join([f"{stage};dur={seconds * 1000:.1f}" for stage, seconds in self.spans]).encode()


@dataclass(frozen=True, slots=True)
class _Made:
    """What was made of a request that may come again: good for one state of schema and settings, and for who asked."""

    state: object
    identity: Identity
    ready: Ready


class RestService:
    """The tables API over one database. `settings` may be replaced at any time."""

    def __init__(
        self,
        settings: Settings,
        db: Database,
        cache: Callable[[], SchemaCache | None],
        inspect: Inspector | None = None,
        caches: Caches | None = None,
    ) -> None:
        """`cache` gives the current schema cache, None until there is one; `inspect` answers the root path."""
        self.db = db
        self.source: Callable[[Request], str] = lambda _: ""  # who is counted as holding connections
        self._cache = cache
        self.replica: Replica | None = None  # answers what only reads, where there is one
        self._inspect = inspect
        self._caches = caches or Caches(settings.caches)
        self._parameters: LruCache[ParameterKey, Parameter] = self._caches.make("parameters", PARAMETERS)
        self._wishes: LruCache[WishKey, Wishes] = self._caches.make("wishes", WISHES)
        self._plans: LruCache[PlanKey, Prepared] = self._caches.make("plans", PLANS)
        self._seen: SchemaCache | None = None
        self._state = object()  # of schema and settings: another one whenever either is
        self._tx_allowed = True
        self._scopes: Scopes | None = None
        self._guarded: dict[Name, frozenset[str]] = {}
        self._settings = settings
        self.shortages = Shortages()
        self.plans_built = 0
        self.plans_reused = 0
        self.lookups: set[Lookup] = set()
        self.bodies = BodyReader()

    @property
    def settings(self) -> Settings:
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._settings = settings
        self._forget(None)

    def _forget(self, cache: SchemaCache | None) -> None:
        """Drop what was derived from an older cache or older settings."""
        self._seen = cache
        self._state = object()
        self._caches.invalidate()
        self._tx_allowed = self._settings.db_tx_end.endswith("allow-override")
        self._scopes = Scopes(self._settings, cache) if cache is not None else None
        self._guarded = guarded_columns(cache) if cache is not None else {}

    # --- the line --------------------------------------------------------------------------------------------------

    async def _answer(self, request: Request, identity: Identity, timer: _Timer | None) -> Response:
        cache = self.current_cache()
        ready = self._made_before(request, identity) if request.cached is not None else None
        plan_key: PlanKey | None = None
        size = 0
        if ready is None:
            headers = parse_headers(request.headers, self._tx_allowed, self._wishes)
            asked = parse_request(request, headers, self._settings, self._parameters)
            reads = asked.action is Action.READ
            payload = None if reads else await self._payload(request, asked, identity, cache)
            if timer:
                timer.end("parse")
            if asked.action is Action.INFO:
                supported = self._supported(asked, cache)
                if timer:
                    timer.end("plan")
                response = render_info(asked, *supported)
                if timer:
                    timer.end("response")
                return response
            if asked.action is Action.INSPECT:
                if timer:
                    timer.end("plan")
                document = await self._document(request, asked, identity)
                if timer:
                    timer.end("transaction")
                response = render_document(asked, document)
                if timer:
                    timer.end("response")
                return response
            plan_key = key_of(asked, payload)
            prepared = self._plans.get(plan_key)
            if prepared is None:
                prepared, size = await self._plan(plan_key, cache)
            else:
                self.plans_reused += 1
            ready = self._make_ready(request, asked, payload, prepared, identity, cache)
        else:
            self.plans_reused += 1
            if timer:
                timer.end("parse")
        if timer:
            timer.end("plan")
        replica = self.replica
        # Who has a secret key is the site itself, whose functions all ask from one address.
        source = "" if identity.role == "service_role" else self.source(request)
        logged = self._settings.access_log
        began = time.perf_counter() if logged else 0.0
        if logged:
            request.statement = (ready.prepared.main.text, None)
        if replica is None:
            results = await run(self.db, ready, source)
        else:
            results = await replica.run(ready, request, identity, source)
        if timer:
            timer.end("transaction")
        if logged:
            request.statement = (ready.prepared.main.text, time.perf_counter() - began)
        # Only now, as what Postgres refused may be anybody's invention; and only what the current schema made.
        if plan_key is not None and cache is self._seen:
            if size:
                self._remember(plan_key, ready.prepared, size, request.method)
            if request.cached is not None and ready.prepared.read_only and not request.body:
                size = 3_000 + 8 * (request.size + ready.asked.headers.size) + len(ready.prepared.main.text)
                request.cached.keep(_Made(self._state, identity, ready), size)
        response = render(ready.asked, ready.prepared, results, self._settings.db_max_rows, self._verbose)
        if timer:
            timer.end("response")
        return response

    async def handle(self, request: Request, identity: Identity, token_seconds: float = 0.0) -> Response:
        """Answer a request; never raises for what a client or the database does wrong.

        `token_seconds` is the time that the token took, for Server-Timing.
        """
        timing = self._settings.server_timing_enabled
        timer = _Timer([("jwt", token_seconds)], time.perf_counter()) if timing else None
        try:
            response = await self._answer(request, identity, timer)
        except ApiError as error:
            response = errors.render_error(error, self._verbose)
        except DatabaseError as error:
            self.shortages.note(error.sqlstate)
            if error.sqlstate == NOT_ALLOWED and self._verbose and self._seen is not None:
                await add_hint(self, request, self._settings, identity, self._seen, error)
            response = errors.render_database_error(error, identity.role == self._settings.db_anon_role, self._verbose)
        except (PoolTimeout, DatabaseUnavailable) as error:
            response = self._unavailable(error)
        except Exception:
            log.exception("request %s failed", request.request_id)
            response = errors.render_error(ApiError(errors.INTERNAL), self._verbose)
        if timer:
            response.headers.append((b"server-timing", timer.header()))
        return _dressed(request.method, response)

    @property
    def _verbose(self) -> bool:
        return self._settings.client_error_verbosity == "verbose"

    # --- its parts -------------------------------------------------------------------------------------------------

    def current_cache(self) -> SchemaCache:
        """The schema cache; notices a new one. Raises ApiError NO_SCHEMA_CACHE until there is one."""
        cache = self._cache()
        if cache is not self._seen:
            self._forget(cache)
        if cache is None:
            raise ApiError(errors.NO_SCHEMA_CACHE, headers=((b"retry-after", b"1"),))
        return cache

    def _made_before(self, request: Request, identity: Identity) -> Ready | None:
        """What was made of the same request for the same caller, if that is still what would be made of it."""
        made = request.cached.made if request.cached is not None else None
        if isinstance(made, _Made) and made.state is self._state and made.identity == identity:
            return made.ready
        return None

    async def _payload(
        self, request: Request, asked: ApiRequest, identity: Identity, cache: SchemaCache
    ) -> Payload | None:
        """The body, if the action has one."""
        action = asked.action
        posted = action is Action.CALL and asked.method == "POST"
        if not posted and action not in (Action.CREATE, Action.UPDATE, Action.UPSERT):
            return None
        payload = await self.bodies.read(
            request.body,
            asked.headers.content,
            None if action is Action.UPSERT else asked.parsed_query.columns,
            frozenset() if posted else self._guarded.get(Name(asked.schema, asked.name), frozenset()),
            routine=posted,
            allow=partial(check_grants, self, request, asked, identity, cache),
        )
        if payload.fields is not None and len(payload.fields) > limits.NAMES:
            raise ApiError(errors.BODY, message=f"A form may have {limits.NAMES} fields at most")
        if request.hold is not None and payload.raw is not request.body:
            request.hold.grow(len(payload.raw))
        return payload

    async def _plan(self, key: PlanKey, cache: SchemaCache) -> tuple[Prepared, int]:
        """The plan and SQL of a key, made; its size where it is worth remembering."""
        terms = key.terms
        self.plans_built += 1
        if terms <= limits.SMALL_PLAN:
            prepared, size = _plan(key, cache, self._settings)
        else:
            loop = asyncio.get_running_loop()
            prepared, size = await loop.run_in_executor(_PLANNER, _plan, key, cache, self._settings)
        if len(self.lookups) < LOOKUPS:
            self.lookups |= prepared.lookups
        return prepared, size if terms <= limits.LARGE_PLAN else 0

    def _remember(self, key: PlanKey, prepared: Prepared, size: int, method: str) -> None:
        self._plans.put(key, prepared, size)
        if prepared.renamed is not None:  # once a plan: a client must not fill the log with what it asks
            log.warning("%s %s in `%s %s`", DEPRECATED, prepared.renamed, method, prepared.location.decode())

    def _make_ready(
        self,
        request: Request,
        asked: ApiRequest,
        payload: Payload | None,
        prepared: Prepared,
        identity: Identity,
        cache: SchemaCache,
    ) -> Ready:
        """Bind the request's values. Raises DatabaseError for one that Postgres cannot hold."""
        body = payload.raw if payload is not None else None
        values = [body, str(asked.range.offset), *asked.parsed_query.literals]
        if payload is not None and payload.fields is not None:
            values += [value for _, value in payload.fields]
        first = self.pre_request() if self._settings.db_pre_request else ()
        statements = (*first, prepared.main.fill(values))
        if prepared.explain is not None:
            statements += (prepared.explain.fill(values),)
        routine = prepared.routine
        assert self._scopes is not None
        scope = self._scopes.scope(
            request,
            asked,
            identity,
            read_only=prepared.read_only,
            function_settings=prepared.settings,
            code_free=prepared.code_free or identity.role in prepared.code_free_for,
        )
        own = cache.roles.get(identity.role)
        return Ready(
            asked,
            prepared,
            scope,
            statements,
            main=len(first),
            isolation=(routine.isolation if routine is not None else None) or (own.isolation if own else None),
            rollback=ends_in_rollback(asked, self._settings),
        )

    def pre_request(self) -> tuple[Statement, ...]:
        """The configured function that runs before each request."""
        name = self._settings.db_pre_request
        if not name:
            return ()
        return (Statement(f"select {'.'.join(quote_name(part) for part in name.split('.'))}()"),)

    def _supported(self, asked: ApiRequest, cache: SchemaCache) -> tuple[Table | None, Volatility | None]:
        """What OPTIONS asks about: the table, or the volatility of the function."""
        if asked.resource is Resource.RELATION:
            return find_table(cache, Name(asked.schema, asked.name)), None
        if asked.resource is Resource.ROUTINE:
            query = query_of(asked.parsed_query.shape)
            names = [name for name, _ in query.arguments]
            routine = choose_routine(cache, Name(asked.schema, asked.name), names, asked.headers.content, False)
            return None, routine.volatility
        return None, None

    async def _document(self, request: Request, asked: ApiRequest, identity: Identity) -> bytes:
        if self._inspect is None:
            raise ApiError(errors.OPENAPI_DISABLED)
        if not any(media.kind in ("openapi", "json", "any") for media in asked.headers.accepted):
            raise ApiError(errors.MEDIA_TYPE, types=", ".join(media.mime for media in asked.headers.accepted))
        return await self._inspect(self, request, asked, identity)

    async def read(
        self, request: Request, asked: ApiRequest, identity: Identity, *statements: Statement
    ) -> list[Result]:
        """Results of statements in a read-only transaction of the request's role, with its settings."""
        self.current_cache()
        assert self._scopes is not None
        scope = self._scopes.scope(request, asked, identity, read_only=True)
        first = self.pre_request()
        return (await self.db.run_all(scope, *first, *statements))[len(first) :]

    # --- refusals and finishing touches ----------------------------------------------------------------------------

    def refuse(self, request: Request, error: TokenError | ApiError | AnonymousRefused) -> Response:
        """The response to a request whose token, or want of one, was refused."""
        if isinstance(error, AnonymousRefused):
            error = ApiError(errors.ANONYMOUS)
        elif isinstance(error, TokenError):
            if error.fault is Fault.NO_KEYS:
                error = ApiError(errors.NO_JWT_SECRET)
            else:
                row = errors.JWT_CLAIMS if error.fault in _CLAIM_FAULTS else errors.JWT_DECODE
                described = f'Bearer error="invalid_token", error_description="{error.message}"'
                headers = ((b"www-authenticate", described.encode("latin-1", "replace")),)
                error = ApiError(row, message=error.message, details=error.details, headers=headers)
        return _dressed(request.method, errors.render_error(error, self._verbose))

    def _unavailable(self, error: PoolTimeout | DatabaseUnavailable) -> Response:
        if isinstance(error, PoolTimeout):
            return errors.render_error(ApiError(errors.POOL_TIMEOUT), self._verbose)
        if isinstance(error, ReadOnlyDatabase):
            retry = (b"retry-after", b"%d" % error.retry_after)
            return errors.render_error(
                ApiError(errors.MAINTENANCE, details=error.reason, headers=(retry,)), self._verbose
            )
        row = errors.CONNECTION_LOST if isinstance(error, ConnectionLost | Unresponsive) else errors.CONNECTION
        retry = (b"retry-after", b"%d" % error.retry_after)
        return errors.render_error(ApiError(row, details=error.reason, headers=(retry,)), self._verbose)


def _dressed(method: str, response: Response) -> Response:
    """Add what every response has; a HEAD has no body whatever came of it."""
    response.headers.append(_SERVER)
    if method == "HEAD":
        response.body = b""
    return response
