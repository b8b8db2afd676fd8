"""What an operator sees of the storage API: numbers, ids of requests and the access log."""

from __future__ import annotations

import io
import json

import httpx
from PIL import Image

from tests.fixtures.server import GatewayStarter, LiveGateway
from tests.ops.procs import until
from tests.ops.test_metrics import total

SIZE = 300_000


def counted(gateway: LiveGateway) -> dict[str, float]:
    names = ("bytes_in", "bytes_out", "rows_asked", "pictures_made", "pictures_remembered", "blobs_missing")
    return {name: total(gateway, f"gateway_storage_{name}_total") for name in (*names, "store_failures")}


def test_storage_is_counted_named_and_logged(gateways: GatewayStarter) -> None:
    gateway = gateways(extra={"GATEWAY_ACCESS_LOG": "true"})
    picture = io.BytesIO()
    Image.new("RGB", (8, 8)).save(picture, "png")
    headers = {"authorization": f"Bearer {gateway.secret_key}"}
    with httpx.Client(base_url=f"{gateway.url}/storage/v1", headers=headers, timeout=30) as client:
        client.post("/bucket", json={"name": "b", "public": True}).raise_for_status()
        stored = client.post("/object/b/large", content=b"x" * SIZE, headers={"x-request-id": "an-upload"})
        assert stored.headers["x-request-id"] == "an-upload"
        assert len(client.get("/object/public/b/large").content) == SIZE
        assert len(client.get("/object/public/b/large", headers={"range": "bytes=0-99"}).content) == 100
        client.post("/object/b/p.png", content=picture.getvalue(), headers={"content-type": "image/png"})
        made = [client.get("/render/image/public/b/p.png?width=4").content for _ in range(2)]
        given = SIZE + 100 + sum(map(len, made))
        until(lambda: counted(gateway)["bytes_out"] >= given, "the bytes are counted")
        found = counted(gateway)
        assert (found["bytes_in"], found["bytes_out"]) == (SIZE + len(picture.getvalue()), given)
        assert (found["pictures_made"], found["pictures_remembered"]) == (1, 1)
        assert found["rows_asked"] >= 2
        assert (found["blobs_missing"], found["store_failures"]) == (0, 0)

        for blob in (gateway.data_dir / "storage" / "objects").glob("*/*"):
            blob.unlink()
        refused = client.get("/object/public/b/large")
        assert (refused.status_code, refused.json()["statusCode"]) == (400, "404")
        until(lambda: counted(gateway)["blobs_missing"] >= 1, "the lost blob is counted")
        assert total(gateway, "gateway_requests_total", route="/storage/v1/object/public", status="200") == 1
        assert total(gateway, "gateway_requests_total", route="/storage/v1/object/public", status="206") == 1
        assert total(gateway, "gateway_requests_total", route="/storage/v1/object/public", status="400") == 1
    gateway.stop()
    lines = [json.loads(line) for line in (gateway.data_dir / "access.jsonl").read_text().splitlines()]
    (mine,) = [line for line in lines if line["id"] == "an-upload"]
    assert (mine["method"], mine["path"], mine["status"]) == ("POST", "/storage/v1/object/b/large", 200)
    (sent,) = [line for line in lines if line["path"].endswith("/public/b/large") and line["status"] == 200]
    assert (sent["bytes"], sent["id"] != "") == (SIZE, True)
