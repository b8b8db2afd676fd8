"""The storage API from settings: the blob store they name, and the service with all that it needs."""

from __future__ import annotations

from pathlib import Path

from gateway.database import Database
from gateway.identity.authenticator import Authenticator
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings
from gateway.storage.blobs import BlobStore
from gateway.storage.blobs.folder import FolderStore
from gateway.storage.core import Core
from gateway.storage.service import StorageService


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


def storage_service(settings: Settings, db: Database, keys: KeyRing, authenticator: Authenticator) -> StorageService:
    """The service of one worker. Raises ValueError."""
    core = Core(settings, db, blob_store(settings), lambda: keys.url_signing, lambda: keys.verification)
    return StorageService(core, authenticator.identity_of, keys)
