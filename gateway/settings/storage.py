"""The storage API: where the bytes of objects lie, and how large they may be."""

from __future__ import annotations

from dataclasses import dataclass

from gateway.settings.rows import setting


@dataclass(frozen=True)
class StorageSettings:
    """Fields of `Settings`."""

    storage_backend: str = setting(
        "file",
        "Where the bytes of objects lie: `file` in a folder, `s3` in an S3-compatible service",
        "STORAGE_BACKEND",
        choices=("file", "s3"),
    )
    storage_folder: str = setting(
        "", "That folder, which several gateways may share; default: storage in the data folder",
        "STORAGE_FILE_BACKEND_PATH", "FILE_STORAGE_BACKEND_PATH",
    )  # fmt: skip
    storage_sync: bool = setting(
        True,
        "An upload is answered once its bytes are on the disk; false may lose the last ones in a crash of the machine",
        "GATEWAY_STORAGE_SYNC",
    )
    storage_s3_bucket: str = setting("", "Bucket of that service", "STORAGE_S3_BUCKET")
    storage_s3_prefix: str = setting("", "What the keys in it begin with", "GATEWAY_STORAGE_S3_PREFIX")
    storage_s3_endpoint: str = setting("", "Address of the service; default AWS", "STORAGE_S3_ENDPOINT")
    storage_s3_region: str = setting("us-east-1", "Its region", "STORAGE_S3_REGION")
    storage_s3_path_style: bool = setting(
        True, "The bucket is named in the path, not in the host name", "STORAGE_S3_FORCE_PATH_STYLE"
    )
    storage_s3_access_key: str = setting(
        "", "Access key there; default: the machine's own rights", "GATEWAY_STORAGE_S3_ACCESS_KEY_ID", secret=True
    )
    storage_s3_secret_key: str = setting(
        "", "Its secret", "GATEWAY_STORAGE_S3_SECRET_ACCESS_KEY", secret=True, file=True
    )
    image_enabled: bool = setting(
        True, "Give pictures out in other sizes and formats at /storage/v1/render/image", "IMAGE_TRANSFORMATION_ENABLED"
    )
    image_least: int = setting(
        1, "Pixels that a side of such a picture has at least", "IMAGE_TRANSFORMATION_LIMIT_MIN_SIZE"
    )
    image_most: int = setting(
        2000, "Pixels that it has at most; who asks for more gets these", "IMAGE_TRANSFORMATION_LIMIT_MAX_SIZE"
    )
    s3_enabled: bool = setting(True, "Serve the S3 protocol at /storage/v1/s3", "S3_PROTOCOL_ENABLED")
    s3_access_key: str = setting(
        "", "An access key of that protocol, which acts as the service role", "S3_PROTOCOL_ACCESS_KEY_ID"
    )
    s3_secret_key: str = setting(
        "", "Its secret, of at least 16 characters", "S3_PROTOCOL_ACCESS_KEY_SECRET", secret=True
    )
    s3_enforce_region: bool = setting(
        False, "That protocol takes no other region than STORAGE_S3_REGION", "S3_PROTOCOL_ENFORCE_REGION"
    )
    s3_multipart_seconds: int = setting(
        604_800, "Seconds after which an S3 upload in parts that is not complete is given up",
        "GATEWAY_STORAGE_MULTIPART_EXPIRY",
    )  # fmt: skip
    storage_file_size_limit: int = setting(
        52_428_800, "Bytes of the largest object; a bucket may take less", "UPLOAD_FILE_SIZE_LIMIT"
    )
    storage_upload_url_seconds: int = setting(
        7200, "Seconds that a signed URL for an upload is valid", "UPLOAD_SIGNED_URL_EXPIRATION_TIME"
    )
    storage_s_maxage: int = setting(
        0,
        "Seconds that a CDN may keep an object, told to who asks again with its ETag; 0 says nothing",
        "RESPONSE_S_MAXAGE",
    )
    storage_tus_seconds: int = setting(
        86_400, "Seconds after which a resumable upload that is not complete is given up", "GATEWAY_STORAGE_TUS_EXPIRY"
    )
    storage_max_delete: int = setting(
        0, "Objects that one request deletes at most (hosted projects: 1000); 0 for no limit",
        "GATEWAY_STORAGE_MAX_DELETE",
    )  # fmt: skip
    storage_db_pool: int = setting(10, "Most connections of the storage API", "DATABASE_MAX_CONNECTIONS")
