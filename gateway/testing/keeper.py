"""`python -m gateway.testing.keeper FOLDER`: keeps a project's Postgres and template, and forks instances of it.

One for each project; several test processes share it. A request is a line of JSON over a socket in FOLDER, an answer
another. What a connection has started ends with it, so nothing outlives a test run that was killed; and the keeper ends
a while after its last connection.
"""

from gateway.testing import clock

clock.install()  # before whatever takes `time.time` by its value

import json  # noqa: E402
import os  # noqa: E402
import secrets  # noqa: E402
import selectors  # noqa: E402
import shutil  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from contextlib import suppress  # noqa: E402
from dataclasses import dataclass, field, replace  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any, Final  # noqa: E402

from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection  # noqa: E402
from gateway.database.embedded import DataLock, EmbeddedError, EmbeddedPostgres  # noqa: E402
from gateway.identity.keyring import FILE_NAME, KeyRing  # noqa: E402
from gateway.migrations import SchemaError  # noqa: E402
from gateway.projects.content import Content  # noqa: E402
from gateway.projects.errors import ProjectError  # noqa: E402
from gateway.projects.settings import find_content, load_settings_of  # noqa: E402
from gateway.server import logs  # noqa: E402
from gateway.settings import Settings, SettingsError  # noqa: E402
from gateway.testing import template  # noqa: E402
from gateway.testing.client import HELLO, SOCKET  # noqa: E402
from gateway.testing.serving import Served, fork  # noqa: E402

LINGER: Final = 20.0  # seconds without anybody
READY: Final = 30.0  # seconds that an instance may take
# Nothing of a test has to survive a crash of the machine.
QUICK: Final = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off"}
FAULTS: Final = (
    EmbeddedError, DatabaseError, DatabaseUnavailable, SchemaError, ProjectError, SettingsError, OSError, ValueError,
)  # fmt: skip


# What is set for a database is no part of what is copied. Lists are kept ready quoted.
SETTINGS: Final = """
  select format(case when split_part(setting, '=', 1) ~ '_path$|_libraries$|_tablespaces$' then '%s %I to %s'
      else '%s %I to %L' end,
    case when setrole = 0 then format('alter database %I set', $2::text)
      else format('alter role %I in database %I set', pg_get_userbyid(setrole), $2::text) end,
    split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1))
  from pg_db_role_setting join pg_database d on d.oid = setdatabase, unnest(setconfig) as setting
  where d.datname = $1
"""


@dataclass(slots=True)
class _Caller:
    """A connection, what it has said so far, and what it has started."""

    socket: socket.socket
    said: bytes = b""
    started: dict[str, Served] = field(default_factory=dict)


