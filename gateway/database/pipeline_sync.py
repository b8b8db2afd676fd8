"""A sync that sends nothing by itself, so that what several requests ask of a connection in one turn is sent at once.

libpq's `PQpipelineSync`, the one that psycopg has a name for, sends at each sync what it has; `PQsendPipelineSync`
(libpq 17, https://www.postgresql.org/docs/17/libpq-pipeline-mode.html) leaves that to a flush. psycopg gives the
pointer to its connection for functions that it does not wrap
(https://www.psycopg.org/psycopg3/docs/api/pq.html#psycopg.pq.PGconn.pgconn_ptr). A libpq that is older syncs the other
way: it only sends more often.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from psycopg import pq

from gateway.database.errors import ConnectionLost


def _find() -> Any:
    """The function in the very libpq that psycopg was linked with, or None."""
    try:
        # A module of C finds the names of the libraries it was linked with; psycopg without one has none to look in.
        found = ctypes.PyDLL(sys.modules[pq.PGconn.__module__].__file__).PQsendPipelineSync
    except (OSError, AttributeError):
        return None
    found.argtypes, found.restype = [ctypes.c_void_p], ctypes.c_int
    return found


_SEND: Final = _find()


def sync_of(pgconn: pq.abc.PGconn) -> Callable[[], None]:
    """What ends a segment on a connection. The call raises an error of psycopg's, or ConnectionLost."""
    return pgconn.pipeline_sync if _SEND is None else partial(_send, pgconn)


def _send(pgconn: pq.abc.PGconn) -> None:
    # Asked for each time: there is none, and nothing behind it, after the end. psycopg's types leave it out.
    pointer = pgconn.pgconn_ptr  # type: ignore[attr-defined]
    if pointer is None or not _SEND(pointer):
        raise ConnectionLost(pgconn.get_error_message().strip())
