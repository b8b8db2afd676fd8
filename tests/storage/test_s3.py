"""The S3 protocol, asked by boto3, and byte for byte where a client would not send it so."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import boto3
import httpx
import pytest
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.storage.conftest import Storage, make_bucket

NS = "{http://s3.amazonaws.com/doc/2006-03-01/}"


@pytest.fixture(scope="session")
def access_key(storage: Storage) -> tuple[str, str]:
    """A pair that the command makes."""
    made = subprocess.run(
        [sys.executable, "-m", "gateway", "keys", "create", "tests", "--s3", "--json"],
        env={
            **os.environ,
            "GATEWAY_DATA_DIR": str(storage.gateway.data_dir),
            "DATABASE_URL": storage.gateway.database_url,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    pair = json.loads(made.stdout)
    client = make_client(storage, pair["access_key_id"], pair["secret_access_key"])
    wait_for(client)
    return pair["access_key_id"], pair["secret_access_key"]


def wait_for(client: Any) -> None:
    """Until every worker has read the key file."""
    import time

    end = time.monotonic() + 20
    while True:
        try:
            client.list_buckets()
            return
        except ClientError:
            assert time.monotonic() < end
            time.sleep(0.2)


def make_client(storage: Storage, key: str, secret: str, token: str | None = None, **options: Any) -> Any:
    config = Config(signature_version="s3v4", s3={"addressing_style": "path", **options}, retries={"max_attempts": 1})
    client = boto3.client(
        "s3",
        endpoint_url=f"{storage.url}/s3",
        region_name="us-east-1",
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        aws_session_token=token,
        config=config,
    )
    MADE.append(client)
    return client


MADE: list[Any] = []
"""Every client, which is closed at the end."""


@pytest.fixture(scope="session")
def s3(storage: Storage, access_key: tuple[str, str]) -> Iterator[Any]:
    yield make_client(storage, *access_key)
    for client in MADE:
        client.close()


def as_user(storage: Storage, sub: str) -> Any:
    """A client with a user's rights."""
    return make_client(storage, "local", storage.gateway.publishable_key, storage.token(sub))


def code(error: pytest.ExceptionInfo[ClientError]) -> tuple[int, str]:
    response = error.value.response
    return response["ResponseMetadata"]["HTTPStatusCode"], response["Error"]["Code"]


# --- buckets --------------------------------------------------------------------------------------------------------


def test_buckets_are_made_listed_and_deleted(s3: Any, admin: httpx.Client) -> None:
    name = f"s{uuid4().hex[:10]}"
    assert s3.create_bucket(Bucket=name, ACL="public-read")["Location"] == f"/{name}"
    assert admin.get(f"/bucket/{name}").json()["public"] is True
    listed = {bucket["Name"]: bucket for bucket in s3.list_buckets()["Buckets"]}
    assert listed[name]["CreationDate"]
    assert s3.head_bucket(Bucket=name)["BucketRegion"] == "us-east-1"
    assert s3.get_bucket_location(Bucket=name)["LocationConstraint"] == "us-east-1"
    assert s3.get_bucket_versioning(Bucket=name)["Status"] == "Suspended"
    with pytest.raises(ClientError) as error:
        s3.create_bucket(Bucket=name)
    assert code(error) == (409, "BucketAlreadyExists")
    s3.put_object(Bucket=name, Key="a", Body=b"")
    with pytest.raises(ClientError) as error:
        s3.delete_bucket(Bucket=name)
    assert code(error) == (409, "ResourceNotEmpty")
    s3.delete_object(Bucket=name, Key="a")
    s3.delete_bucket(Bucket=name)
    with pytest.raises(ClientError) as error:
        s3.head_bucket(Bucket=name)
    assert code(error)[0] == 404
    with pytest.raises(ClientError) as error:
        s3.list_objects_v2(Bucket=name)
    assert code(error) == (404, "NoSuchBucket")


# --- objects --------------------------------------------------------------------------------------------------------


