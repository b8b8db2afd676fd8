"""Tokens: what is refused, and why. Promise 34: alg none, swapped alg, wrong aud, past exp, unknown kid."""

from __future__ import annotations

import base64
import json
from typing import Any

import jwt
import pytest

from gateway.identity import tokens
from gateway.identity.keyring import new_signing_key
from gateway.identity.tokens import Fault, Key, TokenError

SECRET = Key("HS256", b"a secret of at least thirty-two bytes")
JWK = new_signing_key()
PAIR = tokens.key_from_jwk(JWK)
OTHER = tokens.key_from_jwk(new_signing_key())
KEYS = (SECRET, PAIR)
NOW = 1_000_000.0


def forged(header: dict[str, Any], claims: dict[str, Any], signature: str = "c2ln") -> str:
    def part(content: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()

    return f"{part(header)}.{part(claims)}.{signature}"


def fault_of(token: str, keys: tuple[Key, ...] = KEYS, audience: str = "") -> Fault:
    with pytest.raises(TokenError) as caught:
        tokens.decode(token, keys, now=NOW, audience=audience)
    return caught.value.fault


@pytest.mark.parametrize("key", [SECRET, PAIR], ids=["HS256", "ES256"])
def test_a_minted_token_verifies(key: Key) -> None:
    claims = {"sub": "1", "exp": NOW + 60}
    assert tokens.decode(tokens.mint(claims, key), KEYS, now=NOW) == claims


def public_key_as_secret() -> str:
    """The classic swap: an HS256 token signed with the bytes of the public key."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    pem = PAIR.material.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    import hashlib
    import hmac

    head = forged({"alg": "HS256", "kid": JWK["kid"]}, {"role": "service_role"}).rpartition(".")[0]
    signature = base64.urlsafe_b64encode(hmac.new(pem, head.encode(), hashlib.sha256).digest()).rstrip(b"=")
    return f"{head}.{signature.decode()}"


@pytest.mark.parametrize(
    ("token", "fault"),
    [
        pytest.param("", Fault.EMPTY, id="empty"),
        pytest.param("a.b", Fault.PARTS, id="two parts"),
        pytest.param("a.b.c", Fault.CRYPTO, id="no base64 JSON"),
        pytest.param(forged({"alg": "none"}, {}), Fault.ALGORITHM, id="alg none"),
        pytest.param(forged({"alg": "NONE"}, {}), Fault.CRYPTO, id="alg NONE"),
        pytest.param(forged({}, {}), Fault.CRYPTO, id="no alg"),
        pytest.param(forged({"alg": ["HS256"]}, {}), Fault.CRYPTO, id="alg of another type"),
        pytest.param(forged({"alg": "RS256"}, {}), Fault.NO_KEY, id="no key of this alg"),
        pytest.param(forged({"alg": "HS256"}, {}), Fault.NO_KEY, id="bad signature"),
        pytest.param(forged({"alg": "HS256"}, {}, "a"), Fault.CRYPTO, id="a signature that is no base64"),
        pytest.param(public_key_as_secret(), Fault.NO_KEY, id="public key as secret"),
        pytest.param(tokens.mint({}, OTHER), Fault.NO_KEY, id="unknown kid"),
        pytest.param(tokens.mint({}, Key("HS256", b"another secret of at least 32 bytes!")), Fault.NO_KEY, id="other"),
        pytest.param(tokens.mint({"exp": NOW - 31}, SECRET), Fault.EXPIRED, id="expired"),
        pytest.param(tokens.mint({"nbf": NOW + 31}, SECRET), Fault.NOT_YET, id="not yet"),
        pytest.param(tokens.mint({"iat": NOW + 31}, SECRET), Fault.FUTURE, id="from the future"),
        pytest.param(tokens.mint({"aud": [1]}, SECRET), Fault.AUD_TEXT, id="aud of another type"),
    ],
)
def test_a_bad_token_is_refused_for_its_reason(token: str, fault: Fault) -> None:
    assert fault_of(token) is fault


@pytest.mark.parametrize("name", ["exp", "nbf"])
@pytest.mark.parametrize("value", ["soon", True, [1]])
def test_times_must_be_numbers(name: str, value: object) -> None:
    import jwt.api_jws

    token = jwt.api_jws.encode(json.dumps({name: value}).encode(), SECRET.material, algorithm="HS256")
    assert fault_of(token) in (Fault.EXP_NUMBER, Fault.NBF_NUMBER)


@pytest.mark.parametrize("name", ["exp", "nbf", "iat"])
def test_thirty_seconds_of_skew_are_allowed(name: str) -> None:
    value = NOW - 30 if name == "exp" else NOW + 30
    assert tokens.decode(tokens.mint({name: value}, SECRET), KEYS, now=NOW) == {name: value}


@pytest.mark.parametrize(
    ("aud", "accepted"),
    [("here", True), (["x", "here"], True), ([], True), (None, True), ("there", False), (["there"], False)],
)
def test_an_audience_is_checked_where_one_is_configured(aud: object, accepted: bool) -> None:
    token = tokens.mint({} if aud is None else {"aud": aud}, SECRET)
    if accepted:
        tokens.decode(token, KEYS, now=NOW, audience="here")
    else:
        assert fault_of(token, audience="here") is Fault.AUDIENCE


def test_without_keys_nothing_is_accepted() -> None:
    assert fault_of(tokens.mint({}, SECRET), keys=()) is Fault.NO_KEYS


@pytest.mark.parametrize("secret", ["short", "x" * 31])
def test_a_short_secret_is_refused(secret: str) -> None:
    with pytest.raises(ValueError, match="32"):
        tokens.keys_from_secret(secret)


def test_a_configured_secret_may_be_a_key_set() -> None:
    keys = tokens.keys_from_secret(json.dumps({"keys": [JWK]}))
    assert tokens.decode(tokens.mint({"a": 1}, PAIR), keys, now=NOW) == {"a": 1}


def test_a_configured_secret_may_be_base64() -> None:
    raw = b"thirty-two bytes of a secret ....."
    keys = tokens.keys_from_secret(base64.b64encode(raw).decode(), is_base64=True)
    assert tokens.decode(tokens.mint({"a": 1}, Key("HS256", raw)), keys, now=NOW) == {"a": 1}


@pytest.mark.parametrize("depth", [101, 255, 900, 3000, 100_000])
def test_nested_json_in_a_header_or_in_claims_is_a_refusal(depth: int) -> None:
    def part(raw: bytes) -> str:
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()

    deep = b'{"alg":"HS256","x":' + b"[" * depth + b"]" * depth + b"}"
    assert fault_of(f"{part(deep)}.e30.c2ln") is Fault.CRYPTO
    claims = {"sub": "1", "exp": NOW + 60}
    signed = jwt.api_jws.encode(json.dumps(claims).encode()[:-1] + b',"x":' + deep + b"}", SECRET.material, "HS256")
    assert fault_of(signed) is Fault.CLAIMS


def signed(payload: bytes, key: Key = SECRET) -> str:
    return jwt.api_jws.encode(payload, key.material, algorithm=key.alg)


@pytest.mark.parametrize("payload", [b"", b"null", b"[]", b'"x"', b"{", b"\xff", b'{"a":NaN', b"1"])
def test_claims_that_are_no_object_are_refused(payload: bytes) -> None:
    assert fault_of(signed(payload)) is Fault.CLAIMS


@pytest.mark.parametrize("header", ["", "A", "e", "bnVsbA", "W10", "IiI", "ew", "gICA", "é"])
def test_a_header_that_is_no_object_is_refused(header: str) -> None:
    assert fault_of(f"{header}.e30.c2ln") is Fault.CRYPTO


@pytest.mark.parametrize(
    ("length", "fault"), [(tokens.MAX_HEADER, Fault.NO_KEY), (tokens.MAX_HEADER + 4, Fault.CRYPTO)]
)
def test_a_header_has_a_longest(length: int, fault: Fault) -> None:
    assert tokens.MAX_HEADER == 8192, "the longest is as PostgREST's"
    raw = b'{"alg":"RS256","x":"' + b"a" * (length // 4 * 3 - 22) + b'"}'
    head = base64.urlsafe_b64encode(raw).decode()
    assert len(head) == length
    assert fault_of(f"{head}.e30.c2ln") is fault


@pytest.mark.parametrize("token", ["a", "a.b", "a.b.c.d", ""])
def test_the_algorithm_of_no_token_is_refused(token: str) -> None:
    with pytest.raises(TokenError) as caught:
        tokens.algorithm_of(token)
    assert caught.value.fault is Fault.PARTS
    assert caught.value.message == f"Expected 3 parts in JWT; got {token.count('.') + 1}"


@pytest.mark.parametrize("alg", ["HS256", "none", "x"])
def test_a_token_says_its_algorithm_whatever_its_signature(alg: str) -> None:
    assert tokens.algorithm_of(forged({"alg": alg}, {})) == alg


NAMED = Key("HS256", b"a named secret of thirty-two bytes at least", "one")
OTHER_NAMED = Key("HS256", b"another named secret of thirty-two bytes", "two")


@pytest.mark.parametrize(
    ("signer", "kid", "keys", "accepted"),
    [
        pytest.param(NAMED, "one", (NAMED, OTHER_NAMED), True, id="its name"),
        pytest.param(NAMED, "two", (NAMED, OTHER_NAMED), False, id="the name of another"),
        pytest.param(NAMED, "three", (NAMED, OTHER_NAMED), False, id="the name of none"),
        pytest.param(NAMED, None, (NAMED, OTHER_NAMED), True, id="no name"),
        pytest.param(OTHER_NAMED, None, (NAMED, OTHER_NAMED), True, id="no name, the second key"),
        pytest.param(SECRET, "three", (NAMED, SECRET), True, id="the name of none, a key without name"),
        pytest.param(NAMED, "three", (NAMED, SECRET), False, id="the name of none, not the key without name"),
        pytest.param(SECRET, "one", (NAMED, SECRET), False, id="a name is tried alone"),
        pytest.param(SECRET, "one", (SECRET,), True, id="names where no key has one"),
    ],
)
def test_a_name_says_which_key_is_tried(signer: Key, kid: str | None, keys: tuple[Key, ...], accepted: bool) -> None:
    token = tokens.mint({}, Key(signer.alg, signer.material, kid))
    if accepted:
        assert tokens.decode(token, keys, now=NOW) == {}
    else:
        assert fault_of(token, keys) is Fault.NO_KEY


@pytest.mark.parametrize(("alg", "length"), [("HS256", 32), ("HS256", 33), ("HS256", 34), ("HS384", 64), ("HS512", 64)])
def test_a_secret_of_settings_verifies_each_of_its_algorithms(alg: str, length: int) -> None:
    raw = bytes(range(200, 200 + length % 56)).ljust(length, b"\xfb")
    for text in (base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()):
        for written in (text, text.rstrip("="), text.replace("=", ".")):
            keys = tokens.keys_from_secret(f" {written}\n", is_base64=True)
            assert [key.alg for key in keys] == ["HS256", "HS384", "HS512"]
            assert {key.material for key in keys} == {raw}
            assert tokens.decode(jwt.encode({"a": 1}, raw, algorithm=alg), keys, now=NOW) == {"a": 1}


def test_blanks_of_a_plain_secret_are_part_of_it() -> None:
    assert {key.material for key in tokens.keys_from_secret(" " + "x" * 31)} == {b" " + b"x" * 31}


@pytest.mark.parametrize(
    "jwk",
    [
        {"kty": "oct", "alg": "none", "k": "YQ"}, {"kty": "x"}, {}, {"kty": "RSA"}, {"kty": "EC", "crv": "P-256"},
        {"kty": "oct", "alg": "HS256"}, {"kty": "oct", "k": 1}, {"kty": "oct", "k": None},
        {"kty": "EC", "alg": "HS256"},
        {"alg": ["HS256"], "kty": "EC", "crv": "x"},
    ],
    ids=str,
)  # fmt: skip
def test_a_key_that_cannot_be_read_is_a_fault_of_the_settings(jwk: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        tokens.key_from_jwk(jwk)


def test_a_private_key_signs_and_a_public_one_does_not() -> None:
    public = {name: value for name, value in JWK.items() if name != "d"}
    assert PAIR.private is not None and tokens.key_from_jwk(public).private is None
    secret = tokens.key_from_jwk(
        {"kty": "oct", "k": base64.urlsafe_b64encode(b"x" * 32).decode(), "kid": "s", "d": "x"}
    )
    assert (secret.alg, secret.material, secret.kid, secret.private) == ("HS256", b"x" * 32, "s", None)
    assert "kid" not in jwt.get_unverified_header(tokens.mint({}, SECRET))
    assert jwt.get_unverified_header(tokens.mint({}, PAIR))["kid"] == JWK["kid"]
