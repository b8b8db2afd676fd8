"""Keys: rotation before, during and after; further API keys by hash; what the file holds."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest

from gateway.identity import keyring as store
from gateway.identity import tokens
from gateway.identity.keyring import FILE_NAME, KeyChangeError, KeyRing
from gateway.settings import Settings

CLAIMS = {"sub": "somebody", "role": "authenticated"}


class Ring:
    """A key ring on a folder, with a clock that is moved."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.now = time.time()
        self.settings = Settings.load({}, data_dir=folder, **settings)
        self.keys = KeyRing.load(self.settings, clock=lambda: self.now)
        self.path = folder / FILE_NAME

    def change(self, change: Any) -> Any:
        answer = store.change_file(self.path, change)
        self.keys.poll(self.settings)
        return answer

    def rotate(self, grace: float = 86_400, alg: str = "ES256") -> Any:
        return self.change(lambda stored: store.rotate_signing(stored, alg, grace, self.now))

    def mint(self) -> str:
        return tokens.mint({**CLAIMS, "iat": self.now, "exp": self.now + 200_000}, self.keys.signing)

    def takes(self, token: str) -> bool:
        try:
            tokens.decode(token, self.keys.verification, now=self.now)
        except tokens.TokenError:
            return False
        return True


@pytest.mark.parametrize("alg", store.ALGORITHMS)
def test_rotation_signs_nobody_out_until_the_grace_is_over(tmp_path: Path, alg: str) -> None:
    ring = Ring(tmp_path)
    before = ring.mint()
    kid = ring.rotate(alg=alg)["kid"]
    assert ring.takes(before)
    assert ring.takes(ring.mint())
    assert jwt.get_unverified_header(ring.mint())["kid"] != kid  # other workers may not know the new key yet
    ring.now += store.SIGNS_AFTER + 1
    during = ring.mint()
    assert jwt.get_unverified_header(during) == {"alg": alg, "typ": "JWT", "kid": kid}
    assert ring.takes(before) and ring.takes(during)
    ring.now += 86_400
    assert ring.keys.poll(ring.settings)  # what was remembered of the former key must be forgotten
    assert not ring.takes(before)
    assert ring.takes(during)


