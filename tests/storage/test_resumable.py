"""Resumable uploads: an upload goes on where it broke off, and becomes an object when it is whole."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import threading
import time
from urllib.parse import urlsplit

import httpx

from tests.storage.conftest import Storage, make_bucket, problem

TUS = {"tus-resumable": "1.0.0"}
CHUNK = {**TUS, "content-type": "application/offset+octet-stream"}


def metadata(bucket: str, key: str, **more: str) -> str:
    pairs = {"bucketName": bucket, "objectName": key, "contentType": "text/plain", **more}
    return ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in pairs.items())


def begin(client: httpx.Client, bucket: str, key: str, length: int | None, **headers: str) -> httpx.Response:
    size = {"upload-defer-length": "1"} if length is None else {"upload-length": str(length)}
    return client.post(
        "/upload/resumable", headers={**TUS, **size, "upload-metadata": metadata(bucket, key), **headers}
    )


def add(client: httpx.Client, location: str, offset: int, content: bytes, **headers: str) -> httpx.Response:
    return client.patch(location, content=content, headers={**CHUNK, "upload-offset": str(offset), **headers})


def offset(client: httpx.Client, location: str) -> int:
    return int(client.head(location, headers=TUS).headers["upload-offset"])


def test_options_say_what_is_spoken(anybody: httpx.Client) -> None:
    answer = anybody.options("/upload/resumable")
    assert answer.status_code == 204
    assert answer.headers["tus-version"] == "1.0.0"
    assert answer.headers["tus-extension"].startswith(
        "creation,creation-with-upload,creation-defer-length,termination,expiration"
    )
    assert answer.headers["tus-max-size"] == "52428800"
    assert answer.headers["access-control-allow-methods"] == "POST, HEAD, PATCH, OPTIONS, DELETE"
    assert "x-signature" in answer.headers["access-control-allow-headers"]
    assert answer.headers["access-control-max-age"] == "86400"
    preflight = anybody.options(
        "/upload/resumable",
        headers={
            "origin": "https://a.example",
            "access-control-request-method": "PATCH",
            "access-control-request-headers": "upload-offset",
        },
    )
    assert preflight.headers["access-control-allow-headers"] == "upload-offset"
    assert "PATCH" in preflight.headers["access-control-allow-methods"]


def test_an_upload_in_parts_becomes_an_object(admin: httpx.Client, bucket: str, storage: Storage) -> None:
    content = os.urandom(3_000_000)
    answer = admin.post(
        "/upload/resumable",
        headers={
            **TUS,
            "upload-length": str(len(content)),
            "upload-metadata": metadata(bucket, "d/a.txt", cacheControl="60", metadata='{"a":1}'),
        },
    )
    assert answer.status_code == 201, answer.text
    location = answer.headers["location"]
    assert location.startswith(storage.url + "/upload/resumable/")
    assert "upload-expires" in answer.headers
    sent = 0
    for size in (1_000_000, 1_999_999, 1):
        done = add(admin, location, sent, content[sent : sent + size])
        sent += size
        assert (done.status_code, done.headers["upload-offset"]) == (204, str(sent)), done.text
        head = admin.head(location, headers=TUS)
        assert (head.headers["upload-offset"], head.headers["upload-length"]) == (str(sent), "3000000")
        assert head.headers["cache-control"] == "no-store"
    assert done.headers["tus-complete"] == "1"
    found = admin.get(f"/object/{bucket}/d/a.txt")
    assert found.content == content
    assert found.headers["etag"] == f'"{hashlib.md5(content).hexdigest()}"'
    assert (found.headers["content-type"], found.headers["cache-control"]) == ("text/plain", "max-age=60")
    assert admin.get(f"/object/info/{bucket}/d/a.txt").json()["metadata"] == {"a": 1}
    assert storage.sql("select count(*) from storage_private.tus_parts") == [("0",)]
    assert add(admin, location, sent, b"x").status_code == 409
    assert admin.delete(location, headers=TUS).status_code == 409


def test_the_first_bytes_may_come_along(admin: httpx.Client, bucket: str) -> None:
    answer = admin.post(
        "/upload/resumable",
        content=b"hello",
        headers={**CHUNK, "upload-length": "11", "upload-metadata": metadata(bucket, "a")},
    )
    assert (answer.status_code, answer.headers["upload-offset"]) == (201, "5")
    assert add(admin, answer.headers["location"], 5, b" world").headers["tus-complete"] == "1"
    assert admin.get(f"/object/{bucket}/a").content == b"hello world"
    empty = begin(admin, bucket, "empty", 0)
    assert (empty.status_code, empty.headers["tus-complete"]) == (201, "1")
    assert admin.get(f"/object/{bucket}/empty").content == b""


def test_the_length_may_come_later(admin: httpx.Client, bucket: str) -> None:
    location = begin(admin, bucket, "a", None).headers["location"]
    assert add(admin, location, 0, b"one").status_code == 204
    assert admin.head(location, headers=TUS).headers["upload-defer-length"] == "1"
    assert add(admin, location, 3, b"two", **{"upload-length": "6"}).headers["tus-complete"] == "1"
    assert admin.get(f"/object/{bucket}/a").content == b"onetwo"


def test_a_broken_patch_keeps_what_it_brought(admin: httpx.Client, bucket: str, storage: Storage) -> None:
    content = os.urandom(2_000_000)
    location = begin(admin, bucket, "a", len(content)).headers["location"]
    parts = urlsplit(location)
    with socket.create_connection((parts.hostname or "", parts.port or 0)) as connection:
        head = (
            f"PATCH {parts.path} HTTP/1.1\r\nhost: {parts.netloc}\r\nauthorization: Bearer {storage.secret}\r\n"
            f"tus-resumable: 1.0.0\r\nupload-offset: 0\r\ncontent-type: application/offset+octet-stream\r\n"
            f"content-length: {len(content)}\r\n\r\n"
        )
        connection.sendall(head.encode() + content[:900_000])
        time.sleep(0.5)
    for _ in range(100):
        if (there := offset(admin, location)) > 0:
            break
        time.sleep(0.1)
    assert 0 < there <= 900_000
    assert add(admin, location, there, content[there:]).headers["tus-complete"] == "1"
    assert admin.get(f"/object/{bucket}/a").content == content


def test_two_writers_exclude_each_other(admin: httpx.Client, bucket: str, storage: Storage) -> None:
    location = begin(admin, bucket, "a", 200_000).headers["location"]
    statuses: list[int] = []

    def write(number: int) -> None:
        with storage.client(storage.secret) as client:
            statuses.append(add(client, location, 0, bytes([number]) * 100_000).status_code)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses.count(204) == 1
    assert set(statuses) <= {204, 409, 423}
    assert offset(admin, location) == 100_000
    assert add(admin, location, 100_000, b"e" * 100_000).status_code == 204
    found = admin.get(f"/object/{bucket}/a").content
    assert (len(found), len(set(found[:100_000]))) == (200_000, 1)


def test_faults_are_text_with_the_real_status(admin: httpx.Client, bucket: str, anybody: httpx.Client) -> None:
    location = begin(admin, bucket, "a", 10).headers["location"]
    for answer, status, text in (
        (admin.post("/upload/resumable"), 412, "Tus-Resumable Required"),
        (admin.post("/upload/resumable", headers=TUS), 400, "Metadata header is required"),
        (
            admin.post("/upload/resumable", headers={**TUS, "upload-metadata": metadata(bucket, "b")}),
            400,
            "Upload-Length or Upload-Defer-Length header required",
        ),
        (begin(admin, bucket, "b#", 3), 400, "Invalid key: b#"),
        (begin(admin, "none-such", "b", 3), 404, "Bucket not found"),
        (begin(admin, bucket, "b", 10**9), 413, "Maximum size exceeded"),
        (add(admin, location, 3, b"x"), 409, "Upload-Offset conflict"),
        (add(admin, location, 0, b"x" * 11), 413, "upload's size exceeded"),
        (admin.patch(location, headers=CHUNK), 403, "Upload-Offset header required"),
        (admin.patch(location, headers={**TUS, "upload-offset": "0"}), 400, "Invalid content-type"),
        (add(admin, location + "x", 0, b"x"), 404, "The file for this url was not found"),
        (add(admin, location, 0, b"x", **{"upload-checksum": "md5 AAAA"}), 460, "Checksum mismatch"),
    ):
        assert (answer.status_code, answer.text) == (status, text + "\n")
    assert offset(admin, location) == 0
    assert problem(anybody.post("/upload/resumable", headers=TUS))[1:] == ("403", "AccessDenied", "Invalid Compact JWS")
    digest = base64.b64encode(hashlib.sha1(b"0123456789").digest()).decode()
    assert add(admin, location, 0, b"0123456789", **{"upload-checksum": f"sha1 {digest}"}).status_code == 204
    taken = begin(admin, bucket, "a", 3)
    assert (taken.status_code, taken.text) == (409, "The resource already exists\n")
    assert begin(admin, bucket, "a", 3, **{"x-upsert": "true"}).status_code == 201


def test_policies_are_asked_at_each_step(admin: httpx.Client, bucket: str, storage: Storage) -> None:
    with storage.client(storage.token("x")) as user:
        refused = begin(user, bucket, "a", 3)
        assert (refused.status_code, refused.text) == (403, "new row violates row-level security policy\n")
        storage.script(
            f'create policy "{bucket}" on storage.objects for insert to authenticated'
            f" with check (bucket_id = '{bucket}')"
        )
        location = begin(user, bucket, "a", 3).headers["location"]
        storage.script(f'drop policy "{bucket}" on storage.objects')
        assert add(user, location, 0, b"abc").status_code == 403
        assert offset(user, location) == 0


def test_an_upload_can_be_signed(admin: httpx.Client, anybody: httpx.Client, bucket: str, storage: Storage) -> None:
    token = admin.post(f"/object/upload/sign/{bucket}/a").json()["token"]
    headers = {**TUS, "x-signature": token}
    answer = anybody.post(
        "/upload/resumable/sign", headers={**headers, "upload-length": "3", "upload-metadata": metadata(bucket, "a")}
    )
    assert answer.status_code == 201, answer.text
    location = answer.headers["location"]
    assert location.startswith(storage.url + "/upload/resumable/sign/")
    assert add(anybody, location, 0, b"abc").status_code == 400
    assert add(anybody, location, 0, b"abc", **{"x-signature": token}).headers["tus-complete"] == "1"
    assert admin.get(f"/object/{bucket}/a").content == b"abc"
    other = anybody.post(
        "/upload/resumable/sign", headers={**headers, "upload-length": "3", "upload-metadata": metadata(bucket, "b")}
    )
    assert (other.status_code, other.text) == (400, "Invalid signature\n")


def test_the_address_is_the_one_that_the_client_reaches(admin: httpx.Client, bucket: str) -> None:
    answer = begin(
        admin,
        bucket,
        "a",
        3,
        **{"x-forwarded-proto": "https", "x-forwarded-host": "files.example", "x-forwarded-port": "8443"},
    )
    assert answer.headers["location"].startswith("https://files.example:8443/storage/v1/upload/resumable/")


def test_what_is_given_up_leaves_nothing(admin: httpx.Client, storage: Storage) -> None:
    bucket = make_bucket(admin)
    ended = begin(admin, bucket, "a", 2_000_000).headers["location"]
    add(admin, ended, 0, b"x" * 1_000_000)
    assert admin.delete(ended, headers=TUS).status_code == 204
    assert admin.head(ended, headers=TUS).status_code == 404
    expired = begin(admin, bucket, "b", 2_000_000).headers["location"]
    add(admin, expired, 0, b"x" * 1_000_000)
    storage.script("update storage_private.tus_uploads set expires_at = now() - interval '1 s' where not finished")
    assert admin.head(expired, headers=TUS).status_code == 410
    assert storage.gateway.command("storage", "check", "--mend").returncode in (0, 1)
    assert storage.sql("select count(*) from storage_private.tus_uploads where bucket_id = $1", bucket) == [("0",)]
    assert storage.sql("select count(*) from storage_private.trash") == [("0",)]
