"""Keys that change while several workers answer: what is new counts, what is revoked does not, for all of them."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial

import httpx
import jwt
import pytest

from tests.fixtures.server import ROOT, GatewayStarter, LiveGateway
from tests.ops.procs import LIMIT, until, workers

EMAIL, PASSWORD = "ruth@example.com", "a password that stays the same"
SAMPLES = ROOT / "tests" / "functions" / "samples"
TABLE = "/rest/v1/blog_posts?select=id&limit=1"


class Lines:
    """A connection to each worker of a gateway, kept."""

    def __init__(self, gateway: LiveGateway, stack: ExitStack) -> None:
        self.gateway = gateway
        self._clients = []
        serving = workers(gateway)
        for worker in serving:
            others = [other for other in serving if other != worker]
            for other in others:  # who is asleep takes no connection
                os.kill(other, signal.SIGSTOP)
            try:
                client = stack.enter_context(httpx.Client(base_url=gateway.url, timeout=LIMIT, trust_env=False))
                assert client.get("/auth/v1/health").status_code == 200
            finally:
                for other in others:
                    os.kill(other, signal.SIGCONT)
            self._clients.append(client)

    def each(self, read: Callable[[httpx.Client], object]) -> set[object]:
        """What the workers answer."""
        return {read(client) for client in self._clients}

    def statuses(self, **headers: str) -> set[object]:
        """Of a read of a table with these headers."""
        return self.each(lambda client: client.get(TABLE, headers=headers).status_code)

    def bearer(self, token: str) -> set[object]:
        """Statuses of a read and of a question to auth, with a user's token."""
        headers = {"apikey": self.gateway.publishable_key, "authorization": f"Bearer {token}"}
        return self.statuses(**headers) | self.each(
            lambda client: client.get("/auth/v1/user", headers=headers).status_code
        )

    def kids(self) -> set[object]:
        """Ids of the public keys that are listed."""

        def read(client: httpx.Client) -> tuple[str, ...]:
            return tuple(key["kid"] for key in client.get("/auth/v1/.well-known/jwks.json").json()["keys"])

        return self.each(read)

    def sign_in(self) -> tuple[str, str, str]:
        """An access token, the id of the key that signed it, and the refresh token."""
        headers = {"apikey": self.gateway.publishable_key}
        body = {"email": EMAIL, "password": PASSWORD}
        said = self._clients[0].post("/auth/v1/token?grant_type=password", headers=headers, json=body)
        assert said.status_code == 200, said.text
        token = said.json()["access_token"]
        return token, jwt.get_unverified_header(token)["kid"], said.json()["refresh_token"]

    def refresh(self, token: str) -> int:
        headers = {"apikey": self.gateway.publishable_key}
        body = {"refresh_token": token}
        return self._clients[-1].post("/auth/v1/token?grant_type=refresh_token", headers=headers, json=body).status_code


@pytest.fixture
def lines(gateways: GatewayStarter) -> Iterator[Lines]:
    gateway = gateways(extra={"GATEWAY_WORKERS": "2", "FUNCTIONS_DIR": str(SAMPLES)})
    run(gateway, "users", "create", EMAIL, "--password-stdin", input=PASSWORD + "\n")
    with ExitStack() as stack:
        yield Lines(gateway, stack)


def run(gateway: LiveGateway, *arguments: str, input: str | None = None) -> str:
    done = gateway.command(*arguments, input=input)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_promise_21_a_signing_key_is_rotated_and_revoked_for_all_workers(lines: Lines) -> None:
    gateway = lines.gateway
    token, former, renewal = lines.sign_in()
    assert lines.kids() == {(former,)}
    fresh = json.loads(run(gateway, "keys", "rotate", "signing", "--json"))["kid"]
    until(lambda: lines.kids() == {(former, fresh)}, "every worker lists both keys")
    assert lines.bearer(token) == {200}
    until(lambda: lines.sign_in()[1] == fresh, "the new key signs")
    assert lines.bearer(lines.sign_in()[0]) == {200}
    assert lines.bearer(token) == {200}, "the former key is kept for a day"

    run(gateway, "keys", "revoke", former)
    until(lambda: not lines.bearer(token) & {200}, "no worker takes what the revoked key signed")
    assert lines.bearer(token) == {401, 403}
    assert lines.kids() == {(fresh,)}
    assert lines.bearer(lines.sign_in()[0]) == {200}
    assert lines.refresh(renewal) == 200, "nobody is signed out"
    assert gateway.process.poll() is None


