"""The official clients, as they come from their registries, use every method against a live gateway."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from storage3 import AsyncStorageClient, SyncStorageClient
from storage3.exceptions import StorageApiError

from tests.fixtures.db import Server
from tests.storage.conftest import Storage, running


@pytest.fixture(scope="module")
def forgetful(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """A gateway that remembers nothing and has no short cuts."""
    folder = tmp_path_factory.mktemp("forgetful")
    with running(server, template, folder, GATEWAY_CACHES="false", GATEWAY_FAST_PATH="false") as started:
        yield started


@pytest.mark.parametrize("script", ["client", "resumable"])
@pytest.mark.parametrize("gateway", ["storage", "forgetful"])
def test_the_javascript_clients_do_all_they_can(request: pytest.FixtureRequest, gateway: str, script: str) -> None:
    """storage-js; tus-js-client and Uppy."""
    storage: Storage = request.getfixturevalue(gateway)
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap", str(Path(__file__).parent / "js" / f"{script}.test.mjs")],
        env={
            "PATH": os.environ["PATH"],
            "GATEWAY_URL": storage.gateway.url,
            "SECRET_KEY": storage.secret,
            "PUBLISHABLE_KEY": storage.gateway.publishable_key,
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def headers(key: str) -> dict[str, str]:
    return {"apikey": key, "authorization": f"Bearer {key}"}


@pytest.fixture
def client(storage: Storage) -> Iterator[SyncStorageClient]:
    made = SyncStorageClient(storage.url + "/", headers(storage.secret))
    yield made
    made.session.close()


def test_the_python_client_manages_buckets(client: SyncStorageClient) -> None:
    name = f"py{uuid4().hex[:8]}"
    assert client.create_bucket(name, options={"public": True, "file_size_limit": 1000}) == {"name": name}
    bucket = client.get_bucket(name)
    assert (bucket.id, bucket.public, bucket.file_size_limit) == (name, True, 1000)
    assert name in [each.id for each in client.list_buckets()]
    assert client.update_bucket(name, {"public": False})["message"] == "Successfully updated"
    client.from_(name).upload("a", b"x")
    client.empty_bucket(name)
    assert client.delete_bucket(name)["message"] == "Successfully deleted"
    with pytest.raises(StorageApiError) as refused:
        client.get_bucket(name)
    assert (refused.value.message, str(refused.value.status)) == ("Bucket not found", "404")


def test_the_python_client_uses_objects(storage: Storage, client: SyncStorageClient, tmp_path: Path) -> None:
    name = f"py{uuid4().hex[:8]}"
    client.create_bucket(name)
    bucket = client.from_(name)
    file = tmp_path / "a.txt"
    file.write_text("of a file")
    done = bucket.upload("dir/a.txt", file, {"content-type": "text/plain", "cache-control": "60", "metadata": {"a": 1}})
    assert done.path == "dir/a.txt"
    assert bucket.download("dir/a.txt") == b"of a file"
    info = bucket.info("dir/a.txt")
    assert (info["metadata"], info["cache_control"]) == ({"a": 1}, "max-age=60")
    assert bucket.exists("dir/a.txt")
    assert not bucket.exists("none")
    bucket.update("dir/a.txt", b"changed")
    assert bucket.download("dir/a.txt") == b"changed"
    assert [each["name"] for each in bucket.list()] == ["dir"]
    page = bucket.list_v2({"prefix": "dir/", "with_delimiter": True})
    assert ([each.name for each in page.objects], page.hasNext) == (["dir/a.txt"], False)
    assert bucket.get_public_url("dir/a.txt").startswith(f"{storage.url}/object/public/{name}/dir/a.txt")
    bucket.copy("dir/a.txt", "b.txt")
    bucket.move("b.txt", "c.txt")
    signed = bucket.create_signed_url("c.txt", 60, {"download": True})
    import httpx

    assert httpx.get(str(signed["signedURL"])).content == b"changed"
    assert [each["error"] is None for each in bucket.create_signed_urls(["c.txt", "none"], 60)] == [True, False]
    upload = bucket.create_signed_upload_url("up.txt")
    bucket.upload_to_signed_url(upload["path"], upload["token"], b"signed")
    assert bucket.download("up.txt") == b"signed"
    assert sorted(each["name"] for each in bucket.remove(["c.txt", "up.txt"])) == ["c.txt", "up.txt"]


async def use(client: AsyncStorageClient, name: str) -> bytes:
    await client.create_bucket(name)
    await client.from_(name).upload("a", b"x" * 1_000_000)
    found = await client.from_(name).download("a")
    await client.session.aclose()
    return found


def test_the_asynchronous_python_client(storage: Storage) -> None:
    import asyncio

    client = AsyncStorageClient(storage.url + "/", headers(storage.secret))
    assert asyncio.run(use(client, f"py{uuid4().hex[:8]}")) == b"x" * 1_000_000
