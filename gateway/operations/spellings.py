"""Every way in which files write an e-mail address, found in bytes.

Each character by itself may be as it is, in the other case, composed or in parts, percent-encoded, escaped as in JSON,
HTML or a mail, once or repeatedly; so a mixture of these is found too. Then whatever could be base64 is decoded and
looked through in the same way, wherever in it the address begins, and so is what is compressed.
"""

from __future__ import annotations

import binascii
import re
import unicodedata
import zlib
from collections.abc import Iterator
from html.entities import codepoint2name
from typing import Final

DEEPEST: Final = 4  # encodings within one another
_UNPACKED: Final = 64_000_000  # bytes of one compressed body that are looked through
# Base64, of either alphabet: over several lines, escaped as in JSON, in a URL or a form.
_ENCODED: Final = re.compile(
    rb"[A-Za-z0-9+/_-](?:[A-Za-z0-9+/_-]|[\r\n]|\\{1,31}(?:[rn/]|[uU]002[bBfF])|%(?:25)*2[bBfF]){7,}={0,2}"
)
_ESCAPED: Final = re.compile(rb"\\{1,31}(?:([/])|[uU]002([bBfF])|[rn])|%(?:25)*2([bBfF])|[\r\n]")
_TORN: Final = rb"(?:[\x80-\xff]{1,3}|[%=&][#0-9A-Za-z]{0,8}|\\{1,31}[uU]?[0-9A-Fa-f]{0,3})?"  # a part of a character
_STANDARD: Final = bytes.maketrans(b"-_", b"+/")
_GZIP: Final = b"\x1f\x8b"


class Spellings:
    """One address."""

    def __init__(self, email: str) -> None:
        composed = unicodedata.normalize("NFC", email.strip())
        letters = [_spelt(letter) for letter in composed]
        self._whole: Final = re.compile(b"".join(letters))
        # A body that is kept up to a length ends anywhere: from the sign on it is an address.
        known = composed.find("@") + 1
        rest = b""
        for letter in reversed(letters[known:]):
            rest = b"(?:%b%b)?" % (letter, rest)
        self._begun: Final = re.compile(b"".join(letters[:known]) + rest + _TORN + rb"\Z") if known else self._whole
        self._longest: Final = 24 * len(letters)

    def places(self, line: bytes) -> Iterator[tuple[int, int]]:
        """Where a line has it, or something encoded that has it."""
        for found in self._whole.finditer(line):
            yield found.span()
        for encoded in _ENCODED.finditer(line):
            if any(self.named_in(decoded, 1) for decoded in _decoded(encoded[0])):
                yield encoded.span()

    def named_in(self, content: bytes, depth: int = 0) -> bool:
        """Whether a content has it; one that was encoded may end in the middle of it."""
        if self._whole.search(content) or (depth and self._begun.search(content[-self._longest :])):
            return True
        if depth == DEEPEST:
            return False
        if content.startswith(_GZIP) and self.named_in(_unpacked(content), depth + 1):
            return True
        return any(
            self.named_in(decoded, depth + 1)
            for encoded in _ENCODED.finditer(content)
            for decoded in _decoded(encoded[0])
        )


def _spelt(letter: str) -> bytes:
    """A pattern of one character. It begins with a plain byte in each of its branches, which makes the search quick."""
    cases = {letter, letter.lower(), letter.upper(), letter.casefold()}
    variants = sorted(cases | {unicodedata.normalize("NFD", each) for each in cases})
    return b"(?:%b)" % b"|".join(dict.fromkeys(each for variant in variants for each in _written(variant)))


def _written(text: str) -> Iterator[bytes]:
    """Patterns of the ways to write some characters, all in one way."""
    raw = text.encode()
    # What came in a header is kept byte by byte, each as a character.
    for characters in dict.fromkeys((text, raw.decode("latin-1"))):
        yield re.escape(characters.encode())
        yield b"".join(rb"\\{1,31}[uU]%b" % _hex(f"{unit:04x}") for unit in _utf16(characters))
    for sign in (b"%(?:25)*", b"="):
        yield b"".join(sign + _hex(f"{byte:02x}") for byte in raw)
    yield b"".join(b"&(?:amp;)*(?:%b);" % b"|".join(_entities(character)) for character in text)


def _entities(character: str) -> Iterator[bytes]:
    code = ord(character)
    yield b"#0*%d" % code
    yield b"#[xX]0*" + _hex(f"{code:x}")
    name = {**codepoint2name, 0x27: "apos", 0x40: "commat", 0x2B: "plus", 0x2E: "period", 0x5F: "lowbar"}.get(code)
    if name:
        yield name.encode()


def _hex(digits: str) -> bytes:
    """Hexadecimal digits in either case."""
    return "".join(f"[{d}{d.upper()}]" if d.isalpha() else d for d in digits).encode()


def _utf16(text: str) -> Iterator[int]:
    encoded = text.encode("utf-16-be")
    return (int.from_bytes(encoded[at : at + 2]) for at in range(0, len(encoded), 2))


def _decoded(encoded: bytes) -> Iterator[bytes]:
    """What it may be, as nobody knows where it begins: letters before it look like more of it."""
    plain = _ESCAPED.sub(_character, encoded.rstrip(b"=")).translate(_STANDARD)
    for start in range(4):
        part = plain[start:]
        # The last characters may be two or three of four: padding that is left away or stands behind.
        part += b"=" * (-len(part) % 4) if len(part) % 4 != 1 else b""
        yield binascii.a2b_base64(part[: len(part) // 4 * 4])


def _character(escaped: re.Match[bytes]) -> bytes:
    said = escaped[1] or escaped[2] or escaped[3] or b""
    return {b"/": b"/", b"b": b"+", b"f": b"/"}.get(said.lower(), b"")


def _unpacked(content: bytes) -> bytes:
    """What was compressed, as far as it goes."""
    try:
        return zlib.decompressobj(31).decompress(content, _UNPACKED)
    except zlib.error:
        return b""
