"""Encrypted copies: any size comes back, and any change, cut, swap or other key is noticed before a byte is trusted."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from gateway.encryption import files
from gateway.encryption.files import WrongKey

KEY, OTHER = bytes(range(32)), bytes(range(1, 33))
CHUNK = 64  # instead of a MiB
SIZES = (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK - 1, 3 * CHUNK)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (files.MAGIC, files.SALT, files.CHUNK, files.TAG, files.KEY) == (b"GWCOPY1\n", 16, 1 << 20, 16, 32)
    monkeypatch.setattr(files, "CHUNK", CHUNK)


def sealed(folder: Path, content: bytes, key: bytes = KEY) -> Path:
    (folder / "plain").write_bytes(content)
    (folder / "sealed").unlink(missing_ok=True)
    files.encrypt(folder / "plain", folder / "sealed", key)
    return folder / "sealed"


def opened(source: Path, key: bytes = KEY) -> bytes:
    target = source.with_name("opened")
    target.unlink(missing_ok=True)
    files.decrypt(source, target, key)
    return target.read_bytes()


def content_of(size: int) -> bytes:
    return bytes(number * 7 % 251 for number in range(size))


@pytest.mark.parametrize("size", SIZES)
def test_a_copy_of_any_size_comes_back_and_has_the_form_of_its_page(tmp_path: Path, size: int) -> None:
    """Read by the description in the module alone, so that a copy outlives the program."""
    content = content_of(size)
    raw = sealed(tmp_path, content).read_bytes()
    assert opened(tmp_path / "sealed") == content and files.is_encrypted(tmp_path / "sealed")
    header, body = raw[:24], raw[24:]
    assert header[:8] == b"GWCOPY1\n"
    box = AESGCM(HKDF(SHA256(), 32, header[8:], b"gateway copy").derive(KEY))
    pieces = [body[at : at + CHUNK + 16] for at in range(0, len(body), CHUNK + 16)]
    assert len(pieces) == max(1, -(-size // CHUNK)), "no empty chunk ends a file"
    plain = [
        box.decrypt(number.to_bytes(11, "big") + bytes([number == len(pieces) - 1]), piece, header)
        for number, piece in enumerate(pieces)
    ]
    assert b"".join(plain) == content


@pytest.mark.parametrize("size", SIZES)
def test_a_change_anywhere_is_noticed_and_leaves_nothing(tmp_path: Path, size: int) -> None:
    source = sealed(tmp_path, content_of(size))
    raw = source.read_bytes()
    for place in range(len(files.MAGIC), len(raw), 5):
        source.write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
        with pytest.raises(WrongKey):
            opened(source)
        assert (tmp_path / "opened").read_bytes() == b""


@pytest.mark.parametrize("size", SIZES)
def test_a_cut_or_an_addition_is_noticed(tmp_path: Path, size: int) -> None:
    source = sealed(tmp_path, content_of(size))
    raw = source.read_bytes()
    shorter = [raw[:length] for length in range(len(files.MAGIC), len(raw), 3)]
    whole = [raw[: 24 + at] for at in range(0, len(raw) - 24, CHUNK + 16)]
    for broken in (*shorter, *whole, raw + b"x", raw + raw[24:]):
        source.write_bytes(broken)
        with pytest.raises(WrongKey):
            opened(source)


def test_chunks_do_not_change_places_and_are_not_repeated(tmp_path: Path) -> None:
    source = sealed(tmp_path, content_of(3 * CHUNK))
    raw = source.read_bytes()
    head, *chunks = raw[:24], *(raw[at : at + CHUNK + 16] for at in range(24, len(raw), CHUNK + 16))
    one, two, three = chunks
    for order in ((two, one, three), (one, one, three), (one, three), (one, two, two), (one, two, three, three)):
        source.write_bytes(head + b"".join(order))
        with pytest.raises(WrongKey):
            opened(source)


def test_another_key_opens_nothing_and_no_two_files_are_alike(tmp_path: Path) -> None:
    first = sealed(tmp_path, b"x" * CHUNK).read_bytes()
    with pytest.raises(WrongKey):
        opened(tmp_path / "sealed", OTHER)
    second = sealed(tmp_path, b"x" * CHUNK).read_bytes()
    assert first[8:24] != second[8:24] and first[24:] != second[24:]


def test_a_file_is_its_owners_alone_and_replaces_none(tmp_path: Path) -> None:
    source = sealed(tmp_path, b"x")
    assert stat.S_IMODE(source.stat().st_mode) == 0o600
    opened(source)
    assert stat.S_IMODE((tmp_path / "opened").stat().st_mode) == 0o600
    for write in (files.encrypt, files.decrypt):
        with pytest.raises(FileExistsError):
            write(source, tmp_path / "opened", KEY)
    assert (tmp_path / "opened").read_bytes() == b"x"


@pytest.mark.parametrize("content", [b"", b"GWCOPY1", b"GWCOPY2\n", b"x" * 40])
def test_what_is_no_encrypted_copy_is_known(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    assert not files.is_encrypted(tmp_path / "file")


@pytest.mark.parametrize("length", [1, 16, 31, 33, 64])
def test_a_key_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        files.parse_key(base64.b64encode(b"x" * length).decode())


def test_a_key_is_read_with_blanks_around_it_and_nothing_else() -> None:
    key = files.new_key()
    assert files.parse_key(f" {key}\n") == base64.b64decode(key) and len(base64.b64decode(key)) == 32
    assert files.parse_key("") == files.parse_key(" ") == b"" and files.new_key() != key
    with pytest.raises(ValueError):
        files.parse_key(f"{key[:8]} {key[8:]}!")
