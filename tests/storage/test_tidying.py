"""A row without bytes, or bytes without a row, does not last."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import httpx
import pytest

from gateway.database import Database, SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from gateway.jobs.storage_check import tidy
from gateway.settings import Settings
from gateway.storage import core as core_module
from gateway.storage.blobs.folder import FolderStore
from gateway.storage.core import Core
from tests.fixtures.server import GatewayStarter, LiveGateway, start_gateway
from tests.storage.conftest import Storage, make_bucket, migrated, problem


@pytest.fixture
def own(gateways: GatewayStarter) -> Storage:
    """A gateway of the test's own, whose bytes it may damage."""
    return Storage(gateways())


def report(gateway: LiveGateway, *options: str) -> dict[str, object]:
    done = gateway.command("storage", "check", "--json", *options)
    assert done.stdout, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_check_finds_and_mends(own: Storage) -> None:
    with own.client(own.secret) as admin:
        bucket = make_bucket(admin)
        for key in ("whole", "lost", "damaged"):
            admin.post(f"/object/{bucket}/{key}", content=b"content")
        versions = {row[0]: row[1] for row in own.sql("select name, version from storage.objects")}

        def path(version: str | None) -> Path:
            assert version is not None
            return own.folder / "objects" / version[:2] / version

        path(versions["lost"]).unlink()
        path(versions["damaged"]).write_bytes(b"CONTENT")
        orphan = str(uuid4())
        path(orphan).parent.mkdir(exist_ok=True)
        path(orphan).write_bytes(b"nobody's")
        (own.folder / "tmp").mkdir(exist_ok=True)
        (own.folder / "tmp" / str(uuid4())).write_bytes(b"half")
        own.script(f"insert into storage.objects (bucket_id, name) values ('{bucket}', 'sql')")
        own.script(
            "begin; set local storage.allow_delete_query = 'true';"
            " delete from storage.objects where name = 'none'; commit"
        )
        young = report(own.gateway)
        assert (young["orphans"], young["lost"]) == ([], [f"{bucket}/lost"])
        found = report(own.gateway, "--older-than", "0", "--deep")
        assert (found["orphans"], found["damaged"]) == ([orphan], [f"{bucket}/damaged"])
        assert found["lost"] == [f"{bucket}/lost", f"{bucket}/sql"]
        assert problem(admin.get(f"/object/{bucket}/lost")) == (400, "404", "NoSuchKey", "The resource was not found")
        mended = report(own.gateway, "--older-than", "0", "--mend", "--rows")
        assert mended["unfinished"] == 1
        clean = report(own.gateway, "--older-than", "0")
        assert (clean["orphans"], clean["lost"], clean["rows"], clean["blobs"]) == ([], [], 2, 2)
        assert problem(admin.get(f"/object/{bucket}/lost"))[3] == "Object not found"


def test_rows_that_sql_deletes_take_their_bytes_along(own: Storage) -> None:
    with own.client(own.secret) as admin:
        bucket = make_bucket(admin)
        admin.post(f"/object/{bucket}/a", content=b"x")
        own.script("begin; set local storage.allow_delete_query = 'true'; delete from storage.objects; commit")
        assert report(own.gateway, "--mend")["trash"] == 1
        assert list(own.folder.glob("objects/*/*")) == []


def test_the_schedule_removes_what_no_row_names(own: Storage) -> None:
    async def run() -> list[bool]:
        database = Database(own.gateway.database_url)
        blobs = FolderStore(own.folder)
        try:
            own.script("begin; set local storage.allow_delete_query = 'true'; delete from storage.objects; commit")
            before = len(list(own.folder.glob("objects/*/*")))
            done = [await tidy(database, blobs, whole=False)]
            assert (before, list(own.folder.glob("objects/*/*"))) == (1, [])
            return [*done, await tidy(database, blobs, whole=True)]
        finally:
            await blobs.close()
            await database.close()

    with own.client(own.secret) as admin:
        admin.post(f"/object/{make_bucket(admin)}/a", content=b"x")
    assert asyncio.run(run()) == [True, True]


