"""Password rules and hashes, without a database."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import threading
from pathlib import Path
from typing import cast

import argon2
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR

import gateway.auth.crypto.passwords as passwords
from gateway.auth.crypto.passwords import Rules, is_common, is_known_hash, make_hash, too_long, verify
from gateway.auth.store.limits import Permit

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


def test_each_required_set_of_characters_must_occur() -> None:
    rules = Rules(min_length=3, required=("abc", "123"), refuse_common=False)
    assert rules.broken("xa1") == []
    told = ("characters", "Password should contain at least one character of each: abc, 123.")
    assert [rules.broken(word) for word in ("xxa", "xx1", "xyz")] == [[told]] * 3
    assert rules.broken("") == [("length", "Password should be at least 3 characters."), told]


@pytest.mark.parametrize(("word", "common"), [("ababababab", True), ("a", True), ("zqvzqvzqv", False)])
def test_a_password_of_two_characters_is_common(word: str, common: bool) -> None:
    assert is_common(word) is common


# --- hashes of other programs -----------------------------------------------------------------------------------------


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).rstrip(b"=").decode()


def _firebase(
    password: bytes, salt: bytes, separator: bytes, signer: bytes, options: str, cost: tuple[int, int, int]
) -> str:
    """As Firebase makes it: its signer key, encrypted with what scrypt derives."""
    n, r, p = cost
    key = hashlib.scrypt(password, salt=salt + separator, n=1 << n, r=r, p=p, dklen=32)
    encryptor = Cipher(AES(key), CTR(bytes(16))).encryptor()
    signed = encryptor.update(signer) + encryptor.finalize()
    return f"$fbscrypt$v=1,{options},sk={_base64(signer)}${_base64(salt)}${_base64(signed)}"


@pytest.mark.parametrize(
    ("options", "separator", "p"),
    [("n=4,r=8,p=2,ss=Bw==", b"\x07", 2), ("n=4,r=8,ss=Bw==", b"\x07", 1), ("n=4,r=8", b"", 1)],
    ids=["all", "without p", "without a separator"],
)
def test_firebase_hash_verifies(options: str, separator: bytes, p: int) -> None:
    for length in (16, 17, 18):  # whatever is left of its base64
        salt = b"salt" + b"x" * (length - 16)
        hashed = _firebase(b"open sesame", salt, separator, b"k" * length, options, (4, 8, p))
        assert is_known_hash(hashed)
        assert verify("open sesame", hashed) and not verify("close sesame", hashed)


def test_argon2_hash_verifies() -> None:
    hashed = argon2.PasswordHasher(time_cost=1, memory_cost=64, parallelism=1).hash("open sesame")
    assert is_known_hash(hashed) and not is_known_hash("$argon2id$nonsense")
    assert verify("open sesame", hashed) and not verify("close sesame", hashed)


@pytest.mark.parametrize(
    ("n", "r", "p", "computed"),
    [
        (4, 1, 1, True),
        (4, 0, 1, False),
        (4, 1, 0, False),
        (17, 8, 1, True),
        (17, 9, 1, False),
        (14, 65, 1, False),
        (21, 1, 1, False),
        (99, 1, 1, False),
    ],
)
def test_a_hash_may_ask_for_128_mebibytes_and_no_more(n: int, r: int, p: int, computed: bool) -> None:
    assert (passwords._scrypt(b"x", b"salt", n, r, p, 16) is not None) is computed
    assert not verify("x", f"$scrypt$ln={n},r={r},p={p}$c2FsdA$aGFzaA")
    assert not verify("x", f"$fbscrypt$v=1,n={n},r={r},p={p},sk=c2s=$c2FsdA==$aGFzaA==")


@pytest.mark.parametrize("hashed", ["$scrypt$ln=4,r=8,p=1$a$b", "$fbscrypt$v=1,n=4,r=8,sk=a$a$a"])
def test_a_hash_that_is_no_base64_matches_nothing(hashed: str) -> None:
    assert not verify("password", hashed)


def test_a_hash_of_no_password_is_bcrypts_and_another_each_time() -> None:
    made = {passwords.no_password() for _ in range(20)}
    assert len(made) == 20 and all(is_known_hash(one) and one.startswith("$2b$10$") for one in made)
    assert {(one[28], one[59]) for one in made} == {(".", ".")}
    assert make_hash("x").startswith("$2b$10$")
    assert not verify("", passwords.no_password())


# --- in turns ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("processors", "threads"), [(None, 1), (1, 1), (2, 1), (3, 1), (8, 4)])
def test_half_of_the_processors_compute_hashes(
    monkeypatch: pytest.MonkeyPatch, processors: int | None, threads: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: processors)
    for given, expected in ((None, threads), (0, threads), (3, 3)):
        hasher = passwords.Hasher(given)
        assert hasher.threads == expected
        hasher.close()


def test_a_miss_computes_a_hash_and_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def told(password: str, hashed: str) -> bool:
        asked.append(hashed)
        return password == "open sesame"

    monkeypatch.setattr(passwords, "verify", told)

    async def answers() -> list[bool]:
        hasher, permit = passwords.Hasher(1), cast("Permit", None)
        found = []
        for password, hashed in (("open sesame", "h"), ("close sesame", "h"), ("open sesame", None)):
            async with hasher.turn(None) as turn:
                found.append(await turn.verify(permit, password, hashed))
        hasher.close()
        return found

    assert asyncio.run(answers()) == [True, False, False]
    assert asked == ["h", "h", passwords.NOBODY]


def test_hashing_yields_to_all_else(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[int, ...]] = []
    monkeypatch.setattr("os.setpriority", lambda *given: said.append(given))
    passwords._step_back()
    assert said == [(os.PRIO_PROCESS, threading.get_native_id(), 4)]
