"""Password rules and hashes, without a database."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

import gateway.auth.crypto.passwords as passwords
from gateway.auth.crypto.passwords import Rules, is_common, is_known_hash, make_hash, too_long, verify

LIST = (Path(passwords.__file__).parent / "common_passwords.txt").read_text().splitlines()


def test_promise_32_top_three_thousand_that_are_long_enough_are_refused() -> None:
    words = [word for word in LIST if len(word) >= 8 and not word.startswith("#")]
    assert len(words) > 3000
    assert all(Rules().broken(word) == [("pwned", Rules().broken("password")[0][1])] for word in words)


@pytest.mark.parametrize(
    "word",
    [
        "password",
        "PASSWORD1",
        "P@ssw0rd",
        "qwerty123",
        "Summer2024!",
        "12345678",
        "iloveyou",
        "letmein1",
        "aaaaaaaa",
        "1q2w3e4r",
        "football99",
    ],
)
def test_promise_32_common_passwords_are_known_in_their_usual_dress(word: str) -> None:
    assert is_common(word)


@pytest.mark.parametrize(
    "password",
    [
        pytest.param("elderberry tart", id="words, no digits"),
        pytest.param("83451927640", id="digits alone"),
        pytest.param("kuzhvsao", id="eight letters"),
        pytest.param("u" * 3 + "unlikely-but-long-passphrase-that-goes-on-for-sixty-four-chars", id="64 and more"),
        pytest.param("дождьиветер", id="letters of another script"),
        pytest.param("😀🐙🦊🐳🌵🍉🎲🪁", id="eight signs"),
    ],
)
def test_promise_32_no_rules_of_composition(password: str) -> None:
    assert Rules().broken(password) == []


@pytest.mark.parametrize(("length", "faults"), [(7, ["length"]), (8, [])])
def test_promise_32_eight_characters_are_the_least(length: int, faults: list[str]) -> None:
    assert [reason for reason, _ in Rules().broken("kuzhvsaoqmt"[:length])] == faults


def test_promise_32_nothing_is_cut_at_seventy_two_bytes() -> None:
    long = "correct-horse-" * 5 + "ab"
    assert len(long) == 72
    hashed = make_hash(long)
    assert verify(long, hashed)
    assert not verify(long[:71], hashed)
    assert not verify(long + "x", hashed)  # bcrypt alone would take it
    assert not too_long(long)
    assert too_long(long + "x")
    assert too_long("é" * 37)  # 74 bytes


def test_scrypt_hash_of_the_usual_form_verifies() -> None:
    salt = b"0123456789abcdef"
    digest = hashlib.scrypt(b"open sesame", salt=salt, n=1 << 10, r=8, p=1, dklen=32)

    def encode(raw: bytes) -> str:
        return base64.b64encode(raw).rstrip(b"=").decode().replace("+", ".")

    hashed = f"$scrypt$ln=10,r=8,p=1${encode(salt)}${encode(digest)}"
    assert is_known_hash(hashed)
    assert verify("open sesame", hashed)
    assert not verify("close sesame", hashed)


@pytest.mark.parametrize(
    "hashed",
    ["", "plain", "$2a$10$short", "$argon2id$nonsense", "$scrypt$ln=30,r=64,p=1$c2FsdA$aGFzaA", "$fbscrypt$v=1"],
)
def test_unreadable_hash_matches_nothing(hashed: str) -> None:
    assert not verify("password", hashed)
