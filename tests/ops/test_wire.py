"""Bytes that two readers may read differently, or that no client sends: to a table, a function and a page.

What a proxy in front might end elsewhere is refused, the connection with it; what is odd but clear is answered once.
"""

from __future__ import annotations

import json
import random
import re
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from urllib.parse import urlsplit

import pytest

from tests.fixtures.server import LiveGateway
from tests.ops.procs import LIMIT

PATHS = {
    "table": b"/rest/v1/blog_posts?select=id&limit=1",
    "function": b"/functions/v1/submit-contact",
    "page": b"/",
}
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
# A body of two bytes, in the pieces that transfer codings make of it.
WHOLE = b"2\r\n{}\r\n0\r\n\r\n"


def ask(first: bytes, *lines: bytes, body: bytes = b"") -> bytes:
    """A request; PATH and KEY in it are still to be filled in."""
    return b"\r\n".join((first, b"Host: x", b"apikey: KEY", *lines, b"", body))


def post(*lines: bytes, body: bytes = b"{}") -> bytes:
    return ask(b"POST PATH HTTP/1.1", *lines, body=body)


def get(*lines: bytes) -> bytes:
    return ask(b"GET PATH HTTP/1.1", *lines)


CHUNKED = b"Transfer-Encoding: chunked"
LAST = b"Connection: close"

REFUSED = {
    "a length and chunks": post(b"Content-Length: 5", CHUNKED, body=WHOLE),
    "chunks and a length": post(CHUNKED, b"Content-Length: 5", body=WHOLE),
    "two lengths": post(b"Content-Length: 2", b"Content-Length: 3"),
    "the same length twice": post(b"Content-Length: 2", b"Content-Length: 2"),
    "a list of lengths": post(b"Content-Length: 2, 2"),
    "a length with a sign": post(b"Content-Length: +2"),
    "a negative length": post(b"Content-Length: -2"),
    "a length in hexadecimal": post(b"Content-Length: 0x2"),
    "no length where one is named": post(b"Content-Length: "),
    "a length of two words": post(b"Content-Length: 1 2"),
    "a length beyond 64 bits": post(b"Content-Length: 18446744073709551618"),
    "an unknown coding": post(b"Transfer-Encoding: xchunked", body=WHOLE),
    "chunks that are not the last coding": post(b"Transfer-Encoding: chunked, identity", body=WHOLE),
    "a coding taken back": post(CHUNKED, b"Transfer-Encoding: identity", body=WHOLE),
    "a space before the colon": post(b"Transfer-Encoding : chunked", body=WHOLE),
    "a control character before the coding": post(b"Transfer-Encoding: \x0bchunked", body=WHOLE),
    "a folded line": post(b"X-A: b\r\n Content-Length: 2"),
    "a folded coding": post(b"Transfer-Encoding:\r\n chunked", body=WHOLE),
    "a fold before all headers": ask(b"GET PATH HTTP/1.1\r\n X: y"),
    "lines without carriage returns": get().replace(b"\r\n", b"\n"),
    "a header ended by a line feed alone": post(b"X: y\nContent-Length: 2"),
    "a carriage return within a header": post(b"X: y\rContent-Length: 2"),
    "a head ended by a line feed alone": get()[:-2] + b"\n",
    "an extension ended by a line feed alone": post(CHUNKED, body=b"2;a\n{}\r\n0\r\n\r\n"),
    "a size with a prefix": post(CHUNKED, body=b"0x2\r\n{}\r\n0\r\n\r\n"),
    "a size with a space": post(CHUNKED, body=b"2 \r\n{}\r\n0\r\n\r\n"),
    "a negative size": post(CHUNKED, body=b"-2\r\n{}\r\n0\r\n\r\n"),
    "a size beyond 64 bits": post(CHUNKED, body=b"10000000000000002\r\n{}\r\n0\r\n\r\n"),
    "a chunk longer than its size": post(CHUNKED, body=b"1\r\n{}\r\n0\r\n\r\n"),
    "a chunk without an end": post(CHUNKED, body=b"2\r\n{}0\r\n\r\n"),
    "chunks in lines of their own kind": post(CHUNKED, body=b"2\n{}\n0\n\n"),
    "a length behind the chunks": post(CHUNKED, body=b"2\r\n{}\r\n0\r\nContent-Length: 30\r\n\r\n"),
    "a host that ends nowhere": ask(b"GET http://[::1PATH HTTP/1.1"),
    "a path with backslashes": ask(b"GET \\PATH HTTP/1.1"),
    "a path without a beginning": ask(b"GET xPATH HTTP/1.1"),
    "a tunnel": ask(b"CONNECT x:443 HTTP/1.1"),
    "a null in the path": ask(b"GET PATH\0 HTTP/1.1"),
    "a null in a header": get(b"X: a\0b"),
    "a null in a name": get(b"X\0: b"),
    "a null in the method": ask(b"G\0T PATH HTTP/1.1"),
    "a line that is no header": get(b"nothing"),
    "a header without a name": get(b": b"),
    "a method in small letters": ask(b"get PATH HTTP/1.1"),
    "a version that there is not": ask(b"GET PATH HTTP/1.2"),
    "the greeting of TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03PATH",
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}
ANSWERED = {
    "another host in the target": ask(b"GET http://other:99PATH HTTP/1.1", LAST),
    "another scheme in the target": ask(b"GET ftp://u:p@otherPATH HTTP/1.1", LAST),
    "a fragment": ask(b"GET PATH#part HTTP/1.1", LAST),
    "two slashes": ask(b"GET /PATH HTTP/1.1", LAST),
    "a tunnel to a path": ask(b"CONNECT PATH HTTP/1.1", LAST),
    "all of the server": ask(b"OPTIONS * HTTP/1.1", LAST),
    "a body where none belongs": get(b"Content-Length: %d" % len(SMUGGLED), LAST) + SMUGGLED,
    "a length with zeros": post(b"Content-Length: 0000000000000000002", LAST),
    "a length among spaces": post(b"Content-Length:   2 \t", LAST),
    "two codings": post(b"Transfer-Encoding: gzip, chunked", LAST, body=WHOLE),
    "chunks of an old client": ask(b"POST PATH HTTP/1.0", CHUNKED, body=WHOLE),
    "extensions of chunks": post(CHUNKED, LAST, body=b'2;a=b;c="d"\r\n{}\r\n0;x\r\n\r\n'),
    "letters beyond ASCII": get(b"X: \xff\xe9", b"Prefer: \xff", b"Accept-Profile: \xff", LAST),
    "empty lines before all": b"\r\n\r\n" + get(LAST),
    "two spaces": ask(b"GET  PATH  HTTP/1.1", LAST),
    "an unknown expectation": post(b"Expect: 200-maybe", b"Content-Length: 2", LAST),
    "an upgrade that is not made": get(b"Upgrade: h2c", b"Connection: Upgrade, HTTP2-Settings, close"),
}


