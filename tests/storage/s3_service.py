"""An S3 service on loopback, of somebody else's making (moto's server)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer


@pytest.fixture(scope="session")
def service() -> Iterator[str]:
    """Its address."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def make_service_bucket(address: str, name: str) -> Any:
    """A bucket there, and a client that looks into it."""
    client = boto3.client(
        "s3", endpoint_url=address, region_name="us-east-1", aws_access_key_id="k", aws_secret_access_key="s"
    )
    client.create_bucket(Bucket=name)
    return client