def test_public_keys_are_listed_while_they_verify_and_secrets_never(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    ring.rotate(alg="RS256")
    ring.rotate(alg="HS256")
    listed = ring.keys.jwks()["keys"]
    assert [key["kty"] for key in listed] == ["EC", "RSA"]
    assert not {"d", "p", "q", "k", "retires_at"} & {name for key in listed for name in key}
    ring.now += 100_000
    assert ring.keys.jwks()["keys"] == []


def test_settings_secret_signs_until_a_key_is_rotated_in(tmp_path: Path) -> None:
    ring = Ring(tmp_path, jwt_secret="s" * 32)
    before = ring.mint()
    assert jwt.get_unverified_header(before)["alg"] == "HS256"
    ring.rotate()
    ring.now += store.SIGNS_AFTER + 1
    assert jwt.get_unverified_header(ring.mint())["alg"] == "ES256"
    assert ring.takes(before)


def test_revoked_signing_key_verifies_nothing_at_once(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    before, kid = ring.mint(), ring.keys.signing.kid
    with pytest.raises(KeyChangeError, match="only signing key"):
        ring.change(lambda stored: store.revoke(stored, str(kid), ring.now))
    ring.rotate()
    ring.change(lambda stored: store.revoke(stored, str(kid), ring.now))
    assert not ring.takes(before)
    assert ring.takes(ring.mint())


def test_further_api_keys_are_kept_as_hashes_and_end_one_by_one(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    first_id, first = ring.change(lambda stored: store.add_api_key(stored, "secret", "ci", ring.now))
    _, second = ring.change(lambda stored: store.add_api_key(stored, "publishable", "app", ring.now))
    assert ring.keys.role_of(first) == "service_role"
    assert ring.keys.role_of(second) == "anon"
    assert first not in ring.path.read_text() and second not in ring.path.read_text()
    assert set(ring.keys.uses) >= {first_id}
    ring.change(lambda stored: store.revoke(stored, first_id, ring.now))
    assert ring.keys.role_of(first) is None
    assert ring.keys.role_of(second) == "anon"
    with pytest.raises(KeyChangeError, match="there is no key"):
        ring.change(lambda stored: store.revoke(stored, "deadbeef", ring.now))


@pytest.mark.parametrize("kind", store.ROLES)
def test_default_key_is_replaced_and_the_former_one_has_its_grace(tmp_path: Path, kind: str) -> None:
    ring = Ring(tmp_path)
    former = getattr(ring.keys, f"{kind}_key")
    ring.change(lambda stored: store.rotate_api_key(stored, kind, 3600, ring.now))
    current = getattr(ring.keys, f"{kind}_key")
    assert current != former
    assert ring.keys.role_of(former) == ring.keys.role_of(current) == store.ROLES[kind]
    ring.now += 3601
    assert ring.keys.role_of(former) is None
    assert ring.keys.role_of(current) == store.ROLES[kind]


def test_legacy_keys_are_replaced_with_their_secret(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    former = ring.keys.service_role_jwt
    ring.change(lambda stored: store.rotate_legacy(stored, 3600, ring.now))
    assert ring.keys.service_role_jwt != former
    assert ring.takes(former) and ring.takes(ring.keys.service_role_jwt)
    ring.now += 3601
    assert not ring.takes(former)


def test_session_secret_outlives_every_rotation(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    secret = ring.keys.session_secrets
    ring.rotate()
    ring.change(lambda stored: store.rotate_legacy(stored, 0, ring.now))
    assert ring.keys.session_secrets == KeyRing.load(ring.settings).session_secrets == secret


def test_session_secret_of_configured_keys_is_the_same_everywhere(tmp_path: Path) -> None:
    given = {"jwt_secret": "s" * 32, "publishable_key": "sb_publishable_x", "secret_key": "sb_secret_x"}
    one, other = Ring(tmp_path / "a", **given), Ring(tmp_path / "b", **given)
    assert one.keys.session_secrets == other.keys.session_secrets
    assert not one.path.exists()


def test_broken_file_keeps_the_keys_as_they_were(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    token = ring.mint()
    ring.path.write_text("{")
    with pytest.raises(ValueError, match="not valid JSON"):
        ring.keys.poll(ring.settings)
    assert ring.takes(token)


def test_file_is_its_owners_alone(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    assert ring.path.stat().st_mode & 0o777 == 0o600
    ring.rotate()
    assert ring.path.stat().st_mode & 0o777 == 0o600
    assert json.loads(ring.path.read_text())["signing_keys"]


def test_session_secret_is_replaced_and_the_former_one_recognised_for_its_grace(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    (former,) = ring.keys.session_secrets
    ring.change(lambda stored: store.rotate_session(stored, 3600, ring.now))
    assert ring.keys.session_secrets[0] == former  # other workers may not know the new one yet
    ring.now += store.SIGNS_AFTER + 1
    current, second = ring.keys.session_secrets
    assert (current != former, second) == (True, former)
    ring.now += 3600
    assert ring.keys.session_secrets == (current,)


KEYS = [
    {**store.new_signing_key("HS256"), "key_ops": ["verify"]},
    {**store.new_signing_key("RS256"), "key_ops": ["sign", "verify"]},
]


def test_keys_of_settings_sign_verify_and_are_listed_without_their_secrets(tmp_path: Path) -> None:
    ring = Ring(tmp_path, jwt_secret="s" * 32, jwt_keys=json.dumps(KEYS))
    header = jwt.get_unverified_header(ring.mint())
    assert (header["alg"], header["kid"]) == ("RS256", KEYS[1]["kid"])
    assert ring.takes(ring.mint())
    assert ring.takes(tokens.mint(CLAIMS, tokens.Key("HS256", b"s" * 32)))
    listed = ring.keys.jwks()["keys"]
    assert KEYS[1]["kid"] in {key["kid"] for key in listed}
    assert not any("d" in key or key["kty"] == "oct" for key in listed)
    ring.rotate()
    ring.now += store.SIGNS_AFTER + 1
    assert jwt.get_unverified_header(ring.mint())["alg"] == "ES256"  # a rotation takes over


@pytest.mark.parametrize(("text", "reason"), [("[", "valid JSON"), ("{}", "array"), ("[]", "exactly one")])
def test_keys_of_settings_that_cannot_work_stop_the_start(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Ring(tmp_path, jwt_keys=text)


# --- to the second ----------------------------------------------------------------------------------------------------


def kid_of(token: str) -> Any:
    return jwt.get_unverified_header(token).get("kid")


def test_a_signing_key_signs_from_its_second_on_and_ends_at_its_end(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    began, before = ring.now, ring.mint()
    fresh = ring.rotate(grace=100)
    assert fresh["signs_at"] == began + 10
    for now, kid, takes in ((9.9, kid_of(before), True), (10, fresh["kid"], True), (109.9, fresh["kid"], True)):
        ring.now = began + now
        assert (kid_of(ring.mint()), ring.takes(before)) == (kid, takes)
    ring.now = began + 110
    assert not ring.takes(before)
    assert [key["kid"] for key in ring.keys.jwks()["keys"]] == [fresh["kid"]]
    assert ring.keys.poll(ring.settings) and not ring.keys.poll(ring.settings)


def test_a_second_rotation_prolongs_no_key_and_forgets_those_that_have_ended(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    began = ring.now
    first = json.loads(ring.path.read_text())["signing_keys"][0]["kid"]
    second = ring.rotate(grace=100)["kid"]
    ring.now += 50
    third = ring.rotate(grace=1000)["kid"]
    ends = {key["kid"]: key.get("retires_at") for key in json.loads(ring.path.read_text())["signing_keys"]}
    assert ends == {first: began + 110, second: began + 1060, third: None}
    ring.now = began + 110
    ring.rotate(grace=1000)
    assert first not in {key["kid"] for key in json.loads(ring.path.read_text())["signing_keys"]}
    assert not any({"d", "signs_at", "retires_at"} & key.keys() for key in ring.keys.jwks()["keys"])


def test_the_last_key_that_verifies_is_not_revoked_and_the_rest_signs_at_once(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    began, first = ring.now, kid_of(ring.mint())
    second = ring.rotate(grace=100)["kid"]
    ring.now = began + 110
    with pytest.raises(KeyChangeError, match="only signing key"):
        ring.change(lambda stored: store.revoke(stored, second, ring.now))
    ring.now = began + 1
    assert ring.change(lambda stored: store.revoke(stored, first, ring.now)) == f"signing key {first}"
    assert kid_of(ring.mint()) == second
    with pytest.raises(KeyChangeError, match="only signing key"):
        ring.change(lambda stored: store.revoke(stored, second, ring.now))


@pytest.mark.parametrize("kind", store.ROLES)
def test_a_former_api_key_ends_at_its_end_and_is_forgotten_then(tmp_path: Path, kind: str) -> None:
    ring = Ring(tmp_path)
    began, former = ring.now, getattr(ring.keys, f"{kind}_key")
    ring.change(lambda stored: store.rotate_api_key(stored, kind, 100, ring.now))
    ring.now = began + 99.9
    assert ring.keys.role_of(former) == store.ROLES[kind]
    ring.now = began + 100
    assert ring.keys.role_of(former) is None
    current = getattr(ring.keys, f"{kind}_key")
    ring.change(lambda stored: store.rotate_api_key(stored, kind, 100, ring.now))
    kept = json.loads(ring.path.read_text())["api_keys"]
    assert [row["expires_at"] for row in kept] == [began + 200]
    ring.change(lambda stored: store.revoke(stored, kind, ring.now))
    assert ring.keys.role_of(getattr(ring.keys, f"{kind}_key")) == ring.keys.role_of(current) == store.ROLES[kind]
    assert len(json.loads(ring.path.read_text())["api_keys"]) == 1
    ring.change(lambda stored: store.add_api_key(stored, kind, "further", ring.now + 1_000))
    (further,) = json.loads(ring.path.read_text())["api_keys"]
    assert (further["name"], further["expires_at"], further["created_at"]) == ("further", None, int(ring.now + 1_000))


def test_former_secrets_end_at_their_end_and_none_is_kept_without_a_grace(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    began, token, (first,) = ring.now, ring.keys.anon_jwt, ring.keys.session_secrets
    ring.change(lambda stored: store.rotate_legacy(stored, 100, ring.now))
    ring.change(lambda stored: store.rotate_session(stored, 100, ring.now))
    ring.now = began + 9.9
    assert ring.keys.session_secrets[0] == first
    ring.now = began + 10
    assert ring.keys.session_secrets[1:] == (first,)
    ring.now = began + 99.9
    assert ring.takes(token)
    ring.now = began + 100
    assert not ring.takes(token)
    ring.now = began + 110
    assert len(ring.keys.session_secrets) == 1
    ring.change(lambda stored: store.rotate_legacy(stored, 0, ring.now))
    ring.change(lambda stored: store.rotate_session(stored, 0, ring.now))
    stored = json.loads(ring.path.read_text())
    assert stored["former_jwt_secrets"] == stored["former_session_secrets"] == [] and stored["session_secret_at"] == 0


# --- what keys are ----------------------------------------------------------------------------------------------------


def test_keys_have_as_much_chance_in_them_as_they_ever_had(tmp_path: Path) -> None:
    stored = store.fresh()
    assert store.database_secret(Settings(data_dir=tmp_path)) == store.database_secret(Settings(data_dir=tmp_path))
    assert (len(stored["jwt_secret"]), len(stored["session_secret"])) == (64, 64)
    store.rotate_legacy(stored, 0, 0.0)
    store.rotate_session(stored, 0, 0.0)
    assert (len(stored["jwt_secret"]), len(stored["session_secret"])) == (64, 64)
    assert len(stored["publishable_key"]) == len("sb_publishable_") + 32
    assert len(stored["secret_key"]) == len("sb_secret_") + 43
    assert len(json.loads((tmp_path / FILE_NAME).read_text())["database_secret"]) == 64
    made = {alg: store.new_signing_key(alg) for alg in store.ALGORITHMS}
    assert len(made["HS256"]["k"]) == 64 and len(made["RS256"]["n"]) == 342 and made["ES256"]["crv"] == "P-256"
    assert {len(key["kid"]) for key in made.values()} == {16}
    assert len(store.add_api_key(stored, "secret", "ci", 0.0)[0]) == 8


def test_the_legacy_keys_last_ten_years_and_name_their_role(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    born = json.loads(ring.path.read_text())["created_at"]
    for token, role in ((ring.keys.anon_jwt, "anon"), (ring.keys.service_role_jwt, "service_role")):
        claims = jwt.decode(token, options={"verify_signature": False})
        assert claims == {"iss": "supabase", "ref": "local", "role": role, "iat": born, "exp": born + 315_360_000}


def test_without_a_shared_secret_the_oldest_key_signs_what_is_to_last(tmp_path: Path) -> None:
    verifies = json.dumps({"keys": [store._public(store.new_signing_key("ES256"))]})
    ring = Ring(tmp_path, jwt_secret=verifies)
    first = kid_of(ring.keys.anon_jwt)
    ring.rotate()
    ring.now += store.SIGNS_AFTER
    assert kid_of(ring.keys.anon_jwt) == first != kid_of(ring.mint())
    assert ring.keys.url_signing == ring.keys.signing
    assert Ring(tmp_path / "other").keys.url_signing.alg == "HS256"


@pytest.mark.parametrize(("secret", "is_short"), [("s" * 31, True), ("s" * 32, False)])
def test_a_session_secret_of_settings_has_32_characters(tmp_path: Path, secret: str, is_short: bool) -> None:
    given = {"session_secret": ("t" * 40, secret)}
    if is_short:
        with pytest.raises(ValueError, match="at least 32 characters"):
            Ring(tmp_path, **given)
    else:
        assert Ring(tmp_path, **given).keys.session_secrets == (b"t" * 40, secret.encode())


def test_what_the_logins_are_derived_from_stays_where_it_was_written_once(tmp_path: Path) -> None:
    configured = Settings(data_dir=tmp_path, jwt_secret="s" * 32)
    derived = store.database_secret(configured)
    assert derived == store.database_secret(Settings(data_dir=tmp_path / "elsewhere", jwt_secret="s" * 32))
    assert not (tmp_path / FILE_NAME).exists()
    written = store.database_secret(Settings(data_dir=tmp_path))
    assert written == store.database_secret(configured) != derived
    Ring(tmp_path)


def test_a_file_that_is_gone_or_only_touched_leaves_the_keys(tmp_path: Path) -> None:
    ring = Ring(tmp_path)
    token, known = ring.mint(), ring.keys.secret_key
    assert ring.keys.poll(ring.settings) is False
    ring.path.unlink()
    assert ring.keys.poll(ring.settings) is True and ring.keys.poll(ring.settings) is False
    assert ring.takes(token) and ring.keys.role_of(known) == "service_role"
    assert ring.keys.role_of("sb_secret_unknown") is ring.keys.role_of(token) is None


@pytest.mark.parametrize("content", ["[]", "1", "null"])
def test_a_file_that_is_no_object_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE_NAME).write_text(content)
    with pytest.raises(ValueError, match="not a JSON object"):
        Ring(tmp_path)


def test_a_secret_that_was_read_again_outlives_a_change_of_the_file(tmp_path: Path) -> None:
    ring = Ring(tmp_path, jwt_secret="s" * 32)
    ring.keys.renew(Settings.load({}, data_dir=tmp_path, jwt_secret="t" * 32))
    ring.rotate()
    assert ring.takes(tokens.mint({**CLAIMS, "exp": ring.now + 60}, tokens.Key("HS256", b"t" * 32)))
    assert not ring.takes(tokens.mint({**CLAIMS, "exp": ring.now + 60}, tokens.Key("HS256", b"s" * 32)))


EC_KEY = {key: value for key, value in store.new_signing_key().items() if key not in ("use", "alg")}


def test_key_of_the_first_start_is_published_only_where_it_signs(tmp_path: Path) -> None:
    assert len(Ring(tmp_path / "own").keys.jwks()["keys"]) == 1
    given = Ring(tmp_path / "given", jwt_keys=json.dumps([EC_KEY]))
    assert given.keys.jwks()["keys"] == [
        {"kty": "EC", "crv": "P-256", "x": EC_KEY["x"], "y": EC_KEY["y"], "kid": EC_KEY["kid"],
         "alg": "ES256", "use": "sig", "key_ops": ["verify"]}
    ]  # fmt: skip
    shared = Ring(tmp_path / "shared", jwt_secret="a-secret-of-thirty-two-characters!")
    assert shared.keys.jwks() == {"keys": []}
    kid = shared.rotate()["kid"]
    assert [key["kid"] for key in shared.keys.jwks()["keys"]] == [kid], "one that a rotation made is published at once"
