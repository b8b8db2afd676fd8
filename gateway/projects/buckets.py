"""`[storage.buckets]`: rows of `storage.buckets`, and the files of `objects_path` as their objects.

Rows are written at each start, since the file may have changed; objects once, by the storage API, which alone knows
where bytes go. Buckets that the file does not name are left as they are.
"""

from __future__ import annotations

import json
import logging
import mimetypes
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request

from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection
from gateway.database.statement import array_literal
from gateway.http.unix_client import opener
from gateway.identity.keyring import KeyRing
from gateway.projects.config_groups import BucketSpec
from gateway.projects.content import Content
from gateway.projects.database import BUCKETS, done_steps, note_step
from gateway.settings import Settings

log = logging.getLogger("gateway.projects")

NOTE: Final = "serving.json"  # by which commands of this machine find the gateway
READY_LIMIT: Final = 60.0  # seconds until it answers
UPLOAD_LIMIT: Final = 300.0  # seconds for one file


def make_buckets(connection: SyncConnection, buckets: tuple[BucketSpec, ...]) -> None:
    """Make the buckets, or change them to what the file says. Raises DatabaseError."""
    for bucket in buckets:
        connection.rows(
            "insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)"
            " values ($1, $1, $2::boolean, $3::bigint, $4::text[])"
            " on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,"
            " allowed_mime_types = excluded.allowed_mime_types",
            bucket.name,
            str(bucket.public).lower(),
            None if bucket.file_size_limit is None else str(bucket.file_size_limit),
            None if bucket.allowed_mime_types is None else array_literal(bucket.allowed_mime_types),
        )


def fill_when_served(content: Content, settings: Settings, owner: str) -> None:
    """Make the buckets, and upload their files once where a gateway of the data folder answers; what fails is told.

    `owner` is the address of the schema's owner. An upload that failed is tried again at the next start.
    """
    try:
        with SyncConnection(owner) as connection:
            make_buckets(connection, content.config.buckets)
            if BUCKETS in done_steps(connection):
                return
            objects = list(_objects(content.config.buckets))
            url = _served_at(settings) if objects else ""
            if url is None:
                return
            key = KeyRing.load(settings).secret_key
            done = [_upload(f"{url}{settings.storage_prefix}", key, *each) for each in objects]
            if all(done):
                note_step(connection, BUCKETS)
    except (DatabaseError, DatabaseUnavailable, ValueError) as error:
        log.warning("the buckets of config.toml are not made: %s", error)


def _served_at(settings: Settings) -> str | None:
    """Where the gateway answers on this machine, as soon as it does; None where it does not in time."""
    deadline = time.monotonic() + READY_LIMIT
    while time.monotonic() < deadline:
        try:
            url = str(json.loads((settings.data_dir / NOTE).read_text())["url"])
            with opener().open(f"{url}{settings.storage_prefix}/status", timeout=1.0):
                return url
        except HTTPError:
            return url
        except (OSError, ValueError, KeyError):
            time.sleep(0.2)
    return None


def _objects(buckets: tuple[BucketSpec, ...]) -> Iterator[tuple[str, Path, str]]:
    """Bucket, file and name of every object."""
    for bucket in buckets:
        if bucket.objects is None:
            continue
        if bucket.objects.is_file():
            yield bucket.name, bucket.objects, bucket.objects.name
            continue
        if not bucket.objects.is_dir():
            log.warning("[storage.buckets.%s] objects_path: there is no folder %s", bucket.name, bucket.objects)
        for path in sorted(bucket.objects.rglob("*")):
            if path.is_file():
                yield bucket.name, path, path.relative_to(bucket.objects).as_posix()


def _upload(prefix: str, key: str, bucket: str, path: Path, name: str) -> bool:
    """Put a file; whether that worked."""
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    url = f"{prefix}/object/{quote(bucket)}/{quote(name)}"
    headers = {"apikey": key, "authorization": f"Bearer {key}", "content-type": kind, "x-upsert": "true"}
    try:
        with opener().open(Request(url, path.read_bytes(), headers, method="POST"), timeout=UPLOAD_LIMIT):
            return True
    except HTTPError as error:
        said = ""
        with suppress(OSError):
            said = error.read(500).decode("utf-8", "replace")
        log.warning("%s was not put into the bucket %s: %s %s", path, bucket, error.code, said)
    except OSError as error:
        log.warning("%s was not put into the bucket %s: %s", path, bucket, error)
    return False
