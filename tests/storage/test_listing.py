"""Pages of buckets: what is listed, in which order, and that pages together are the whole."""

from __future__ import annotations

import base64
import random
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.storage.conftest import Storage, make_bucket, problem

KEYS = [
    "top.txt",
    "Upper.txt",
    "dir/a.txt",
    "dir/b/c.txt",
    "dir/z.txt",
    "z/1",
    "A.txt",
    "a.txt",
    "aa",
    "100%/_x",
    "a_b",
]


def fill(storage: Storage, bucket: str, keys: list[str]) -> None:
    rows = ", ".join(f"('{bucket}', '{key}', now() - interval '{number} minutes')" for number, key in enumerate(keys))
    storage.script(f"insert into storage.objects (bucket_id, name, created_at) values {rows}")


@pytest.fixture
def filled(storage: Storage, bucket: str) -> str:
    fill(storage, bucket, KEYS)
    return bucket


def v1(client: httpx.Client, bucket: str, **body: Any) -> list[str]:
    answer = client.post(f"/object/list/{bucket}", json={"prefix": "", **body})
    assert answer.status_code == 200, answer.text
    return [each["name"] for each in answer.json()]


def v2(client: httpx.Client, bucket: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/object/list-v2/{bucket}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_v1_shows_one_level(admin: httpx.Client, filled: str) -> None:
    assert v1(admin, filled) == ["100%", "A.txt", "a.txt", "a_b", "aa", "dir", "top.txt", "Upper.txt", "z"]
    assert v1(admin, filled, prefix="dir") == ["a.txt", "b", "z.txt"]
    assert v1(admin, filled, prefix="DIR/") == ["a.txt", "b", "z.txt"]
    assert v1(admin, filled, prefix="100%") == ["_x"]
    assert v1(admin, filled, search="A") == ["A.txt", "a.txt", "a_b", "aa"]
    assert v1(admin, filled, search="a_") == ["a_b"]
    assert v1(admin, filled, limit=2, offset=1, sortBy={"column": "name", "order": "desc"}) == ["Upper.txt", "top.txt"]
    assert v1(admin, filled, limit=4, sortBy={"column": "created_at", "order": "desc"}) == [
        "z",
        "dir",
        "100%",
        "top.txt",
    ]
    assert v1(admin, "none-such") == []


def test_v1_entries_have_these_fields(admin: httpx.Client, bucket: str) -> None:
    admin.post(f"/object/{bucket}/d/x", content=b"x")
    admin.post(f"/object/{bucket}/x", content=b"x")
    folder, file = admin.post(f"/object/list/{bucket}", json={"prefix": ""}).json()
    assert folder == dict.fromkeys(("name", "id", "updated_at", "created_at", "last_accessed_at", "metadata")) | {
        "name": "d"
    }
    assert list(file) == ["name", "id", "updated_at", "created_at", "last_accessed_at", "metadata"]
    assert file["metadata"]["size"] == 1


def test_v1_needs_a_prefix(admin: httpx.Client, bucket: str) -> None:
    answer = admin.post(f"/object/list/{bucket}", json={})
    assert problem(answer)[3] == "body must have required property 'prefix'"


def test_v2_lists_full_names_bytewise(admin: httpx.Client, filled: str) -> None:
    whole = v2(admin, filled)
    assert (whole["hasNext"], whole["folders"]) == (False, [])
    assert [each["name"] for each in whole["objects"]] == sorted(KEYS)
    level = v2(admin, filled, with_delimiter=True, prefix="d")
    assert level["folders"] == [
        {"key": "ir", "id": None, "name": "dir/", "metadata": None, "updated_at": None, "created_at": None}
        | {"last_accessed_at": None}
    ]
    assert v2(admin, filled, prefix="100%/_")["objects"][0]["name"] == "100%/_x"
    assert v2(admin, filled, prefix="a_")["objects"][0]["name"] == "a_b"
    assert v2(admin, "none-such") == {"hasNext": False, "folders": [], "objects": []}


def test_v2_cursors_are_as_the_original_writes_them(admin: httpx.Client, bucket: str, storage: Storage) -> None:
    fill(storage, bucket, ["Upper.txt", "dir/a", "dir/b", "x"])
    page = v2(admin, bucket, with_delimiter=True, limit=2)
    assert (page["hasNext"], page["nextCursor"], page["nextCursorKey"]) == (True, "bDpkaXIv", "dir")
    assert base64.b64decode(page["nextCursor"]) == b"l:dir/"
    assert [each["key"] for each in page["folders"]] == ["dir"]
    assert [each["key"] for each in page["objects"]] == ["Upper.txt"]
    for broken in ("%%%", base64.b64encode(b"x:1").decode(), base64.b64encode(b"l:a\na:soon\nc:created_at").decode()):
        answer = admin.post(f"/object/list-v2/{bucket}", json={"cursor": broken})
        assert problem(answer) == (400, "400", "InvalidParameter", "Invalid Parameter continuation token")


def folded(keys: list[str], prefix: str) -> set[str]:
    """What one level shows: files, and folders with a slash."""
    below = [key[len(prefix) :] for key in keys if key.startswith(prefix)]
    return {rest.partition("/")[0] + "/" if "/" in rest else rest for rest in below}


def test_pages_together_are_the_whole(admin: httpx.Client, storage: Storage) -> None:
    chance = random.Random(7)
    for _ in range(6):
        bucket = make_bucket(admin)
        count = chance.choice((5, 60, 300))
        parts = ["a", "B", "b", "c1", "c2", "Z", "z-", "a.b", "d e"] + [f"f{number}" for number in range(40)]
        keys = list({"/".join(chance.choices(parts, k=chance.choice((1, 1, 1, 2, 3)))) for _ in range(count)})
        fill(storage, bucket, keys)
        for prefix in ("", chance.choice(parts) + "/"):
            level = folded(keys, prefix)
            for order in ("asc", "desc"):
                lower = v1(admin, bucket, prefix=prefix, limit=1000, sortBy={"column": "name", "order": order})
                insensitive = {name.rstrip("/").lower() for name in level if name.endswith("/")} | {
                    name.lower() for name in level if not name.endswith("/")
                }
                assert {name.lower() for name in lower} >= insensitive
                for column in ("name", "created_at"):
                    sort = {"column": column, "order": order}
                    whole = v1(admin, bucket, prefix=prefix, limit=1000, sortBy=sort)
                    size = chance.choice((1, 3, 50))
                    pages = [
                        v1(admin, bucket, prefix=prefix, limit=size, offset=start, sortBy=sort)
                        for start in range(0, len(whole) + 1, size)
                    ]
                    assert [name for page in pages for name in page] == whole
                    seen: list[str] = []
                    body: dict[str, Any] = {"prefix": prefix, "with_delimiter": True, "limit": size, "sortBy": sort}
                    flat: list[str] = []
                    flat_body = {**body, "with_delimiter": False}
                    while body or flat_body:
                        if body:
                            page = v2(admin, bucket, **body)
                            seen += [each["name"] for each in (*page["folders"], *page["objects"])]
                            body = {**body, "cursor": page["nextCursor"]} if page["hasNext"] else {}
                        if flat_body:
                            page = v2(admin, bucket, **flat_body)
                            flat += [each["name"] for each in page["objects"]]
                            flat_body = {**flat_body, "cursor": page["nextCursor"]} if page["hasNext"] else {}
                    assert len(seen) == len(set(seen))
                    assert set(seen) == {prefix + name for name in level}
                    assert len(flat) == len(set(flat))
                    assert set(flat) == {key for key in keys if key.startswith(prefix)}


def test_a_page_deep_in_a_large_bucket_reads_no_more_rows_than_it_passes(
    admin: httpx.Client, storage: Storage, bucket: str
) -> None:
    storage.script(
        f"insert into storage.objects (bucket_id, name) select '{bucket}', 'deep/' || i || '/' || j"
        " from generate_series(1, 40) as i, generate_series(1, 50) as j; analyze storage.objects"
    )
    names = v1(admin, bucket, prefix="deep", limit=5, offset=20)
    assert len(names) == 5
    assert len(v1(admin, bucket, prefix=f"deep/{names[0]}", limit=1500)) == 50
    assert v1(admin, bucket, prefix=str(uuid4())) == []