def test_an_object_comes_back_as_it_was_put(s3: Any, bucket: str, admin: httpx.Client) -> None:
    put = s3.put_object(
        Bucket=bucket, Key="a b/ü.txt".replace("ü", "u+"), Body=b"hello world", ContentType="text/html",
        CacheControl="max-age=5", Metadata={"Color": "red", "other": "x y"},
    )  # fmt: skip
    assert put["ETag"] == f'"{hashlib.md5(b"hello world").hexdigest()}"'
    key = "a b/u+.txt"
    for got in (s3.get_object(Bucket=bucket, Key=key), s3.head_object(Bucket=bucket, Key=key)):
        assert (got["ContentLength"], got["ContentType"], got["CacheControl"]) == (11, "text/html", "max-age=5")
        assert got["Metadata"] == {"color": "red", "other": "x y"}
        assert got["ETag"] == put["ETag"]
        assert got["ResponseMetadata"]["HTTPHeaders"]["content-security-policy"].endswith("sandbox")
        if "Body" in got:
            got["Body"].close()
    assert s3.get_object(Bucket=bucket, Key=key)["Body"].read() == b"hello world"
    assert admin.get(f"/object/info/{bucket}/a%20b/u+.txt").json()["metadata"] == {"color": "red", "other": "x y"}
    part = s3.get_object(Bucket=bucket, Key=key, Range="bytes=6-")
    assert (part["Body"].read(), part["ContentRange"]) == (b"world", "bytes 6-10/11")
    other = s3.get_object(
        Bucket=bucket, Key=key, ResponseContentType="text/csv", ResponseContentDisposition='attachment; filename="x"'
    )
    other["Body"].close()
    assert (other["ContentType"], other["ContentDisposition"]) == ("text/csv", 'attachment; filename="x"')
    for condition, status in (
        ({"IfNoneMatch": put["ETag"]}, 304),
        ({"IfMatch": '"other"'}, 412),
        ({"Range": "bytes=50-"}, 416),
    ):
        with pytest.raises(ClientError) as error:
            s3.get_object(Bucket=bucket, Key=key, **condition)
        assert code(error)[0] == status


def test_what_is_not_there_is_told_with_its_status(s3: Any, bucket: str) -> None:
    with pytest.raises(ClientError) as error:
        s3.get_object(Bucket=bucket, Key="none")
    assert code(error) == (404, "NoSuchKey")
    with pytest.raises(ClientError) as error:
        s3.head_object(Bucket=bucket, Key="none")
    assert code(error)[0] == 404
    with pytest.raises(ClientError) as error:
        s3.put_object(Bucket=bucket, Key="a#b", Body=b"")
    assert code(error) == (400, "InvalidKey")
    with pytest.raises(ClientError) as error:
        s3.get_bucket_policy(Bucket=bucket)
    assert code(error)[0] == 404


def test_a_folder_becomes_a_placeholder(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="folder/", Body=b"")
    assert [entry["Key"] for entry in s3.list_objects_v2(Bucket=bucket)["Contents"]] == [
        "folder/.emptyFolderPlaceholder"
    ]


def test_copies_keep_or_replace_what_is_said_of_them(s3: Any, bucket: str, admin: httpx.Client) -> None:
    other = make_bucket(admin)
    s3.put_object(Bucket=bucket, Key="a+b c", Body=b"x", ContentType="text/plain", Metadata={"a": "1"})
    copied = s3.copy_object(Bucket=other, Key="kept", CopySource={"Bucket": bucket, "Key": "a+b c"})
    assert copied["CopyObjectResult"]["ETag"] == f'"{hashlib.md5(b"x").hexdigest()}"'
    assert s3.head_object(Bucket=other, Key="kept")["Metadata"] == {"a": "1"}
    s3.copy_object(
        Bucket=other, Key="replaced", CopySource=f"{bucket}/a+b c", MetadataDirective="REPLACE",
        ContentType="image/png", Metadata={"b": "2"},
    )  # fmt: skip
    head = s3.head_object(Bucket=other, Key="replaced")
    assert (head["ContentType"], head["Metadata"]) == ("image/png", {"b": "2"})
    with pytest.raises(ClientError) as error:
        s3.copy_object(Bucket=other, Key="x", CopySource=f"{bucket}/a+b c", CopySourceIfMatch='"no"')
    assert code(error) == (412, "PreconditionFailed")