@pytest.fixture(params=PATHS)
def path(request: pytest.FixtureRequest) -> bytes:
    return PATHS[request.param]


@pytest.fixture
def live(site: LiveGateway) -> Iterator[LiveGateway]:
    """The product; nothing that these tests send is worth a traceback."""
    began = len(site.output)
    yield site
    said = "".join(site.output[began:])
    assert "Traceback" not in said, said


def filled(message: bytes, live: LiveGateway, path: bytes) -> bytes:
    return message.replace(b"PATH", path).replace(b"KEY", live.publishable_key.encode())


def exchange(live: LiveGateway, *pieces: bytes, ends: bool = False) -> bytes:
    """All that comes back until the server closes; with `ends` the client says first that this is all."""
    parts = urlsplit(live.url)
    assert parts.hostname and parts.port
    with closing(socket.create_connection((parts.hostname, parts.port), timeout=LIMIT)) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        answer = b""
        with suppress(ConnectionError):  # what was refused need not be read to its end
            for piece in pieces:
                client.sendall(piece)
            if ends:
                client.shutdown(socket.SHUT_WR)
            while chunk := client.recv(65_536):
                answer += chunk
        return answer


def statuses(answer: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)]


def content(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize("shape", REFUSED)
def test_what_may_be_read_in_two_ways_is_refused(live: LiveGateway, path: bytes, shape: str) -> None:
    answer = exchange(live, filled(REFUSED[shape], live, path) + SMUGGLED)
    assert statuses(answer) == [400]
    assert b"connection: close" in answer


@pytest.mark.parametrize("shape", ANSWERED)
def test_what_is_odd_but_clear_is_answered_once(live: LiveGateway, path: bytes, shape: str) -> None:
    answer = exchange(live, filled(ANSWERED[shape], live, path))
    assert len(statuses(answer)) == 1 and statuses(answer)[0] < 500, answer


def test_a_request_may_come_byte_by_byte(live: LiveGateway, path: bytes) -> None:
    posts = () if path == PATHS["page"] else (post(b"Content-Length: 2", LAST), post(CHUNKED, LAST, body=WHOLE))
    for message in (get(LAST), *posts):  # a page refuses them before their bodies are there
        raw = filled(message, live, path)
        whole, slow = exchange(live, raw), exchange(live, *[raw[index : index + 1] for index in range(len(raw))])
        assert (statuses(slow), content(slow)) == (statuses(whole), content(whole))


def test_chunks_and_their_extensions_make_one_body(live: LiveGateway) -> None:
    body = json.dumps({"name": "Priya Raman", "email": "no address"}).encode()
    at = PATHS["function"]
    plain = exchange(live, filled(post(b"Content-Length: %d" % len(body), LAST, body=body), live, at))
    pieces = b"".join(b'1;note="a;b"\r\n%c\r\n' % byte for byte in body) + b"0\r\nX-Trailer: y\r\n\r\n"
    assert statuses(plain) == [422]
    assert content(exchange(live, filled(post(CHUNKED, LAST, body=pieces), live, at))) == content(plain)


def test_a_trailer_is_no_header(live: LiveGateway, path: bytes) -> None:
    body = b"2\r\n{}\r\n0\r\nX-Request-Id: from-a-trailer\r\napikey: x\r\n\r\n"
    answer = exchange(live, filled(post(CHUNKED, LAST, body=body), live, path))
    assert len(statuses(answer)) == 1
    assert b"from-a-trailer" not in answer


@pytest.mark.parametrize("path", ["/rest/v1/blog_posts", "/auth/v1/health", "/", "/_mail", "/rest/v1/rpc/x"])
def test_no_socket_is_opened_where_there_is_none(live: LiveGateway, path: str) -> None:
    upgrade = get(
        b"Upgrade: websocket", b"Connection: upgrade", b"Sec-WebSocket-Version: 13",
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    )  # fmt: skip
    assert statuses(exchange(live, filled(upgrade, live, path.encode()))) == [403]


@pytest.mark.parametrize("garbage", [b"\0\0\0\r\n\r\n", b"GET / HTTP/1.1\r\nHost : x\r\n\r\n"])
def test_garbage_is_not_answered_in_the_place_of_the_request_before(
    live: LiveGateway, path: bytes, garbage: bytes
) -> None:
    alone = exchange(live, filled(get(LAST), live, path))
    together = exchange(live, filled(get(), live, path) + garbage)
    assert statuses(together)[0] == statuses(alone)[0] and len(content(together)) >= len(content(alone))


def test_a_client_that_has_said_all_is_no_failure(live: LiveGateway, path: bytes) -> None:
    for message in (get(), post(b"Content-Length: 2"), post(b"Content-Length: 9"), post(CHUNKED, body=b"2\r\n{")):
        assert len(statuses(exchange(live, filled(message, live, path), ends=True))) <= 1
    assert statuses(exchange(live, filled(get(LAST), live, PATHS["table"]))) == [200]


def test_no_bytes_on_the_wire_make_a_500(live: LiveGateway) -> None:
    chance = random.Random(7)
    seeds = [filled(shape, live, path) for shape in (*REFUSED.values(), *ANSWERED.values()) for path in PATHS.values()]
    seeds += [
        b"GET //../..//etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /assets/..%2f..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /functions/v1/..%2f..%2fx HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
    ]
    for seed in seeds:
        broken = bytearray(seed)
        for _ in range(chance.randint(1, 4)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        answer = exchange(live, bytes(broken), ends=True)
        assert not [status for status in statuses(answer) if status >= 500], (bytes(broken), answer[:300])
        assert b"root:" not in answer
