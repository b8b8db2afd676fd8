"""The admin API of functions: what is served, deploy, roll back, logs, replay.

It stands on the admin port, at `/_admin`, for the owner's key (see gateway/admin/routes.py). Whoever deploys runs code
on this machine, so with `FUNCTIONS_ADMIN` alone it is on the public port too, at `/functions/v1/_admin`, for secret API
keys (`apikey` header or bearer). Names of functions never begin with an underscore, so the address is free.

    GET  /_admin/functions                   [{name, version, deployed, verify_jwt, running, remote}]
    POST /_admin/functions/NAME/deploy       gzipped tar of NAME/ and shared/ → {version, changed}
    POST /_admin/functions/NAME/rollback     {version} or nothing → {version}
    DELETE /_admin/functions/NAME            its deployed versions; what is in the folder is served again
    GET  /_admin/logs?function=&after=&limit=    invocations and what functions printed, oldest first
    POST /_admin/replay/ID                   runs a recorded call again → {status, headers, body, ...}
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import parse_qs, unquote

import orjson
from functions_runner import registry
from functions_runner.types import FunctionConfig, FunctionError

from gateway.errors import ApiError, ErrorRow
from gateway.functions.children import BootFailed
from gateway.functions.errors import render
from gateway.functions.invocations import Invocation, Invocations
from gateway.functions.logs import read_lines
from gateway.functions.upstream import Upstream
from gateway.functions.versions import ARCHIVE_LIMIT, BadArchive, Versions
from gateway.functions.workers import Worker
from gateway.http.messages import Receive, Response, Scope, raw_path, read_body
from gateway.http.routing import Routes
from gateway.middleware.owner_only import given_key, same_key

NAME: Final = "_admin"
LIMIT: Final = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
MOST_ROWS: Final = 1000

FORBIDDEN: Final = ErrorRow("FORBIDDEN", 403, "The secret key is needed here")
NO_ROUTE: Final = ErrorRow("NO_ROUTE", 404, "There is nothing here")
BAD_REQUEST: Final = ErrorRow("BAD_REQUEST", 400, "{reason}")
BAD_ARCHIVE: Final = ErrorRow("BAD_ARCHIVE", 400, "The upload is no function: {reason}")
BAD_VERSION: Final = ErrorRow("BAD_VERSION", 404, "There is no version {version} of {name}")
NOT_RECORDED: Final = ErrorRow("NOT_RECORDED", 404, "No call {id} was recorded with its body")
NOT_DEPLOYED: Final = ErrorRow("NOT_DEPLOYED", 404, "No version of {name} was deployed")
DEPLOY_FAILED: Final = ErrorRow("DEPLOY_FAILED", 422, "The new version does not start: {report}")


class Functions(Protocol):
    """What is administered: the service of functions."""

    versions: Versions
    invocations: Invocations
    logs: Path
    remotes: dict[str, Upstream]

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
                "/functions/{name:segment}": {"DELETE": self._delete},
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
            return _json(await handle(_Call(found, query, body)))
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
            deployed = service.versions.current(name) is not None
            version = registry.digest(config)
            rows.append(
                {**row, "version": version, "deployed": deployed, "verify_jwt": config.verify_jwt, "process": pid}
            )
        return rows

    async def _deploy(self, call: _Call) -> dict[str, Any]:
        name, versions = call.path["name"], self._service.versions
        async with self._lock:
            try:
                version = await asyncio.to_thread(versions.store, name, call.body)
            except BadArchive as error:
                raise ApiError(BAD_ARCHIVE, reason=str(error)) from error
            before = versions.current(name)
            if version == before:
                return {"version": version, "changed": False}
            await self._serve(name, version)
            return {"version": version, "changed": True}

    async def _rollback(self, call: _Call) -> dict[str, Any]:
        name, wanted, versions = _named(call.path["name"]), _version(call.body), self._service.versions
        async with self._lock:
            before = versions.current(name)
            if before is None and wanted is None:
                raise ApiError(BAD_VERSION, version="before", name=name)
            target = wanted or versions.previous(name)
            if target is not None and all(row.version != target for row in versions.history(name)):
                raise ApiError(BAD_VERSION, version=target, name=name)
            return {"version": await self._serve(name, target)}

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
        except FunctionError as error:
            raise ApiError(DEPLOY_FAILED, report=str(error)) from error

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
