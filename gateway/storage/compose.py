"""The storage API from settings: the blob store they name, and the service with all that it needs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from gateway.database import Database, Listener
from gateway.identity.authenticator import Authenticator
from gateway.identity.keyring import KeyRing
from gateway.lru_cache import Caches
from gateway.settings import Settings
from gateway.storage.blobs import BlobStore
from gateway.storage.blobs.folder import FolderStore
from gateway.storage.core import CodeFree, Core
from gateway.storage.row_cache import CHANNEL, PULSE, RowCache
from gateway.storage.rows import Bucket, Object
from gateway.storage.service import StorageService
from gateway.system.lasting import lasting


def blob_store(settings: Settings) -> BlobStore:
    """Where the bytes of objects lie. Raises ValueError for settings that name no place."""
    if settings.storage_backend == "file":
        return FolderStore(folder(settings), settings.storage_sync)
    if not settings.storage_s3_bucket:
        raise ValueError("STORAGE_BACKEND=s3 needs STORAGE_S3_BUCKET")
    from gateway.storage.blobs.remote import RemoteStore  # 16 MB that only who uses it loads

    return RemoteStore(
        settings.storage_s3_bucket,
        endpoint=settings.storage_s3_endpoint,
        region=settings.storage_s3_region,
        access_key=settings.storage_s3_access_key,
        secret_key=settings.storage_s3_secret_key,
        prefix=settings.storage_s3_prefix,
        path_style=settings.storage_s3_path_style,
    )


def folder(settings: Settings) -> Path:
    """The folder of the `file` backend."""
    return Path(settings.storage_folder) if settings.storage_folder else settings.data_dir / "storage"


def storage_service(
    settings: Settings,
    db: Database,
    keys: KeyRing,
    authenticator: Authenticator,
    caches: Caches | None = None,
    listen_url: str = "",
    code_free: Callable[[], CodeFree] = CodeFree,
) -> StorageService:
    """The service of one worker, which listens at `listen_url` for changes of what it remembers; `code_free` is as Core
    has it. Raises ValueError."""

    def begin(rows: RowCache[Bucket, Object]) -> asyncio.Task[None]:
        listener = Listener(
            listen_url, CHANNEL, rows.heard, rows.begin, settings.db_prepared_statements, rows.end, PULSE
        )
        return asyncio.get_running_loop().create_task(lasting(listener.run))

    caches = caches or Caches(enabled=False)
    rows = RowCache[Bucket, Object](caches, begin if listen_url else None)
    core = Core(
        settings,
        db,
        blob_store(settings),
        lambda: keys.url_signing,
        lambda: keys.verification,
        rows=rows,
        caches=caches,
        code_free=code_free,
    )
    return StorageService(core, authenticator.identity_of, keys)
