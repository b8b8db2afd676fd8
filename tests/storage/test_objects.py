"""Upload, download, copy, move and delete, by request and exact reply."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Mapping
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest

from tests.storage.conftest import Storage, make_bucket, problem


def put(
    client: httpx.Client, path: str, content: bytes = b"hello world", headers: Mapping[str, str] | None = None
) -> httpx.Response:
    return client.post(f"/object/{path}", content=content, headers={"content-type": "text/plain", **(headers or {})})


def test_upload_answers_key_and_id_and_is_refused_the_second_time(admin: httpx.Client, bucket: str) -> None:
    answer = put(admin, f"{bucket}/dir/a.txt")
    assert answer.status_code == 200
    assert answer.json()["Key"] == f"{bucket}/dir/a.txt"
    assert list(answer.json()) == ["Key", "Id"]
    again = put(admin, f"{bucket}/dir/a.txt")
    assert again.status_code == 400
    assert again.content == (
        b'{"statusCode":"409","error":"Duplicate","message":"The resource already exists","code":"KeyAlreadyExists"}'
    )


def test_upsert_keeps_the_id_and_replaces_the_bytes(admin: httpx.Client, bucket: str, storage: Storage) -> None:
    first = put(admin, f"{bucket}/a.txt", b"one")
    second = put(admin, f"{bucket}/a.txt", b"second", headers={"x-upsert": "true"})
    assert first.json()["Id"] == second.json()["Id"]
    assert admin.get(f"/object/{bucket}/a.txt").content == b"second"
    third = admin.put(f"/object/{bucket}/a.txt", content=b"third!!")
    assert third.json()["Id"] == first.json()["Id"]
    assert admin.get(f"/object/authenticated/{bucket}/a.txt").content == b"third!!"


def test_put_creates_what_is_missing(admin: httpx.Client, bucket: str) -> None:
    assert admin.put(f"/object/{bucket}/new.bin", content=b"x").status_code == 200


def test_download_has_exactly_these_headers(admin: httpx.Client, anybody: httpx.Client, public_bucket: str) -> None:
    put(admin, f"{public_bucket}/a.txt", headers={"cache-control": "max-age=60"})
    answer = anybody.get(f"/object/public/{public_bucket}/a.txt")
    assert answer.status_code == 200
    assert answer.content == b"hello world"
    md5 = hashlib.md5(b"hello world").hexdigest()
    wanted = {
        "accept-ranges": "bytes",
        "content-type": "text/plain",
        "etag": f'"{md5}"',
        "x-robots-tag": "none",
        "content-length": "11",
        "cache-control": "max-age=60",
        "x-content-type-options": "nosniff",
        "access-control-allow-origin": "*",
    }
    assert {name: answer.headers.get(name) for name in wanted} == wanted
    assert "last-modified" in answer.headers
    assert "content-disposition" not in answer.headers
    head = anybody.head(f"/object/public/{public_bucket}/a.txt")
    same = set(wanted) | {"last-modified"}
    assert (head.status_code, head.content) == (200, b"")
    assert {name: head.headers[name] for name in same} == {name: answer.headers[name] for name in same}


def test_head_of_a_missing_object_is_400_without_body(admin: httpx.Client, bucket: str) -> None:
    answer = admin.head(f"/object/{bucket}/none.txt")
    assert (answer.status_code, answer.content) == (400, b"")


@pytest.mark.parametrize(
    ("sent", "status", "range_", "content"),
    [
        ("bytes=0-4", 206, "bytes 0-4/11", b"hello"),
        ("bytes=6-", 206, "bytes 6-10/11", b"world"),
        ("bytes=-5", 206, "bytes 6-10/11", b"world"),
        ("bytes=-50", 206, "bytes 0-10/11", b"hello world"),
        ("bytes=8-100", 206, "bytes 8-10/11", b"rld"),
    ],
)
def test_ranges(admin: httpx.Client, public_bucket: str, sent: str, status: int, range_: str, content: bytes) -> None:
    put(admin, f"{public_bucket}/a.txt")
    answer = admin.get(f"/object/public/{public_bucket}/a.txt", headers={"range": sent})
    assert (answer.status_code, answer.headers["content-range"], answer.content) == (status, range_, content)
    assert answer.headers["content-length"] == str(len(content))


@pytest.mark.parametrize("sent", ["bytes=11-", "bytes=5-2", "bytes=-0", "bytes=0-1,3-4", "lines=1-2", "bytes=-"])
def test_ranges_that_cannot_be_are_416(admin: httpx.Client, public_bucket: str, sent: str) -> None:
    put(admin, f"{public_bucket}/a.txt")
    answer = admin.get(f"/object/public/{public_bucket}/a.txt", headers={"range": sent})
    assert problem(answer) == (416, "416", "InvalidRange", "invalid range provided")


def test_a_client_that_has_the_bytes_is_told_304(admin: httpx.Client, public_bucket: str) -> None:
    put(admin, f"{public_bucket}/a.txt")
    url = f"/object/public/{public_bucket}/a.txt"
    first = admin.get(url)
    for condition in (
        {"if-none-match": first.headers["etag"]},
        {"if-none-match": f'"x", W/{first.headers["etag"]}'},
        {"if-modified-since": first.headers["last-modified"]},
    ):
        answer = admin.get(url, headers=condition)
        assert (answer.status_code, answer.content) == (304, b""), condition
        assert answer.headers["cache-control"] == "no-cache"
    other = admin.get(url, headers={"if-none-match": '"other"'})
    assert other.status_code == 200
    assert other.headers["cache-control"] == "no-cache, stale-while-revalidate=30"


def test_download_names_the_file(admin: httpx.Client, public_bucket: str) -> None:
    put(admin, f"{public_bucket}/a.txt")
    url = f"/object/public/{public_bucket}/a.txt"
    assert admin.get(url + "?download").headers["content-disposition"] == "attachment;"
    named = admin.get(url + "?download=caf%C3%A9%20x.txt").headers["content-disposition"]
    assert named == "attachment; filename=caf%C3%A9%20x.txt; filename*=UTF-8''caf%C3%A9%20x.txt"


@pytest.mark.parametrize(
    ("kind", "sent", "policy"),
    [
        ("text/html", "text/plain", False),
        ("text/html; charset=utf-8", "text/plain", False),
        ("image/svg+xml", "image/svg+xml", True),
        ("application/xhtml+xml", "application/xhtml+xml", True),
        ("text/xml", "text/xml", True),
        ("image/png", "image/png", False),
    ],
)
def test_hosted_content_runs_no_scripts(
    admin: httpx.Client, public_bucket: str, kind: str, sent: str, policy: bool
) -> None:
    path = f"{public_bucket}/{uuid4()}"
    assert put(admin, path, b"<script>alert(1)</script>", headers={"content-type": kind}).status_code == 200
    answer = admin.get(f"/object/public/{path}")
    assert answer.headers["content-type"] == sent
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert ("sandbox" in answer.headers.get("content-security-policy", "")) is policy


def test_forms_carry_a_file_under_any_name(admin: httpx.Client, bucket: str) -> None:
    for name in ("", "file", "anything"):
        path = f"{bucket}/{uuid4()}.png"
        boundary = "XbX"
        body = (
            (
                f'--{boundary}\r\nContent-Disposition: form-data; name="cacheControl"\r\n\r\n3600\r\n'
                f'--{boundary}\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{{"a":1}}\r\n'
                f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="x.png"\r\n'
                f"Content-Type: image/png\r\n\r\n"
            ).encode()
            + b"\x00\r\n--Xb\xff" * 50_000
            + f"\r\n--{boundary}--\r\n".encode()
        )
        answer = admin.post(
            f"/object/{path}", content=body, headers={"content-type": f"multipart/form-data; boundary={boundary}"}
        )
        assert answer.status_code == 200, answer.text
        found = admin.get(f"/object/{path}")
        assert found.content == b"\x00\r\n--Xb\xff" * 50_000
        assert found.headers["content-type"] == "image/png"
        assert found.headers["cache-control"] == "max-age=3600"
        assert admin.get(f"/object/info/{path}").json()["metadata"] == {"a": 1}


def test_a_form_without_a_file_has_no_content(admin: httpx.Client, bucket: str) -> None:
    answer = admin.post(f"/object/{bucket}/x", files={"metadata": (None, "{}")})
    assert problem(answer) == (400, "400", "InvalidRequest", "No content provided")


def test_metadata_of_the_row_is_spelled_as_the_original_does(
    admin: httpx.Client, bucket: str, storage: Storage
) -> None:
    meta = base64.b64encode(b'{"a":1}').decode()
    put(admin, f"{bucket}/m.txt", headers={"x-metadata": meta, "cache-control": "max-age=5"})
    ((metadata, user, size),) = storage.sql(
        "select metadata - 'lastModified', user_metadata, metadata ->> 'size' from storage.objects"
        " where bucket_id = $1",
        bucket,
    )
    md5 = hashlib.md5(b"hello world").hexdigest()
    assert (
        metadata == f'{{"eTag": "\\"{md5}\\"", "size": 11, "mimetype": "text/plain", "cacheControl": "max-age=5", '
        '"contentLength": 11, "httpStatusCode": 200}'
    )
    assert (user, size) == ('{"a": 1}', "11")


def test_info_tells_all_of_an_object(admin: httpx.Client, bucket: str) -> None:
    key = put(admin, f"{bucket}/i.txt").json()
    info = admin.get(f"/object/info/{bucket}/i.txt")
    content = info.json()
    assert list(content) == [
        "id", "name", "version", "bucket_id", "size", "content_type", "cache_control", "etag", "metadata",
        "last_modified", "created_at",
    ]  # fmt: skip
    assert (content["id"], content["name"], content["size"]) == (key["Id"], "i.txt", 11)
    assert content["metadata"] == {}
    assert content["created_at"].endswith("Z")
    assert len(content["created_at"]) == len("2026-11-22T16:57:00.000Z")


@pytest.mark.parametrize("key", ["ü.txt", "a#b", "a\\b", "a[b]", "a{b", 'a"b', "a~", "a^", "a`", "a\tb", "a|b"])
def test_keys_with_other_characters_are_refused(admin: httpx.Client, bucket: str, key: str) -> None:
    answer = put(admin, f"{bucket}/{quote(key, safe='')}")
    assert problem(answer) == (400, "400", "InvalidKey", f"Invalid key: {key}")


@pytest.mark.parametrize("key", ["a/b c/d!e_f-(1)*'.$@&=;:+,?.txt", "a//b", "trailing/"])
def test_keys_that_look_odd_are_taken(admin: httpx.Client, bucket: str, key: str) -> None:
    assert put(admin, f"{bucket}/{quote(key, safe='/')}").status_code == 200
    assert admin.get(f"/object/{bucket}/{quote(key, safe='/')}").content == b"hello world"


@pytest.mark.parametrize("key", ["..%2f..%2fkeys.json", "a/%2e%2e/b", "a/./b", "%2e"])
def test_dot_segments_are_refused(storage: Storage, admin: httpx.Client, bucket: str, key: str) -> None:
    """Sent byte for byte: clients would resolve them."""
    import http.client

    connection = http.client.HTTPConnection(storage.gateway.url.removeprefix("http://"))
    connection.request(
        "POST", f"/storage/v1/object/{bucket}/{key}", b"x", {"authorization": f"Bearer {storage.secret}"}
    )
    answer = connection.getresponse()
    assert (answer.status, b"InvalidKey" in answer.read()) == (400, True)
    connection.close()


def test_a_key_may_also_be_a_folder(admin: httpx.Client, bucket: str) -> None:
    assert put(admin, f"{bucket}/a", b"1").status_code == 200
    assert put(admin, f"{bucket}/a/b", b"2").status_code == 200
    assert [admin.get(f"/object/{bucket}/{key}").content for key in ("a", "a/b")] == [b"1", b"2"]


def test_limits_of_buckets_hold_before_and_while_bytes_come(admin: httpx.Client, storage: Storage) -> None:
    small = make_bucket(admin, file_size_limit=10, allowed_mime_types=["text/*", "image/png"])
    too_large = (400, "413", "EntityTooLarge", "The object exceeded the maximum allowed size")
    assert problem(put(admin, f"{small}/a")) == too_large

    def pieces() -> object:
        for _ in range(100):
            yield b"x" * 1000

    answer = admin.post(f"/object/{small}/b", content=pieces(), headers={"content-type": "text/plain"})  # type: ignore[arg-type]
    assert problem(answer) == too_large
    form = admin.post(f"/object/{small}/c", files={"file": ("c.txt", b"x" * 50, "text/plain")})
    assert problem(form) == too_large
    wrong = put(admin, f"{small}/d", b"x", headers={"content-type": "image/jpeg"})
    assert problem(wrong) == (400, "415", "InvalidMimeType", "mime type image/jpeg is not supported")
    assert put(admin, f"{small}/e", b"x", headers={"content-type": "image/png"}).status_code == 200
    placeholder = put(admin, f"{small}/f/.emptyFolderPlaceholder", b"", headers={"content-type": "application/x"})
    assert placeholder.status_code == 200
    assert problem(put(admin, f"{small}/g/.emptyFolderPlaceholder", b"x")) == too_large
    assert storage.sql("select count(*) from storage.objects where bucket_id = $1", small) == [("2",)]


def test_mime_parameters_count(admin: httpx.Client) -> None:
    strict = make_bucket(admin, allowed_mime_types=["text/plain"])
    answer = put(admin, f"{strict}/a", headers={"content-type": "text/plain;charset=UTF-8"})
    assert problem(answer)[2] == "InvalidMimeType"


def test_copy_keeps_metadata_and_answers_the_row(admin: httpx.Client, bucket: str) -> None:
    meta = base64.b64encode(b'{"a":1}').decode()
    put(admin, f"{bucket}/a.txt", headers={"x-metadata": meta, "cache-control": "max-age=9"})
    other = make_bucket(admin)
    answer = admin.post(
        "/object/copy",
        json={"bucketId": bucket, "sourceKey": "a.txt", "destinationBucket": other, "destinationKey": "b/c.txt"},
    )
    assert answer.status_code == 200, answer.text
    content = answer.json()
    assert content["Key"] == f"{other}/b/c.txt"
    assert content["Id"] == content["id"]
    assert content["user_metadata"] == {"a": 1}
    assert set(content) == {
        "Key", "Id", "name", "bucket_id", "owner", "owner_id", "version", "id", "updated_at", "created_at",
        "last_accessed_at", "metadata", "user_metadata",
    }  # fmt: skip
    copied = admin.get(f"/object/{other}/b/c.txt")
    assert (copied.content, copied.headers["cache-control"]) == (b"hello world", "max-age=9")
    same = {"bucketId": bucket, "sourceKey": "a.txt", "destinationBucket": other, "destinationKey": "b/c.txt"}
    assert problem(admin.post("/object/copy", json=same)) == (
        400, "409", "KeyAlreadyExists", "The resource already exists",
    )  # fmt: skip
    missing = admin.post("/object/copy", json={**same, "sourceKey": "none"})
    assert problem(missing) == (400, "404", "NoSuchKey", "Object not found")
    nowhere = admin.post("/object/copy", json={**same, "destinationBucket": "none-such"})
    assert problem(nowhere) == (400, "404", "InvalidRequest", "The related resource does not exist")


def test_copy_onto_itself_edits_metadata(admin: httpx.Client, bucket: str) -> None:
    put(admin, f"{bucket}/a.txt")
    answer = admin.post(
        "/object/copy",
        headers={"x-upsert": "true", "x-metadata": base64.b64encode(b'{"b":2}').decode()},
        json={
            "bucketId": bucket,
            "sourceKey": "a.txt",
            "destinationKey": "a.txt",
            "copyMetadata": False,
            "metadata": {"mimetype": "text/css"},
        },
    )
    assert answer.status_code == 200, answer.text
    info = admin.get(f"/object/info/{bucket}/a.txt").json()
    assert (info["content_type"], info["metadata"], info["size"]) == ("text/css", {"b": 2}, 11)
    assert admin.get(f"/object/{bucket}/a.txt").content == b"hello world"


def test_move_keeps_the_row_and_changes_the_version(admin: httpx.Client, bucket: str) -> None:
    put(admin, f"{bucket}/a.txt")
    before = admin.get(f"/object/info/{bucket}/a.txt").json()
    answer = admin.post("/object/move", json={"bucketId": bucket, "sourceKey": "a.txt", "destinationKey": "x/b.txt"})
    assert answer.json() == {"message": "Successfully moved"}
    after = admin.get(f"/object/info/{bucket}/x/b.txt").json()
    assert (after["id"], after["created_at"]) == (before["id"], before["created_at"])
    assert after["version"] != before["version"]
    assert problem(admin.get(f"/object/{bucket}/a.txt"))[2] == "NoSuchKey"
    assert admin.get(f"/object/{bucket}/x/b.txt").content == b"hello world"
    put(admin, f"{bucket}/c.txt")
    taken = admin.post("/object/move", json={"bucketId": bucket, "sourceKey": "c.txt", "destinationKey": "x/b.txt"})
    assert problem(taken) == (400, "409", "ResourceAlreadyExists", "The resource already exists")
    same = admin.post("/object/move", json={"bucketId": bucket, "sourceKey": "c.txt", "destinationKey": "c.txt"})
    assert same.status_code == 200


def test_delete_takes_exact_keys_and_answers_the_rows(admin: httpx.Client, bucket: str) -> None:
    for key in ("a", "a/b", 'c,"d'.replace('"', "'")):
        put(admin, f"{bucket}/{key}")
    answer = admin.request("DELETE", f"/object/{bucket}", json={"prefixes": ["a", "none", "c,'d"]})
    assert sorted(row["name"] for row in answer.json()) == ["a", "c,'d"]
    assert admin.get(f"/object/{bucket}/a/b").status_code == 200
    assert admin.request("DELETE", f"/object/{bucket}/a/b").json() == {"message": "Successfully deleted"}
    assert problem(admin.request("DELETE", f"/object/{bucket}/a/b")) == (400, "404", "NoSuchKey", "Object not found")
    none = admin.request("DELETE", f"/object/{bucket}", json={"prefixes": []})
    assert problem(none)[3] == "body/prefixes must NOT have fewer than 1 items"


def test_what_is_replaced_or_deleted_leaves_no_bytes(admin: httpx.Client, bucket: str, storage: Storage) -> None:
    made: set[str | None] = set()

    def versions() -> set[str | None]:
        return {row[0] for row in storage.sql("select version from storage.objects where bucket_id = $1", bucket)}

    for number in range(6):  # some while the trash of others is being emptied
        put(admin, f"{bucket}/a", b"1", headers={"x-upsert": "true"})
        put(admin, f"{bucket}/b{number}", b"3")
        made |= versions()
        admin.request("DELETE", f"/object/{bucket}", json={"prefixes": [f"b{number}"]})
        time.sleep(0.1 * number)
    kept = versions()
    assert len(kept) == 1 and len(made) == 12
    deadline = time.monotonic() + 20
    while (left := made & {path.name for path in storage.folder.glob("objects/*/*")}) != kept:
        assert time.monotonic() < deadline, left - kept
        time.sleep(0.1)


def test_an_empty_object_is_legal(admin: httpx.Client, public_bucket: str) -> None:
    assert put(admin, f"{public_bucket}/empty", b"").status_code == 200
    answer = admin.get(f"/object/public/{public_bucket}/empty")
    assert (answer.status_code, answer.content, answer.headers["content-length"]) == (200, b"", "0")


def test_a_large_object_comes_back_as_it_was(admin: httpx.Client, bucket: str) -> None:
    content = bytes(range(256)) * 40_000
    assert put(admin, f"{bucket}/large", content).status_code == 200
    found = admin.get(f"/object/{bucket}/large")
    assert found.content == content
    assert found.headers["etag"] == f'"{hashlib.md5(content).hexdigest()}"'
    part = admin.get(f"/object/{bucket}/large", headers={"range": "bytes=300000-900000"})
    assert part.content == content[300_000:900_001]


def test_unknown_addresses_say_so(admin: httpx.Client) -> None:
    answer = admin.get("/object/x")
    assert answer.status_code == 404
    assert answer.json() == {
        "statusCode": "404",
        "error": "Not Found",
        "message": "Route GET:/object/x not found",
        "code": "InvalidRequest",
    }
    assert admin.get("/elsewhere").json()["statusCode"] == 404
    assert admin.get("/status").status_code == 200
    assert admin.get("/render/image/elsewhere/b/x.png").json()["message"].startswith("Route GET:/render/image")
    assert problem(admin.delete("/cdn/b"))[2] == "MissingParameter"
    assert admin.get("/health").json() == {"healthy": True}