def test_deletes_are_of_what_is_there_and_of_what_is_not(s3: Any, bucket: str) -> None:
    for key in ("a", "b", "c<&>".replace("<", "(").replace(">", ")")):
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    gone = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in ("a", "c(&)", "never")]})
    assert [entry["Key"] for entry in gone["Deleted"]] == ["a", "c(&)", "never"]
    assert s3.delete_object(Bucket=bucket, Key="never")["ResponseMetadata"]["HTTPStatusCode"] == 204
    quiet = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "b"}], "Quiet": True})
    assert "Deleted" not in quiet
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


def test_tags_are_none(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="a", Body=b"")
    assert s3.get_object_tagging(Bucket=bucket, Key="a")["TagSet"] == []


# --- lists ----------------------------------------------------------------------------------------------------------

NAMES = ["a", "b/1", "b/2", "b/c/3", "b|x", "b|y", "c", "d e", "z/9"]


@pytest.fixture(scope="module")
def filled(storage: Storage, s3: Any) -> str:
    with storage.client(storage.secret) as admin:
        bucket = make_bucket(admin)
    for name in NAMES:
        s3.put_object(Bucket=bucket, Key=name.replace("|", "$"), Body=name.encode())
    return bucket


def everything(s3: Any, operation: str, **arguments: Any) -> tuple[list[str], list[str]]:
    """Keys and prefixes of all pages."""
    keys, prefixes = [], []
    for page in s3.get_paginator(operation).paginate(**arguments):
        keys += [entry["Key"] for entry in page.get("Contents", [])]
        prefixes += [entry["Prefix"] for entry in page.get("CommonPrefixes", [])]
    return keys, prefixes


@pytest.mark.parametrize("operation", ["list_objects", "list_objects_v2"])
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
@pytest.mark.parametrize("delimiter", ["", "/", "$", "1"])
@pytest.mark.parametrize("prefix", ["", "b", "b/"])
def test_pages_add_up_to_the_whole(
    s3: Any, filled: str, operation: str, size: int, delimiter: str, prefix: str
) -> None:
    wanted_keys, wanted_prefixes = [], []
    for name in sorted(name.replace("|", "$") for name in NAMES):
        if not name.startswith(prefix):
            continue
        end = name.find(delimiter, len(prefix)) if delimiter else -1
        if end < 0:
            wanted_keys.append(name)
        elif name[: end + 1] not in wanted_prefixes:
            wanted_prefixes.append(name[: end + 1])
    arguments = {"Bucket": filled, "Prefix": prefix, "PaginationConfig": {"PageSize": size}}
    if delimiter:
        arguments["Delimiter"] = delimiter
    assert everything(s3, operation, **arguments) == (wanted_keys, wanted_prefixes)


def test_each_object_has_one_version(s3: Any, filled: str) -> None:
    pages = s3.get_paginator("list_object_versions").paginate(Bucket=filled, PaginationConfig={"PageSize": 4})
    found = [entry for page in pages for entry in page["Versions"]]
    assert [entry["Key"] for entry in found] == sorted(name.replace("|", "$") for name in NAMES)
    assert {(entry["VersionId"], entry["IsLatest"]) for entry in found} == {("null", True)}
    assert s3.head_object(Bucket=filled, Key="a", VersionId="null")["ContentLength"] == 1
    with pytest.raises(ClientError) as error:
        s3.get_object(Bucket=filled, Key="a", VersionId="3")
    assert code(error) == (400, "InvalidArgument")


def test_a_list_tells_size_etag_and_time(s3: Any, filled: str) -> None:
    page = s3.list_objects_v2(Bucket=filled, StartAfter="c", MaxKeys=1)
    (entry,) = page["Contents"]
    assert (entry["Key"], entry["Size"], entry["StorageClass"]) == ("d e", 3, "STANDARD")
    assert entry["ETag"] == f'"{hashlib.md5(b"d e").hexdigest()}"'
    assert (page["KeyCount"], page["IsTruncated"], page["MaxKeys"]) == (1, True, 1)
    with pytest.raises(ClientError) as error:
        s3.list_objects_v2(Bucket=filled, ContinuationToken="!!")
    assert code(error) == (400, "InvalidParameter")


# --- parts ----------------------------------------------------------------------------------------------------------


