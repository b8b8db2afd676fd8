"""What an attacker sends: each answer is an error in the contract's shape, and nothing hosted acts for the site."""

from __future__ import annotations

import base64
import json
import socket
import time
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.storage.call import Call
from gateway.storage.download import SANDBOX, object_headers, refuse_to_run
from gateway.storage.errors import StorageError
from gateway.storage.rows import Object
from tests.storage.conftest import Storage, make_bucket

SCRIPT = b'<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>'
TUS = {"tus-resumable": "1.0.0"}


def form(fields: dict[str, bytes], content: bytes = SCRIPT) -> dict[str, Any]:
    """A form, whose fields hold what no header could."""
    parts = [
        b'--x\r\ncontent-disposition: form-data; name="%b"\r\n\r\n%b\r\n' % (k.encode(), v) for k, v in fields.items()
    ]
    parts.append(b'--x\r\ncontent-disposition: form-data; name=""; filename="a"\r\n\r\n%b\r\n--x--\r\n' % content)
    return {"content": b"".join(parts), "headers": {"content-type": "multipart/form-data; boundary=x"}}


def pairs(**values: str) -> str:
    return ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in values.items())


def refused(answer: httpx.Response) -> None:
    """Is it an error of the contract, and nobody's fault but the client's?"""
    assert 400 <= answer.status_code < 500, (answer.status_code, answer.text)
    body = answer.json()
    assert set(body) == {"statusCode", "error", "message", "code"}, body
    assert body["statusCode"] < "500"
    assert len(answer.content) < 100_000


# --- what is hosted -------------------------------------------------------------------------------------------------


def headers_of(kind: str) -> dict[bytes, bytes]:
    row = Object("", "k", "b", "v", {"mimetype": kind}, None, 0.0, "", None)
    try:
        return dict(object_headers(None, Call("GET", "", "", "", [], None), row, None))  # type: ignore[arg-type]
    except StorageError:
        return {}  # is not given out at all


_MARKUP = ("html", "xhtml+xml", "svg+xml", "xml", "xsl", "mathml+xml", "x-mixed-replace", "related", "unknown", "*", "")
_TYPES = st.one_of(
    st.text(max_size=40),
    st.builds(
        lambda lead, kind, gap, subtype, tail: f"{lead}{kind}{gap}/{subtype}{tail}",
        st.sampled_from(["", " ", "\t", "image/png, ", "x"]),
        st.sampled_from(["text", "TEXT", "application", "image", "Video", "multipart", "*", "unknown", ""]),
        st.sampled_from(["", " ", "\t"]),
        st.sampled_from(_MARKUP).flatmap(lambda word: st.sampled_from([word, word.upper(), f" {word}", f"foo+{word}"])),
        st.sampled_from(["", ";", "; charset=utf-8", " ;x", ", text/html", "\xff", "; a=b, image/svg+xml"]),
    ),
)


@given(_TYPES)
def test_whatever_the_type_says_nothing_runs_with_the_site_s_rights(kind: str) -> None:
    headers = headers_of(kind)
    if not headers:
        return
    assert headers[b"x-content-type-options"] == b"nosniff"
    sent = headers[b"content-type"].decode("utf-8").lower()
    if headers.get(b"content-security-policy") != SANDBOX:
        essence, _, rest = sent.partition(";")
        assert not any(word in essence for word in ("html", "xml", "svg", "xsl", "multipart", "unknown", "*", ","))
        assert "," not in rest
        assert essence.partition("/")[0] in ("text", "image", "audio", "video", "font", "application")


@pytest.mark.parametrize("kind", ["image/png", "video/mp4", "text/plain;charset=UTF-8", "application/pdf", "text/css"])
def test_what_is_known_to_be_harmless_is_left_as_it_is(kind: str) -> None:
    assert b"content-security-policy" not in headers_of(kind)


@pytest.mark.parametrize("destination", ["script", "worker", "sharedworker", "serviceworker"])
def test_a_page_of_the_same_origin_runs_no_script_of_a_bucket(
    admin: httpx.Client, anybody: httpx.Client, public_bucket: str, destination: str
) -> None:
    admin.post(f"/object/{public_bucket}/a.js", content=b"alert(1)", headers={"content-type": "text/javascript"})
    url = f"/object/public/{public_bucket}/a.js"
    refused(anybody.get(url, headers={"sec-fetch-site": "same-origin", "sec-fetch-dest": destination}))
    for harmless in (
        {"sec-fetch-site": "cross-site", "sec-fetch-dest": destination},
        {"sec-fetch-site": "same-origin"},
    ):
        assert anybody.get(url, headers=harmless).status_code == 200


