"""A whole response as the bytes that go on the wire."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from gateway.http.messages import FRAMING, HeaderList, Response, length_of


def compose(response: Response, default_headers: HeaderList, keep_alive: bool, head_only: bool) -> bytes:
    """Head and body. Raises RuntimeError if a header would smuggle another.

    Where the body ends is said here: what a response's headers say of it is left out, or the SQL of a function, which
    sets headers, could make a client read the next answer wrongly. Only a HEAD may name the length of what it left out.
    """
    status = response.status
    if response.reason is None:
        parts = [STATUS_LINE.get(status) or b"HTTP/1.1 %d \r\n" % status]
    else:
        parts = [b"HTTP/1.1 %d %s\r\n" % (status, response.reason.encode("latin-1", "replace"))]
    length = length_of(response, head_only)
    lines = 1 + len(default_headers)
    for name, value in default_headers:
        parts += (name, b": ", value, b"\r\n")
    for name, value in response.headers:
        if name not in FRAMING or (head_only and length is None and name == b"content-length"):
            parts += (name, b": ", value, b"\r\n")
            lines += 1
    if length is not None:
        parts += (b"content-length: ", length, b"\r\n")
        lines += 1
    if not keep_alive:
        parts.append(b"connection: close\r\n")
        lines += 1
    head = b"".join(parts)
    if head.count(b"\r") != lines or head.count(b"\n") != lines:
        raise RuntimeError("a header or the reason phrase has a line break")
    return head + b"\r\n" if head_only or status in (204, 304) else b"%b\r\n%b" % (head, response.body)