def test_a_large_file_goes_up_in_parts_and_down_in_ranges(s3: Any, bucket: str) -> None:
    content = os.urandom(13_000_000)
    config = TransferConfig(multipart_threshold=5_242_880, multipart_chunksize=5_242_880, max_concurrency=4)
    s3.upload_fileobj(io.BytesIO(content), bucket, "big", Config=config, ExtraArgs={"Metadata": {"k": "v"}})
    head = s3.head_object(Bucket=bucket, Key="big")
    assert (head["ContentLength"], head["Metadata"]) == (13_000_000, {"k": "v"})
    assert head["ETag"].endswith('-3"')
    down = io.BytesIO()
    s3.download_fileobj(bucket, "big", down, Config=config)
    assert hashlib.sha256(down.getvalue()).digest() == hashlib.sha256(content).digest()


def test_parts_are_listed_copied_replaced_and_made_into_an_object(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="source", Body=b"0123456789")
    upload = {"Bucket": bucket, "Key": "whole"}
    upload["UploadId"] = s3.create_multipart_upload(**upload, ContentType="text/csv")["UploadId"]
    assert [each["Key"] for each in s3.list_multipart_uploads(Bucket=bucket)["Uploads"]] == ["whole"]
    s3.upload_part(**upload, PartNumber=2, Body=b"wrong")
    second = s3.upload_part(**upload, PartNumber=2, Body=b"-second-")["ETag"]
    first = s3.upload_part_copy(**upload, PartNumber=1, CopySource=f"{bucket}/source", CopySourceRange="bytes=2-4")[
        "CopyPartResult"
    ]["ETag"]
    s3.upload_part(**upload, PartNumber=9, Body=b"left out")
    listed = s3.list_parts(**upload, MaxParts=2)
    assert [(part["PartNumber"], part["Size"]) for part in listed["Parts"]] == [(1, 3), (2, 8)]
    assert (listed["IsTruncated"], listed["NextPartNumberMarker"]) == (True, 2)
    for parts, wanted in (
        ([(2, second), (1, first)], "InvalidPartOrder"),
        ([(1, '"0"')], "InvalidChecksum"),
        ([(3, first)], "MissingPart"),
    ):
        with pytest.raises(ClientError) as error:
            named = [{"PartNumber": number, "ETag": etag} for number, etag in parts]
            s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": named})
        assert code(error) == (400, wanted)
    named = [{"PartNumber": 1, "ETag": first}, {"PartNumber": 2, "ETag": second}]
    done = s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": named})
    got = s3.get_object(Bucket=bucket, Key="whole")
    assert (got["Body"].read(), got["ContentType"], got["ETag"]) == (b"234-second-", "text/csv", done["ETag"])
    with pytest.raises(ClientError) as error:
        s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": named})
    assert code(error) == (404, "NoSuchUpload")


def test_an_upload_that_is_given_up_leaves_nothing(s3: Any, bucket: str, storage: Storage) -> None:
    upload = {"Bucket": bucket, "Key": "gone"}
    upload["UploadId"] = s3.create_multipart_upload(**upload)["UploadId"]
    s3.upload_part(**upload, PartNumber=1, Body=b"x")
    s3.abort_multipart_upload(**upload)
    assert storage.sql("select count(*) from storage.s3_multipart_uploads_parts where bucket_id = $1", bucket) == [
        ("0",)
    ]
    with pytest.raises(ClientError) as error:
        s3.upload_part(**upload, PartNumber=2, Body=b"x")
    assert code(error) == (404, "NoSuchUpload")


def test_a_bucket_s_limits_hold_for_parts_and_puts(s3: Any, admin: httpx.Client) -> None:
    bucket = make_bucket(admin, file_size_limit=10, allowed_mime_types=["text/plain"])
    with pytest.raises(ClientError) as error:
        s3.put_object(Bucket=bucket, Key="a", Body=b"x" * 11, ContentType="text/plain")
    assert code(error) == (413, "EntityTooLarge")
    with pytest.raises(ClientError) as error:
        s3.put_object(Bucket=bucket, Key="a", Body=b"x", ContentType="image/png")
    assert code(error) == (415, "InvalidMimeType")
    upload = {"Bucket": bucket, "Key": "a"}
    upload["UploadId"] = s3.create_multipart_upload(**upload, ContentType="text/plain")["UploadId"]
    s3.upload_part(**upload, PartNumber=1, Body=b"x" * 6)
    with pytest.raises(ClientError) as error:
        s3.upload_part(**upload, PartNumber=2, Body=b"x" * 6)
    assert code(error) == (413, "EntityTooLarge")
    s3.upload_part(**upload, PartNumber=1, Body=b"y" * 10)


