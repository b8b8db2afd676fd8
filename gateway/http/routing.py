"""Paths of what is off the hot path, read by Starlette.

Starlette tells which row of a table a path has; who may ask, by which method, and the bytes of an answer are for
the table's owner to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Generic, TypeVar
from urllib.parse import quote, unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import Match, Route

from gateway.http.messages import Receive, Scope, Send

Row = TypeVar("Row")


class _Segment(Convertor[str]):
    """One segment of a path, which may be empty: whoever takes it says what is wrong with that."""

    regex = "[^/]*"

    def convert(self, value: str) -> str:
        return unquote(value)

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


SEGMENT: Final = "segment"
register_url_convertor(SEGMENT, _Segment())


async def _no_app(scope: Scope, receive: Receive, send: Send) -> None:
    """Stands where Starlette wants an application: its routes only tell here which row a path has."""


class Routes(Generic[Row]):
    """A table of paths, such as `/a/{b:segment}`; the first that matches is taken.

    >>> Routes({"/mails/{id:segment}": "a mail"}).find(["mails", "a/b"])
    ('a mail', {'id': 'a/b'})
    """

    def __init__(self, rows: Mapping[str, Row]) -> None:
        self._rows = [(row, Route(path, _no_app)) for path, row in rows.items()]

    def find(self, segments: Iterable[str]) -> tuple[Row, Mapping[str, str]] | None:
        """The row of a path and its parameters; None where there is no such path.

        Segments are decoded. Starlette gets them encoded in one way, whatever the client wrote, so that neither a
        slash nor a line break in one of them means anything to its patterns.
        """
        path = "/" + "/".join(quote(segment, safe="") for segment in segments)
        for row, route in self._rows:
            match, found = route.matches({"type": "http", "method": "GET", "path": path})
            if match is Match.FULL:
                return row, found["path_params"]
        return None
