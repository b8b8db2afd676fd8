"""`/functions/v1/NAME`: check the token where the function asks for it, then relay the call to the function's process.

In: raw ASGI, the path already without the prefix (`/NAME/sub`), as the function is to see it. Out: the function's own
answer, streamed, or one of the errors of `gateway.functions.errors`. Calls of one function share its warm process;
`FUNCTIONS_<NAME>_URL` sends them to another host instead.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets as random
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from functions_runner import registry
from functions_runner.env_file import read_env_file
from functions_runner.environments import Environments
from functions_runner.types import FunctionConfig, FunctionError, FunctionUnknown

from gateway.errors import ApiError
from gateway.functions import relay
from gateway.functions.children import BootFailed, Children
from gateway.functions.errors import NO_TOKEN, NOT_BEARER, NOT_FOUND, WORKER_ERROR, refused_token, render
from gateway.functions.invocations import Invocation, Invocations
from gateway.functions.relay import CallAnswer
from gateway.functions.schedules import read_schedule
from gateway.functions.secret_store import SecretStore
from gateway.functions.stored_calls import StoredCalls
from gateway.functions.unprivileged_user import unprivileged_user
from gateway.functions.upstream import Upstream
from gateway.functions.versions import Versions
from gateway.functions.websocket import refuse_websocket, relay_websocket
from gateway.functions.workers import Home, Worker
from gateway.http.client_address import client_address, parse_networks
from gateway.http.messages import Receive, Request, Response, Scope, Send, raw_path, respond
from gateway.identity.tokens import TokenError
from gateway.middleware import cors
from gateway.middleware.metrics import Tally
from gateway.settings import Settings
from gateway.system.lasting import lasting

if TYPE_CHECKING:
    from gateway.functions.admin import FunctionsAdmin

log = logging.getLogger("gateway.functions")

Verify = Callable[[str], Mapping[str, Any]]
TIDY: Final = 15.0  # seconds between looks for idle processes
CLIENT_GONE: Final = "CLIENT_GONE"  # noted in the log of calls; nobody is there to be answered
HOSTS: Final = ("/etc/resolv.conf", "/etc/hosts")
ADMIN: Final = "_admin"  # the name at which the owner asks
FOLDER: Final = "gw-fn-"  # followed by the gateway's process id


class FunctionsService:
    """Runs and relays functions; one in each gateway process."""

    def __init__(self, settings: Settings, env: Callable[[], Mapping[str, str]], verify: Verify) -> None:
        """`env()` gives the variables injected into every function; `verify(token)` raises TokenError."""
        self._settings = settings
        self._env = env
        self._verify = verify
        folder = settings.data_dir / "functions"
        self.invocations = Invocations(folder / "invocations.jsonl")
        self.versions = Versions(folder / "versions", settings.functions_dir.resolve())
        self.secret_store = SecretStore(folder)
        self.on_call: Callable[[Invocation], None] | None = None  # hears of each call that has ended
        self.stored_calls: StoredCalls | None = None  # where there is a database behind this
        self.logs = folder / "logs"
        self.tally = Tally()
        self._children = Children()
        # Short, because a unix socket's path may not be long; private, because whoever reaches a socket calls freely.
        self._sockets = Path(tempfile.mkdtemp(prefix=f"{FOLDER}{os.getpid()}-"))
        self._scratch = Path(tempfile.mkdtemp(prefix=f"{FOLDER}{os.getpid()}-"))
        os.chmod(self._scratch, 0o711)  # what lies in it belongs to one function each
        self.environments = Environments(
            Path(settings.functions_environments or folder / "environments").resolve(),
            Path(settings.functions_wheels) if settings.functions_wheels else None,
            settings.functions_offline,
            unprivileged_user,
            settings.data_dir.resolve(),
        )
        self._home = Home(
            self.find,
            self.versions.stamp,
            env,
            self._offered,
            self.secret_store.stamp,
            self._children,
            self.environments,
            self._sockets,
            self._scratch,
            self.logs,
            settings.data_dir.resolve(),
            reload=settings.functions_reload,
        )
        self._workers: dict[str, Worker] = {}
        self.remotes = {name: Upstream(url=url) for name, url in settings.functions_urls.items()}
        self._proxies = parse_networks(settings.trusted_proxies)
        self._tidying: asyncio.Task[None] | None = None
        self._installing: asyncio.Task[None] | None = None

    # --- life ----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Get ready to start processes; each function starts at its first call."""
        remove_leftovers(self._sockets.parent)
        self._children.warm()
        self._tidying = asyncio.get_running_loop().create_task(lasting(self._tidy))
        self._installing = asyncio.get_running_loop().create_task(self._install())

    async def stop(self) -> None:
        """Let calls in flight finish, then end every process."""
        self._home.stopping = True
        for task in (self._tidying, self._installing):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        for worker in self._workers.values():
            worker.retire()
        for remote in self.remotes.values():
            remote.close()
        await self._children.close()
        self.invocations.close()
        for folder in (self._sockets, self._scratch):
            shutil.rmtree(folder, ignore_errors=True)

    async def _tidy(self) -> None:
        known = _names_of_hosts()
        while True:
            await asyncio.sleep(TIDY)
            now = time.monotonic()
            if (found := _names_of_hosts()) != known:
                known = found
                self.renew()
            for worker in self._workers.values():
                worker.retire_if_idle(now)
            for name, worker in self._workers.items():
                try:
                    self._home.config(name)
                except ApiError as error:
                    if error.row is NOT_FOUND:  # deleted, through whichever worker
                        worker.retire()
            self.invocations.flush()

    async def _install(self) -> None:
        """Have the packages of every function there before its first call; what fails is said at that call again."""
        if self._home.reload:
            self._say_shadowed()
        for name in self.names():
            with suppress(BootFailed, FunctionError):
                config = self.find(name)
                if config.enabled:
                    await self._home.prepare(config)
        await asyncio.to_thread(self.environments.prune, self._kept_configs())

    def _say_shadowed(self) -> None:
        """In development a folder that is not what is served must be no riddle."""
        for name in self.versions.names():
            with suppress(FunctionError, OSError):
                current, here = self.versions.current(name), self.folder_version(name)
                if here is not None and current not in (None, here):
                    log.warning(
                        "function %s: version %s was deployed and is served, not the folder's %s;"
                        " `functions delete %s` serves the folder, `functions diff %s` shows how they differ",
                        *(name, current, here, name, name),
                    )

    def _kept_configs(self) -> list[FunctionConfig]:
        """Every function in every version that could be served again."""
        found: list[FunctionConfig] = []
        for name in self.names():
            for version in (None, *(row.version for row in self.versions.history(name))):
                with suppress(FunctionError):
                    found.append(registry.find(name, self.versions.place(name, version)))
        return found

    # --- what there is -------------------------------------------------------------------------------------------

    def names(self) -> tuple[str, ...]:
        """Names of all functions: in the folder, deployed, or on other hosts."""
        local = registry.names(self._settings.functions_dir.resolve())
        return tuple(sorted({*local, *self.versions.names(), *self.remotes}))

    def folder_version(self, name: str) -> str | None:
        """The version in the functions folder; None where it has none of that name. Raises FunctionConfigError."""
        try:
            return registry.digest(registry.find(name, self.versions.place(name, None)))
        except FunctionUnknown:
            return None

    def find(self, name: str) -> FunctionConfig:
        """Configuration of the version that is served. Raises FunctionUnknown, FunctionConfigError."""
        return registry.find(name, self.versions.root(name))

    def config(self, name: str) -> FunctionConfig:
        """As `find`, remembered. Raises ApiError."""
        return self._home.config(name)

    def worker(self, name: str) -> Worker:
        """The worker of a function that exists."""
        worker = self._workers.get(name)
        if worker is None:
            worker = self._workers[name] = Worker(name, self._home)
        return worker

    async def serve_version(self, name: str, version: str | None) -> str:
        """Serve a kept version, or with None the one in the folder, once it is up; its name.

        Every worker of the gateway serves it at its next call. Raises BootFailed, FunctionError, ApiError.
        """
        config = registry.find(name, self.versions.place(name, version))
        if not config.enabled:
            raise ApiError(NOT_FOUND)
        read_schedule(config)  # one that cannot be read would be a function that is silently never called
        worker = self.worker(name)
        instance = await worker.start_aside(config)
        try:
            stamp = await asyncio.to_thread(self.versions.switch, name, version)
        except BaseException:
            instance.retire()
            raise
        worker.adopt(instance, stamp)
        return instance.version

    async def delete(self, name: str) -> None:
        """Forget every deployed version of a function. Calls in flight finish."""
        await asyncio.to_thread(self.versions.remove, name)
        if name in self._workers:
            self._workers[name].retire()

    def renew(self) -> None:
        """What functions are told of the gateway has changed: each gets a new process at its next call."""
        self._home.told += 1

    def secrets(self) -> list[str]:
        """Keys that open the admin API."""
        env = self._env()
        return [env["SUPABASE_SERVICE_ROLE_KEY"], *json.loads(env["SUPABASE_SECRET_KEYS"]).values()]

    def _offered(self, config: FunctionConfig) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """What a function may ask for by name, and what it gets unasked: as on the hosted platform, a script that names
        nothing gets every secret, and those of its project's `.env`."""
        project = {**self._settings.functions_secrets, **read_env_file(self._settings.functions_dir / ".env")}
        shared = self.secret_store.shared()
        offered = {
            **self._settings.functions_environ,
            **read_env_file(self._settings.functions_env_file),
            **project,
            **shared,
        }
        unasked = {**project, **shared} if config.is_script and not (config.env or config.optional_env) else {}
        return offered, {**unasked, **self.secret_store.of(config.name)}

    # --- calls ---------------------------------------------------------------------------------------------------

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # as sent: an encoded slash is no part of a name
        name = raw_path(scope)[1:].partition("/")[0]
        if self._proxies:
            scope = {**scope, "client": (self._client(scope), 0)}
        if scope["type"] == "websocket":
            await self._websocket(name, scope, receive, send)
            return
        if name == ADMIN and self._settings.functions_admin:
            await respond(scope, send, await self._admin.answer(scope, receive))
            return
        recorder = CallAnswer(scope, send)
        fault = ""
        try:
            await self._relay(name, scope, receive, recorder)
        except ApiError as error:
            fault = error.code
            await recorder.refuse(cors.let_through(scope) or self.refusal(name, error))
        except relay.ClientGone:
            fault = CLIENT_GONE
        except Exception:
            log.exception("relaying a call of %s failed", name)
            fault = WORKER_ERROR.code
            await recorder.refuse(self.refusal(name, ApiError(WORKER_ERROR)))
        if fault != NOT_FOUND.code:
            invocation = recorder.invocation(name, fault)
            self.invocations.add(invocation)
            if self.on_call is not None:
                self.on_call(invocation)
            self.tally.note(name, invocation.method, invocation.status, invocation.ms / 1000)
            if invocation.fault and fault != CLIENT_GONE:
                log.warning(
                    "function %s: %s, request %s; `functions logs %s` says more",
                    name,
                    invocation.fault,
                    invocation.request,
                    name,
                )

    @cached_property
    def _admin(self) -> FunctionsAdmin:
        from gateway.functions.admin import FunctionsAdmin  # reads archives; few workers are ever asked for it

        return FunctionsAdmin(self)

    async def administer(self, scope: Scope, receive: Receive) -> Response:
        """Answer the admin API to somebody whose right was seen to; the path begins with `/_admin/`."""
        return await self._admin.administer(scope, receive)

    def refusal(self, name: str, error: ApiError) -> Response:
        """The answer in a function's place, in the shape that its callers know."""
        try:
            fallback = self._home.config(name).fallback
        except ApiError:  # there is no such function here, or nobody can read what it says
            fallback = ()
        return render(error, fallback)

    async def call(self, name: str, request: Request) -> Response:
        """Call a function from inside the gateway: no token is asked for; the answer comes whole.

        The function sees the request's path after its own name. Its failures are responses of 500 and more.
        """
        scope: dict[str, Any] = {
            "type": "http",
            "method": request.method,
            "path": f"/{name}{request.path}",
            "raw_path": f"/{name}{request.path}".encode("latin-1"),
            "query_string": request.query.encode("latin-1"),
            "headers": request.headers,
            "client": (request.client, 0) if request.client else None,
            "internal": True,
        }
        sent = False

        async def receive() -> MutableMapping[str, Any]:
            nonlocal sent
            if sent:
                await asyncio.Event().wait()
            sent = True
            return {"type": "http.request", "body": request.body, "more_body": False}

        response = Response(500)
        chunks: list[bytes] = []
        complete = False

        async def send(message: MutableMapping[str, Any]) -> None:
            nonlocal complete
            if message["type"] == "http.response.start":
                response.status = message["status"]
                response.headers = list(message["headers"])
                response.reason = message.get("reason")
            else:
                chunks.append(message.get("body", b""))
                complete = not message.get("more_body", False)

        await self(scope, receive, send)
        if not complete:
            return self.refusal(name, ApiError(WORKER_ERROR))
        response.body = b"".join(chunks)
        return response

    async def _relay(self, name: str, scope: Scope, receive: Receive, recorder: CallAnswer) -> None:
        remote = self.remotes.get(name)
        config = self._remote_config(name) if remote is not None else self._home.config(name)
        if config.verify_jwt and scope["method"] != "OPTIONS" and "internal" not in scope:
            self._check_token(scope)
        settings = self._settings
        call = relay.FunctionCall(
            scope, receive, recorder, config, settings.functions_max_body_bytes, settings.functions_record
        )
        if remote is not None:
            await relay.to_remote(call, remote)
        else:
            await relay.to_worker(call, self.worker(name))

    async def _websocket(self, name: str, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            config = self._home.config(name)
            if config.verify_jwt:
                self._check_token(scope)
            async with self.worker(name).instance() as instance:
                await relay_websocket(scope, receive, send, instance.upstream.path, config.wall)
        except ApiError as error:
            await refuse_websocket(scope, receive, send, render(error))

    def _remote_config(self, name: str) -> FunctionConfig:
        """Settings of a function on another host: those of its folder here where there is one."""
        try:
            return self._home.config(name)
        except ApiError:
            return FunctionConfig(name, self._settings.functions_dir / name)

    def _check_token(self, scope: Scope) -> None:
        """Refuse a call without a valid token. Raises ApiError."""
        raw = next((value for key, value in scope["headers"] if key == b"authorization"), None)
        if raw is None:
            raise ApiError(NO_TOKEN)
        if not raw.startswith(b"Bearer "):
            raise ApiError(NOT_BEARER)
        token = raw[7:].strip().decode("latin-1")
        try:
            self._verify(token)
        except TokenError as error:
            raise ApiError(refused_token(token)) from error

    def _client(self, scope: Scope) -> str:
        """Address of whoever called, behind proxies that are trusted."""
        peer = scope.get("client")
        forwarded = next((value for key, value in scope["headers"] if key == b"x-forwarded-for"), None)
        said = forwarded.decode("latin-1") if forwarded is not None else None
        return client_address(peer[0] if peer else None, said, self._proxies) or ""

    async def replay(self, invocation: Invocation) -> Response:
        """Run a recorded call again, on the version served now."""
        request = Request(
            invocation.method,
            quote(invocation.path[1 + len(invocation.function) :], safe="/%:@!$&'()*+,;="),
            invocation.query,
            # Its own id below: what a replay leaves in the logs is not the first call's.
            [
                (key.encode("latin-1"), value.encode("latin-1"))
                for key, value in invocation.headers
                if key != "x-request-id"
            ],
            invocation.body_bytes(),
        )
        request.headers.append((b"x-request-id", f"replay-{random.token_hex(6)}".encode()))
        return await self.call(invocation.function, request)


def _names_of_hosts() -> list[tuple[int, int] | None]:
    """Which files tell of other machines: a function may read those that were there when it started."""
    stamps: list[tuple[int, int] | None] = []
    for path in HOSTS:
        try:
            row = os.stat(path)
            stamps.append((row.st_dev, row.st_ino))
        except OSError:
            stamps.append(None)
    return stamps


def remove_leftovers(folder: Path) -> None:
    """Remove what gateways that were killed left of sockets and scratch folders."""
    for path in folder.glob(f"{FOLDER}*-*"):
        owner = path.name.removeprefix(FOLDER).partition("-")[0]
        if not owner.isdigit() or path.is_symlink():
            continue
        try:
            os.kill(int(owner), 0)
        except ProcessLookupError:
            shutil.rmtree(path, ignore_errors=True)
        except OSError:
            continue  # somebody else's process has the number
