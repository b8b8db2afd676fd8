"""Policies on storage.objects and storage.buckets decide everything: each operation needs exactly its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from uuid import uuid4

import httpx
import pytest

from tests.storage.conftest import Storage, make_bucket, problem

RLS = (400, "403", "AccessDenied", "new row violates row-level security policy")
NO_KEY = (400, "404", "NoSuchKey", "Object not found")
ACTIONS = ("select", "insert", "update", "delete")


@pytest.fixture
def user(storage: Storage) -> Iterator[httpx.Client]:
    with storage.client(storage.token(str(uuid4()))) as client:
        yield client


def policies(storage: Storage, bucket: str, *actions: str) -> None:
    """Let users do these on a bucket's objects, and nothing else."""
    for action in ACTIONS:
        storage.script(f'drop policy if exists "{bucket} {action}" on storage.objects')
    for action in actions:
        name, condition = f'"{bucket} {action}"', f"(bucket_id = '{bucket}')"
        clause = {
            "select": f"using {condition}",
            "delete": f"using {condition}",
            "insert": f"with check {condition}",
            "update": f"using {condition} with check {condition}",
        }[action]
        storage.script(f"create policy {name} on storage.objects for {action} to authenticated {clause}")


def works(answer: httpx.Response) -> bool:
    return answer.status_code == 200


