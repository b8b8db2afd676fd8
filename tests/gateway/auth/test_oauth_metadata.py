"""What the OAuth server is, where its clients look for it: in front of the issuer's path, and behind the API's."""

from __future__ import annotations

import httpx
import pytest

from gateway.auth.http.routes import FIXED_PATHS, ROUTES
from tests.fixtures.server import GatewayStarter

BEFORE = "/.well-known/oauth-authorization-server/auth/v1"
BEHIND = "/auth/v1/.well-known/oauth-authorization-server"


@pytest.mark.parametrize("on", [True, False])
def test_both_places_answer_alike_without_a_key_and_to_any_origin(gateways: GatewayStarter, on: bool) -> None:
    gateway = gateways(extra={"GOTRUE_OAUTH_SERVER_ENABLED": str(on)})
    with httpx.Client(base_url=gateway.url, trust_env=False, headers={"origin": "https://client.example"}) as client:
        answers = [client.get(path) for path in (BEFORE, BEHIND, BEFORE + "/", BEFORE.removesuffix("/auth/v1"))]
        assert {answer.text for answer in answers} == {answers[0].text}
        assert {answer.status_code for answer in answers} == {200 if on else 404}
        assert {answer.headers["access-control-allow-origin"] for answer in answers} == {"*"}
        if on:
            assert answers[0].json()["issuer"].endswith("/auth/v1")
        else:
            assert answers[0].json()["error_code"] == "feature_disabled"
        assert client.get("/.well-known/oauth-authorization-server/storage/v1").status_code == 404
        asked = {"access-control-request-method": "GET", "access-control-request-headers": "mcp-protocol-version"}
        allowed = client.options(BEFORE, headers=asked)
        assert allowed.status_code in (200, 204)
        assert "mcp-protocol-version" in allowed.headers["access-control-allow-headers"].lower()


def test_no_other_route_of_the_auth_api_is_reached_without_its_key(gateways: GatewayStarter) -> None:
    gateway = gateways()
    before = BEFORE.removesuffix("/auth/v1")
    with httpx.Client(base_url=gateway.url, trust_env=False) as client:
        for method in sorted({route.method for route in ROUTES}):
            for path in sorted(FIXED_PATHS):
                for prefix in (before, BEFORE):
                    answer = client.request(method, prefix + path)
                    assert answer.status_code == 404, (method, prefix + path, answer.text)
                    assert "error_code" not in answer.text, "the API's own answer"