def test_hosted_content_is_harmless_on_every_route(
    admin: httpx.Client, anybody: httpx.Client, public_bucket: str
) -> None:
    for number, kind in enumerate(
        (b"Text/HTML;x", b" text/html", b"image/svg+xml", b"text/xsl", b"*/*", b"a/b, text/xml")
    ):
        path = f"{public_bucket}/{number}"
        assert admin.post(f"/object/{path}", **form({"contentType": kind})).status_code == 200
        signed = admin.post(f"/object/sign/{path}", json={"expiresIn": 60}).json()["signedURL"]
        answers = [
            anybody.get(f"/object/public/{path}"),
            anybody.get(f"/object/public/{path}?download=x.html"),
            anybody.get(f"/object/{path}"),
            admin.get(f"/object/authenticated/{path}"),
            anybody.get(signed),
        ]
        for answer in answers:
            assert answer.content == SCRIPT
            assert answer.headers["x-content-type-options"] == "nosniff"
            as_text = answer.headers["content-type"] == "text/plain"
            assert as_text or answer.headers["content-security-policy"] == SANDBOX.decode()


# --- what is asked --------------------------------------------------------------------------------------------------

NAMES = [
    "a%00b",
    "a%ffb",
    "a%c3%28",
    "..%2f..%2fetc%2fpasswd",
    "a%0d%0ab",
    "%",
    "%zz",
    "a%25b",
    "a%7fb",
    "x" * 5000 + "%00",
]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_odd_names_are_refused_everywhere(admin: httpx.Client, bucket: str, name: str) -> None:
    refused(admin.post(f"/object/{bucket}/{name}", content=b"x"))
    refused(admin.get(f"/object/{bucket}/{name}"))
    refused(admin.get(f"/object/public/{bucket}/{name}"))
    refused(admin.get(f"/bucket/{name}"))


def test_a_name_that_no_index_can_hold_is_refused_before_its_bytes_are_kept(
    admin: httpx.Client, bucket: str, storage: Storage
) -> None:
    import random

    name = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=8000))
    refused(admin.post(f"/object/{bucket}/{name}", content=b"x"))


DEEP = "[" * 500_000
BODIES: dict[str, Any] = {
    "deep": DEEP,
    "deep objects": '{"prefix":' * 3000 + "1" + "}" * 3000,
    "long": json.dumps({"prefix": "a" * 2_000_000}),
    "NUL": '{"prefix":"a\\u0000b"}',
    "lone surrogate": '{"prefix":"\\ud800"}',
    "too large a number": '{"prefix":"","limit":1e400}',
    "below zero": '{"prefix":"","limit":-1}',
    "SQL for a column": '{"prefix":"","sortBy":{"column":"name; drop","order":"asc"}}',
    "many": json.dumps({"prefix": "", "x": [0] * 100_000}),
    "an array": "[]",
    "nothing": "",
}


@pytest.mark.parametrize("title", BODIES)
@pytest.mark.parametrize("route", ["list", "list-v2"])
def test_bodies_that_are_no_question(admin: httpx.Client, bucket: str, route: str, title: str) -> None:
    began = time.process_time()
    refused(
        admin.post(f"/object/{route}/{bucket}", content=BODIES[title], headers={"content-type": "application/json"})
    )
    assert time.process_time() - began < 2


@pytest.mark.parametrize("route", ["list", "list-v2"])
def test_patterns_in_a_search_are_text(admin: httpx.Client, bucket: str, route: str) -> None:
    asked = {"prefix": "%" * 5000, "search": "%_\\" * 2000, "limit": 10**18, "offset": 2**62}
    assert admin.post(f"/object/{route}/{bucket}", json=asked).status_code == 200
    assert admin.get("/bucket", params={"search": "%" * 5000}).json() == []


CURSORS = [b"", b"x", b"l:a\x00", b"l:", b"z:1\nl:a", b"loc:a"] + [
    b"c:updated_at\nl:a\na:" + moment
    for moment in (
        b"2020-13-01",
        b"20200101T00",
        b"2020-W01-1",
        b"99999-01-01",
        b"2020-01-01T00:00:00\x00",
        b"infinity",
    )
]


@pytest.mark.parametrize("cursor", CURSORS)
def test_cursors_that_were_never_given(admin: httpx.Client, bucket: str, cursor: bytes) -> None:
    said = base64.b64encode(cursor).decode() or "%" * 5000
    refused(admin.post(f"/object/list-v2/{bucket}", json={"cursor": said}))


def test_numbers_that_no_column_holds(admin: httpx.Client) -> None:
    for query in ("limit=" + "9" * 30, "offset=" + "9" * 400, "limit=1e9999", "offset=%00", "search=%00"):
        refused(admin.get(f"/bucket?{query}"))
    for limit in (1e300, "9" * 5000, "9" * 30 + "gb", "1" + "0" * 39 + "kb", -1, "٣mb"):
        refused(admin.post("/bucket", json={"name": "never", "file_size_limit": limit}))
    refused(admin.post("/bucket", json={"name": "never", "allowed_mime_types": ["a/" + "b" * 100_000]}))


