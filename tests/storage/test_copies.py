"""A copy holds the bytes of objects, proves them, and puts them back."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from pathlib import Path

import httpx
import pytest

from gateway.database import SyncConnection
from gateway.operations import object_copies
from gateway.settings import Settings
from tests.fixtures.server import GatewayStarter, LiveGateway

CONTENT = {"a.txt": b"first", "deep/b.bin": bytes(range(256)) * 4000, "empty": b""}


def client(gateway: LiveGateway) -> httpx.Client:
    headers = {"authorization": f"Bearer {gateway.secret_key}"}
    return httpx.Client(base_url=f"{gateway.url}/storage/v1", headers=headers, timeout=30)


@pytest.fixture
def filled(gateways: GatewayStarter) -> LiveGateway:
    gateway = gateways()
    with client(gateway) as admin:
        admin.post("/bucket", json={"name": "kept"}).raise_for_status()
        for name, content in CONTENT.items():
            admin.post(f"/object/kept/{name}", content=content).raise_for_status()
    return gateway


def blobs(gateway: LiveGateway) -> list[Path]:
    return sorted((gateway.data_dir / "storage" / "objects").glob("*/*"))


def test_a_copy_puts_back_what_was_deleted_lost_and_changed(filled: LiveGateway, tmp_path: Path) -> None:
    copy = tmp_path / "copy.gateway.tar"
    made = filled.command("db", "dump", "--archive", str(copy))
    assert made.returncode == 0, made.stderr
    assert "3 objects of 1024005 bytes" in made.stdout
    proved = filled.command("db", "verify", str(copy))
    assert proved.returncode == 0, proved.stderr
    assert "3 objects of" in proved.stdout
    with client(filled) as admin:
        admin.delete("/object/kept/a.txt").raise_for_status()
        admin.put("/object/kept/empty", content=b"other").raise_for_status()
        shutil.rmtree(filled.data_dir / "storage")  # the disk is gone
        done = filled.command("db", "restore", "--yes", "--yes-remote", str(copy))
        assert done.returncode == 0, done.stderr
        for name, content in CONTENT.items():
            assert admin.get(f"/object/kept/{name}").content == content
        admin.put("/object/kept/new", content=b"goes on").raise_for_status()
    checked = filled.command("storage", "check", "--deep", "--json")
    assert json.loads(checked.stdout)["lost"] == []


def test_what_was_lost_before_is_told_and_keeps_no_copy_from_being_made(filled: LiveGateway, tmp_path: Path) -> None:
    gone, broken, _ = blobs(filled)
    gone.unlink()
    broken.write_bytes(b"x" * broken.stat().st_size + b"x")
    copy = tmp_path / "copy.gateway.tar"
    made = filled.command("db", "dump", "--archive", str(copy))
    assert made.returncode == 0, made.stderr
    assert "1 objects were lost before: kept/" in made.stderr
    assert "1 objects were damaged before: kept/" in made.stderr
    assert filled.command("db", "verify", str(copy)).returncode == 0


def test_a_copy_of_other_bytes_does_not_verify(filled: LiveGateway, tmp_path: Path) -> None:
    packed = tmp_path / object_copies.OBJECTS
    settings = Settings(data_dir=filled.data_dir)
    with SyncConnection(filled.database_url) as connection:
        said = object_copies.pack(connection, settings, packed)
        object_copies.verify(connection, packed, said)
        changed = tmp_path / "changed"
        with tarfile.open(packed) as source, tarfile.open(changed, "w") as target:
            for info in source:
                file = source.extractfile(info)
                content = file.read() if file is not None else b""
                target.addfile(info, io.BytesIO(b"FIRST" if content == b"first" else content))
        with pytest.raises(object_copies.ObjectsDiffer, match=r"kept/a\.txt"):
            object_copies.verify(connection, changed, said)
        with tarfile.open(changed, "w"):
            pass
        with pytest.raises(object_copies.ObjectsDiffer, match="3 objects"):
            object_copies.verify(connection, changed, said)


def test_one_object_that_was_damaged_before_hides_no_other_that_is_now(filled: LiveGateway, tmp_path: Path) -> None:
    """Whatever an object was when it was packed, other bytes in its place are found."""
    with SyncConnection(filled.database_url) as connection:
        damaged = str(connection.rows("select version from storage.objects where name = 'empty'")[0][0])
        (filled.data_dir / "storage" / "objects" / damaged[:2] / damaged).write_bytes(b"no more")
        packed = tmp_path / object_copies.OBJECTS
        said = object_copies.pack(connection, Settings(data_dir=filled.data_dir), packed)
        assert (said["damaged"], said["count"]) == (["kept/empty"], 3)
        said = json.loads(json.dumps(said))
        object_copies.verify(connection, packed, said)
        with tarfile.open(packed) as source:
            members = [(info, source.extractfile(info)) for info in source]
            contents = [(info, file.read() if file is not None else b"") for info, file in members]
        for changed, _ in contents:
            with tarfile.open(tmp_path / "changed", "w") as target:
                for info, content in contents:
                    if info is changed:
                        content = bytes([content[0] ^ 1]) + content[1:]
                    target.addfile(info, io.BytesIO(content))
            with pytest.raises(object_copies.ObjectsDiffer, match="the bytes of kept/"):
                object_copies.verify(connection, tmp_path / "changed", said)
        object_copies.verify(connection, packed, {key: said[key] for key in said if key != "differing"})


def test_nothing_is_removed_while_a_copy_is_made(filled: LiveGateway) -> None:
    with SyncConnection(filled.database_url) as connection, object_copies.held(connection):
        with client(filled) as admin:
            admin.delete("/object/kept/a.txt").raise_for_status()
        filled.command("storage", "check", "--mend")
        assert len(blobs(filled)) == 3
    filled.command("storage", "check", "--mend")
    assert len(blobs(filled)) == 2
