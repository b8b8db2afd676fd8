"""Keys and tokens at the edge: who a request is, and who is turned away."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from gateway.errors import ApiError
from gateway.http.messages import Request
from gateway.identity import tokens
from gateway.identity.authenticator import AnonymousRefused, Edge, strip_key
from gateway.identity.keyring import FILE_NAME, KeyRing
from gateway.identity.tokens import TokenError
from gateway.settings import Settings

NOW = 1_800_000_000.0


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.load({}, data_dir=tmp_path)


@pytest.fixture
def keys(settings: Settings) -> KeyRing:
    return KeyRing.load(settings)


@pytest.fixture
def edge(settings: Settings, keys: KeyRing) -> Edge:
    return Edge(settings, keys, clock=lambda: NOW)


def request(query: str = "", **headers: str) -> Request:
    return Request("GET", "/", query, [(name.lower().encode(), value.encode()) for name, value in headers.items()])


def user_token(keys: KeyRing, **claims: object) -> str:
    return tokens.mint({"role": "authenticated", "sub": "u", "exp": NOW + 60, **claims}, keys.signing)


def role_of(edge: Edge, asked: Request) -> str:
    edge.demand_key(asked, "/rest/v1")
    return edge.identify(asked).role


def test_a_publishable_key_alone_is_anonymous_wherever_it_comes(edge: Edge, keys: KeyRing) -> None:
    key = keys.publishable_key
    for asked in (
        request(apikey=key),
        request(f"select=id&apikey={key}"),
        request(authorization=f"Bearer {key}"),
        request(apikey=key, authorization=f"Bearer {key}"),
    ):
        assert role_of(edge, asked) == "anon"


def test_a_secret_key_is_the_service_role(edge: Edge, keys: KeyRing) -> None:
    assert role_of(edge, request(apikey=keys.secret_key)) == "service_role"
    assert role_of(edge, request(authorization=f"Bearer {keys.secret_key}")) == "service_role"


def test_legacy_keys_are_their_roles(edge: Edge, keys: KeyRing) -> None:
    assert role_of(edge, request(apikey=keys.anon_jwt, authorization=f"Bearer {keys.anon_jwt}")) == "anon"
    assert role_of(edge, request(apikey=keys.service_role_jwt)) == "service_role"


def test_a_users_token_wins_over_the_key(edge: Edge, keys: KeyRing) -> None:
    asked = request(apikey=keys.publishable_key, authorization=f"bearer {user_token(keys)}")
    edge.demand_key(asked, "/rest/v1")
    identity = edge.identify(asked)
    assert identity.role == "authenticated"
    assert json.loads(identity.claims) == {"role": "authenticated", "sub": "u", "exp": NOW + 60}


@pytest.mark.parametrize("prefix", ["/rest/v1", ""])
def test_a_key_is_demanded_behind_a_prefix_only(edge: Edge, prefix: str) -> None:
    if prefix:
        with pytest.raises(ApiError, match="No API key"):
            edge.demand_key(request(), prefix)
    else:
        edge.demand_key(request(), prefix)
        assert edge.identify(request()).role == "anon"


@pytest.mark.parametrize("key", ["sb_publishable_forged", "sb_secret_", "nonsense", "a.b.c"])
def test_an_unknown_key_is_refused(edge: Edge, key: str) -> None:
    with pytest.raises(ApiError, match="Invalid API key"):
        edge.demand_key(request(apikey=key), "/rest/v1")


def test_an_unknown_opaque_bearer_is_refused_beside_a_good_key(edge: Edge, keys: KeyRing) -> None:
    with pytest.raises(ApiError, match="Invalid API key"):
        edge.identify(request(apikey=keys.publishable_key, authorization="Bearer sb_secret_forged"))


def test_another_scheme_counts_as_no_token(edge: Edge, keys: KeyRing) -> None:
    assert edge.identify(request(apikey=keys.publishable_key, authorization="Basic eDp5")).role == "anon"


def test_a_remembered_token_still_expires(settings: Settings, keys: KeyRing) -> None:
    now = NOW
    edge = Edge(settings, keys, clock=lambda: now)
    asked = request(authorization=f"Bearer {user_token(keys)}")
    assert edge.identify(asked).role == "authenticated"
    now = NOW + 1000
    with pytest.raises(TokenError, match="expired"):
        edge.identify(asked)


def test_remembered_tokens_are_bounded(tmp_path: Path) -> None:
    settings = Settings.load({}, data_dir=tmp_path, jwt_cache_max_entries=3)
    keys = KeyRing.load(settings)
    edge = Edge(settings, keys, clock=lambda: NOW)
    for number in range(10):
        edge.identify(request(authorization=f"Bearer {user_token(keys, n=number)}"))
    assert len(edge._entries) == 3


def test_new_keys_forget_remembered_tokens(edge: Edge, settings: Settings, keys: KeyRing, tmp_path: Path) -> None:
    asked = request(authorization=f"Bearer {user_token(keys)}")
    edge.identify(asked)
    edge.configure(settings, KeyRing.load(Settings.load({}, data_dir=tmp_path / "other")))
    with pytest.raises(TokenError):
        edge.identify(asked)


def test_anonymous_requests_need_a_role_for_them(tmp_path: Path) -> None:
    settings = Settings.load({}, data_dir=tmp_path, db_anon_role="")
    edge = Edge(settings, KeyRing.load(settings))
    with pytest.raises(AnonymousRefused):
        edge.identify(request())


@pytest.mark.parametrize(("path", "warnings"), [('$.app["my roles"][1]', 0), ('.app."my roles"[1]', 2)])
def test_the_role_may_lie_deeper_in_the_claims(
    path: str, warnings: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings.load({}, data_dir=tmp_path, jwt_role_claim_key=path)
    keys = KeyRing.load(settings)
    edge = Edge(settings, keys, clock=lambda: NOW)
    assert len(caplog.records) == warnings, "the old grammar is told of"
    token = user_token(keys, app={"my roles": ["no", "editor"]})
    assert edge.identify(request(authorization=f"Bearer {token}")).role == "editor"


def test_the_key_parameter_is_no_filter() -> None:
    assert strip_key("apikey=k&select=id") == "select=id"
    assert strip_key("select=id&apikey=k&order=id") == "select=id&order=id"
    assert strip_key("myapikey=eq.1") == "myapikey=eq.1"


def test_keys_are_random_kept_and_readable_by_their_owner_alone(settings: Settings, tmp_path: Path) -> None:
    first = KeyRing.load(settings)
    again = KeyRing.load(settings)
    other = KeyRing.load(Settings.load({}, data_dir=tmp_path / "other"))
    assert (first.secret_key, first.anon_jwt) == (again.secret_key, again.anon_jwt)
    assert first.secret_key != other.secret_key
    assert stat.S_IMODE((settings.data_dir / FILE_NAME).stat().st_mode) == 0o600


def test_the_published_key_set_holds_no_private_part(keys: KeyRing) -> None:
    (jwk,) = keys.jwks()["keys"]
    assert jwk["kty"] == "EC" and "d" not in jwk and jwk["kid"] == keys.signing.kid


def test_a_claim_that_cannot_be_written_again_is_refused(edge: Edge, keys: KeyRing) -> None:
    token = user_token(keys, big=1 << 70)
    with pytest.raises(TokenError):
        edge.identify(request(authorization=f"Bearer {token}"))
