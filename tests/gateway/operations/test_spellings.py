"""An address is found however it was written and encoded, and nobody else is taken for it."""

from __future__ import annotations

import base64
import gzip
import json
import time
import unicodedata
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.functions.invocations import RECORD_LIMIT, Invocation, Invocations
from gateway.operations.erasure import erase_from_files
from gateway.operations.spellings import Spellings
from gateway.settings import Settings

EMAIL = "O'Neil+é@Bü.example"
PERSON = Spellings(f" {EMAIL} ")

Written = Callable[[str], str]
WAYS: dict[str, Written] = {
    "as it is": str,
    "in parts": lambda text: unicodedata.normalize("NFD", text),
    "in a URL": lambda text: quote(text, safe=""),
    "in a URL of a URL": lambda text: quote(quote(text)),
    "in a form": quote_plus,
    "in JSON": lambda text: json.dumps(text),
    "in JSON of JSON": lambda text: json.dumps(json.dumps(text)),
    "in HTML": escape,
    "in HTML, by numbers": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "in HTML, by hexadecimal numbers": lambda text: escape("".join(f"&#x{ord(letter):04X};" for letter in text)),
    "as a header that is kept": lambda text: json.dumps(text.encode().decode("latin-1")),
    "as a header that a recording keeps": lambda text: text.encode().decode("latin-1"),
    "in a mail": lambda text: "".join(f"={byte:02X}" for byte in text.encode()),
}
ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "base64": base64.b64encode,
    "of a token": lambda content: base64.urlsafe_b64encode(content).rstrip(b"="),
    "in lines": base64.encodebytes,
    "in lines of JSON": lambda content: json.dumps(base64.encodebytes(content).decode()).encode(),
    "escaped": lambda content: base64.b64encode(content).replace(b"/", rb"\/"),
    "in a form": lambda content: quote_plus(base64.b64encode(content)).encode(),
    "behind a path": lambda content: b"/a/bc/" + base64.b64encode(content),
    "behind a name": lambda content: b"data:x;base64," + base64.b64encode(content),
}


@st.composite
def cases(draw: st.DrawFn) -> str:
    """The address with each letter in either case."""
    upper = draw(st.lists(st.booleans(), min_size=len(EMAIL), max_size=len(EMAIL)))
    return "".join(letter.upper() if up else letter.lower() for letter, up in zip(EMAIL, upper, strict=True))


@settings(max_examples=300)
@given(
    email=cases(),
    way=st.sampled_from(list(WAYS.values())),
    before=st.text(max_size=80),
    after=st.text(max_size=80),
    encodings=st.lists(st.sampled_from(list(ENCODINGS.values())), max_size=2),
    packed=st.booleans(),
)
def test_she_is_found_in_every_case_way_and_encoding(
    email: str, way: Written, before: str, after: str, encodings: list[Callable[[bytes], bytes]], packed: bool
) -> None:
    content = f"{before} {way(email)} {after}".encode()
    if packed:
        content = base64.b64encode(gzip.compress(content))
    for encoding in encodings:
        content = b'"' + encoding(content) + b'"'
    assert PERSON.named_in(content)
    (place, *_) = PERSON.places(content)
    assert 0 <= place[0] < place[1] <= len(content)


@given(st.lists(st.sampled_from([EMAIL[:-1], EMAIL[1:], "somebody@b.example", "@", " ", "/", "%40", "=", "\\"])))
def test_nobody_else_is_taken_for_her(parts: list[str]) -> None:
    content = " ".join(parts).encode()
    assert not PERSON.named_in(content)
    assert not list(PERSON.places(b'"' + base64.b64encode(content + b" ") + b'"'))


@pytest.mark.parametrize("cut", range(EMAIL.index("@") + 1, len(EMAIL)))
def test_a_body_that_is_cut_within_her_address_names_her(cut: int) -> None:
    kept = (b"x" * 100 + b" " + EMAIL[:cut].encode())[-100:]
    assert PERSON.named_in(b'"' + base64.b64encode(kept) + b'"')
    assert not PERSON.named_in(b'"' + base64.b64encode(kept + b" and so on") + b'"')


@pytest.mark.parametrize("unit", [b"A", b"\\", b"%25", b"&amp;", b"&", b"amp;", b"%2b", b"\r\n", b"\\u002b", b"25"])
def test_time_grows_as_the_line_does(unit: bytes) -> None:
    def spent(size: int) -> float:
        line = b"%" + unit * (size // len(unit))
        began = time.process_time()
        assert not list(PERSON.places(line))
        return time.process_time() - began

    assert spent(400_000) < 60 * max(spent(40_000), 0.005)


def test_kept_calls_of_the_functions_service_name_her_no_more(tmp_path: Path) -> None:
    """In the body, in the answer alone, in the query, in a header; other calls are read as before."""
    token = "e30." + base64.urlsafe_b64encode(json.dumps({"email": EMAIL}).encode()).decode().rstrip("=") + ".c2ln"
    long = b"x" * (RECORD_LIMIT - 12) + EMAIL.encode()
    sent: dict[str, dict[str, Any]] = {
        "json": {"body": json.dumps({"name": "Nora", "email": EMAIL.upper()}).encode()},
        "text": {"body": json.dumps({"email": EMAIL}, ensure_ascii=False).encode()},
        "answer": {"answer": json.dumps({"user": {"email": EMAIL}}).encode()},
        "cut": {"answer": long[:RECORD_LIMIT]},
        "file": {"body": json.dumps({"content": base64.b64encode(f"to: {EMAIL}".encode()).decode()}).encode()},
        "packed": {"body": gzip.compress(EMAIL.encode())},
        "token": {"answer": json.dumps({"access_token": token}).encode()},
        "query": {"query": f"email={quote(EMAIL)}"},
        "header": {"headers": [("x-user", EMAIL.encode().decode("latin-1"))]},
        "nobody": {"body": b'{"email": "somebody@b.example"}', "answer": b"\x00\xff" * 500},
    }
    log = Invocations(tmp_path / "functions" / "invocations.jsonl")
    for name, parts in sent.items():
        encoded = {part: base64.b64encode(value).decode() for part, value in parts.items() if isinstance(value, bytes)}
        log.add(Invocation(**{
            "at": "2026-01-01T00:00:00.000Z", "function": name, "version": "", "method": "POST", "path": f"/{name}",
            "query": "", "status": 200, "ms": 1.0, "fault": "", "request": name, "headers": [], "body": "",
            **parts, **encoded,
        }))  # fmt: skip
    log.flush()
    assert erase_from_files(Settings(data_dir=tmp_path), EMAIL.lower())["recorded_calls"] == len(sent) - 1
    (kept,) = log.read()
    assert kept.function == "nobody" and kept.answer_bytes() == b"\x00\xff" * 500