def test_deletes_of_very_many_are_refused_or_done(admin: httpx.Client, bucket: str) -> None:
    as_json = {"content-type": "application/json"}
    for count in (30_000, 100_000):
        names = json.dumps({"prefixes": [f"nope{n}" for n in range(count)]})
        refused(admin.request("DELETE", f"/object/{bucket}", content=names, headers=as_json))
    few = json.dumps({"prefixes": [f"nope{n}" for n in range(5000)] + ["\\", '"', "{}", ","]})
    assert admin.request("DELETE", f"/object/{bucket}", content=few, headers=as_json).json() == []
    refused(admin.request("DELETE", f"/object/{bucket}", json={"prefixes": ["a\0"]}))


def test_a_download_s_name_and_query_break_no_header(
    admin: httpx.Client, anybody: httpx.Client, public_bucket: str
) -> None:
    admin.post(f"/object/{public_bucket}/a", content=b"x", headers={"content-type": "text/plain"})
    url = f"/object/public/{public_bucket}/a"
    for name in ("a%0d%0aset-cookie:x=1", "%00", "%ff", "%22;filename=evil.exe", "..%2f..%2fetc", "a" * 20_000):
        answer = anybody.get(f"{url}?download={name}")
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers
        assert set(answer.headers["content-disposition"]) & set('"\r\n\0\\/') == set()
    refused(anybody.get(url + "?" + "a=b&" * 300 + "download=x"))


def test_thousands_of_ranges_and_tags_are_cheap(admin: httpx.Client, anybody: httpx.Client, public_bucket: str) -> None:
    admin.post(f"/object/{public_bucket}/a", content=b"x" * 100, headers={"content-type": "text/plain"})
    url = f"/object/public/{public_bucket}/a"
    for range_ in ("bytes=" + ",".join(f"{n}-{n}" for n in range(5000)), "bytes=0-" + "9" * 5000, "x" * 10_000):
        refused(anybody.get(url, headers={"range": range_}))
    for condition in ({"if-none-match": '"x",' * 10_000}, {"if-modified-since": "Mon, 01 Jan 99999 00:00:00 +9999"}):
        assert anybody.get(url, headers=condition).status_code == 200


# --- what is uploaded -----------------------------------------------------------------------------------------------

METADATA = {
    "deep": b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
    "broken": b"{{{",
    "list": b"[1]",
    "surrogate": b'"\\ud800"',
}


@pytest.mark.parametrize("title", METADATA)
def test_metadata_that_cannot_be_read_is_none(admin: httpx.Client, bucket: str, title: str) -> None:
    said = base64.b64encode(METADATA[title]).decode()
    answer = admin.post(f"/object/{bucket}/m", content=b"x", headers={"content-type": "a/b", "x-metadata": said})
    assert answer.status_code == 200
    assert admin.get(f"/object/info/{bucket}/m").json()["metadata"] == {}


def test_text_that_postgres_cannot_hold_is_refused(admin: httpx.Client, bucket: str) -> None:
    nul = b'{"a":"\\u0000"}'
    headers = {"content-type": "a/b", "x-metadata": base64.b64encode(nul).decode()}
    refused(admin.post(f"/object/{bucket}/n", content=b"x", headers=headers))
    for fields in ({"metadata": nul}, {"cacheControl": b"\0"}, {"contentType": b"a/\0"}):
        refused(admin.post(f"/object/{bucket}/n", **form(fields)))
    for pair in ({"contentType": "a/\0"}, {"foo": "\0"}, {"metadata": '{"a":"\\u0000"}'}, {"objectName": "\0"}):
        said = pairs(**{"bucketName": bucket, "objectName": "n", **pair})
        answer = admin.post("/upload/resumable", headers={**TUS, "upload-length": "1", "upload-metadata": said})
        assert answer.status_code == 400, answer.text
    assert admin.post(f"/object/list/{bucket}", json={"prefix": ""}).json() == []


def test_a_form_that_is_refused_is_answered_at_once(storage: Storage, admin: httpx.Client, bucket: str) -> None:
    """Its body came whole: nothing more is waited for."""
    with storage.client(storage.token()) as stranger:
        began = time.monotonic()
        for _ in range(5):
            refused(stranger.post(f"/object/{bucket}/f", **form({})))
        assert time.monotonic() - began < 5  # of ten seconds, were each waited for


