"""A name for each request, the client's own where it is fit for logs: the answer carries it, and so do log lines."""

from __future__ import annotations

import itertools
import os
import re
from typing import Final

from gateway.http.messages import HeaderList

FIT: Final = re.compile(rb"[\w.:-]{1,128}")
HEADER: Final = b"x-request-id"


class RequestIds:
    """Names requests; one in each worker."""

    def __init__(self, header: str) -> None:
        """`header` is where clients and proxies say their own name for a request; empty is `x-request-id`."""
        self.header = header.lower().encode() or HEADER
        self._numbers = itertools.count(int.from_bytes(os.urandom(4), "big"))
        self._process = os.urandom(4).hex()

    def of(self, given: bytes | None) -> str:
        """The name given, or a new one where that is missing or unfit."""
        if given is not None and FIT.fullmatch(given):
            return given.decode()
        return f"{self._process}-{next(self._numbers):x}"

    def passed_on(self, headers: HeaderList, request_id: str) -> HeaderList:
        """Headers of a request as a service gets them: with the name that the answer carries, and no other."""
        return [*(pair for pair in headers if pair[0] != HEADER), (HEADER, request_id.encode())]