class KeeperServer:
    """Answers requests one at a time: `start`, `ahead`, `stop`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = DataLock(folder, 0, waits=True)  # for the keeper before, which may be about to end
        self._postgres = EmbeddedPostgres(folder)
        self._postgres.settings = QUICK
        self._callers: dict[int, _Caller] = {}
        self._selector = selectors.DefaultSelector()

    def run(self, ready: Callable[[], None]) -> None:
        """Until nobody has been here for a while."""
        path = self._folder / SOCKET
        path.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(path))
        path.chmod(0o600)
        listening.listen(64)
        self._selector.register(listening, selectors.EVENT_READ)
        self._postgres.start()
        shutil.rmtree(self._folder / "instances", ignore_errors=True)
        ready()
        left = time.monotonic()
        try:
            while self._callers or time.monotonic() - left < LINGER:
                for key, _ in self._selector.select(1.0):
                    if key.fileobj is listening:
                        self._greet(listening.accept()[0])
                    else:
                        self._hear(self._callers[key.fd])
                if self._callers:
                    left = time.monotonic()
        finally:
            path.unlink(missing_ok=True)  # whoever comes now starts another, which waits for the folder
            listening.close()  # and so does whoever has connected and was not greeted
            for caller in list(self._callers.values()):
                self._leave(caller)
            self._postgres.stop()
            self._lock.release()

    def _greet(self, connection: socket.socket) -> None:
        with suppress(OSError):  # who has gone will be noticed
            connection.sendall(HELLO)
        self._callers[connection.fileno()] = _Caller(connection)
        self._selector.register(connection, selectors.EVENT_READ)

    def _hear(self, caller: _Caller) -> None:
        try:
            piece = caller.socket.recv(65_536)
        except OSError:
            piece = b""
        if not piece:
            self._leave(caller)
            return
        *lines, caller.said = (caller.said + piece).split(b"\n")
        for line in lines:
            try:
                answer = self._answer(caller, json.loads(line))
            except FAULTS as error:
                answer = {"error": "; ".join(error.faults) if isinstance(error, SettingsError) else str(error)}
            with suppress(OSError):  # who has gone will be noticed
                caller.socket.sendall(json.dumps(answer).encode() + b"\n")

    def _leave(self, caller: _Caller) -> None:
        self._selector.unregister(caller.socket)
        del self._callers[caller.socket.fileno()]
        caller.socket.close()
        self._end(list(caller.started.values()))

    def _answer(self, caller: _Caller, asked: dict[str, Any]) -> dict[str, Any]:
        if asked["do"] == "start":
            return self._start(caller, Path(asked["project"]), asked["variables"], bool(asked["functions"]))
        served = caller.started[asked["database"]]
        if asked["do"] == "stop":
            self._end([caller.started.pop(asked["database"])])
        else:
            served.ahead.seconds = float(asked["seconds"])
        return {}

    def _start(self, caller: _Caller, project: Path, variables: dict[str, str], functions: bool) -> dict[str, Any]:
        content, settings = _read(project, variables)
        source = template.ensure_once(self._postgres, settings, content)
        name = f"instance_{secrets.token_hex(6)}"
        folder = self._folder / "instances" / name
        folder.mkdir(parents=True, mode=0o700)
        with SyncConnection(self._postgres.url()) as admin:
            owner = admin.rows("select pg_get_userbyid(datdba) from pg_database where datname = $1", source)[0][0]
            admin.script(f'create database "{name}" template "{source}" owner "{owner}" strategy file_copy')
            for (setting,) in admin.rows(SETTINGS, source, name):
                admin.script(str(setting))
        keys = self._folder / FILE_NAME
        if not keys.exists():
            KeyRing.load(replace(settings, data_dir=self._folder))
        shutil.copy(keys, folder / FILE_NAME)
        settings = replace(settings, data_dir=folder)
        if not functions:
            settings = replace(settings, functions_dir=folder / "none")
        others = [self._selector.fileno(), *(key.fd for key in self._selector.get_map().values())]
        served = fork(self._postgres, name, folder, settings, others)
        caller.started[name] = served
        _wait(served)
        ring = KeyRing.load(settings)
        return {
            "url": f"http://127.0.0.1:{served.port}",
            "anon_key": ring.publishable_key,
            "service_role_key": ring.secret_key,
            "db_url": self._postgres.url(str(owner), name),
            "database": name,
            "folder": str(folder),
        }

    def _end(self, many: list[Served]) -> None:
        for served in many:
            with suppress(ProcessLookupError):
                os.kill(served.pid, signal.SIGKILL)
        for served in many:
            with suppress(ChildProcessError):
                os.waitpid(served.pid, 0)
            os.close(served.ready)
            shutil.rmtree(served.folder, ignore_errors=True)
        with suppress(DatabaseUnavailable, DatabaseError), SyncConnection(self._postgres.url()) as admin:
            for served in many:
                admin.script(f'drop database if exists "{served.database}" with (force)')


def _read(project: Path, variables: dict[str, str]) -> tuple[Content | None, Settings]:
    environ = {**os.environ, **variables}
    environ.pop("DATABASE_URL", None)
    os.chdir(project)
    content = find_content(project, environ)
    overrides = {"auth_address_limits": False, "rate_limit_email_sent": 1e9}  # a suite signs up more than people do
    return content, load_settings_of(content, environ, **overrides)


def _wait(served: Served) -> None:
    readable = selectors.DefaultSelector()
    readable.register(served.ready, selectors.EVENT_READ)
    if not readable.select(READY) or os.read(served.ready, 1) != b"1":
        said = (served.folder / "log").read_text() if (served.folder / "log").exists() else ""
        raise ValueError(f"the instance does not start: {said.strip().splitlines()[-1:] or 'it says nothing'}")


def _ready() -> None:
    print("ready", flush=True)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())  # the end of what was to be said
    os.close(nowhere)


def main() -> None:
    """The process: says `ready`, or why not, on standard output."""
    folder = Path(sys.argv[1])
    if os.fork():
        os._exit(0)  # whoever started it waits for its word alone, and has no child to look after
    os.setsid()
    try:
        keeper = KeeperServer(folder)
        logs.configure(Settings.load({}, data_dir=folder, log_level="error"))
        keeper.run(_ready)
    except FAULTS as error:
        print(str(error), flush=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