# --- who asks -------------------------------------------------------------------------------------------------------


def test_a_session_token_has_the_rights_of_its_user(storage: Storage, s3: Any, bucket: str) -> None:
    storage.script(
        f"""
        create policy "s3 own {bucket}" on storage.objects to authenticated
          using (bucket_id = '{bucket}' and owner_id = (select auth.jwt() ->> 'sub'))
          with check (bucket_id = '{bucket}' and (storage.foldername(name))[1] = (select auth.jwt() ->> 'sub'));
        """
    )
    me = str(uuid4())
    mine, other = as_user(storage, me), as_user(storage, str(uuid4()))
    mine.put_object(Bucket=bucket, Key=f"{me}/a", Body=b"mine")
    assert mine.get_object(Bucket=bucket, Key=f"{me}/a")["Body"].read() == b"mine"
    assert storage.sql("select owner_id from storage.objects where bucket_id = $1", bucket) == [(me,)]
    with pytest.raises(ClientError) as error:
        mine.put_object(Bucket=bucket, Key="elsewhere", Body=b"x")
    assert code(error) == (403, "AccessDenied")
    with pytest.raises(ClientError) as error:
        mine.create_multipart_upload(Bucket=bucket, Key="elsewhere")
    assert code(error) == (403, "AccessDenied")
    with pytest.raises(ClientError) as error:
        other.get_object(Bucket=bucket, Key=f"{me}/a")
    assert code(error) == (404, "NoSuchKey")
    assert "Contents" not in other.list_objects_v2(Bucket=bucket)
    kept = other.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": f"{me}/a"}, {"Key": "never"}]})
    assert [entry["Code"] for entry in kept["Errors"]] == ["AccessDenied"]
    with pytest.raises(ClientError) as error:
        other.delete_object(Bucket=bucket, Key=f"{me}/a")
    assert code(error) == (403, "AccessDenied")
    with pytest.raises(ClientError) as error:
        other.create_bucket(Bucket=f"s{uuid4().hex[:8]}")
    assert code(error) == (403, "AccessDenied")
    assert [entry["Key"] for entry in s3.list_objects_v2(Bucket=bucket)["Contents"]] == [f"{me}/a"]


def test_keys_tokens_and_secrets_that_do_not_fit(storage: Storage, access_key: tuple[str, str], bucket: str) -> None:
    key, secret = access_key
    for client, wanted in (
        (make_client(storage, "nobody", secret), (403, "AccessDenied")),
        (make_client(storage, key, secret[:-1] + "x"), (403, "SignatureDoesNotMatch")),
        (make_client(storage, key, secret, storage.token("me")), (403, "SignatureDoesNotMatch")),
        (make_client(storage, "local", storage.gateway.publishable_key, "a.b.c"), (403, "AccessDenied")),
    ):
        with pytest.raises(ClientError) as error:
            client.list_objects_v2(Bucket=bucket)
        assert code(error) == wanted


def test_a_presigned_address_is_good_for_what_it_says(s3: Any, bucket: str, anybody: httpx.Client) -> None:
    s3.put_object(Bucket=bucket, Key="secret", Body=b"secret")
    get = s3.generate_presigned_url("get_object", {"Bucket": bucket, "Key": "secret"}, ExpiresIn=60)
    assert httpx.get(get).content == b"secret"
    put = s3.generate_presigned_url("put_object", {"Bucket": bucket, "Key": "a b+c"}, ExpiresIn=60)
    assert httpx.put(put, content=b"new").status_code == 200
    assert s3.get_object(Bucket=bucket, Key="a b+c")["Body"].read() == b"new"
    for url, status in (
        (get.replace("/secret?", "/a%20b%2Bc?"), 403),
        (get.replace("X-Amz-Expires=60", "X-Amz-Expires=600"), 403),
        (get + "&response-content-type=text/html", 403),
        (get.replace("X-Amz-Expires=60", "X-Amz-Expires=0"), 400),
        (get.split("&X-Amz-Signature")[0], 400),
    ):
        assert httpx.get(url).status_code == status, url
    # nobody turns the leave to put into the leave to copy
    stolen = httpx.put(put, headers={"x-amz-copy-source": f"/{bucket}/secret"})
    assert (stolen.status_code, b"not signed" in stolen.content) == (403, True)


