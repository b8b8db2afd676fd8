"""What a function is told of the gateway."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.functions.environment import injected
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        ({}, "http://127.0.0.1:54321"),
        ({"GATEWAY_HOST": "0.0.0.0"}, "http://127.0.0.1:54321"),
        ({"GATEWAY_PUBLIC_URL": "https://nowhere.example"}, "http://127.0.0.1:54321"),
        ({"GATEWAY_PUBLIC_URL": "https://nowhere.example", "GATEWAY_HOST": "10.0.0.5"}, "http://10.0.0.5:54321"),
        ({"GATEWAY_PUBLIC_URL": "https://a.example", "PGRST_SERVER_UNIX_SOCKET": "/run/g.sock"}, "https://a.example"),
    ],
    ids=["as it comes", "on every address", "behind a public name", "on one address", "on a unix socket"],
)
def test_a_function_reaches_the_gateway_past_its_public_name(
    tmp_path: Path, settings: dict[str, str], address: str
) -> None:
    loaded = Settings.load(settings, data_dir=tmp_path)
    assert injected(loaded, KeyRing.load(loaded))["SUPABASE_URL"] == address