OPERATIONS: dict[str, tuple[set[str], Callable[[httpx.Client, str], bool]]] = {
    "upload": ({"insert"}, lambda c, b: works(c.post(f"/object/{b}/new", content=b"x"))),
    "upload with upsert": (
        {"select", "insert", "update"},
        lambda c, b: works(c.post(f"/object/{b}/there", content=b"x", headers={"x-upsert": "true"})),
    ),
    "put": ({"select", "insert", "update"}, lambda c, b: works(c.put(f"/object/{b}/there", content=b"x"))),
    "download": ({"select"}, lambda c, b: works(c.get(f"/object/authenticated/{b}/there"))),
    "download, half open": ({"select"}, lambda c, b: works(c.get(f"/object/{b}/there"))),
    "info": ({"select"}, lambda c, b: works(c.get(f"/object/info/{b}/there"))),
    "head": ({"select"}, lambda c, b: works(c.head(f"/object/{b}/there"))),
    "sign": ({"select"}, lambda c, b: works(c.post(f"/object/sign/{b}/there", json={"expiresIn": 60}))),
    "sign many": (
        {"select"},
        lambda c, b: (
            c.post(f"/object/sign/{b}", json={"expiresIn": 60, "paths": ["there"]}).json()[0]["signedURL"] is not None
        ),
    ),
    "sign upload": ({"insert"}, lambda c, b: works(c.post(f"/object/upload/sign/{b}/new"))),
    "list": ({"select"}, lambda c, b: c.post(f"/object/list/{b}", json={"prefix": ""}).json() != []),
    "list v2": ({"select"}, lambda c, b: c.post(f"/object/list-v2/{b}", json={}).json()["objects"] != []),
    "copy": (
        {"select", "insert"},
        lambda c, b: works(
            c.post("/object/copy", json={"bucketId": b, "sourceKey": "there", "destinationKey": "copy"})
        ),
    ),
    "move": (
        {"select", "update"},
        lambda c, b: works(
            c.post("/object/move", json={"bucketId": b, "sourceKey": "there", "destinationKey": "moved"})
        ),
    ),
    "delete": ({"select", "delete"}, lambda c, b: works(c.delete(f"/object/{b}/there"))),
    "delete many": (
        {"select", "delete"},
        lambda c, b: c.request("DELETE", f"/object/{b}", json={"prefixes": ["there"]}).json() != [],
    ),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_needs_exactly_these_policies(
    storage: Storage, admin: httpx.Client, user: httpx.Client, operation: str
) -> None:
    needed, attempt = OPERATIONS[operation]
    for count in range(len(ACTIONS) + 1):
        for granted in combinations(ACTIONS, count):
            bucket = make_bucket(admin)
            assert admin.post(f"/object/{bucket}/there", content=b"x").status_code == 200
            policies(storage, bucket, *granted)
            before = storage.sql("select name, version from storage.objects where bucket_id = $1", bucket)
            assert attempt(user, bucket) is (needed <= set(granted)), granted
            if not needed <= set(granted):
                after = storage.sql("select name, version from storage.objects where bucket_id = $1", bucket)
                assert after == before, granted
            policies(storage, bucket)


def test_nobody_may_do_anything_without_a_policy(
    storage: Storage, admin: httpx.Client, user: httpx.Client, anybody: httpx.Client, bucket: str
) -> None:
    admin.post(f"/object/{bucket}/a", content=b"x")
    assert problem(user.post(f"/object/{bucket}/b", content=b"x")) == RLS
    assert problem(user.get(f"/object/{bucket}/a")) == NO_KEY
    assert problem(anybody.get(f"/object/{bucket}/a")) == (400, "404", "NoSuchBucket", "Bucket not found")
    assert problem(user.delete(f"/object/{bucket}/a")) == (400, "403", "AccessDenied", "Access denied")
    assert user.post(f"/object/list/{bucket}", json={"prefix": ""}).json() == []
    assert user.get("/bucket").json() == []
    assert problem(user.get(f"/bucket/{bucket}")) == (400, "404", "NoSuchBucket", "Bucket not found")
    assert problem(user.post("/bucket", json={"name": "mine"})) == RLS
    assert problem(user.post(f"/bucket/{bucket}/empty")) == (403, "403", "AccessDenied", "Access denied: Invalid role")
    missing = anybody.post(f"/object/{bucket}/b", content=b"x")
    assert problem(missing) == (400, "400", "InvalidRequest", "headers must have required property 'authorization'")


def test_refused_uploads_take_no_body(storage: Storage, admin: httpx.Client, user: httpx.Client, bucket: str) -> None:
    sent = 0

    def pieces() -> object:
        nonlocal sent
        for _ in range(2000):
            sent += 65_536
            yield b"x" * 65_536

    answer = user.post(f"/object/{bucket}/b", content=pieces())  # type: ignore[arg-type]
    assert problem(answer) == RLS
    assert sent < 2000 * 65_536
    assert list(storage.folder.glob("tmp/*")) == []


def test_policies_see_who_what_and_how(storage: Storage, admin: httpx.Client, bucket: str) -> None:
    me = str(uuid4())
    storage.script(
        f"""
        create policy "{bucket} own folder" on storage.objects for insert to authenticated with check (
          bucket_id = '{bucket}' and (storage.foldername(name))[1] = auth.uid()::text and owner_id = auth.uid()::text
          and storage.extension(name) = 'png' and metadata ->> 'mimetype' = 'image/png'
          and (metadata ->> 'contentLength')::int < 100 and user_metadata ->> 'kind' = 'avatar'
          and storage.allow_only_operation('object.upload')
          and current_setting('request.method') = 'POST'
        );
        create policy "{bucket} get only" on storage.objects for select to authenticated using (
          bucket_id = '{bucket}' and storage.allow_any_operation(array['storage.object.get_authenticated'])
        );
        """
    )
    meta = {"x-metadata": "eyJraW5kIjoiYXZhdGFyIn0=", "content-type": "image/png"}
    with storage.client(storage.token(me)) as client:
        assert client.post(f"/object/{bucket}/{me}/a.png", content=b"x", headers=meta).status_code == 200
        for path, content, headers in (
            (f"{uuid4()}/a.png", b"x", meta),
            (f"{me}/a.jpg", b"x", meta),
            (f"{me}/b.png", b"x" * 100, meta),
            (f"{me}/b.png", b"x", {**meta, "content-type": "image/gif"}),
            (f"{me}/b.png", b"x", {"content-type": "image/png"}),
        ):
            assert problem(client.post(f"/object/{bucket}/{path}", content=content, headers=headers)) == RLS
        assert problem(client.put(f"/object/{bucket}/{me}/b.png", content=b"x", headers=meta)) == RLS
        assert client.get(f"/object/{bucket}/{me}/a.png").content == b"x"
        assert client.post(f"/object/list/{bucket}", json={"prefix": me}).json() == []
    assert storage.sql("select owner, owner_id from storage.objects where bucket_id = $1", bucket) == [(me, me)]


def test_policies_on_buckets_decide_about_buckets(storage: Storage, user: httpx.Client) -> None:
    name = f"b{uuid4().hex[:8]}"
    storage.script(
        f"""create policy "{name}" on storage.buckets for insert to authenticated with check (id = '{name}')"""
    )
    assert user.post("/bucket", json={"name": name}).json() == {"name": name}
    assert problem(user.get(f"/bucket/{name}"))[2] == "NoSuchBucket"
    storage.script(f"""create policy "{name} s" on storage.buckets for select to authenticated using (id = '{name}')""")
    assert [each["id"] for each in user.get("/bucket").json()] == [name]
    assert problem(user.put(f"/bucket/{name}", json={"public": True}))[2] == "NoSuchBucket"
    assert problem(user.delete(f"/bucket/{name}"))[2] == "NoSuchBucket"
    storage.script(f"""create policy "{name} d" on storage.buckets for delete to authenticated using (id = '{name}')""")
    assert user.delete(f"/bucket/{name}").json() == {"message": "Successfully deleted"}


def test_public_buckets_are_read_by_address_alone(
    admin: httpx.Client, anybody: httpx.Client, user: httpx.Client, public_bucket: str
) -> None:
    admin.post(f"/object/{public_bucket}/a", content=b"x")
    for client in (anybody, user):
        assert client.get(f"/object/public/{public_bucket}/a").content == b"x"
        assert client.get(f"/object/{public_bucket}/a").content == b"x"
        assert client.get(f"/object/info/public/{public_bucket}/a").json()["name"] == "a"
    broken = anybody.get(f"/object/{public_bucket}/a", headers={"authorization": "Bearer nonsense"})
    assert broken.content == b"x"
    needs = anybody.get(f"/object/authenticated/{public_bucket}/a")
    assert problem(needs)[3] == "headers must have required property 'authorization'"
    assert user.post(f"/object/list/{public_bucket}", json={"prefix": ""}).json() == []
    assert problem(user.post(f"/object/{public_bucket}/b", content=b"x")) == RLS


def test_tokens_that_are_none_say_why(storage: Storage, bucket: str) -> None:
    for token, message in (
        ("nonsense", "Invalid Compact JWS"),
        (storage.token("x", exp=1000), '"exp" claim timestamp check failed'),
        (storage.token("x")[:-6] + "AAAAAA", "signature verification failed"),
    ):
        with storage.client(token) as client:
            assert problem(client.get("/bucket")) == (400, "403", "AccessDenied", message)


def test_rows_cannot_be_deleted_by_sql(storage: Storage, admin: httpx.Client, bucket: str) -> None:
    admin.post(f"/object/{bucket}/a", content=b"x")
    for text in ("delete from storage.objects where false", "delete from storage.buckets where false"):
        with pytest.raises(Exception, match="Direct deletion from storage tables is not allowed"):
            storage.sql(text)
