"""The official clients drive what is off by default, against a live gateway; needs Node and supabase-compat."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from supabase_auth import SyncGoTrueClient
from supabase_auth.errors import AuthApiError
from supabase_auth.types import CreateOAuthClientParams, UpdateOAuthClientParams

from tests.fixtures.db import Server, clone
from tests.fixtures.server import LiveGateway, start_gateway

SCRIPT = Path(__file__).parent / "js" / "features.test.mjs"
SETTINGS = {
    "GOTRUE_PASSKEY_ENABLED": "true",
    "GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED": "true",
    "GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED": "true",
    "GOTRUE_OAUTH_SERVER_ENABLED": "true",
    "GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION": "true",
    "GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH": "/oauth/consent",
    "GOTRUE_SITE_URL": "https://app.example.com",
    "GATEWAY_AUTH_ADDRESS_LIMITS": "false",
}


@pytest.fixture(scope="module")
def gateway(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    """A gateway with everything on."""
    name = f"auth_features_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    made = start_gateway(server.database(name), tmp_path_factory.mktemp("features"), extra=SETTINGS)
    yield made
    made.stop()
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')


def test_javascript_client_drives_every_feature(gateway: LiveGateway) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "GATEWAY_URL": gateway.url,
        "GATEWAY_PUBLISHABLE": gateway.publishable_key,
        "GATEWAY_SECRET": gateway.secret_key,
    }
    command = ["node", "--test", "--test-reporter=junit", str(SCRIPT)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    cases = list(ElementTree.fromstring(ran.stdout.strip()).iter("testcase"))
    failures = [f"{case.attrib['name']}: {found.text}" for case in cases for found in case.iter("failure")]
    assert len(cases) == 5, ran.stdout + ran.stderr
    assert not failures, "\n".join(failures)


def test_python_client_keeps_the_clients_of_other_applications(gateway: LiveGateway) -> None:
    headers = {"apikey": gateway.secret_key, "Authorization": f"Bearer {gateway.secret_key}"}
    client = SyncGoTrueClient(url=f"{gateway.url}/auth/v1", headers=headers, auto_refresh_token=False)
    oauth = client.admin.oauth
    made = oauth.create_client(
        CreateOAuthClientParams(client_name="Other", redirect_uris=["https://client.example/cb"])
    ).client
    assert made is not None and made.client_secret
    assert any(each.client_id == made.client_id for each in oauth.list_clients().clients)
    assert oauth.get_client(made.client_id).client is not None
    changed = oauth.update_client(made.client_id, UpdateOAuthClientParams(client_name="New")).client
    assert changed is not None and changed.client_name == "New"
    assert oauth.regenerate_client_secret(made.client_id).client is not None
    oauth.delete_client(made.client_id)
    with pytest.raises(AuthApiError) as gone:
        oauth.get_client(made.client_id)
    assert str(gone.value.code) == "oauth_client_not_found"
    client.close()
    client.admin.close()
