"""How long the gateway waits for Postgres, and what an answer that stays away means.

A statement that may take so long is cancelled by the server itself, who says so. When nothing is said a while after
that, the server does not answer: it is stopped, swaps, or its host is gone. Whoever waits is told 503, before the
client's own patience ends: the function's of a form, a proxy's, a browser's. Where no limit holds a statement another
connection is tried; a server that lets nobody in within `PROBE_LIMIT` answers nobody.

| waits for | seconds | shorter than |
| --- | --- | --- |
| a connection out of the pool | PGRST_DB_POOL_ACQUISITION_TIMEOUT, 10 | a function's call of the tables and its limit |
| a new connection | CONNECT_TIMEOUT, 10, for each host | |
| a statement | its statement_timeout and MARGIN | |
| a server without a word | PROBE_AFTER and PROBE_LIMIT | a function's call of the tables, 10 |
| storing what a form sent | 15, the application's | the limit of the form's function, 20 |
"""

from __future__ import annotations

import re
from typing import Final

MARGIN: Final = 2.0  # seconds past a statement's own limit
PROBE_AFTER: Final = 4.0  # seconds without an answer
PROBE_LIMIT: Final = 3.0  # seconds for a new connection

STATEMENT_TIMEOUT: Final = "statement_timeout"
_UNITS: Final = {"us": 1e-6, "ms": 1e-3, "": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_LENGTH: Final = re.compile(r"\s*(\d+(?:\.\d*)?)\s*(us|ms|s|min|h|d|)\s*")


def seconds(text: str) -> float:
    """A length of time as Postgres writes it; 0, which is none, for what cannot be read.

    >>> seconds("3s"), seconds("250"), seconds("1min"), seconds("0"), seconds("soon")
    (3.0, 0.25, 60.0, 0.0, 0.0)
    """
    found = _LENGTH.fullmatch(text)
    return float(found[1]) * _UNITS[found[2]] if found is not None else 0.0
