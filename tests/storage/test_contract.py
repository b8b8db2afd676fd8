"""Sentences of the contract that no other test says, one row each: what is asked, and what comes back."""

from __future__ import annotations

import base64
import json
from typing import Any

import httpx
import pytest

from tests.storage.conftest import Storage, make_bucket, problem

DUPLICATE = "The resource already exists"


@pytest.mark.parametrize(
    ("given", "kept"),
    [("1.5MB", 1_500_000), ("10kb", 10_000), ("1.2345mb", 1_230_000), ("7b", 7), (0, 0), (None, None), ("100", 100)],
)
def test_sizes_of_buckets(admin: httpx.Client, given: object, kept: object) -> None:
    bucket = make_bucket(admin, file_size_limit=given)
    assert admin.get(f"/bucket/{bucket}").json()["file_size_limit"] == kept


@pytest.mark.parametrize(
    ("given", "status"), [("1 kb", "400"), ("-1", "400"), (-1, "400"), ("", "400"), (1.5, "400"), ("900000GB", "413")]
)
def test_sizes_that_are_none(admin: httpx.Client, given: object, status: str) -> None:
    answer = admin.post("/bucket", json={"name": "never", "file_size_limit": given})
    assert (answer.status_code, answer.json()["statusCode"]) == (400, status)


@pytest.mark.parametrize(
    ("given", "kept", "takes", "refuses"),
    [
        (["image/*"], ["image/*"], "image/x", "text/plain"),
        (["*"], ["*"], "a/b", ""),
        (["*/*"], ["*/*"], "a/b", ""),
        (["text/plain;charset=utf-8"], ["text/plain;charset=utf-8"], "text/plain;charset=utf-8", "text/plain"),
        (["", ""], [], "a/b", ""),
        ([], [], "a/b", ""),
        (None, None, "a/b", ""),
    ],
)
def test_types_of_buckets(admin: httpx.Client, given: object, kept: object, takes: str, refuses: str) -> None:
    bucket = make_bucket(admin, allowed_mime_types=given)
    assert admin.get(f"/bucket/{bucket}").json()["allowed_mime_types"] == kept
    assert admin.post(f"/object/{bucket}/a", content=b"x", headers={"content-type": takes}).status_code == 200
    if refuses:
        refused = admin.post(f"/object/{bucket}/b", content=b"x", headers={"content-type": refuses})
        assert problem(refused) == (400, "415", "InvalidMimeType", f"mime type {refuses} is not supported")


@pytest.mark.parametrize("given", [["image"], ["image/"], ["a" * 1001 + "/*"]])
def test_types_that_are_none(admin: httpx.Client, given: object) -> None:
    assert problem(admin.post("/bucket", json={"name": "never", "allowed_mime_types": given}))[1] == "415"


def test_buckets_are_addressed_by_id_and_found_by_name(admin: httpx.Client) -> None:
    name = make_bucket(admin)
    answer = admin.post("/bucket", json={"name": f"{name} called", "id": f"{name}-id", "public": "true", "more": 1})
    assert answer.json() == {"name": f"{name} called"}
    assert admin.get(f"/bucket/{name}-id").json()["public"] is True
    assert problem(admin.get(f"/bucket/{name} called"))[2] == "NoSuchBucket"
    searched = {"search": name.upper(), "sortColumn": "id", "sortOrder": "desc", "limit": "1"}
    assert [each["id"] for each in admin.get("/bucket", params=searched).json()] == [f"{name}-id"]
    assert [each["id"] for each in admin.get("/bucket/", params={**searched, "offset": "1"}).json()] == [name]
    assert admin.get("/bucket", params={"search": "%"}).json() == []


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("limit=0", "querystring/limit must be >= 1"),
        ("offset=-1", "querystring/offset must be >= 0"),
        ("sortColumn=owner", "querystring/sortColumn must be equal to one of the allowed values"),
    ],
)
def test_pages_of_buckets_that_are_none(admin: httpx.Client, query: str, message: str) -> None:
    assert problem(admin.get(f"/bucket?{query}")) == (400, "400", "InvalidRequest", message)


def test_an_update_leaves_what_it_does_not_name(admin: httpx.Client) -> None:
    bucket = make_bucket(admin, public=True, file_size_limit=10)
    before = admin.get(f"/bucket/{bucket}").json()
    assert admin.put(f"/bucket/{bucket}", json={"file_size_limit": None}).status_code == 200
    assert admin.get(f"/bucket/{bucket}").json() == {**before, "file_size_limit": None}
    assert problem(admin.put(f"/bucket/{bucket}", json={})) == (400, "400", "InvalidRequest", "No content provided")
    assert problem(admin.put("/bucket/none-such", json={"public": True}))[2] == "NoSuchBucket"
    assert problem(admin.post("/bucket", json={"name": bucket})) == (400, "409", "BucketAlreadyExists", DUPLICATE)
    analytics = admin.post("/bucket", json={"name": "never", "type": "ANALYTICS"})
    assert problem(analytics)[1:3] == ("409", "FeatureNotEnabled")


