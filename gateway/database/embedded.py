"""The embedded Postgres: make its cluster, start it, stop it. Nothing else knows where it lives.

Uses the programs of a wheel (`programs.py`). The server is a child of this process: it is asked to stop when
the gateway ends in whatever way, on Linux also when the gateway is killed. Its socket lies in a folder that only its
owner can enter, because whoever reaches it is superuser; on a port it listens where it was given one (`loopback.py`).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import quote

from gateway.database import cluster, extension_files
from gateway.database.cluster import SUPERUSER
from gateway.database.loopback import RULES_FILE, Loopback
from gateway.database.programs import VERSION, EmbeddedError, client_program, extension_folder, programs
from gateway.system.folder_access import let_pass
from gateway.system.processes import child_of_this_process, command, has_ended, is_alive, programs_in

__all__ = ["SUPERUSER", "VERSION", "DataLock", "EmbeddedError", "EmbeddedPostgres", "client_program", "programs"]

log = logging.getLogger("gateway.database.embedded")

DATA: Final = "postgres"  # folder of the cluster
UPGRADED: Final = "postgres.upgraded"  # one of a newer version, whole, that waits to take its place
VAULT_KEY: Final = "vault.key"
LOGS: Final = "postgres-logs"  # folder of what the server says
ROOTS_STAND_IN: Final = "pgserver"  # Postgres refuses to run as root
START_LIMIT: Final = 60.0  # seconds, crash recovery included
LAST_LINES: Final = 20_000  # bytes of a log that are looked at for why a start failed
GONE_LIMIT: Final = 5.0  # seconds that the processes of an ended server may take to be gone
STOP_LIMIT: Final = 30.0
FIRST_WITH_EXTENSION_PATH: Final = 18
PORT_TAKEN: Final = "could not create any TCP/IP sockets"
STILL_IN_USE: Final = "pre-existing shared memory block"
SOCKET_PATH_LIMIT: Final = 100  # bytes; the kernel's own limit is 107

OPTIONS: Final = {
    "listen_addresses": "",
    "max_connections": "200",
    # A restore is one transaction that locks every table and index, old and new: a thousand tables need ten thousand.
    "max_locks_per_transaction": "256",
    "compute_query_id": "on",
    # Realtime reads changes out of the log. What a slot may hold back is bounded: a reader that is away cannot fill
    # the disk, its slot is given up first (gateway/realtime/changes/slot.py).
    "wal_level": "logical",
    "max_replication_slots": "10",
    "max_wal_senders": "10",
    "max_slot_wal_keep_size": "1GB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    # Written by the server's own collector, a new file for each day or size; gateway/server/log_rotation.py removes
    # old ones.
    "logging_collector": "on",
    "log_filename": "postgres-%Y%m%dT%H%M%S.log",
    "log_file_mode": "0600",
    "log_rotation_size": "5MB",
    "log_rotation_age": "1d",
    # What visitors send is theirs, and any of them can send much of it: no values, no statements, no rows.
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}


# Errors that a visitor's request meets are the gateway's to answer and to log. Those of others, such as a table that
# cannot be vacuumed, are still said.
QUIET_LOGINS: Final = """
  alter role authenticator set log_min_messages = 'log';
  alter role supabase_auth_admin set log_min_messages = 'log'