def test_promise_21_a_revoked_signing_key_leaves_the_other_to_sign(lines: Lines) -> None:
    gateway = lines.gateway
    token, _, _ = lines.sign_in()
    fresh = json.loads(run(gateway, "keys", "rotate", "signing", "--json"))["kid"]
    run(gateway, "keys", "revoke", fresh)  # before it ever signed: the one that stays signs on
    until(lambda: lines.kids() == {(lines.sign_in()[1],)}, "one key is listed, and signs")
    assert lines.sign_in()[1] != fresh
    assert lines.bearer(token) == {200}


def test_promise_21_an_api_key_is_made_and_revoked_for_all_workers(lines: Lines) -> None:
    def all_say(status: int, path: str, key: str) -> bool:
        headers = {"apikey": key, "authorization": f"Bearer {key}"}
        return lines.each(lambda client: client.get(path, headers=headers).status_code) == {status}

    for kind, path in (("secret", "/auth/v1/admin/users"), ("publishable", TABLE)):
        made = json.loads(run(lines.gateway, "keys", "create", "reports", "--kind", kind, "--json"))
        until(partial(all_say, 200, path, made["key"]), "every worker knows the new key")
        run(lines.gateway, "keys", "revoke", made["id"])
        until(partial(all_say, 401, path, made["key"]), "no worker knows the revoked key")
        assert all_say(200, path, str(lines.gateway.keys[f"{kind}_key"]))


@pytest.mark.parametrize("kind", ["secret", "publishable"])
def test_promise_21_a_default_key_ends_with_its_grace_for_all_workers(lines: Lines, kind: str) -> None:
    former = str(lines.gateway.keys[f"{kind}_key"])
    assert lines.statuses(apikey=former) == {200}, "every worker remembers it"
    run(lines.gateway, "keys", "rotate", kind, "--grace", "3s")
    fresh = str(lines.gateway.keys[f"{kind}_key"])
    until(lambda: lines.statuses(apikey=fresh) == {200}, "every worker knows the new key")
    until(lambda: lines.statuses(apikey=former) == {401}, "no worker knows the former key")
    assert lines.statuses(apikey=fresh) == {200}


def test_promise_21_the_site_and_running_functions_get_the_new_keys(lines: Lines) -> None:
    gateway = lines.gateway

    def told(client: httpx.Client) -> tuple[str, ...]:
        headers = {"authorization": f"Bearer {gateway.secret_key}"}
        env = client.post("/functions/v1/holds-keys", headers=headers).json()
        site = client.get("/env.js").text
        return (
            "site" if gateway.publishable_key in site else "the site has a former key",
            "function" if gateway.secret_key in env["SUPABASE_SECRET_KEYS"] else "a function has a former key",
            "legacy" if _signed_now(gateway, env["SUPABASE_SERVICE_ROLE_KEY"]) else "a function has a former token",
        )

    assert lines.each(told) == {("site", "function", "legacy")}
    for kind in ("publishable", "secret", "legacy"):
        run(gateway, "keys", "rotate", kind)
        until(lambda: lines.each(told) == {("site", "function", "legacy")}, f"the new {kind} key is everywhere")


def _signed_now(gateway: LiveGateway, token: str) -> bool:
    try:
        jwt.decode(token, gateway.keys["jwt_secret"], algorithms=["HS256"])
    except jwt.InvalidSignatureError:
        return False
    return True
