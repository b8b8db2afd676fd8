"""Refresh tokens, codes and claims as bytes and texts, beside the form that the contract writes down."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.auth.crypto import tokens as codes
from gateway.auth.crypto.tokens import Secret

ID = "8d3e0c2a-5b5e-4c0e-9d2f-0a1b2c3d4e5f"
KEY = b"the key of a session, 32 bytes.."
COUNTERS = st.one_of(st.sampled_from([0, 1, 127, 128, 16_383, 16_384, (1 << 63) - 1]), st.integers(0, (1 << 63) - 1))


def uvarint(number: int, least: int = 1) -> bytes:
    """Groups of seven bits, the lowest first, each but the last with its top bit set; at least so many of them."""
    groups = [number & 127]
    while number := number >> 7:
        groups.append(number & 127)
    groups += [0] * (least - len(groups))
    return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])


def written(counter: bytes, *, first: int = 0, key: bytes = KEY) -> str:
    """A refresh token byte by byte."""
    signed = bytes([first]) + uuid.UUID(ID).bytes + counter
    whole = signed + hmac.new(key, signed, hashlib.sha256).digest()[:16]
    return base64.urlsafe_b64encode(whole + hashlib.sha256(whole).digest()[:4]).decode().rstrip("=")


@given(COUNTERS)
def test_a_refresh_token_has_the_bytes_of_its_form_and_is_read_again(counter: int) -> None:
    text = codes.make_refresh_token(ID, counter, KEY)
    assert text == written(uvarint(counter))
    token = codes.parse_refresh_token(text)
    assert token is not None and (token.session_id, token.counter) == (ID, counter)
    assert token.is_signed_by(KEY) and not token.is_signed_by(KEY[::-1])


@given(COUNTERS, st.data())
def test_a_refresh_token_that_was_changed_anywhere_is_none(counter: int, data: st.DataObject) -> None:
    raw = bytearray(base64.urlsafe_b64decode(codes.make_refresh_token(ID, counter, KEY) + "=="))
    place, change = data.draw(st.integers(0, len(raw) - 1)), data.draw(st.integers(1, 255))
    raw[place] ^= change
    assert codes.parse_refresh_token(base64.urlsafe_b64encode(bytes(raw)).decode().rstrip("=")) is None


@given(COUNTERS, st.data())
def test_a_session_or_counter_put_in_under_a_new_checksum_is_not_signed(counter: int, data: st.DataObject) -> None:
    raw = bytearray(base64.urlsafe_b64decode(codes.make_refresh_token(ID, counter, KEY) + "=="))[:-4]
    place, change = data.draw(st.integers(1, len(raw) - 1)), data.draw(st.integers(1, 255))
    raw[place] ^= change
    text = base64.urlsafe_b64encode(bytes(raw) + hashlib.sha256(raw).digest()[:4]).decode().rstrip("=")
    token = codes.parse_refresh_token(text)
    assert token is None or not token.is_signed_by(KEY)


@given(st.binary(max_size=40))
def test_a_text_that_is_too_short_is_none_whatever_its_checksum(start: bytes) -> None:
    whole = b"\0" + start
    text = base64.urlsafe_b64encode(whole + hashlib.sha256(whole).digest()[:4]).decode().rstrip("=")
    token = codes.parse_refresh_token(text)
    assert token is None or (len(whole) >= 1 + 16 + 1 + 16 and not token.is_signed_by(KEY))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("A", id="no base64"),
        pytest.param("#" * 60, id="other characters"),
        pytest.param(written(b""), id="no counter"),
        pytest.param(written(b"\x80"), id="a counter without its end"),
        pytest.param(written(b"\x01\x01"), id="something after the counter"),
        pytest.param(written(uvarint(1, 2)), id="a counter written longer than it is"),
        pytest.param(written(uvarint(0, 2)), id="a zero written longer than it is"),
        pytest.param(written(uvarint(1 << 63)), id="a counter that Postgres cannot hold"),
        pytest.param(written(uvarint((1 << 70) - 1)), id="a counter of ten groups"),
        pytest.param(written(b"\x05", first=1), id="another form"),
        pytest.param(written(b"\x05") + "A" * 4, id="longer"),
        pytest.param(written(b"\x05")[:-4], id="shorter"),
        pytest.param("A" * 1_000_000, id="very long"),
    ],
)
def test_what_is_no_refresh_token_is_none(text: str) -> None:
    assert codes.parse_refresh_token(text) is None


def test_a_token_is_recognised_under_the_current_and_every_former_secret() -> None:
    first, second, stranger = Secret(b"1" * 32), Secret(b"2" * 32, b"1" * 32), Secret(b"3" * 32)
    half = codes.new_session_key()
    token = codes.parse_refresh_token(codes.make_refresh_token(ID, 7, first.session_key(half)))
    assert token is not None
    assert first.signed(token, half) and second.signed(token, half) and not stranger.signed(token, half)
    assert [one.stored("x") for one in second.former] == [first.stored("x")]
    assert second.all_stored("x") == (second.stored("x"), first.stored("x"))
    assert second.all_links("a", "1") == (second.link("a", "1"), first.link("a", "1"))
    assert second.all_marks("p", "x") == (second.all_marks("p", "x")[0], *first.all_marks("p", "x"))
    assert second.stored("x") != first.stored("x") and second.link("a", "1") != first.link("a", "1")


def test_what_is_derived_for_one_purpose_is_good_for_no_other() -> None:
    secret = Secret(b"1" * 32)
    made = {
        secret.stored("ab"), secret.all_marks("a", "b")[0], secret.all_marks("b", "a")[0], secret.name("a", "b"),
        secret.link("a", "b"), secret.link("ab", ""), secret.session_key("k1:ab").hex(), secret.derive("a", "b").hex(),
    }  # fmt: skip
    assert len(made) == 8
    assert secret.stored("ab").startswith("k1:") and secret.all_marks("a", "b")[0].startswith("k1:")
    assert secret.derive("token", "ab") == hmac.new(b"1" * 32, b"token\0ab", hashlib.sha256).digest()


def test_the_name_of_a_limit_is_a_digest_of_one_length() -> None:
    name = Secret(b"1" * 32).name("address", "203.0.113.9")
    assert name == f"address:{Secret(b'1' * 32).derive('limit', '203.0.113.9').hex()[:32]}"


def test_a_link_is_as_long_as_the_originals_and_does_not_mind_case() -> None:
    secret = Secret(b"1" * 32)
    assert len(secret.link("Ada@Example.com", "123456")) == len(codes.hash_code("ada@example.com", "123456")) == 56
    assert secret.link("Ada@Example.com", "123456") == secret.link("ada@example.com", "123456")
    assert codes.hash_code("Ada@Example.com", "1") == hashlib.sha224(b"ada@example.com1").hexdigest()


@given(st.binary(min_size=1, max_size=48))
def test_a_key_of_a_hosted_project_is_read_in_every_base64(raw: bytes) -> None:
    secret = Secret(b"1" * 32)
    for text in (base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()):
        assert secret.session_key(text) == secret.session_key(text.rstrip("=")) == raw
        assert not codes.is_half_key(text)


def test_a_key_that_is_no_base64_is_its_own_bytes() -> None:
    assert Secret(b"1" * 32).session_key("a") == b"a"


def test_new_secrets_have_their_form_and_differ() -> None:
    keys, legacy = {codes.new_session_key() for _ in range(9)}, {codes.new_legacy_token() for _ in range(9)}
    assert len(keys) == len(legacy) == 9
    assert all(codes.is_half_key(key) and len(base64.urlsafe_b64decode(key[3:] + "=")) == 32 for key in keys)
    assert all(codes.is_legacy_token(token) and len(token) == 12 for token in legacy)


@pytest.mark.parametrize("text", ["", "k3v9x0q2m7a", "k3v9x0q2m7abc", "k3v9x0q2m7a-", "k3v9x0q2m7aB", "k3v9x0q2m7aé"])
def test_other_texts_are_no_table_tokens(text: str) -> None:
    assert not codes.is_legacy_token(text)


@pytest.mark.parametrize(("asked", "length"), [(0, 6), (5, 6), (6, 6), (7, 7), (9, 9), (10, 10), (11, 10), (99, 10)])
def test_a_code_has_its_digits_from_the_whole_range(asked: int, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ranges: list[int] = []

    def smallest(end: int) -> int:
        ranges.append(end)
        return 7

    assert len(codes.new_code(asked)) == length and codes.new_code(asked).isdecimal()
    monkeypatch.setattr(secrets, "randbelow", smallest)
    assert codes.new_code(asked) == "7".rjust(length, "0")
    assert ranges == [10**length]


class Person:
    """As much of a user as the claims take."""

    def __init__(self, **more: Any) -> None:
        self.id, self.aud, self.role = "u", "authenticated", "editor"
        self.email, self.phone = more.get("email"), more.get("phone")
        self.app_metadata, self.user_metadata = {"a": 1}, {"b": 2}
        self.is_anonymous = more.get("is_anonymous", False)


class Signed:
    """As much of a session as the claims take."""

    id, aal, amr = "s", "aal2", (("totp", 20), ("password", 10))
    oauth_client_id: str | None = None
    scopes: str | None = None


@pytest.mark.parametrize(
    "person", [{}, {"email": "a@b.c"}, {"phone": "1555"}, {"email": "a@b.c", "phone": "1", "is_anonymous": True}]
)
def test_the_claims_of_an_access_token_are_the_contracts(person: dict[str, Any]) -> None:
    claims = codes.access_claims(Person(**person), Signed(), issuer="https://x", lifetime=3600, now=1000.9)  # type: ignore[arg-type]
    assert claims == {
        "iss": "https://x",
        "sub": "u",
        "aud": "authenticated",
        "exp": 4600,
        "iat": 1000,
        "email": person.get("email", ""),
        "phone": person.get("phone", ""),
        "app_metadata": {"a": 1},
        "user_metadata": {"b": 2},
        "role": "editor",
        "aal": "aal2",
        "amr": [{"method": "totp", "timestamp": 20}, {"method": "password", "timestamp": 10}],
        "session_id": "s",
        "is_anonymous": person.get("is_anonymous", False),
    }


@pytest.mark.parametrize(("scopes", "shown"), [("email phone", "email phone"), (None, "")])
def test_token_of_another_application_names_it(scopes: str | None, shown: str) -> None:
    session = Signed()
    session.oauth_client_id, session.scopes = "c", scopes
    claims = codes.access_claims(Person(), session, issuer="https://x", lifetime=3600, now=1000.9)  # type: ignore[arg-type]
    assert (claims["client_id"], claims["scope"], claims["aud"]) == ("c", shown, "authenticated")


# RFC 7636, appendix B
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


@pytest.mark.parametrize(
    ("verifier", "challenge", "method", "matches"),
    [
        (VERIFIER, CHALLENGE, "s256", True),
        (VERIFIER, CHALLENGE, "plain", False),
        (VERIFIER, VERIFIER, "plain", True),
        (VERIFIER, VERIFIER, "s256", False),
        (VERIFIER + "x", CHALLENGE, "s256", False),
        (VERIFIER + "x", VERIFIER, "plain", False),
        ("\ud800", CHALLENGE, "s256", False),
        ("\ud800", VERIFIER, "plain", False),
    ],
)
def test_a_verifier_matches_its_challenge_alone(verifier: str, challenge: str, method: str, matches: bool) -> None:
    assert codes.matches_challenge(verifier, challenge, method) is matches


@pytest.mark.parametrize(
    ("value", "audience", "text"),
    [
        ("a", "a", "a"), (["a", "b"], "a", ""), (["b", "a"], "b", ""), ([], "", ""), ([1], "", ""), (1, "", ""),
        (None, "", ""), ({"a": 1}, "", ""),
    ],
)  # fmt: skip
def test_a_claim_of_another_type_is_none(value: object, audience: str, text: str) -> None:
    assert codes.claim_audience({"aud": value}) == audience
    assert codes.claim_text({"aud": value}, "aud") == text
