"""The admin API of functions: what is served, deploy, roll back, logs, replay.

It stands on the admin port, at `/_admin`, for the owner's key (see gateway/admin/routes.py). Whoever deploys runs code
on this machine, so with `FUNCTIONS_ADMIN` alone it is on the public port too, at `/functions/v1/_admin`, for secret API
keys (`apikey` header or bearer). Names of functions never begin with an underscore, so the address is free.

    GET  /_admin/functions                   [{name, version, deployed, verify_jwt, running, remote}]
    POST /_admin/functions/NAME/deploy       gzipped tar of NAME/ and shared/ → {version, changed}
    POST /_admin/functions/NAME/rollback     {version} or nothing → {version, before}
    GET  /_admin/functions/NAME/versions     [{version, at, current}], oldest first
    GET  /_admin/functions/NAME/archive      of ?version=, else of what is served: a gzipped tar
    DELETE /_admin/functions/NAME            its deployed versions; what is in the folder is served again
    GET  /_admin/logs?function=&after=&limit=    invocations and what functions printed, oldest first
    GET  /_admin/secrets                     [{function, name, digest}]
    POST /_admin/secrets?function=           {NAME: value or null}: sets, or forgets
    GET  /_admin/schedules                   [{function, schedule, paused, last, state, ...}]
    POST /_admin/schedules/NAME/ACTION       run, pause or resume
    GET  /_admin/calls?target=&state=&limit= calls that are made later, oldest first
    POST /_admin/calls/ID/retry              makes one again that was given up or missed
    POST /_admin/dismissals                  {target}: calls that were given up alarm no more
    POST /_admin/replay/ID                   runs a recorded call again → {status, headers, body, ...}
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar
from urllib.parse import parse_qs, unquote

import orjson
from functions_runner import registry
from functions_runner.bundle import pack
from functions_runner.types import FunctionConfig, FunctionError

from gateway.database import DatabaseError, DatabaseUnavailable, PoolTimeout
from gateway.errors import ApiError, ErrorRow
from gateway.functions.children import BootFailed
from gateway.functions.errors import NOT_FOUND, render
from gateway.functions.invocations import Invocation, Invocations
from gateway.functions.logs import read_lines
from gateway.functions.schedules import read_schedule
from gateway.functions.secret_store import SHARED, BadSecret, SecretStore
from gateway.functions.stored_calls import StoredCalls
from gateway.functions.upstream import Upstream
from gateway.functions.versions import ARCHIVE_LIMIT, BadArchive, Versions
from gateway.functions.workers import Worker
from gateway.http.messages import Receive, Response, Scope, raw_path, read_body
from gateway.http.routing import Routes
from gateway.middleware.owner_only import given_key, same_key

LIMIT: Final = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
MOST_ROWS: Final = 1000
CALL: Final = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)
T = TypeVar("T")

FORBIDDEN: Final = ErrorRow("FORBIDDEN", 403, "The secret key is needed here")
NO_ROUTE: Final = ErrorRow("NO_ROUTE", 404, "There is nothing here")
BAD_REQUEST: Final = ErrorRow("BAD_REQUEST", 400, "{reason}")
BAD_ARCHIVE: Final = ErrorRow("BAD_ARCHIVE", 400, "The upload is no function: {reason}")
BAD_VERSION: Final = ErrorRow("BAD_VERSION", 404, "There is no version {version} of {name}")
NOT_RECORDED: Final = ErrorRow("NOT_RECORDED", 404, "No call {id} was recorded with its body")
NO_SCHEDULE: Final = ErrorRow("NO_SCHEDULE", 404, "{name} has no schedule that the job worker has seen")
NO_CALL: Final = ErrorRow("NO_CALL", 404, "No call {id} was given up or missed")
NO_DATABASE: Final = ErrorRow("NO_DATABASE", 503, "The database cannot be asked: {reason}")
NOT_DEPLOYED: Final = ErrorRow("NOT_DEPLOYED", 404, "No version of {name} was deployed")
DEPLOY_FAILED: Final = ErrorRow("DEPLOY_FAILED", 422, "The new version does not start: {report}")


class Functions(Protocol):
    """What is administered: the service of functions."""

    versions: Versions
    invocations: Invocations
    logs: Path
    remotes: dict[str, Upstream]
    secret_store: SecretStore
    stored_calls: StoredCalls | None

    def names(self) -> tuple[str, ...]:
        """Names of the functions that are served here."""

    def config(self, name: str) -> FunctionConfig:
        """The settings of a function."""

    def worker(self, name: str) -> Worker:
        """What runs a function."""

    def secrets(self) -> list[str]:
        """Keys that may administer."""

    async def serve_version(self, name: str, version: str | None) -> str:
        """Serve a version from now on; which."""

    def find(self, name: str) -> FunctionConfig:
        """The settings of a function as they are now. Raises FunctionError."""

    def folder_version(self, name: str) -> str | None:
        """The version in the functions folder. Raises FunctionError."""

    async def delete(self, name: str) -> None:
        """Serve a function no more."""

    async def replay(self, invocation: Invocation) -> Response:
        """Make a recorded call again."""


@dataclass(frozen=True, slots=True)
class _Call:
    """What a handler gets of a request."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes


