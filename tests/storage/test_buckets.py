"""Buckets: create, list, get, update, empty and delete, by request and exact reply."""

from __future__ import annotations

from uuid import uuid4

import httpx
import pytest

from tests.storage.conftest import Storage, make_bucket, problem


def test_create_and_get(admin: httpx.Client) -> None:
    name = f"b{uuid4().hex[:8]}"
    answer = admin.post(
        "/bucket",
        json={"name": name, "public": True, "file_size_limit": "1.5MB", "allowed_mime_types": ["image/*"]},
    )
    assert (answer.status_code, answer.json()) == (200, {"name": name})
    found = admin.get(f"/bucket/{name}").json()
    assert list(found) == [
        "id", "name", "owner", "public", "file_size_limit", "allowed_mime_types", "created_at", "updated_at",
    ]  # fmt: skip
    assert (found["owner"], found["file_size_limit"], found["allowed_mime_types"]) == ("", 1_500_000, ["image/*"])
    assert found["created_at"].endswith("Z")
    again = admin.post("/bucket", json={"name": name})
    assert problem(again) == (400, "409", "BucketAlreadyExists", "The resource already exists")


def test_list_shows_types_except_to_old_clients(admin: httpx.Client) -> None:
    name = make_bucket(admin)
    listed = admin.get("/bucket/", params={"search": name.upper(), "limit": 1, "sortColumn": "name"}).json()
    assert [(each["id"], each["type"]) for each in listed] == [(name, "STANDARD")]
    old = admin.get("/bucket", params={"search": name}, headers={"x-client-info": "supabase-py/2.17.9"}).json()
    assert "type" not in old[0]
    new = admin.get("/bucket", params={"search": name}, headers={"x-client-info": "supabase-py/2.18.0"}).json()
    assert "type" in new[0]
    assert admin.get("/bucket", params={"search": "%"}).json() == []
    assert problem(admin.get("/bucket", params={"limit": 0}))[3] == "querystring/limit must be >= 1"


@pytest.mark.parametrize("name", ["a/b", " a", "a ", "x" * 101, "ü", "a--table-s3", "a#b"])
def test_names_that_are_none(admin: httpx.Client, name: str) -> None:
    answer = admin.post("/bucket", json={"name": name})
    assert problem(answer) == (400, "400", "InvalidBucketName", "Bucket name invalid")


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ({}, "InvalidRequest", "body must have required property 'name'"),
        ({"name": "x", "public": "perhaps"}, "InvalidRequest", "body/public must be boolean"),
        ({"name": "x", "allowed_mime_types": ["image"]}, "InvalidMimeType", "mime type image is not supported"),
        ({"name": "x", "file_size_limit": "1 EB"}, "InvalidParameter", "Invalid Parameter file_size_limit"),
        ({"name": "x", "file_size_limit": "900gb"}, "EntityTooLarge", "The object exceeded the maximum allowed size"),
        ({"name": "x", "type": "ANALYTICS"}, "FeatureNotEnabled", "The feature iceberg is not enabled"),
    ],
)
def test_bodies_that_do_not_fit(admin: httpx.Client, body: object, code: str, message: str) -> None:
    answer = admin.post("/bucket", json=body)
    assert answer.status_code == 400
    assert problem(answer)[2:] == (code, message)


def test_json_that_is_none(admin: httpx.Client) -> None:
    broken = admin.post("/bucket", content=b"{", headers={"content-type": "application/json"})
    assert problem(broken)[3] == "Body is not valid JSON but content-type is set to 'application/json'"
    empty = admin.post("/bucket", content=b"", headers={"content-type": "application/json"})
    assert problem(empty)[3] == "Body cannot be empty when content-type is set to 'application/json'"


def test_update_changes_what_it_names(admin: httpx.Client) -> None:
    name = make_bucket(admin, file_size_limit=10)
    assert admin.put(f"/bucket/{name}", json={"public": True}).json() == {"message": "Successfully updated"}
    found = admin.get(f"/bucket/{name}").json()
    assert (found["public"], found["file_size_limit"]) == (True, 10)
    admin.put(f"/bucket/{name}", json={"file_size_limit": None, "allowed_mime_types": ["text/plain"]})
    found = admin.get(f"/bucket/{name}").json()
    assert (found["file_size_limit"], found["allowed_mime_types"]) == (None, ["text/plain"])
    assert problem(admin.put("/bucket/none-such", json={"public": True}))[2] == "NoSuchBucket"
    assert problem(admin.put(f"/bucket/{name}", json={}))[3] == "No content provided"


def test_a_bucket_is_emptied_and_then_deleted_back_to_back(admin: httpx.Client, storage: Storage) -> None:
    name = make_bucket(admin)
    for number in range(3):
        admin.post(f"/object/{name}/{number}", content=b"x")
    full = admin.delete(f"/bucket/{name}")
    assert problem(full) == (400, "409", "ResourceNotEmpty", "The bucket you tried to delete is not empty")
    emptied = admin.post(f"/bucket/{name}/empty", content=b"", headers={"content-type": "application/json"})
    assert emptied.json() == {"message": "Empty bucket has been queued. Completion may take up to an hour."}
    deleted = admin.delete(f"/bucket/{name}", headers={"content-type": "application/json"})
    assert deleted.json() == {"message": "Successfully deleted"}
    assert problem(admin.get(f"/bucket/{name}"))[2] == "NoSuchBucket"


def test_buckets_made_by_sql_work(admin: httpx.Client, storage: Storage) -> None:
    """As migrations of applications make them."""
    name = f"b{uuid4().hex[:8]}"
    storage.script(f"insert into storage.buckets (id, name, public) values ('{name}', '{name}', true)")
    assert admin.post(f"/object/{name}/a", content=b"x").status_code == 200
    assert admin.get(f"/object/public/{name}/a").content == b"x"
