"""The storage API with its bytes in a service of somebody else's making, on loopback."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from uuid import uuid4

from tests.fixtures.server import GatewayStarter, environment
from tests.storage.conftest import Storage, make_bucket
from tests.storage.s3_service import make_service_bucket, service

__all__ = ("service",)


def test_objects_live_in_an_s3_service(gateways: GatewayStarter, service: str) -> None:
    place = f"b{uuid4().hex[:8]}"
    client = make_service_bucket(service, place)
    extra = {
        "STORAGE_BACKEND": "s3",
        "STORAGE_S3_BUCKET": place,
        "STORAGE_S3_ENDPOINT": service,
        "GATEWAY_STORAGE_S3_ACCESS_KEY_ID": "k",
        "GATEWAY_STORAGE_S3_SECRET_ACCESS_KEY": "s",
        "GATEWAY_STORAGE_S3_PREFIX": "here",
    }
    storage = Storage(gateways(extra=extra))

    def keys() -> list[str]:
        listed = client.list_objects_v2(Bucket=place, Prefix="here/objects/").get("Contents", [])
        return [each["Key"] for each in listed]

    with storage.client(storage.secret) as admin:
        bucket = make_bucket(admin, public=True)
        content = os.urandom(20_000_000)
        for key, body in (("small", b"hello world"), ("large", content)):
            assert admin.post(f"/object/{bucket}/{key}", content=body).status_code == 200
            found = admin.get(f"/object/public/{bucket}/{key}")
            assert found.content == body
            assert found.headers["etag"] == f'"{hashlib.md5(body).hexdigest()}"'
        part = admin.get(f"/object/{bucket}/large", headers={"range": "bytes=9000000-9000099"})
        assert (part.status_code, part.content) == (206, content[9_000_000:9_000_100])
        moved = {"bucketId": bucket, "sourceKey": "small", "destinationKey": "moved"}
        assert admin.post("/object/move", json=moved).status_code == 200
        assert admin.put(f"/object/{bucket}/moved", content=b"again").status_code == 200
        assert admin.get(f"/object/{bucket}/moved").content == b"again"
        assert admin.delete(f"/object/{bucket}/large").status_code == 200
        for _ in range(100):
            if len(keys()) == 1:
                break
            time.sleep(0.1)
        ((version,),) = storage.sql("select version from storage.objects")
        assert keys() == [f"here/objects/{version}"]
        client.put_object(Bucket=place, Key=f"here/objects/{uuid4()}", Body=b"nobody's")
        done = subprocess.run(
            [sys.executable, "-m", "gateway", "storage", "check", "--mend", "--deep", "--older-than", "-1", "--json"],
            env=environment(storage.gateway.database_url, storage.gateway.data_dir, extra),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert (len(report["orphans"]), report["lost"], report["damaged"]) == (1, [], [])
        assert len(keys()) == 1
    client.close()