_Handler = Callable[[_Call], Awaitable[Any]]


class FunctionsAdmin:
    """Answers the admin API of one service."""

    def __init__(self, service: Functions) -> None:
        self._service = service
        self._lock = asyncio.Lock()
        self._routes: Routes[dict[str, _Handler]] = Routes(
            {
                "/functions": {"GET": self._list},
                "/functions/{name:segment}/deploy": {"POST": self._deploy},
                "/functions/{name:segment}/rollback": {"POST": self._rollback},
                "/functions/{name:segment}/versions": {"GET": self._versions},
                "/functions/{name:segment}/archive": {"GET": self._archive},
                "/functions/{name:segment}": {"DELETE": self._delete},
                "/secrets": {"GET": self._secrets, "POST": self._change_secrets},
                "/schedules": {"GET": self._schedules},
                "/schedules/{name:segment}/{action:segment}": {"POST": self._steer},
                "/calls": {"GET": self._calls},
                "/calls/{id:segment}/retry": {"POST": self._retry},
                "/dismissals": {"POST": self._dismiss},
                "/logs": {"GET": self._logs},
                "/replay/{id:segment}": {"POST": self._replay},
            }
        )

    async def answer(self, scope: Scope, receive: Receive) -> Response:
        """The response to one request on the public port."""
        # every key is compared, so that the time tells nothing
        if not sum(same_key(given_key(scope), key) for key in self._service.secrets()):
            return render(ApiError(FORBIDDEN))
        return await self.administer(scope, receive)

    async def administer(self, scope: Scope, receive: Receive) -> Response:
        """The response to one request of somebody whose right was seen to."""
        try:
            body = await read_body(receive, ARCHIVE_LIMIT)
            parts = [unquote(part) for part in raw_path(scope).split("/")[2:]]
            query = {key: values[-1] for key, values in parse_qs(scope["query_string"].decode()).items()}
            handlers, found = self._routes.find(parts) or ({}, {})
            handle = handlers.get(scope["method"])
            if handle is None:
                raise ApiError(NO_ROUTE)
            answer = await handle(_Call(found, query, body))
            return answer if isinstance(answer, Response) else _json(answer)
        except ApiError as error:
            return render(error)

    async def _list(self, _call: _Call) -> list[dict[str, Any]]:
        service = self._service
        rows = []
        for name in service.names():
            row: dict[str, Any] = {"name": name, "remote": name in service.remotes}
            try:
                config = service.config(name)
            except ApiError as error:
                rows.append({**row, "fault": error.code})
                continue
            pid = service.worker(name).pid
            deployed = service.versions.current(name)
            rows.append(
                {
                    **row,
                    "version": registry.digest(config),
                    "deployed": deployed is not None,
                    "deployed_version": deployed,
                    "folder_version": _folder_version(service, name),
                    "verify_jwt": config.verify_jwt,
                    "process": pid,
                    "running_version": service.worker(name).version,
                }
            )
        return rows

    async def _versions(self, call: _Call) -> list[dict[str, Any]]:
        name, versions = _named(call.path["name"]), self._service.versions
        current, history = versions.current(name), versions.history(name)
        if not history:
            raise ApiError(NOT_DEPLOYED, name=name)
        return [{"version": row.version, "at": row.at, "current": row.version == current} for row in history]

    async def _archive(self, call: _Call) -> Response:
        """A version as it was sent, or what is served now."""
        name, wanted, versions = _named(call.path["name"]), call.query.get("version"), self._service.versions
        if wanted is not None and all(row.version != wanted for row in versions.history(name)):
            raise ApiError(BAD_VERSION, version=wanted, name=name)
        try:
            config = registry.find(name, versions.place(name, wanted)) if wanted else self._service.find(name)
        except FunctionError as error:
            raise ApiError(NOT_FOUND) from error
        packed = await asyncio.to_thread(pack, config)
        headers = [(b"content-type", b"application/gzip"), (b"x-version", registry.digest(config).encode())]
        return Response(200, headers, packed)

    async def _deploy(self, call: _Call) -> dict[str, Any]:
        name, versions = call.path["name"], self._service.versions
        async with self._lock:
            try:
                version = await asyncio.to_thread(versions.store, name, call.body)
            except BadArchive as error:
                raise ApiError(BAD_ARCHIVE, reason=str(error)) from error
            except OSError as error:
                raise ApiError(DEPLOY_FAILED, report=str(error)) from error
            before = versions.current(name)
            if version == before:
                return {"version": version, "changed": False, "before": before}
            try:
                await self._serve(name, version)
            except ApiError:
                await asyncio.to_thread(versions.discard, name, version)
                raise
            return {"version": version, "changed": True, "before": before}

    async def _rollback(self, call: _Call) -> dict[str, Any]:
        name, wanted, versions = _named(call.path["name"]), _version(call.body), self._service.versions
        async with self._lock:
            before = versions.current(name)
            target = wanted or versions.previous(name)
            if target is None or all(row.version != target for row in versions.history(name)):
                raise ApiError(BAD_VERSION, version=target or "before", name=name)
            return {"version": await self._serve(name, target), "before": before}

    async def _delete(self, call: _Call) -> dict[str, Any]:
        name = _named(call.path["name"])
        async with self._lock:
            if not self._service.versions.history(name):
                raise ApiError(NOT_DEPLOYED, name=name)
            await self._service.delete(name)
            return {"deleted": name}

    async def _serve(self, name: str, version: str | None) -> str:
        """Serve a version once it is up; one that does not come up changes nothing."""
        try:
            return await self._service.serve_version(name, version)
        except BootFailed as error:
            raise ApiError(DEPLOY_FAILED, report=error.report) from error
        except ApiError as error:
            raise ApiError(DEPLOY_FAILED, report=error.message) from error
        except (FunctionError, OSError) as error:
            raise ApiError(DEPLOY_FAILED, report=str(error)) from error

    async def _secrets(self, _call: _Call) -> list[dict[str, str]]:
        try:
            return [asdict(row) for row in self._service.secret_store.rows()]
        except BadSecret as error:
            raise ApiError(BAD_REQUEST, reason=str(error)) from error

    async def _change_secrets(self, call: _Call) -> dict[str, int]:
        function = call.query.get("function", SHARED)
        if function:
            _named(function)
        try:
            wanted = orjson.loads(call.body)
        except orjson.JSONDecodeError as error:
            raise ApiError(BAD_REQUEST, reason="the body is no JSON") from error
        if not isinstance(wanted, dict) or not all(
            value is None or isinstance(value, str) for value in wanted.values()
        ):
            raise ApiError(BAD_REQUEST, reason="the body must be an object of names and texts, or null to forget one")
        given = {name: value for name, value in wanted.items() if value is not None}
        taken = tuple(name for name, value in wanted.items() if value is None)
        try:
            await asyncio.to_thread(self._service.secret_store.change, function, given, taken)
        except BadSecret as error:
            raise ApiError(BAD_REQUEST, reason=str(error)) from error
        return {"set": len(given), "unset": len(taken)}

    # --- calls that are made later -----------------------------------------------------------------------------------

    def _stored(self) -> StoredCalls:
        """Where they are stored. Raises ApiError where there is no database behind this server."""
        if self._service.stored_calls is None:
            raise ApiError(NO_ROUTE)
        return self._service.stored_calls

    async def _schedules(self, _call: _Call) -> list[dict[str, Any]]:
        known = set(self._service.names())
        rows = [row for row in await _asked(self._stored().schedules()) if row["function"] in known]
        for row in rows:
            with suppress(ApiError, FunctionError):
                schedule = read_schedule(self._service.config(row["function"]))
                row["next"] = schedule.after(datetime.now(UTC)).isoformat() if schedule and not row["paused"] else None
        return rows

    async def _steer(self, call: _Call) -> dict[str, Any]:
        name, action = _named(call.path["name"]), call.path["action"]
        if action == "run":
            self._service.config(name)
            return {"call": await _asked(self._stored().run(name))}
        if action not in ("pause", "resume"):
            raise ApiError(NO_ROUTE)
        if not await _asked(self._stored().pause(name, paused=action == "pause")):
            raise ApiError(NO_SCHEDULE, name=name)
        return {"function": name, "paused": action == "pause"}

    async def _calls(self, call: _Call) -> list[dict[str, Any]]:
        limit = call.query.get("limit", "100")
        if not LIMIT.fullmatch(limit):
            raise ApiError(BAD_REQUEST, reason="limit must be a number from 1 to 9999")
        target, state = call.query.get("target", ""), call.query.get("state", "")
        return await _asked(self._stored().calls(target, state, min(int(limit), MOST_ROWS)))

    async def _retry(self, call: _Call) -> dict[str, Any]:
        id = call.path["id"]
        if not CALL.fullmatch(id) or not await _asked(self._stored().retry(id)):
            raise ApiError(NO_CALL, id=id)
        return {"call": int(id)}

    async def _dismiss(self, call: _Call) -> dict[str, Any]:
        try:
            target = orjson.loads(call.body)["target"]
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise ApiError(BAD_REQUEST, reason="the body must be an object with a target") from error
        return {"dismissed": await _asked(self._stored().dismiss(str(target)))}

    async def _logs(self, call: _Call) -> list[dict[str, Any]]:
        name, after = call.query.get("function", ""), call.query.get("after", "")
        if name:
            _named(name)
        limit = call.query.get("limit", "200")
        if not LIMIT.fullmatch(limit):
            raise ApiError(BAD_REQUEST, reason="limit must be a number from 1 to 9999")
        rows: list[dict[str, Any]] = [
            {"kind": "call", **{key: value for key, value in asdict(row).items() if key not in ("headers", "body")}}
            for row in self._service.invocations.read()
            if (not name or row.function == name) and row.at > after
        ]
        for known in (name,) if name else self._service.names():
            for line in read_lines(self._service.logs, known):
                if line["at"] > after:
                    rows.append({"kind": "line", "function": known, **line})
        rows.sort(key=lambda row: str(row["at"]))
        return rows[-min(int(limit), MOST_ROWS) :]

    async def _replay(self, call: _Call) -> dict[str, Any]:
        id = call.path["id"]
        invocation = self._service.invocations.find(id)
        if invocation is None or invocation.body is None:
            raise ApiError(NOT_RECORDED, id=id)
        response = await self._service.replay(invocation)
        return {
            "function": invocation.function,
            "before": invocation.status,
            "status": response.status,
            "headers": [[name.decode("latin-1"), value.decode("latin-1")] for name, value in response.headers],
            "body": base64.b64encode(response.body).decode(),
        }


async def _asked(work: Awaitable[T]) -> T:
    """What the database answers. Raises ApiError where it does not."""
    try:
        return await work
    except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
        raise ApiError(NO_DATABASE, reason=str(error)) from error


def _folder_version(service: Functions, name: str) -> str | None:
    with suppress(FunctionError, OSError):
        return service.folder_version(name)
    return None


def _named(name: str) -> str:
    """A name that is no path. Raises ApiError BAD_REQUEST."""
    if not registry.NAME.fullmatch(name):
        raise ApiError(BAD_REQUEST, reason=f"{name!r} is no name for a function")
    return name


def _version(body: bytes) -> str | None:
    """The version that a roll back names, None for the one before. Raises ApiError BAD_REQUEST."""
    if not body:
        return None
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ApiError(BAD_REQUEST, reason="the body is no JSON") from error
    wanted = content.get("version") if isinstance(content, dict) else 0
    if not (wanted is None or isinstance(wanted, str)):
        raise ApiError(BAD_REQUEST, reason="the body must be an object whose version is a string")
    return wanted or None


def _json(content: Any) -> Response:
    return Response(200, [(b"content-type", b"application/json")], orjson.dumps(content))
