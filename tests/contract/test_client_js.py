"""The official JavaScript client drives every method of its table client against a live gateway.

Needs Node and the packages of supabase-compat (`npm ci` there).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests import parity
from tests.fixtures.contract import Services, server_names

SCRIPT = Path(__file__).parent / "js" / "client.test.mjs"


@pytest.mark.parametrize("server_name", server_names())
def test_javascript_client_drives_every_method(server_name: str, services: Services) -> None:
    service = services(server_name, "client")
    environment = {
        "PATH": os.environ["PATH"],
        **parity.environment(),
        "HARBOUR_URL": service.url,
        "HARBOUR_ANON": service.token("contract_anon"),
        "HARBOUR_MEMBER": service.token("contract_member"),
    }
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap", str(SCRIPT)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