def test_user_metadata_is_replaced_whole(admin: httpx.Client, bucket: str) -> None:
    sent = base64.b64encode(b'{"a":{"b_c":1}}').decode().rstrip("=")
    for header, kept in (({"x-metadata": sent}, {"a": {"b_c": 1}}), ({}, {}), ({"x-metadata": "!!"}, {})):
        assert admin.put(f"/object/{bucket}/a", content=b"x", headers=header).status_code == 200
        assert admin.get(f"/object/info/{bucket}/a").json()["metadata"] == kept
    long = {"metadata": json.dumps({"a": "b" * 1_100_000})}
    refused = admin.put(f"/object/{bucket}/a", data=long, files={"": ("f", b"x")})
    assert problem(refused)[1:] == ("413", "EntityTooLarge", "The user_metadata exceeded the maximum allowed size")


def test_only_the_word_true_replaces(admin: httpx.Client, bucket: str) -> None:
    for value, status in (("false", 200), ("TRUE", 400), ("1", 400), ("true", 200)):
        assert admin.post(f"/object/{bucket}/a", content=b"x", headers={"x-upsert": value}).status_code == status


def test_robots_are_told_what_the_object_says(admin: httpx.Client, anybody: httpx.Client, public_bucket: str) -> None:
    refused = admin.post(f"/object/{public_bucket}/a", content=b"x", headers={"x-robots-tag": "bogus"})
    assert (problem(refused)[1], refused.json()["error"]) == ("400", "invalid_x_robots_tag")
    admin.post(f"/object/{public_bucket}/a", content=b"x", headers={"x-robots-tag": "noindex, nofollow"})
    assert anybody.get(f"/object/public/{public_bucket}/a").headers["x-robots-tag"] == "noindex, nofollow"


def test_the_placeholder_of_a_folder_is_of_any_type_and_empty(admin: httpx.Client) -> None:
    bucket = make_bucket(admin, allowed_mime_types=["text/plain"])
    path = f"/object/{bucket}/folder/.emptyFolderPlaceholder"
    assert admin.post(path, content=b"", headers={"content-type": "image/png"}).status_code == 200
    assert problem(admin.put(path, content=b"x"))[1] == "413"


def test_copies_go_past_the_target_s_rules_and_moves_keep_what_was_said(admin: httpx.Client, bucket: str) -> None:
    small = make_bucket(admin, file_size_limit=1, allowed_mime_types=["image/png"])
    admin.post(f"/object/{bucket}/a", content=b"long", headers={"content-type": "text/plain"})
    asked: dict[str, Any] = {"bucketId": bucket, "sourceKey": "a", "destinationKey": "b"}
    assert admin.post("/object/copy", json={**asked, "destinationBucket": small}).json()["Key"] == f"{small}/b"
    assert problem(admin.post("/object/copy", json={**asked, "destinationBucket": small}))[2:] == (
        "KeyAlreadyExists",
        DUPLICATE,
    )
    assert problem(admin.post("/object/move", json={**asked, "destinationBucket": small}))[2:] == (
        "ResourceAlreadyExists",
        DUPLICATE,
    )
    for route in ("copy", "move"):
        missing = admin.post(f"/object/{route}", json={**asked, "destinationBucket": "none-such"})
        assert problem(missing) == (400, "404", "InvalidRequest", "The related resource does not exist")
        assert problem(admin.post(f"/object/{route}", json={**asked, "sourceKey": "none"}))[2] == "NoSuchKey"
    same = admin.post("/object/move", json={**asked, "destinationKey": "a"})
    assert same.json() == {"message": "Successfully moved"}


def test_tokens_of_old_have_no_scope(storage: Storage, admin: httpx.Client, anybody: httpx.Client, bucket: str) -> None:
    admin.post(f"/object/{bucket}/a", content=b"x")
    download = storage.token(url=f"{bucket}/a")
    upload = storage.token(url=f"{bucket}/b", upsert=False, owner=None)
    assert anybody.get(f"/object/sign/{bucket}/a?token={download}").content == b"x"
    assert anybody.put(f"/object/upload/sign/{bucket}/b?token={upload}", content=b"y").json() == {"Key": f"{bucket}/b"}
    assert (
        problem(anybody.put(f"/object/upload/sign/{bucket}/a?token={download}", content=b"y"))[2] == "InvalidSignature"
    )
    assert problem(anybody.get(f"/object/sign/{bucket}/a"))[3] == "querystring must have required property 'token'"


def test_addresses_beside_objects(storage: Storage, admin: httpx.Client, anybody: httpx.Client) -> None:
    assert (anybody.get("/status").status_code, anybody.get("/status").content) == (200, b"")
    assert anybody.get("/version").status_code == 200
    assert problem(anybody.get("/health")) == (400, "403", "AccessDenied", "Invalid Compact JWS")
    purge = admin.delete("/cdn/some/object")
    assert problem(purge)[1:] == (
        "400",
        "MissingParameter",
        "Missing Required Parameter CDN_PURGE_ENDPOINT_URL is not set",
    )
    with storage.client(storage.token()) as user:
        assert problem(user.delete("/cdn/some"))[:2] == (403, "403")
    assert anybody.get("/iceberg/v1").json()["statusCode"] == 404


def test_bodies_arrive_whole_however_they_are_cut(admin: httpx.Client, bucket: str) -> None:
    sizes = [1, 1, 5000, 1, 70_000, 300_000, 3, 262_144, 524_289, 2]
    pieces = [bytes([number]) * size for number, size in enumerate(sizes)]
    for number in range(len(pieces)):
        given = pieces[number:] + pieces[:number]
        assert admin.put(f"/object/{bucket}/a", content=iter(given)).status_code == 200
        assert admin.get(f"/object/{bucket}/a").content == b"".join(given)
