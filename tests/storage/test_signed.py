"""Signed URLs: whoever holds one may read or write what it names, until it ends, and nothing else."""

from __future__ import annotations

import time
from uuid import uuid4

import httpx
import jwt
import pytest

from tests.storage.conftest import Storage, problem


def signed(client: httpx.Client, bucket: str, key: str, seconds: int = 60) -> str:
    answer = client.post(f"/object/sign/{bucket}/{key}", json={"expiresIn": seconds})
    assert answer.status_code == 200, answer.text
    url: str = answer.json()["signedURL"]
    return url


def test_a_signed_url_opens_a_private_object(admin: httpx.Client, anybody: httpx.Client, bucket: str) -> None:
    admin.post(f"/object/{bucket}/a b.txt", content=b"secret", headers={"content-type": "text/plain"})
    url = signed(admin, bucket, "a b.txt")
    assert url.startswith(f"/object/sign/{bucket}/a b.txt?token=ey")
    answer = anybody.get(url)
    assert (answer.status_code, answer.content) == (200, b"secret")
    assert "expires" in answer.headers
    assert "cache-control" not in answer.headers
    assert anybody.head(url).status_code == 200
    attached = anybody.get(url + "&download=x.txt")
    assert attached.headers["content-disposition"].startswith("attachment; filename=x.txt")


def test_the_token_is_as_the_original_makes_it(admin: httpx.Client, storage: Storage, bucket: str) -> None:
    admin.post(f"/object/{bucket}/a", content=b"x")
    token = signed(admin, bucket, "a", 100).partition("token=")[2]
    assert jwt.get_unverified_header(token) == {"alg": "HS256"}
    claims = jwt.decode(token, str(storage.gateway.keys["jwt_secret"]), algorithms=["HS256"])
    assert (claims["url"], claims["scope"], claims["exp"] - claims["iat"]) == (f"{bucket}/a", "download", 100)


def test_a_token_is_for_one_path_and_one_use(
    admin: httpx.Client, anybody: httpx.Client, storage: Storage, bucket: str
) -> None:
    for key in ("a", "b"):
        admin.post(f"/object/{bucket}/{key}", content=b"x")
    token = signed(admin, bucket, "a").partition("token=")[2]
    assert problem(anybody.get(f"/object/sign/{bucket}/b?token={token}")) == (
        400, "400", "InvalidSignature", "Invalid signature",
    )  # fmt: skip
    upload = anybody.put(f"/object/upload/sign/{bucket}/a?token={token}", content=b"y")
    assert problem(upload) == (400, "400", "InvalidSignature", "Token is not scoped for upload")
    up = admin.post(f"/object/upload/sign/{bucket}/c").json()["token"]
    assert problem(anybody.get(f"/object/sign/{bucket}/c?token={up}"))[3] == "Token is not scoped for download"
    assert problem(anybody.get(f"/object/sign/{bucket}/a"))[3] == "querystring must have required property 'token'"
    assert problem(anybody.get(f"/object/sign/{bucket}/a?token=x"))[2:] == ("InvalidJWT", "Invalid Compact JWS")
    forged = jwt.encode({"url": f"{bucket}/a", "scope": "download", "exp": time.time() + 60}, "x" * 32)
    assert problem(anybody.get(f"/object/sign/{bucket}/a?token={forged}"))[3] == "signature verification failed"
    ended = jwt.encode({"url": f"{bucket}/a", "exp": time.time() - 1}, str(storage.gateway.keys["jwt_secret"]))
    assert problem(anybody.get(f"/object/sign/{bucket}/a?token={ended}"))[3] == '"exp" claim timestamp check failed'
    with storage.client(storage.token("x")) as user:
        assert problem(user.get(f"/object/sign/{bucket}/a?token={storage.token('x')}"))[2] == "InvalidSignature"


def test_a_signed_url_is_no_bearer(admin: httpx.Client, storage: Storage, bucket: str) -> None:
    admin.post(f"/object/{bucket}/a", content=b"x")
    token = signed(admin, bucket, "a").partition("token=")[2]
    with storage.client(token) as client:
        assert problem(client.get(f"/object/authenticated/{bucket}/a"))[2] == "NoSuchKey"


def test_many_are_signed_at_once(admin: httpx.Client, bucket: str) -> None:
    admin.post(f"/object/{bucket}/a", content=b"x")
    answer = admin.post(f"/object/sign/{bucket}", json={"expiresIn": 9, "paths": ["none", "a"]}).json()
    assert answer[0] == {
        "error": "Either the object does not exist or you do not have access to it",
        "path": "none",
        "signedURL": None,
    }
    assert (answer[1]["error"], answer[1]["path"]) == (None, "a")
    assert admin.get(answer[1]["signedURL"]).content == b"x"
    none = admin.post(f"/object/sign/{bucket}", json={"expiresIn": 9, "paths": []})
    assert problem(none)[3] == "body/paths must NOT have fewer than 1 items"


@pytest.mark.parametrize("seconds", [0, -1, 2**53])
def test_lifetimes_that_cannot_be(admin: httpx.Client, bucket: str, seconds: int) -> None:
    admin.post(f"/object/{bucket}/a", content=b"x", headers={"x-upsert": "true"})
    assert admin.post(f"/object/sign/{bucket}/a", json={"expiresIn": seconds}).status_code == 400


def test_a_signed_upload_is_written_as_its_maker(
    admin: httpx.Client, anybody: httpx.Client, storage: Storage, bucket: str
) -> None:
    me = str(uuid4())
    storage.script(
        f"create policy \"{bucket}\" on storage.objects for insert to authenticated with check (bucket_id = '{bucket}')"
    )
    with storage.client(storage.token(me)) as user:
        answer = user.post(f"/object/upload/sign/{bucket}/a.png").json()
    assert answer["url"] == f"/object/upload/sign/{bucket}/a.png?token={answer['token']}"
    written = anybody.put(answer["url"], content=b"png", headers={"content-type": "image/png"})
    assert written.json() == {"Key": f"{bucket}/a.png"}
    assert storage.sql("select owner_id from storage.objects where bucket_id = $1", bucket) == [(me,)]
    again = anybody.put(answer["url"], content=b"png")
    assert problem(again) == (400, "409", "KeyAlreadyExists", "The resource already exists")
    taken = admin.post(f"/object/upload/sign/{bucket}/a.png")
    assert problem(taken)[2] == "KeyAlreadyExists"
    upsert = admin.post(f"/object/upload/sign/{bucket}/a.png", headers={"x-upsert": "true"}).json()
    for content in (b"1", b"22"):
        assert anybody.put(upsert["url"], content=content).status_code == 200
        assert admin.get(f"/object/{bucket}/a.png").content == content
