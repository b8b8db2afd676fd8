"""Keys and tokens: who a request is, and who is turned away."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import ApiError
from gateway.http.messages import Request
from gateway.identity import tokens
from gateway.identity.authenticator import AnonymousRefused, Authenticator, strip_key
from gateway.identity.keyring import FILE_NAME, KeyRing, change_file, rotate_api_key
from gateway.identity.tokens import TokenError
from gateway.lru_cache import Caches
from gateway.settings import Settings

SECRET = "a secret of these tests, which signs nothing else"
NOW = 1_800_000_000.0


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.load({}, data_dir=tmp_path)


@pytest.fixture
def keys(settings: Settings) -> KeyRing:
    return KeyRing.load(settings)


@pytest.fixture
def authenticator(settings: Settings, keys: KeyRing) -> Authenticator:
    return Authenticator(settings, keys, clock=lambda: NOW)


def request(query: str = "", **headers: str) -> Request:
    return Request("GET", "/", query, [(name.lower().encode(), value.encode()) for name, value in headers.items()])


def user_token(keys: KeyRing, **claims: object) -> str:
    return tokens.mint({"role": "authenticated", "sub": "u", "exp": NOW + 60, **claims}, keys.signing)


def role_of(authenticator: Authenticator, asked: Request) -> str:
    """The role of the key where it is all that was sent, else of the token; the two ways agree."""
    of_key = authenticator.demand_key(asked, "/rest/v1")
    identity = authenticator.identify(asked)
    assert of_key in (None, identity)
    return identity.role


def test_a_publishable_key_alone_is_anonymous_wherever_it_comes(authenticator: Authenticator, keys: KeyRing) -> None:
    key = keys.publishable_key
    for asked in (
        request(apikey=key),
        request(f"select=id&apikey={key}"),
        request(authorization=f"Bearer {key}"),
        request(apikey=key, authorization=f"Bearer {key}"),
    ):
        assert role_of(authenticator, asked) == "anon"


@pytest.mark.parametrize("headers", [("apikey",), ("authorization",), ("apikey", "authorization")])
def test_every_use_of_a_key_is_noted(settings: Settings, headers: tuple[str, ...]) -> None:
    now = NOW
    keys = KeyRing.load(settings, clock=lambda: now)
    authenticator = Authenticator(settings, keys, clock=lambda: now)
    given = {name: keys.secret_key if name == "apikey" else f"Bearer {keys.secret_key}" for name in headers}
    for now in (NOW, NOW + 5, NOW + 90):
        assert role_of(authenticator, request(**given)) == "service_role"
        assert keys.uses == {"secret": now}
        keys.uses = {}  # as when they were written to the database
        role_of(authenticator, request(**given))
        assert keys.uses == {"secret": now}


def test_a_key_whose_time_has_ended_is_refused_at_once(settings: Settings) -> None:
    now = NOW
    former = KeyRing.load(settings).secret_key
    change_file(settings.data_dir / FILE_NAME, lambda content: rotate_api_key(content, "secret", 60, NOW))
    keys = KeyRing.load(settings, clock=lambda: now)
    authenticator = Authenticator(settings, keys, clock=lambda: now)
    asked = request(apikey=former)
    assert role_of(authenticator, asked) == "service_role"
    now = NOW + 61
    with pytest.raises(ApiError, match="Invalid API key"):
        authenticator.demand_key(asked, "/rest/v1")
    with pytest.raises(ApiError, match="Invalid API key"):
        authenticator.identify(asked)


def test_a_secret_key_is_the_service_role(authenticator: Authenticator, keys: KeyRing) -> None:
    assert role_of(authenticator, request(apikey=keys.secret_key)) == "service_role"
    assert role_of(authenticator, request(authorization=f"Bearer {keys.secret_key}")) == "service_role"


def test_legacy_keys_are_their_roles(authenticator: Authenticator, keys: KeyRing) -> None:
    assert role_of(authenticator, request(apikey=keys.anon_jwt, authorization=f"Bearer {keys.anon_jwt}")) == "anon"
    assert role_of(authenticator, request(apikey=keys.service_role_jwt)) == "service_role"


def test_a_users_token_wins_over_the_key(authenticator: Authenticator, keys: KeyRing) -> None:
    asked = request(apikey=keys.publishable_key, authorization=f"bearer {user_token(keys)}")
    authenticator.demand_key(asked, "/rest/v1")
    identity = authenticator.identify(asked)
    assert identity.role == "authenticated"
    assert json.loads(identity.claims) == {"role": "authenticated", "sub": "u", "exp": NOW + 60}


@pytest.mark.parametrize("prefix", ["/rest/v1", ""])
def test_a_key_is_demanded_behind_a_prefix_only(authenticator: Authenticator, prefix: str) -> None:
    if prefix:
        with pytest.raises(ApiError, match="No API key"):
            authenticator.demand_key(request(), prefix)
    else:
        authenticator.demand_key(request(), prefix)
        assert authenticator.identify(request()).role == "anon"


@pytest.mark.parametrize("key", ["sb_publishable_forged", "sb_secret_", "nonsense", "a.b.c"])
def test_an_unknown_key_is_refused(authenticator: Authenticator, key: str) -> None:
    with pytest.raises(ApiError, match="Invalid API key"):
        authenticator.demand_key(request(apikey=key), "/rest/v1")


def test_an_unknown_opaque_bearer_is_refused_beside_a_good_key(authenticator: Authenticator, keys: KeyRing) -> None:
    with pytest.raises(ApiError, match="Invalid API key"):
        authenticator.identify(request(apikey=keys.publishable_key, authorization="Bearer sb_secret_forged"))


def test_another_scheme_counts_as_no_token(authenticator: Authenticator, keys: KeyRing) -> None:
    assert authenticator.identify(request(apikey=keys.publishable_key, authorization="Basic eDp5")).role == "anon"


def test_a_remembered_token_still_expires(settings: Settings, keys: KeyRing) -> None:
    now = NOW
    authenticator = Authenticator(settings, keys, clock=lambda: now)
    asked = request(authorization=f"Bearer {user_token(keys)}")
    assert authenticator.identify(asked).role == "authenticated"
    now = NOW + 1000
    with pytest.raises(TokenError, match="expired"):
        authenticator.identify(asked)


_TIMES = st.none() | st.integers(-100, 100)


@given(
    exp=_TIMES, nbf=_TIMES, iat=_TIMES, aud=st.sampled_from([None, "here", "there", ["here"], []]),
    wanted=st.sampled_from(["", "here"]), later=st.lists(st.integers(-200, 200), min_size=2, max_size=4),
)  # fmt: skip
def test_a_remembered_token_is_answered_as_one_that_is_not(
    exp: int | None, nbf: int | None, iat: int | None, aud: object, wanted: str, later: list[int]
) -> None:
    now = NOW
    times = {name: NOW + each for name, each in (("exp", exp), ("nbf", nbf), ("iat", iat)) if each is not None}
    claims = {"role": "authenticated", **times, **({} if aud is None else {"aud": aud})}
    settings = Settings(jwt_secret=SECRET, jwt_aud=wanted, publishable_key="sb_publishable_x", secret_key="sb_secret_x")
    keys = KeyRing.load(settings)
    token = tokens.mint(claims, keys.signing)
    remembering, forgetting = (
        Authenticator(settings, keys, clock=lambda: now, caches=Caches(enabled)) for enabled in (True, False)
    )
    for after in later:
        now = NOW + after
        said = [_said(authenticator, token) for authenticator in (remembering, forgetting)]
        assert said[0] == said[1]


def _said(authenticator: Authenticator, token: str) -> list[object]:
    """What it answers to a token, as the bearer of a request and as another service asks."""
    said: list[object] = []
    for ask in (lambda: authenticator.identify(request(authorization=f"Bearer {token}")),
                lambda: authenticator.claims(token)):  # fmt: skip
        try:
            said.append(ask())
        except TokenError as error:
            said.append((error.fault, error.message))
    return said


def test_remembered_tokens_are_bounded(tmp_path: Path) -> None:
    settings = Settings.load({}, data_dir=tmp_path, jwt_cache_max_entries=3)
    keys = KeyRing.load(settings)
    authenticator = Authenticator(settings, keys, clock=lambda: NOW)
    for number in range(10):
        authenticator.identify(request(authorization=f"Bearer {user_token(keys, n=number)}"))
    assert len(authenticator._entries) == 3


def test_new_keys_forget_remembered_tokens(
    authenticator: Authenticator, settings: Settings, keys: KeyRing, tmp_path: Path
) -> None:
    asked = request(authorization=f"Bearer {user_token(keys)}")
    authenticator.identify(asked)
    authenticator.configure(settings, KeyRing.load(Settings.load({}, data_dir=tmp_path / "other")))
    with pytest.raises(TokenError):
        authenticator.identify(asked)


def test_anonymous_requests_need_a_role_for_them(tmp_path: Path) -> None:
    settings = Settings.load({}, data_dir=tmp_path, db_anon_role="")
    authenticator = Authenticator(settings, KeyRing.load(settings))
    with pytest.raises(AnonymousRefused):
        authenticator.identify(request())


@pytest.mark.parametrize(("path", "warnings"), [('$.app["my roles"][1]', 0), ('.app."my roles"[1]', 2)])
def test_the_role_may_lie_deeper_in_the_claims(
    path: str, warnings: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings.load({}, data_dir=tmp_path, jwt_role_claim_key=path)
    keys = KeyRing.load(settings)
    authenticator = Authenticator(settings, keys, clock=lambda: NOW)
    assert len(caplog.records) == warnings, "the old grammar is told of"
    token = user_token(keys, app={"my roles": ["no", "editor"]})
    assert authenticator.identify(request(authorization=f"Bearer {token}")).role == "editor"


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


def test_a_claim_that_cannot_be_written_again_is_refused(authenticator: Authenticator, keys: KeyRing) -> None:
    token = user_token(keys, big=1 << 70)
    with pytest.raises(TokenError):
        authenticator.identify(request(authorization=f"Bearer {token}"))


@pytest.mark.parametrize("times", [1, 3])
def test_promise_21_new_keys_and_settings_empty_every_memory(settings: Settings, keys: KeyRing, times: int) -> None:
    """Plans were made with the settings of before, tokens were verified by keys that may be gone."""
    caches = Caches(True)
    authenticator = Authenticator(settings, keys, clock=lambda: NOW, caches=caches)
    memories = [caches.make(name, 10_000) for name in ("plans", "requests", "parameters")]
    for _ in range(times):
        for memory in memories:
            memory.put("asked", "answered", 10)
        authenticator.identify(request(authorization=f"Bearer {user_token(keys)}"))
        assert all(kept["entries"] == 1 for kept in caches.stats().values())
        authenticator.configure(settings, keys)
        assert all(kept == {"entries": 0, "bytes": 0} for kept in caches.stats().values())