"""


# Roles are the server's, not of the content that maintenance protects.
WRITES: Final = "set default_transaction_read_only = off; set transaction_read_only = off;"


class DataLock:
    """Holds a data folder for one gateway; the next one is told whose it is."""

    def __init__(self, folder: Path, port: int, waits: bool = False) -> None:
        """`port` is 0 for a command. Raises EmbeddedError when another process holds the folder; who waits gives a
        live one too the time of a stop."""
        folder.mkdir(parents=True, exist_ok=True)
        self._file: IO[str] = (folder / "lock").open("a+")
        deadline = time.monotonic() + STOP_LIMIT
        while not self._taken():
            self._file.seek(0)
            text = self._file.read()
            # One that was killed has workers, which hold the folder until they have finished.
            if (is_alive(_pid(text)) and not waits) or time.monotonic() > deadline:
                self._file.close()
                raise EmbeddedError(f"{folder} is in use by {_holder(text)}")
            time.sleep(0.05)
        self._file.seek(0)
        self._file.truncate()
        json.dump({"pid": os.getpid(), "port": port}, self._file)
        self._file.flush()

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def release(self) -> None:
        self._file.close()


def _pid(text: str) -> int:
    try:
        return int(json.loads(text)["pid"])
    except (ValueError, KeyError, TypeError):
        return os.getpid()  # nobody to wait for


def _holder(text: str) -> str:
    try:
        content = json.loads(text)
        pid, port = content["pid"], content["port"]
    except (ValueError, KeyError, TypeError):
        return "another gateway (pid unknown)"
    return f"another gateway (pid {pid}, port {port})" if port else f"a command (pid {pid})"


class EmbeddedPostgres:
    """One Postgres cluster under `folder`."""

    def __init__(self, folder: Path, version: int = VERSION, name: str = DATA) -> None:
        """Raises EmbeddedError where there are no programs of the version."""
        self.folder = folder.resolve()
        self.data = self.folder / name
        self.logs = self.folder / LOGS
        self._version = version
        self._superuser = cluster.superuser_of(version)
        self._bin = programs(version)
        self._process: subprocess.Popen[bytes] | None = None
        self._account = _account()
        self._sockets = self._socket_folder()
        self.loopback: Loopback | None = None  # set before the start by whoever wants a port
        self.settings: Mapping[str, str] = {}  # further ones of the server, likewise

    def url(self, user: str = "", database: str = "postgres") -> str:
        """Connection URL for a role, the superuser unless another is named."""
        user = user or self._superuser
        return f"postgresql://{quote(user)}@/{quote(database)}?host={quote(str(self._sockets), safe='')}"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    @property
    def statement_figures(self) -> dict[str, str]:
        """Settings by which the server keeps figures of statements, which tools for projects (`supabase inspect`) read;
        none where the programs have no such library."""
        name = "pg_stat_statements"
        has_it = (extension_folder(self._bin) / f"{name}.control").exists()
        return {"shared_preload_libraries": name} if has_it else {}

    @property
    def port(self) -> int | None:
        """Port on loopback of the server that runs on this folder, whoever's it is; None where it has none."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
            return int(lines[3]) if self.running and lines[5].strip() else None
        except (OSError, IndexError, ValueError):
            return None

    @property
    def running(self) -> bool:
        """Whether a server is up on this folder, this process's or another's."""
        return _postmaster_pid(self.data) is not None

    @property
    def ready(self) -> bool:
        """Whether the server that was started takes connections, by its own note; nothing is asked of it."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) > 7 and lines[0] == str(self.pid) and lines[7].strip() == "ready"

    def start(self) -> int:
        """Make the cluster if there is none, end a server left by a killed gateway, start, wait until it answers.

        The server's pid. Raises EmbeddedError.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._open_the_way()
        upgraded = self.folder / UPGRADED
        if upgraded.exists() and not self.data.exists():  # an upgrade was killed just before its last step
            os.replace(upgraded, self.data)
        version = self.data / "PG_VERSION"
        if version.exists():
            self._check_version(version.read_text().strip())
            self._end_leftover()
        else:
            self._initialize()
        self._sockets.mkdir(mode=0o700, exist_ok=True)
        self._hand_over(self._sockets)
        self.logs.mkdir(mode=0o700, exist_ok=True)
        self._hand_over(self.logs)
        self._hand_over_key()
        (self.folder / "postgres.log").unlink(missing_ok=True)  # earlier versions': it grew, and all could read it
        self.spawn()
        pid = self._wait_until_ready()
        self._prepare_roles()
        return pid

    def spawn(self) -> int:
        """Start the server on the cluster that is there, in place of one that died; its pid. Waits for nothing.

        Only whoever holds the folder may: what is left of a dead server is ended and removed. Raises OSError,
        EmbeddedError.
        """
        self._remove_remains()
        self._launch()
        assert self._process is not None
        return self._process.pid

    def stop(self) -> None:
        """Fast shutdown: sessions are ended, data is flushed."""
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_LIMIT)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGQUIT)
            process.wait()

    # --- steps ---------------------------------------------------------------------------------------------------

    def _initialize(self) -> None:
        """Make the cluster aside and rename it, so that a kill in between leaves nothing half made."""
        aside = Path(tempfile.mkdtemp(prefix="postgres-", dir=self.folder))
        self._hand_over(aside)
        command = [
            str(self._bin / "initdb"),
            "--pgdata", str(aside), "--username", self._superuser, "--auth", "trust", "--encoding", "UTF8",
            "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--locale", "C", "--data-checksums",
            "--no-instructions",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, **self._identity())
        if done.returncode != 0:
            shutil.rmtree(aside, ignore_errors=True)
            lines = done.stderr.strip().splitlines()
            reason = ([line for line in lines if "error" in line or "FATAL" in line] or lines or ["no reason given"])[0]
            raise EmbeddedError(f"the database could not be created: {reason}")
        os.replace(aside, self.data)

    def _check_version(self, found: str) -> None:
        if not found.isdigit() or int(found) > self._version:
            raise EmbeddedError(f"{self.data} was made by Postgres {found}, newer than this gateway's {self._version}")
        if int(found) < self._version:
            raise EmbeddedError(
                f"{self.data} was made by Postgres {found}; this gateway runs {self._version}:"
                " `gateway db upgrade` takes it over"
            )

    def _end_leftover(self) -> None:
        """A gateway that was killed may leave its server for a moment, or for good where no signal reaches it."""
        deadline = time.monotonic() + STOP_LIMIT
        asked = False
        while (pid := _postmaster_pid(self.data)) is not None:
            if not asked:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGINT)
                    os.kill(pid, signal.SIGCONT)  # one that was halted hears nothing
                asked = True
            if time.monotonic() > deadline:
                raise EmbeddedError(f"another Postgres (pid {pid}) uses {self.data} and does not stop")
            time.sleep(0.02)

    def _remove_remains(self) -> None:
        """What a server that was killed leaves: sessions that hold its memory, and notes that name its pid.

        Postgres itself waits for the sessions, however long they hang, and refuses to start where the pid in a note
        is by now another process's. Raises EmbeddedError where a server runs.
        """
        if (pid := _postmaster_pid(self.data)) is not None:
            raise EmbeddedError(f"another Postgres (pid {pid}) uses {self.data}")
        orphans = programs_in(self.data, "postgres")
        for pid in orphans:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        self._wait_until_gone(orphans)
        for note in (self.data / "postmaster.pid", *self._sockets.glob(".s.PGSQL.*")):
            note.unlink(missing_ok=True)

    def _wait_until_gone(self, processes: Iterable[int]) -> None:
        deadline = time.monotonic() + GONE_LIMIT
        while not all(has_ended(pid) for pid in processes) and time.monotonic() < deadline:
            time.sleep(0.01)

    def _launch(self) -> None:
        arguments = [str(self._bin / "postgres"), "-D", str(self.data), "-k", str(self._sockets)]
        options = {**self.settings, **OPTIONS, "log_directory": str(self.logs)}
        if self.loopback is not None:
            options |= self.loopback.options(self._sockets)
            self._hand_over(self._sockets / RULES_FILE)
        if self._version >= FIRST_WITH_EXTENSION_PATH:
            options["extension_control_path"] = extension_files.search_path(self._bin, self.folder / "extensions")
        for name, value in options.items():
            arguments += ["-c", f"{name}={value}"]
        if self._process is not None:
            self._process.poll()  # whoever supervises it may have heard of its end first
        # What is said before the collector takes over; the last start's alone, so that it cannot grow.
        with open(os.open(self._start_log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as log:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # a terminal's Ctrl-C is for the gateway, which then stops Postgres
                preexec_fn=child_of_this_process(signal.SIGINT),
                **self._identity(),
            )

    def _wait_until_ready(self) -> int:
        from gateway.database import DatabaseUnavailable

        assert self._process is not None
        deadline = time.monotonic() + START_LIMIT
        while True:
            if self._process.poll() is not None:
                # Sessions of a server that was killed take a moment to notice, and hold its memory until then; and
                # somebody may take the port between the look at it and the start. Its last words may still be on their
                # way into the log: what collects them ends after the server.
                self._wait_until_gone(programs_in(self.data, "postgres"))
                said = self._start_log.read_text(errors="replace") + self.last_words()
                if not any(each in said for each in (STILL_IN_USE, PORT_TAKEN)) or time.monotonic() > deadline:
                    raise EmbeddedError(f"Postgres did not start: {self.last_words()}")
                time.sleep(0.05)
                self._launch()
            try:
                self._prepare_roles()
                return self._process.pid
            except DatabaseUnavailable as error:
                if time.monotonic() > deadline:
                    self.stop()
                    raise EmbeddedError(f"Postgres did not become ready: {error.reason}") from None
                time.sleep(0.01)

    def _prepare_roles(self) -> None:
        """The roles that the gateway counts on. Raises DatabaseUnavailable while nobody is let in."""
        from gateway.database import DatabaseUnavailable, SyncConnection

        try:
            superuser = SyncConnection(self.url())
        except DatabaseUnavailable as refused:
            if self._version < cluster.FIRST_WITH_ROLES:
                raise
            with SyncConnection(self.url(cluster.FORMER_SUPERUSER)) as connection:
                if connection.rows(cluster.IS_SUPERUSER) != [("t",)]:
                    raise refused  # the server was starting a moment ago
                connection.script(WRITES + cluster.MAKE_ADOPTING)
            with SyncConnection(self.url(cluster.ADOPTING)) as connection:
                connection.script(WRITES + cluster.RENAME)
            log.warning("the superuser of %s is called %s from now on", self.data, self._superuser)
            superuser = SyncConnection(self.url())
        with superuser:
            if self._version >= cluster.FIRST_WITH_ROLES and superuser.rows("select pg_is_in_recovery()") == [("f",)]:
                superuser.script(WRITES + cluster.roles())

    @property
    def _start_log(self) -> Path:
        return self.logs / "start.log"

    def _log(self) -> str:
        """What the last start said, and after it what the collector has written last."""
        said = ""
        for path in (self._start_log, *sorted(self.logs.glob("postgres-*.log"))[-1:]):
            with suppress(OSError), path.open("rb") as log:
                log.seek(max(0, path.stat().st_size - LAST_LINES))
                said += log.read().decode(errors="replace")
        return said

    def last_words(self) -> str:
        """The line of the log that says why the server ended or did not start."""
        lines = self._log().strip().splitlines()
        told = [line for line in lines[-20:] if "FATAL" in line or "PANIC" in line or "could not" in line]
        return (told or lines or ["no log"])[-1]

    # --- running as somebody else, for root ------------------------------------------------------------------------

    def _identity(self) -> dict[str, Any]:
        if self._account is None:
            return {}
        return {"user": self._account.pw_uid, "group": self._account.pw_gid, "extra_groups": []}

    def _hand_over(self, path: Path) -> None:
        os.chmod(path, 0o700)
        if self._account is not None:
            os.chown(path, self._account.pw_uid, self._account.pw_gid)

    def _hand_over_key(self) -> None:
        """The key that seals the vault's secrets: a file beside the cluster, in no copy of the database."""
        path = self.folder / VAULT_KEY
        if not path.exists():
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_hex(32))
        if self._account is not None:
            os.chown(path, self._account.pw_uid, self._account.pw_gid)

    def _open_the_way(self) -> None:
        """Let the server's user pass through (not read) the folders above its data and its programs."""
        if self._account is None:
            return
        needed = (
            self.folder, *self.folder.parents,
            self._bin, *self._bin.parents,
            extension_files.SQL_ONLY, *extension_files.SQL_ONLY.parents,
        )  # fmt: skip
        opened = [
            str(path) for path in dict.fromkeys(needed) if let_pass(self._account.pw_uid, path) and path != self.folder
        ]
        if opened:
            log.warning("user %s may pass through %s from now on", self._account.pw_name, ", ".join(opened))

    def _socket_folder(self) -> Path:
        inside = self.data / "sockets"
        if len(os.fsencode(inside)) + len("/.s.PGSQL.5432") <= SOCKET_PATH_LIMIT:
            return self.folder / "sockets"
        digest = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"gateway-{os.getuid()}-{digest}"