def test_another_store_is_not_taken_for_the_own(own: Storage) -> None:
    """A volume that is not mounted must not make every object look lost."""
    with own.client(own.secret) as admin:
        bucket = make_bucket(admin)
        admin.post(f"/object/{bucket}/a", content=b"x")
    own.folder.rename(own.folder.with_name("elsewhere"))
    refused = own.gateway.command("storage", "check", "--mend", "--rows", "--older-than", "0")
    assert refused.returncode == 1
    assert "not the one that this database's objects are in" in refused.stderr
    assert own.sql("select count(*) from storage.objects") == [("1",)]
    shutil.rmtree(own.folder)
    own.folder.with_name("elsewhere").rename(own.folder)
    assert report(own.gateway)["lost"] == []


def test_objects_go_in_and_out_by_command(own: Storage, tmp_path: Path) -> None:
    with own.client(own.secret) as admin:
        bucket = make_bucket(admin)
        file = tmp_path / "a.png"
        file.write_bytes(b"png" * 100_000)
        assert own.gateway.command("storage", "cp", str(file), f"ss:///{bucket}/dir/").returncode == 0
        found = admin.get(f"/object/{bucket}/dir/a.png")
        assert (found.content, found.headers["content-type"]) == (b"png" * 100_000, "image/png")
        assert own.gateway.command("storage", "cp", f"ss:///{bucket}/dir/a.png", str(tmp_path / "b")).returncode == 0
        assert (tmp_path / "b").read_bytes() == b"png" * 100_000
        listed = json.loads(own.gateway.command("storage", "ls", f"{bucket}/dir", "--json").stdout)
        assert [(row["name"], row["size"]) for row in listed] == [("dir/a.png", "300000")]
        stats = json.loads(own.gateway.command("storage", "stats", "--json").stdout)
        assert {"bucket": bucket, "objects": "1", "bytes": "300000"} in stats
        assert own.gateway.command("storage", "rm", f"{bucket}/dir", "-r").stdout == "1 removed\n"
        assert list(own.folder.glob("objects/*/*")) == []
        assert own.gateway.command("storage", "rm", f"{bucket}/dir/a.png").returncode == 1


# --- what a crash leaves --------------------------------------------------------------------------------------------

WRITERS = 6
KILLS = int(os.environ.get("STORAGE_KILLS", "4"))
PAUSE = 1.0  # seconds between two kills


class Writer(threading.Thread):
    """Uploads and deletes objects of its own, and remembers what it was told of each."""

    def __init__(self, url: str, key: str, bucket: str, number: int) -> None:
        super().__init__(daemon=True)
        self.known: dict[str, set[str | None]] = {}
        self.answers = 0
        self.stopping = threading.Event()
        self._url, self._key, self._bucket, self._number = url, key, bucket, number
        self._chance = random.Random(number)

    def run(self) -> None:
        headers = {"authorization": f"Bearer {self._key}", "x-upsert": "true"}
        with httpx.Client(base_url=self._url, headers=headers, timeout=20) as client:
            while not self.stopping.is_set():
                key = f"{self._number}/{self._chance.randrange(5)}"
                before = self.known.setdefault(key, {None})
                deletes = self._chance.random() < 0.25
                content = self._chance.randbytes(self._chance.choice((10, 10_000, 400_000)))
                wanted = None if deletes else hashlib.md5(content).hexdigest()
                try:
                    if deletes:
                        answer = client.request("DELETE", f"/object/{self._bucket}", json={"prefixes": [key]})
                    else:
                        answer = client.post(f"/object/{self._bucket}/{key}", content=content)
                except httpx.HTTPError:
                    self.known[key] = before | {wanted}
                    time.sleep(0.05)
                    continue
                if answer.status_code == 200:
                    self.known[key] = {wanted}
                    self.answers += 1
                else:
                    self.known[key] = before | {wanted}


