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