@pytest.mark.parametrize("authorization", [None, "Bearer x", "AWS k:s", "AWS4-HMAC-SHA256 Credential=a"])
def test_without_a_signature_nothing_is_answered(anybody: httpx.Client, authorization: str | None) -> None:
    headers = {"authorization": authorization} if authorization else {}
    answer = anybody.get("/s3/", headers=headers)
    assert answer.status_code in (400, 403)
    assert answer.headers["content-type"].startswith("application/xml")
    assert b"<Error><Resource>" in answer.content


def test_a_form_uploads_what_its_policy_allows(s3: Any, bucket: str) -> None:
    made = s3.generate_presigned_post(
        bucket, "in/${filename}",
        Fields={"content-type": "text/plain", "x-amz-meta-a": "1"},
        Conditions=[{"content-type": "text/plain"}, ["eq", "$x-amz-meta-a", "1"], ["content-length-range", 2, 5]],
        ExpiresIn=60,
    )  # fmt: skip
    assert httpx.post(made["url"], data=made["fields"], files={"file": ("f.txt", b"abc")}).status_code == 204
    assert s3.head_object(Bucket=bucket, Key="in/f.txt")["Metadata"] == {"a": "1"}
    for fields, content in (
        (made["fields"], b"too long"),
        (made["fields"], b"x"),
        ({**made["fields"], "key": "elsewhere"}, b"abc"),
        ({**made["fields"], "cache-control": "max-age=1"}, b"abc"),
        ({**made["fields"], "policy": made["fields"]["policy"][:-8] + "AAAAAAAA"}, b"abc"),
        ({**made["fields"], "x-amz-signature": "0" * 64}, b"abc"),
    ):
        refused = httpx.post(made["url"], data=fields, files={"file": ("f.txt", content)})
        assert refused.status_code in (403, 413), refused.text
    assert [entry["Key"] for entry in s3.list_objects_v2(Bucket=bucket)["Contents"]] == ["in/f.txt"]


# --- bodies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["CRC32", "SHA1", "SHA256"])
def test_checksums_in_headers_and_behind_the_body_are_verified(
    storage: Storage, access_key: tuple[str, str], s3: Any, bucket: str, algorithm: str
) -> None:
    s3.put_object(Bucket=bucket, Key="in-header", Body=b"hello", ChecksumAlgorithm=algorithm)
    unsigned = make_client(storage, *access_key, payload_signing_enabled=False)
    unsigned.put_object(Bucket=bucket, Key="behind", Body=io.BytesIO(b"hello"), ChecksumAlgorithm=algorithm)
    assert s3.get_object(Bucket=bucket, Key="behind")["Body"].read() == b"hello"
    wrong = {f"Checksum{algorithm}": {"CRC32": "AAAAAA==", "SHA1": "A" * 27 + "=", "SHA256": "A" * 43 + "="}[algorithm]}
    with pytest.raises(ClientError) as error:
        s3.put_object(Bucket=bucket, Key="wrong", Body=b"hello", **wrong)
    assert code(error) == (400, "BadDigest")
    with pytest.raises(ClientError) as error:
        s3.head_object(Bucket=bucket, Key="wrong")
    assert code(error)[0] == 404


def test_json_is_for_who_takes_no_xml(s3: Any, bucket: str) -> None:
    url = s3.generate_presigned_url("list_objects_v2", {"Bucket": bucket}, ExpiresIn=60)
    answer = httpx.get(url, headers={"accept": "application/json"})
    assert answer.json()["ListBucketResult"]["Name"] == bucket
    assert httpx.get(url).content.startswith(b"<?xml")