def when_up(client: httpx.Client, path: str) -> httpx.Response:
    """An object, however long Postgres takes to start again: until then the answer is 544 or another failure."""
    deadline = time.monotonic() + 60
    while True:
        found = client.get(path)
        if found.status_code < 500 or time.monotonic() > deadline:
            return found
        time.sleep(0.2)


def children(pid: int, word: str) -> list[int]:
    listed = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid=,args="], capture_output=True, text=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if word in line]


def test_no_acknowledged_object_is_lost_or_half_when_processes_are_killed(tmp_path: Path) -> None:
    """The short form; STORAGE_KILLS=40 is the long one."""
    postgres = EmbeddedPostgres(tmp_path / "pg")
    postmaster = postgres.start()
    running: LiveGateway | None = None
    writers: list[Writer] = []
    try:
        migrated(postgres.url())
        extra = {"GATEWAY_WORKERS": "2", "GATEWAY_RATE_LIMIT_STORAGE": "0", "GATEWAY_RATE_LIMIT_KEY": "0"}
        running = start_gateway(postgres.url(), tmp_path / "data", extra=extra)
        storage = Storage(running)
        with storage.client(storage.secret) as admin:
            bucket = make_bucket(admin)
        writers = [Writer(storage.url, storage.secret, bucket, number) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        chance = random.Random(1)
        for number in range(KILLS):
            time.sleep(PAUSE)
            # A backend that is killed has Postgres restart from its log, as after a crash.
            kind = ("supabase_storage_admin", postmaster) if number % 2 else ("gateway", running.process.pid)
            for _ in range(200):  # it may be on its feet again only after a while
                if victims := children(kind[1], kind[0]):
                    break
                time.sleep(0.1)
            os.kill(chance.choice(victims), signal.SIGKILL)
        time.sleep(PAUSE)
        for writer in writers:
            writer.stopping.set()
        for writer in writers:
            writer.join()
        assert sum(writer.answers for writer in writers) > 50
        for _ in range(100):
            try:
                with storage.client(storage.secret) as admin:
                    assert admin.get("/health").json() == {"healthy": True}
                break
            except (httpx.HTTPError, AssertionError):
                time.sleep(0.2)
        with storage.client(storage.secret) as admin:
            for writer in writers:
                for key, possible in writer.known.items():
                    found = when_up(admin, f"/object/{bucket}/{key}")
                    digest = hashlib.md5(found.content).hexdigest() if found.status_code == 200 else None
                    assert digest in possible, (key, found.status_code, found.text[:200])
        report(running, "--mend", "--older-than", "0")
        after = report(running, "--older-than", "0", "--deep")
        assert (after["orphans"], after["lost"], after["damaged"], after["trash"]) == ([], [], [], 0)
        with SyncConnection(postgres.url()) as connection:
            versions = {row[0] for row in connection.rows("select version from storage.objects")}
        assert {path.name for path in storage.folder.glob("objects/*/*")} == versions
        assert list(storage.folder.glob("tmp/*")) == []
    finally:
        for writer in writers:
            writer.stopping.set()
        if running is not None:
            running.stop()
        postgres.stop()


def test_what_comes_while_trash_is_being_emptied_is_emptied_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> int:
        core = Core(Settings(), cast(Database, None), cast(Any, None), cast(Any, None), cast(Any, None))
        times = 0

        async def empty(*_: object) -> int:
            nonlocal times
            times += 1
            if times == 1:
                core.empty_trash_soon()  # by somebody whose rows this look has missed
            return 0

        monkeypatch.setattr(core_module, "TRASH_PAUSE", 0)
        monkeypatch.setattr(core_module, "empty_trash", empty)
        core.empty_trash_soon()
        await core.settle()
        return times

    assert asyncio.run(main()) == 2