FORMS: dict[str, bytes] = {
    "no file": b'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nv\r\n--x--\r\n',
    "cut off": b'--x\r\ncontent-disposition: form-data; name=""; filename="a"\r\n\r\nabc',
    "many fields": b'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nv\r\n' * 5000,
    "a long header": b'--x\r\ncontent-disposition: form-data; name="' + b"a" * 500_000 + b'"\r\n\r\nv\r\n--x--',
    "many headers": b"--x\r\n" + b"a: b\r\n" * 50_000 + b"\r\nv\r\n--x--",
    "noise": b"\x00\xff" * 1000,
}


@pytest.mark.parametrize("title", FORMS)
def test_forms_that_are_none(admin: httpx.Client, bucket: str, title: str) -> None:
    kind = {"content-type": "multipart/form-data; boundary=x"}
    refused(admin.post(f"/object/{bucket}/f", content=FORMS[title], headers=kind))
    refused(
        admin.post(f"/object/{bucket}/f", content=b"x", headers={"content-type": kind["content-type"] + "b" * 5000})
    )


@pytest.mark.parametrize("length", ["9" * 18, "9" * 40, "-1", "1e3", "0x10", ""])
def test_lengths_that_no_upload_has(admin: httpx.Client, bucket: str, length: str) -> None:
    said = pairs(bucketName=bucket, objectName="a")
    answer = admin.post("/upload/resumable", headers={**TUS, "upload-length": length, "upload-metadata": said})
    assert answer.status_code in (400, 413)


def test_a_body_that_never_comes_keeps_nothing(storage: Storage, admin: httpx.Client, bucket: str) -> None:
    """What is said of a body is refused before it is waited for, and half a body leaves no bytes behind."""
    host, _, port = storage.gateway.url.removeprefix("http://").partition(":")
    head = f"POST /storage/v1/object/{bucket}/a HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {storage.secret}\r\n"
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(f"{head}content-length: {10**15}\r\n\r\n".encode())
        assert b'"statusCode":"413"' in connection.makefile("rb").read()
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(f"{head}content-length: 1000000\r\n\r\n".encode() + b"x" * 400_000)
    assert admin.post(f"/object/list/{bucket}", json={"prefix": ""}).json() == []


# --- who asks -------------------------------------------------------------------------------------------------------

WRITES: list[tuple[str, str, Any]] = [
    ("POST", "/object/{bucket}/a", None),
    ("PUT", "/object/{bucket}/a", None),
    ("DELETE", "/object/{bucket}/kept", None),
    ("POST", "/bucket", {"name": "anybodys"}),
    ("PUT", "/bucket/{bucket}", {"public": False}),
    ("DELETE", "/bucket/{bucket}", None),
    ("POST", "/bucket/{bucket}/empty", None),
    ("POST", "/object/copy", {"bucketId": "{bucket}", "sourceKey": "kept", "destinationKey": "c"}),
    ("POST", "/object/move", {"bucketId": "{bucket}", "sourceKey": "kept", "destinationKey": "c"}),
    ("POST", "/object/sign/{bucket}/kept", {"expiresIn": 60}),
    ("POST", "/object/upload/sign/{bucket}/a", None),
    ("PUT", "/object/upload/sign/{bucket}/a?token=a.b.c", None),
    ("DELETE", "/cdn/{bucket}", None),
]


def test_nobody_in_particular_writes_nothing(storage: Storage, admin: httpx.Client) -> None:
    bucket = make_bucket(admin, public=True)
    admin.post(f"/object/{bucket}/kept", content=b"kept", headers={"content-type": "text/plain"})
    none_signed = "eyJhbGciOiJub25lIn0.eyJyb2xlIjoic2VydmljZV9yb2xlIn0."
    for token in (None, storage.gateway.publishable_key, none_signed, "x" * 50_000):
        with storage.client(token) as client:
            for method, path, body in WRITES:
                content = json.dumps(body).replace("{bucket}", bucket) if body is not None else "x"
                kind = {"content-type": "application/json" if body is not None else "text/plain"}
                if method == "DELETE" or path.endswith("empty"):
                    content, kind = "", {}
                refused(client.request(method, path.replace("{bucket}", bucket), content=content, headers=kind))
            gone = client.request("DELETE", f"/object/{bucket}", json={"prefixes": ["kept"]}).json()
            assert gone == [] or "code" in gone
    assert admin.get(f"/object/{bucket}/kept").content == b"kept"
    assert [row["name"] for row in admin.post(f"/object/list/{bucket}", json={"prefix": ""}).json()] == ["kept"]


def test_what_runs_a_script_is_refused_whatever_it_is_called() -> None:
    call = Call("GET", "", "", "", [(b"sec-fetch-dest", b"worker"), (b"sec-fetch-site", b"same-origin")], None)  # type: ignore[arg-type]
    with pytest.raises(StorageError):
        refuse_to_run(call)