def _account() -> pwd.struct_passwd | None:
    """The user to run Postgres as when this process is root, made if it is missing; None for anyone else."""
    if os.geteuid() != 0:
        return None
    with suppress(KeyError):
        return pwd.getpwnam(ROOTS_STAND_IN)
    # Two gateways on a new machine each miss the user. The second waits here, then finds what the first one made.
    with open("/etc/passwd") as users:
        fcntl.flock(users, fcntl.LOCK_EX)
        with suppress(KeyError):
            return pwd.getpwnam(ROOTS_STAND_IN)
        made = subprocess.run(
            ["useradd", "--system", "--shell", "/usr/sbin/nologin", ROOTS_STAND_IN], capture_output=True, text=True
        )
    if made.returncode != 0:
        raise EmbeddedError(
            f"Postgres cannot run as root and the user {ROOTS_STAND_IN} cannot be made: {made.stderr.strip()}"
        )
    return pwd.getpwnam(ROOTS_STAND_IN)


def _postmaster_pid(data: Path) -> int | None:
    """Pid of a live server on the data folder; the pid in a dead one's note may be another program's by now."""
    try:
        pid = int((data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None
    if pid <= 0 or has_ended(pid):
        return None
    if not Path("/proc").exists():
        return pid
    with suppress(OSError):
        return pid if Path(os.readlink(f"/proc/{pid}/cwd")) == data and _is_postgres(pid) else None
    return pid if _is_postgres(pid) else None  # another user's


def _is_postgres(pid: int) -> bool:
    try:
        return command(pid)[0].endswith("postgres")
    except OSError:
        return False
