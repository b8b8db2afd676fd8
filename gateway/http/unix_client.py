"""HTTP over a unix socket, for the commands: `unix://`, and the percent-encoded path in the place of the host."""

from __future__ import annotations

import socket
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import quote, unquote
from urllib.request import AbstractHTTPHandler, OpenerDirector, ProxyHandler, Request, build_opener


def address_of(path: str) -> str:
    """The address of what listens at a path.

    >>> address_of("/run/gateway.sock")
    'unix://%2Frun%2Fgateway.sock'
    """
    return f"unix://{quote(path, safe='')}"


class _Connection(HTTPConnection):
    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(unquote(self.host))


class _Handler(AbstractHTTPHandler):
    def unix_request(self, request: Request) -> Request:
        request.add_unredirected_header("Host", "localhost")
        return self.do_request_(request)

    def unix_open(self, request: Request) -> HTTPResponse:
        return self.do_open(_Connection, request)


def opener() -> OpenerDirector:
    """Opens addresses of this machine, past any proxy."""
    return build_opener(ProxyHandler({}), _Handler())
